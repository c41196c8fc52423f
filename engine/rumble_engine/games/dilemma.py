"""The repeated prisoner's dilemma: two seats choose together, again and again, for the payoffs of their choices.

Moves: `C` (cooperate) or `D` (defect), by both seats at the same time. If `noise` is above 0, chance then changes each
choice to the other choice with a probability of `noise` percent. The text of a ply of chance lists the seats whose
choices were changed: `0`, `1` or `01`. If no choice was changed, the text is `-`.

If a seat falls out, the match ends, and all rounds not played are paid at once. For each of these rounds, the fallen
seat gets the least of the four payoffs in the settings. A fallen seat is treated as making the choice that can give
the least payoff. The other seat gets the payoff of the best answer to this choice. If both seats fall out in one ply,
each gets the least payoff for each round not played.

View: `round` (the number of rounds played), `payoffs` (the sum of each seat's payoffs), `last` (both choices of the
last round after the noise, `CD`; empty before the first round), `chosen` (both choices while chance decides, else
empty), and the settings. The text has the view without the settings, and `-` for an empty field: `12 30 35 CD -`.

The names of the payoffs are those of R. Axelrod, The Evolution of Cooperation (1984). Any numbers are allowed, so
every symmetric game of two choices can be played: chicken, the stag hunt.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, Self

from rumble_engine.drawing import EMPTY, SEAT_COLOURS, Drawing, Piece
from rumble_engine.errors import BadPosition, UnreadableMove
from rumble_engine.game import Game, Setting, SettingValue
from rumble_engine.joint import IDLE, JointState
from rumble_engine.outcome import Outcome
from rumble_engine.texts import shown
from rumble_engine.views import count_in, settings_in, text_in

CHOICES = "CD"
LARGEST = 1_000
"""The largest payoff allowed. The smallest payoff allowed is the same number with a minus sign."""
TURNED = (IDLE, "0", "1", "01")
"""The texts of the outcomes of the noise, by code. A code has a bit for each seat whose choice is changed."""
KEYS = {"C": "c", "D": "d"}
NAMES = ("First", "Second")
MARKS = ("ACD", "acd")
"""The characters of each seat in a drawing's board: for the seat, for the choice `C`, and for the choice `D`."""
PIECES = {digit: Piece(digit, None, "tile", "light", digit) for digit in "0123456789-"} | {
    mark: Piece(deed or name, seat, "tile" if deed else "disc", SEAT_COLOURS[seat], label)
    for seat, name in enumerate(NAMES)
    for mark, deed, label in zip(MARKS[seat], ("", "cooperates", "defects"), ("AB"[seat], *CHOICES), strict=True)
}


class Rules:
    """The settings of a match, in the form that play needs."""

    __slots__ = ("best", "chances", "least", "payoffs", "rounds", "settings")

    def __init__(self, settings: Mapping[str, SettingValue]) -> None:
        self.settings = dict(settings)
        reward, sucker, temptation, punishment = (
            int(settings[name]) for name in ("reward", "sucker", "temptation", "punishment")
        )
        self.payoffs = ((reward, sucker), (temptation, punishment))
        """The payoffs of a seat. The first index is the seat's choice, the second index is the other seat's choice."""
        self.least = min(map(min, self.payoffs))
        """Payoff of a fallen seat for each round that was not played."""
        self.best = max(max(row[own] for row in self.payoffs) for own in (0, 1) if self.least in self.payoffs[own])
        """Payoff of the seat that did not fall out, for each round that was not played."""
        self.rounds = int(settings["rounds"])
        noise = int(settings["noise"]) / 100
        self.chances = tuple(
            (code, noise ** code.bit_count() * (1 - noise) ** (2 - code.bit_count())) for code in range(4)
        )
        """Code and probability of each outcome of the noise. A code has a bit for each seat whose choice is changed."""


@lru_cache(64)
def _rules(settings: tuple[tuple[str, SettingValue], ...]) -> Rules:
    return Rules(dict(settings))


