"""Backgammon, without the doubling cube; a match is one game.

Chance rolls the dice. The ply has both numbers, the higher one first: `31`, `66`. In the opening roll each seat rolls
one die, and the ply has the die of seat 0 first. The seat with the higher die begins: after `13`, seat 1 plays 3 and 1.

Moves: all steps of a turn in the usual notation. A step has the points where the checker starts and lands, or `bar` and
`off`. Points are numbered as the mover counts them, from 24 down to 1. The steps of one checker are written as one
step. Equal steps are written once, with the count in brackets. `*` marks a hit. For example: `8/5 6/5`, `13/11(2)`,
`bar/23*/22`, `6/off`. The step with the highest starting point stands first. Moves with equal results have the same
text. `pass` is the move of a seat that has no other move.

The first seat that has all its checkers off wins. Hits could go on without end. Therefore the match is a draw after
`turns` turns of both seats together.

View: `points` (the number of checkers on points 1 to 24 as seat 0 counts them; below 0 for checkers of seat 1), `bar`
and `off` (the numbers of checkers by seat), `dice` (two numbers, the higher first; empty while chance decides),
`to_move` (the seat to move or to roll), `turn` (the number of turns made; 0 until the first move is made), and the
settings. The text has the board as in the XGID of eXtreme Gammon, the mark of the seat to move, the dice, and the turn:
`-b----E-C---eE---c-e----B- X 31 0`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rumble_engine.drawing import Drawing
from rumble_engine.errors import BadPosition, IllegalMove, UnreadableMove
from rumble_engine.game import Game, Setting, State
from rumble_engine.games import backgammon_drawing
from rumble_engine.outcome import Outcome
from rumble_engine.texts import shown
from rumble_engine.views import count_in, mover_in, mover_of, settings_in

OFF, BAR, CHECKERS = 0, 25, 15
"""`OFF` is the point of checkers borne off, and `BAR` of checkers on the bar. Each seat has `CHECKERS` checkers."""
PASS = "pass"
Side = tuple[int, ...]
"""A seat's number of checkers on each point, in the order `OFF`, 1 to 24, `BAR`. Each seat counts from its own side."""
Step = tuple[int, int, bool]
"""A step of a checker: the start point, the end point, and whether the step hits."""
START: Side = tuple({6: 5, 8: 3, 13: 5, 24: 2}.get(point, 0) for point in range(26))
OPENING = tuple((10 * one + other, 1 / 30) for one in range(1, 7) for other in range(1, 7) if one != other)
ROLLS = tuple((10 * high + low, (1 if high == low else 2) / 36) for high in range(1, 7) for low in range(1, high + 1))
MOVE = re.compile(r"(bar|\d{1,2})(/(\d{1,2}|off)\*?)+(\([234]\))?", re.ASCII)
TEXT = re.compile(r"([-A-Oa-o]{26}) ([XO]) ([1-6]{2}|-) (0|[1-9]\d{0,4})", re.ASCII)


