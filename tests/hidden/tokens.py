"""A game with random tokens of 128 bits as secrets: a test finds a leaked token in any text.

In each round every seat is dealt a token. In an odd round every seat moves, in an even round a single seat. A move
names the token: `TOKEN+`, or `TOKEN-` for an even token. Legal moves, refusals and results depend on the token.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.metadata import EntryPoint
from random import Random
from typing import Any, ClassVar, Self
from unittest.mock import patch

from rumble_engine import (
    ALL,
    BadPosition,
    Drawing,
    Game,
    IllegalMove,
    JointState,
    NotListed,
    Outcome,
    Piece,
    Setting,
    UnreadableMove,
    registry,
)
from rumble_engine.drawing import EMPTY

SIGNS = "+-"
DIGITS = 32
"""Number of hexadecimal digits of a token."""


@dataclass(frozen=True, slots=True)
class TokensState(JointState):
    rounds: int
    round: int
    tokens: tuple[str, ...]
    """The tokens of the round; empty before the deal."""
    points: tuple[int, ...]
    out: frozenset[int] = frozenset()

    moves_each = len(SIGNS)
    can_fall = True

    @property
    def seats(self) -> int:
        return len(self.points)

    @property
    def outcome(self) -> Outcome | None:
        if self.round < self.rounds and len(self.out) < self.seats:
            return None
        return Outcome.paid(self.points, "all rounds are played")

    @property
    def movers(self) -> tuple[int, ...]:
        if not self.tokens or self.outcome is not None:
            return ()
        there = [seat for seat in range(self.seats) if seat not in self.out]
        return tuple(there if self.round % 2 else [there[self.round // 2 % len(there)]])

    @property
    def finished(self) -> frozenset[int]:
        return self.out

    def codes_for(self, seat: int) -> Sequence[int]:
        return (0,) if int(self.tokens[seat], 16) % 2 else (0, 1)

    def text_for(self, seat: int, code: int) -> str:
        return self.tokens[seat] + SIGNS[code]

    def code_for(self, seat: int, text: str) -> int:
        own = f"your token is {self.tokens[seat] if self.tokens else 'not dealt'}"
        if not text or text[-1] not in SIGNS:
            raise UnreadableMove(f"a move is a token with + or -; {own}")
        self.refuse_after_end("a move")
        for code in self.codes_for(seat):
            if text == self.text_for(seat, code):
                return code
        raise IllegalMove(f"this is not allowed; {own}")

    def after_all(self, moves: Mapping[int, int]) -> Self:
        points = [each + 1 + moves[seat] if seat in moves else each for seat, each in enumerate(self.points)]
        out = self.out.union(seat for seat in self.movers if seat not in moves)
        return replace(self, round=self.round + 1, tokens=(), points=tuple(points), out=out)

    def chances(self) -> Sequence[tuple[int, float]]:
        if not self.is_chance:
            return ()
        raise NotListed("the tokens are too many to list")

    def draw(self, number: int) -> int:
        dealt = [sha256(f"{number} {seat}".encode()).hexdigest()[:DIGITS] for seat in range(self.seats)]
        return int("1" + "".join(dealt), 16)

    def chance_text(self, code: int) -> str:
        return " ".join(_tokens(code))

    def chance_code(self, text: str) -> int:
        words = text.split(" ")
        if len(words) != self.seats or not all(re.fullmatch(f"[0-9a-f]{{{DIGITS}}}", word) for word in words):
            raise UnreadableMove("a deal is a token for each seat")
        return int("1" + "".join(words), 16)

    def after_chance(self, code: int) -> Self:
        return replace(self, tokens=_tokens(code))

    def seen(self, text: str, seat: int | None) -> str:
        if seat == ALL:
            return text
        return " ".join(word if own == seat or word == "-" else "?" for own, word in enumerate(text.split(" ")))

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return the round, and the token of the seat; after the match, `tokens` and `points`."""
        view: dict[str, Any] = {"rounds": self.rounds, "round": self.round, "out": sorted(self.out)}
        view |= {"seats": self.seats, "is_dealt": bool(self.tokens)}
        if seat == ALL:
            view |= {"tokens": list(self.tokens), "points": list(self.points)}
        elif seat is not None:
            view |= {"seat": seat, "token": self.tokens[seat] if self.tokens else ""}
        return view

    def text(self) -> str:
        return json.dumps([self.rounds, self.round, list(self.tokens), list(self.points), sorted(self.out)])

    def diagram(self) -> str:
        return GAME.diagram(self.view(ALL))


def _tokens(code: int) -> tuple[str, ...]:
    digits = f"{code:x}"[1:]
    return tuple(digits[start : start + DIGITS] for start in range(0, len(digits), DIGITS))


class TokensGame(Game):
    name = "tokens"
    title = "Tokens"
    least_seats = 2
    most_seats = 4
    in_turn = False
    hides = True
    pays = True
    seat_marks = ("A", "B", "C", "D")
    seat_names = seat_marks
    state: ClassVar[type[TokensState]] = TokensState
    settings: ClassVar[tuple[Setting, ...]] = (Setting("rounds", 6, "rounds of a match", 1, 100),)

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> TokensState:
        return self.initial_for(2, settings, seed)

    def initial_for(self, seats: int, settings: Mapping[str, Any] | None = None, seed: int = 0) -> TokensState:
        self.check_seats(seats)
        return self.state(int(self.complete(settings)["rounds"]), 0, (), (0,) * seats)

    def load(self, view: Mapping[str, Any]) -> TokensState:
        raise BadPosition("a view of tokens is not the whole state")

    def sample(self, view: Mapping[str, Any], random: Random) -> TokensState:
        if "seat" not in view:
            raise BadPosition("the view is not of a seat")
        dealt = [random.randbytes(DIGITS // 2).hex() for _ in range(view["seats"])] if view["is_dealt"] else []
        if dealt:
            dealt[view["seat"]] = view["token"]
        points = (0,) * view["seats"]
        return self.state(view["rounds"], view["round"], tuple(dealt), points, frozenset(view["out"]))

    def diagram(self, view: Mapping[str, Any]) -> str:
        return "\n".join(f"{name} {value}" for name, value in view.items())

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        """Return a row for each seat: the digits of the token if the view has the token."""
        known = view.get("tokens") or [""] * view["seats"]
        if view.get("token"):
            known = [view["token"] if seat == view["seat"] else each for seat, each in enumerate(known)]
        return Drawing("grid", DIGITS, "".join(token.ljust(DIGITS, EMPTY) for token in known), PIECES)

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> TokensState:
        try:
            rounds, round_, tokens, points, out = json.loads(text)
            return self.state(rounds, round_, tuple(tokens), tuple(points), frozenset(out))
        except (ValueError, TypeError, RecursionError):
            raise BadPosition("this is not a position of tokens") from None


PIECES = {digit: Piece(f"digit {digit}", None, "tile", "light", digit) for digit in "0123456789abcdef"}
GAME = TokensGame()
ENTRY = EntryPoint("tokens", f"{__name__}:GAME", registry.GROUP)


@contextmanager
def installed() -> Iterator[None]:
    """Have the game among the installed games during a block."""
    with patch.dict(registry.entries(), {"tokens": ENTRY}):
        yield