class DilemmaState(JointState):
    """The rounds played, the payoffs so far, the choices of the last round, and new choices while chance decides."""

    __slots__ = ("chosen", "last", "payoffs", "round", "rules")

    seats = 2
    moves_each = 2
    can_fall = True

    def __init__(self, rules: Rules, round_: int, payoffs: tuple[int, int], last: str, chosen: str) -> None:
        self.rules = rules
        self.round = round_
        self.payoffs = payoffs
        self.last = last
        self.chosen = chosen

    def _key(self) -> tuple[object, ...]:
        return self.round, self.payoffs, self.last, self.chosen, tuple(self.rules.settings.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DilemmaState) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    @property
    def outcome(self) -> Outcome | None:
        if self.round < self.rules.rounds:
            return None
        first, second = self.payoffs
        return Outcome.paid(self.payoffs, f"{first} to {second} after {self.round} rounds")

    @property
    def movers(self) -> tuple[int, ...]:
        return () if self.chosen or self.round == self.rules.rounds else (0, 1)

    def codes_for(self, seat: int) -> Sequence[int]:
        return (0, 1)

    def text_for(self, seat: int, code: int) -> str:
        return CHOICES[code]

    def code_for(self, seat: int, text: str) -> int:
        if len(text) != 1 or text not in CHOICES:
            raise UnreadableMove(f"{shown(text)} is not a move: C cooperates, D defects")
        self.refuse_after_end(text)
        return CHOICES.index(text)

    def after_all(self, moves: Mapping[int, int]) -> Self:
        if len(moves) < 2:
            return self._ended(moves)
        chosen = CHOICES[moves[0]] + CHOICES[moves[1]]
        if self.rules.settings["noise"]:
            return type(self)(self.rules, self.round, self.payoffs, self.last, chosen)
        return self._played(chosen)

    def _ended(self, stayed: Collection[int]) -> Self:
        """Return the final state after a fall. `stayed` has the seat that did not fall out, or no seat if both fell."""
        rules = self.rules
        left = rules.rounds - self.round
        first, second = [
            so_far + left * (rules.best if seat in stayed else rules.least) for seat, so_far in enumerate(self.payoffs)
        ]
        return type(self)(rules, rules.rounds, (first, second), self.last, "")

    @property
    def is_chance(self) -> bool:
        return bool(self.chosen)

    def chances(self) -> Sequence[tuple[int, float]]:
        return self.rules.chances if self.chosen else ()

    def chance_text(self, code: int) -> str:
        return TURNED[code]

    def after_chance(self, code: int) -> Self:
        return self._played("".join(CHOICES[CHOICES.index(self.chosen[seat]) ^ code >> seat & 1] for seat in (0, 1)))

    def _played(self, choices: str) -> Self:
        first, second = (CHOICES.index(choice) for choice in choices)
        gains = self.rules.payoffs[first][second], self.rules.payoffs[second][first]
        sums = self.payoffs[0] + gains[0], self.payoffs[1] + gains[1]
        return type(self)(self.rules, self.round + 1, sums, choices, "")

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return the rounds played, the sums, the choices and the settings; all seats see the same."""
        return {
            "round": self.round,
            "payoffs": list(self.payoffs),
            "last": self.last,
            "chosen": self.chosen,
            **self.rules.settings,
        }

    def text(self) -> str:
        return f"{self.round} {self.payoffs[0]} {self.payoffs[1]} {self.last or IDLE} {self.chosen or IDLE}"

    def diagram(self) -> str:
        """Return a line with the round, and for each seat a line with the sum of its payoffs and its last choice."""
        lines = [f"round {self.round} of {self.rules.rounds}"]
        lines += [
            f"{name:6} {each:>6} {choice}"
            for name, each, choice in zip(DilemmaGame.seat_names, self.payoffs, self.last or "  ", strict=True)
        ]
        return "\n".join(lines)


class DilemmaGame(Game):
    """The repeated prisoner's dilemma."""

    name = "dilemma"
    title = "Prisoner's dilemma"
    in_turn = False
    pays = True
    seat_marks = ("A", "B")
    seat_names = NAMES
    keys = KEYS
    settings = (
        Setting("rounds", 100, "rounds of a match", 1, 10_000),
        Setting("reward", 3, "payoff of each seat if both cooperate", -LARGEST, LARGEST),
        Setting("temptation", 5, "payoff of a seat that defects if the other cooperates", -LARGEST, LARGEST),
        Setting("sucker", 0, "payoff of a seat that cooperates if the other defects", -LARGEST, LARGEST),
        Setting("punishment", 1, "payoff of each seat if both defect", -LARGEST, LARGEST),
        Setting("noise", 0, "per cent of choices that chance turns around", 0, 50),
    )

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> DilemmaState:
        return DilemmaState(_rules(tuple(self.complete(settings).items())), 0, (0, 0), "", "")

    def load(self, view: Mapping[str, Any]) -> DilemmaState:
        payoffs = view.get("payoffs")
        if not isinstance(payoffs, list) or [type(each) for each in payoffs] != [int, int]:
            raise BadPosition('a dilemma view holds "payoffs", a list of two integers')
        rules = _rules(tuple(settings_in(self, view).items()))
        round_ = count_in(self, view, "round", rules.rounds)
        last, chosen = text_in(self, view, "last"), text_in(self, view, "chosen")
        return self._checked(DilemmaState(rules, round_, (payoffs[0], payoffs[1]), last, chosen))

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        """Return a row for each seat: the seat, its last choice, and the sum of its payoffs digit by digit."""
        bounds = [view["rounds"] * view[name] for name in ("reward", "temptation", "sucker", "punishment")]
        width = max(len(str(bound)) for bound in bounds)
        choices = view["chosen"] or view["last"] or "  "
        rows = [
            marks[0] + dict(zip(CHOICES, marks[1:], strict=True)).get(choice, EMPTY) + str(paid).rjust(width, EMPTY)
            for marks, choice, paid in zip(MARKS, choices, view["payoffs"], strict=True)
        ]
        plies = {f"{one} {other}" for one in CHOICES for other in CHOICES}.union(TURNED)
        marked = (1, 3 + width) if last in plies and choices.strip() else ()
        return Drawing("grid", 2 + width, "".join(rows), PIECES, last=marked)

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> DilemmaState:
        rules = _rules(tuple(self.complete(settings).items()))
        words = text.split(" ")
        try:
            round_, first, second = map(int, words[:3])
            last, chosen = ("" if word == IDLE else word for word in words[3:])
        except ValueError:
            raise BadPosition(f"{shown(text)} is not a position: 12 30 35 CD -") from None
        state = self._checked(DilemmaState(rules, round_, (first, second), last, chosen))
        if state.text() != text:
            raise BadPosition(f"{shown(text)} is not written as {state.text()}")
        return state

    def _checked(self, state: DilemmaState) -> DilemmaState:
        """Check the fields of a state, and return the state. Raises BadPosition if play cannot reach the state."""
        rules = state.rules
        every = [each for row in rules.payoffs for each in row]
        bounds = state.round * min(every), state.round * max(every)
        known = {"", *(one + other for one in CHOICES for other in CHOICES)}
        if (
            not 0 <= state.round <= rules.rounds
            or not all(bounds[0] <= each <= bounds[1] for each in state.payoffs)
            or not {state.last, state.chosen} <= known
            or (state.last and state.round == 0)
            or (not state.last and 0 < state.round < rules.rounds)  # a fall in the first round skips all rounds
            or (state.chosen and (not rules.settings["noise"] or state.round == rules.rounds))
        ):
            raise BadPosition("no play of the dilemma leads to this position")
        return state


GAME = DilemmaGame()
