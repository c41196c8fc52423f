"""Tiny games for tests: seats take from a pile. In `take`, a seat takes one or two; taking the last match wins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from rumble_engine import BadPosition, Game, IllegalMove, Outcome, Setting, State, UnreadableMove


@dataclass(frozen=True, slots=True)
class Pile(State):
    """A pile from which the seats take."""

    pile: int
    mover: int = 0

    @property
    def to_move(self) -> int:
        return self.mover

    def text_of(self, code: int) -> str:
        return str(code)

    def code_of(self, text: str) -> int:
        return int(text)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        return {"pile": self.pile, "mover": self.mover}

    def text(self) -> str:
        return f"{self.pile}.{self.mover}"

    def diagram(self) -> str:
        return "|" * self.pile or "none left"


@dataclass(frozen=True, slots=True)
class TakeState(Pile):
    @property
    def outcome(self) -> Outcome | None:
        return None if self.pile else Outcome.win(1 - self.mover, "took the last match")

    def codes(self) -> Sequence[int]:
        return range(1, min(self.pile, 2) + 1)

    def after(self, code: int) -> Self:
        return replace(self, pile=self.pile - code, mover=1 - self.mover)

    def text_of(self, code: int) -> str:
        return "ab"[code - 1]

    def code_of(self, text: str) -> int:
        if text not in ("a", "b"):
            raise UnreadableMove("take a or b")
        self.refuse_after_end(text)
        if text == "b" and self.pile == 1:
            raise IllegalMove("one match is left")
        return 1 if text == "a" else 2


class Take(Game):
    name = "take"
    title = "Take away"
    settings: ClassVar[tuple[Setting, ...]] = (Setting("pile", 5, "matches at the start", minimum=1, maximum=20),)
    state: ClassVar[type[TakeState]] = TakeState

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> TakeState:
        return self.state(int(self.complete(settings)["pile"]))

    def load(self, view: Mapping[str, Any]) -> TakeState:
        try:
            return self.state(view["pile"], view["mover"])
        except KeyError as error:
            raise BadPosition(f"the view has no {error}") from error

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> TakeState:
        pile, dot, mover = text.partition(".")
        if not (pile.isascii() and pile.isdigit() and dot and mover in ("0", "1")):
            raise BadPosition("not a pile, a dot and a mover")
        return self.state(int(pile), int(mover))