@dataclass(unsafe_hash=True)
class BackgammonState(State):
    """The checkers of both seats, the seat to move or to roll, its dice, and the number of turns made."""

    # No slots, because they exclude cached properties: the moves are found once, when first asked for.

    sides: tuple[Side, Side]
    _to_move: int
    dice: int
    """The numbers of both dice as the two digits of an integer, the higher number first; 0 while chance decides."""
    turn: int
    turns: int

    @property
    def to_move(self) -> int:
        return self._to_move

    @cached_property
    def outcome(self) -> Outcome | None:
        for seat, side in enumerate(self.sides):
            if side[OFF] == CHECKERS:
                loser = self.sides[1 - seat]
                kind = "a backgammon" if any(loser[19:]) else "a gammon"
                return Outcome.win(seat, "all checkers are off" + ("" if loser[OFF] else f": {kind}"))
        return Outcome.draw(f"no winner after {self.turns} turns") if self.turn >= self.turns else None

    # --- Chance ---

    @property
    def is_chance(self) -> bool:
        return not self.dice and self.outcome is None

    def chances(self) -> Sequence[tuple[int, float]]:
        if not self.is_chance:
            return ()
        return ROLLS if self.turn else OPENING

    def _rolled(self, roll: int) -> "BackgammonState":
        first, second = divmod(roll, 10)
        mover = self._to_move if self.turn else int(second > first)
        return BackgammonState(self.sides, mover, max(roll, 10 * second + first), self.turn, self.turns)

    # --- Moves ---

    @cached_property
    def _plays(self) -> "Plays":
        """The legal moves as a dict: the key is the position after a move, the value the steps of the move.

        A position is the checkers of the mover and of the opponent.
        """
        if not self.dice:
            return {}
        return plays(self.sides[self._to_move], self.sides[1 - self._to_move], divmod(self.dice, 10))

    @cached_property
    def _results(self) -> list[tuple[Side, Side]]:
        return list(self._plays)

    @cached_property
    def legal_moves(self) -> list[str]:
        if self.is_chance:
            return [self.text_of(code) for code in self.codes()]
        return [written(steps) for steps in self._plays.values()]

    @cached_property
    def _codes_by_text(self) -> dict[str, int]:
        return {text: code for code, text in zip(self.codes(), self.legal_moves, strict=True)}

    def codes(self) -> Sequence[int]:
        return [roll for roll, _ in self.chances()] if self.is_chance else range(len(self._plays))

    def after(self, code: int) -> "BackgammonState":
        if self.is_chance:
            return self._rolled(code)
        own, other = self._results[code]
        sides = (own, other) if self._to_move == 0 else (other, own)
        return BackgammonState(sides, 1 - self._to_move, 0, self.turn + 1, self.turns)

    def text_of(self, code: int) -> str:
        return str(code) if self.is_chance else self.legal_moves[code]

    def code_of(self, text: str) -> int:
        if (code := self._codes_by_text.get(text)) is not None:
            return code
        if self.is_chance:
            raise UnreadableMove(f"{shown(text)} is not a roll: 31")
        if text != PASS and not all(MOVE.fullmatch(word) for word in text.split(" ")):
            raise UnreadableMove(f"{shown(text)} is not a move: 8/5 6/5, or bar/23*/22, or 6/off(2)")
        self.refuse_after_end(shown(text))
        raise IllegalMove(f"{shown(text)} is not a move of {self.dice} here, or is not written as in the list")

    # --- Forms ---

    def _points(self) -> list[int]:
        first, second = self.sides
        return [first[point] - second[25 - point] for point in range(1, 25)]

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return the checkers and the dice; all seats see the same."""
        return {
            "points": self._points(),
            "bar": [side[BAR] for side in self.sides],
            "off": [side[OFF] for side in self.sides],
            "dice": list(divmod(self.dice, 10)) if self.dice else [],
            "to_move": self._to_move,
            "turn": self.turn,
            "turns": self.turns,
        }

    def text(self) -> str:
        first, second = self.sides
        counts = [-second[BAR], *self._points(), first[BAR]]
        board = "".join("-" if not n else chr(64 + n) if n > 0 else chr(96 - n) for n in counts)
        return f"{board} {BackgammonGame.seat_marks[self._to_move]} {self.dice or '-'} {self.turn}"

    def diagram(self) -> str:
        """Return the points as lines, as seat 0 sees them, with point 24 at the top right.

        For each point, show the number of checkers, and the mark of the seat that owns the checkers.
        """
        cells = ["  ." if not n else f"{abs(n):>2}{'X' if n > 0 else 'O'}" for n in self._points()]
        rows = [(range(13, 19), range(19, 25)), (range(12, 6, -1), range(6, 0, -1))]
        lines = []
        for halves in rows:
            lines.append(" |".join("".join(f"{point:>4}" for point in half) for half in halves))
            lines.append(" |".join("".join(f" {cells[point - 1]}" for point in half) for half in halves))
        ends = [f"{mark}: {side[BAR]} on the bar, {side[OFF]} off"
                for mark, side in zip("XO", self.sides, strict=True)]  # fmt: skip
        return "\n".join([*lines, *ends, f"dice: {self.dice or '-'}"])

    def estimate(self) -> float:
        """Estimate the value by the mover's lead in the race.

        The lead is the opponent's number of points to go, minus the mover's number of points to go. The value is the
        lead divided by the length of the longest possible race plus 1 point. The value is therefore below 1.
        """
        own, other = (sum(point * count for point, count in enumerate(side)) for side in self.sides)
        return (other - own) / (BAR * CHECKERS + 1) * (1 if self._to_move == 0 else -1)


Plays = dict[tuple[Side, Side], list[Step]]


def plays(own: Side, other: Side, dice: tuple[int, int]) -> Plays:
    """Return the legal moves as a dict: the key is the position after a move, the value the steps of the move.

    A position is the checkers of the mover and of the opponent. Of several moves with equal results, only one is
    returned.

    A mover must use as many numbers of the dice as possible. A mover that can use only one of the two numbers must use
    the higher number if possible.
    """
    high, low = dice
    if high == low:
        return _in_order(own, other, (high,) * 4)
    first, second = _in_order(own, other, (high, low)), _in_order(own, other, (low, high))
    used, used_second = (len(next(iter(found.values()))) for found in (first, second))
    if used == used_second == 2:
        return second | first
    return first if used >= used_second else second


def _in_order(own: Side, other: Side, numbers: Sequence[int]) -> Plays:
    """Return the longest sequences of steps that use `numbers` in order, keyed by the position after the steps."""
    reached: Plays = {(own, other): []}
    for number in numbers:
        further: Plays = {}
        for sides, steps in reached.items():
            for step in _steps(*sides, number):
                further.setdefault(_stepped(*sides, step), [*steps, step])
        if not further:
            break
        reached = further
    return reached


def _steps(own: Side, other: Side, number: int) -> Iterator[Step]:
    """Yield the legal steps of a single checker. `number` is the number on the die that is used."""
    highest = max(point for point in range(26) if own[point])
    for point in range(highest, BAR - 1 if highest == BAR else 0, -1):
        reached = point - number
        if not own[point]:
            continue
        if reached > 0 and other[25 - reached] < 2:
            yield point, reached, other[25 - reached] == 1
        elif highest <= 6 and (reached == 0 or (reached < 0 and point == highest)):
            yield point, OFF, False


def _stepped(own: Side, other: Side, step: Step) -> tuple[Side, Side]:
    """Return the checkers of the mover and of the opponent after a step."""
    left, reached, is_hit = step
    after = list(own)
    after[left] -= 1
    after[reached] += 1
    if not is_hit:
        return tuple(after), other
    hit = list(other)
    hit[25 - reached] = 0
    hit[BAR] += 1
    return tuple(after), tuple(hit)


def written(steps: Sequence[Step]) -> str:
    """Return a move in the usual notation, from its steps."""
    paths: list[list[Step]] = []
    for step in sorted(steps, key=lambda step: (-step[0], step[1])):
        going_on = next((path for path in paths if path[-1][1] == step[0]), None)
        if going_on is None:
            paths.append([step])
        else:
            going_on.append(step)
    counts: dict[str, int] = {}
    hits = set()
    for path in paths:
        stops = "".join(f"/{reached}*" for _, reached, is_hit in path[:-1] if is_hit)
        _, end, is_hit = path[-1]
        text = f"{'bar' if path[0][0] == BAR else path[0][0]}{stops}/{end or 'off'}"
        counts[text] = counts.get(text, 0) + 1
        if is_hit:
            hits.add(text)
    words = [f"{text}{'*' * (text in hits)}{f'({count})' * (count > 1)}" for text, count in counts.items()]
    return " ".join(words) or PASS


class BackgammonGame(Game):
    """Backgammon without the doubling cube."""

    name = "backgammon"
    title = "Backgammon"
    in_turn = False
    seat_names = ("White", "Black")
    settings = (Setting("turns", 1_000, "turns of both seats together after which the match is a draw", 1, 5_000),)

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> BackgammonState:
        return BackgammonState((START, START), 0, 0, 0, int(self.complete(settings)["turns"]))

    def load(self, view: Mapping[str, Any]) -> BackgammonState:
        turns = int(settings_in(self, view)["turns"])
        points, bar, off = (_counts(view, *field) for field in (("points", 24), ("bar", 2), ("off", 2)))
        dice = _counts(view, "dice", 2) if view.get("dice") else [0, 0]
        return self._checked(points, bar, off, dice, mover_in(self, view), count_in(self, view, "turn", turns), turns)

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        return backgammon_drawing.drawing(view, last)

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> BackgammonState:
        turns = int(self.complete(settings)["turns"])
        read = TEXT.fullmatch(text)
        if read is None:
            raise BadPosition(f"{shown(text)} is not a position: -b----E-C---eE---c-e----B- X 31 0")
        board, mark, roll, turn = read.groups()
        counts = [0 if each == "-" else ord(each) - 64 if each.isupper() else 96 - ord(each) for each in board]
        bar = [counts[25], -counts[0]]
        off = [
            CHECKERS - bar[seat] - sum(sign * count for count in counts[1:25] if sign * count > 0)
            for seat, sign in enumerate((1, -1))
        ]
        dice = [int(each) for each in roll] if roll != "-" else [0, 0]
        return self._checked(counts[1:25], bar, off, dice, mover_of(self, mark), int(turn), turns)

    def _checked(
        self, points: list[int], bar: list[int], off: list[int], dice: list[int], mover: int, turn: int, turns: int
    ) -> BackgammonState:
        """Return the state with these checkers and dice. Raises BadPosition."""
        first = (off[0], *(max(count, 0) for count in points), bar[0])
        second = (off[1], *(max(-count, 0) for count in reversed(points)), bar[1])
        if any(min(side) < 0 or sum(side) != CHECKERS for side in (first, second)) or off == [CHECKERS] * 2:
            raise BadPosition(f"each seat has {CHECKERS} checkers, and only one can have all of them off")
        is_roll = 6 >= dice[0] >= dice[1] >= 1
        state = BackgammonState((first, second), mover, 10 * dice[0] + dice[1] if is_roll else 0, turn, turns)
        if not is_roll and dice != [0, 0]:
            raise BadPosition("the dice have two numbers from 1 to 6, the higher one first")
        if turn > turns or (is_roll and state.outcome is not None):
            raise BadPosition("the match is over: it has no more turns and no dice")
        if turn == 0 and (mover if not is_roll else dice[0] == dice[1]):
            raise BadPosition("before turn 1, X is named first until one seat has rolled the higher number")
        return state


def _counts(view: Mapping[str, Any], field: str, length: int) -> list[int]:
    """Return the value of `field` in a view. Raises BadPosition if the value is not a list of `length` integers."""
    value = view.get(field)
    if not isinstance(value, list) or [type(each) for each in value] != [int] * length:
        raise BadPosition(f'a backgammon view holds "{field}", a list of {length} integers')
    return value


GAME = BackgammonGame()
