"""Snakes: two to eight snakes move at the same time on a board, by the rules of Battlesnake.

Moves: `up`, `down`, `left` and `right`; all four are always legal, also where they lead to death. A joint move is made
in this order, as Battlesnake's documentation has it (docs.battlesnake.com, "Rules"):

1. Each snake moves its head by a square, and its tail follows. The snake loses one of its 100 points of health.
2. A snake with its head on food has full health again, and is longer by a square from the next turn on.
3. A snake without health, or off the board, is out. Then a remaining snake is out if its head is on a body, or on the
   head of another snake that is at least as long.

A snake whose seat falls out is out before the others move. In that turn, no other snake can collide with the fallen
snake, nor with a snake that starves.

After a joint move chance brings food. The ply is `-` for no food, or the square of the new food: `3,7` (column and row,
from 0 at the bottom left).

The setting `rules` has three values. With `standard`, the rules are as above. With `wrapped`, the edges of the board
are joined. With `constrictor`, there is no food, and snakes never starve and are longer by a square each turn.

The last snake on the board wins. After `turns` turns all remaining snakes share a place, and so do snakes that go out
in the same turn.

View: `turn`, `food` (squares `[x, y]`), `snakes` by seat, `feeds` (true while chance decides about food), and the
settings. A snake has `body` (squares, the head first), `health`, `out` (the turn in which the snake went out; 0 before)
and `reason` (why the snake went out). The text is the view as JSON.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from random import Random
from typing import Any, NamedTuple

from rumble_engine.chance import drawn_evenly
from rumble_engine.drawing import EMPTY, SEAT_COLOURS, Drawing, Piece
from rumble_engine.errors import BadPosition, UnreadableMove
from rumble_engine.game import Game, Setting, SettingValue
from rumble_engine.joint import IDLE, JointState
from rumble_engine.outcome import Outcome
from rumble_engine.texts import shown
from rumble_engine.views import count_in, settings_in

Square = tuple[int, int]
STEPS: Mapping[str, Square] = {"up": (0, 1), "down": (0, -1), "left": (-1, 0), "right": (1, 0)}
NAMES = tuple(STEPS)
KEYS = {name: f"Arrow{name.capitalize()}" for name in NAMES}
FULL_HEALTH = 100
FIRST_LENGTH = 3
FOOD_CHANCE = 0.15
"""Probability of new food after a turn. Without food on the board, the probability is 1."""
MOST_SEATS = 8
FELL_OUT = "fell-out"
MARKS = "ABCDEFGH"
FOOD = "*"
PIECES = {
    mark: piece
    for seat, (letter, colour) in enumerate(zip(MARKS, SEAT_COLOURS, strict=True))
    for mark, piece in (
        (letter, Piece(f"snake {letter}, head", seat, "disc", colour, letter)),
        (letter.lower(), Piece(f"snake {letter}, body", seat, "tile", colour, letter.lower())),
    )
} | {FOOD: Piece("food", None, "berry", "dark")}
REASONS = ("", "out-of-health", "wall-collision", "snake-self-collision", "snake-collision", "head-collision", FELL_OUT)


class Snake(NamedTuple):
    """A snake. A snake that is out keeps its last body, without effect on other snakes."""

    body: tuple[Square, ...]
    health: int
    out: int = 0
    """The turn in which the snake went out; 0 while it is playing."""
    reason: str = ""

    def moved(self, step: Square, width: int) -> "Snake":
        """Return the snake after a step. If `width` is not 0, the board's edges are joined."""
        x, y = self.body[0][0] + step[0], self.body[0][1] + step[1]
        head = (x % width, y % width) if width else (x, y)
        return Snake((head, *self.body[:-1]), self.health - 1)

    def grown(self) -> "Snake":
        return Snake((*self.body, self.body[-1]), FULL_HEALTH, self.out, self.reason)

    def ended(self, turn: int, reason: str) -> "Snake":
        """Return the snake, now out, with the turn and the reason of its end."""
        return Snake(self.body, self.health, turn, reason)


class SnakesState(JointState):
    """The snakes by seat, the food, and the number of turns made."""

    # No slots, because they exclude cached properties: values derived from the fields are computed once.
    moves_each = 4
    can_fall = True

    def __init__(
        self, settings: Mapping[str, SettingValue], turn: int, snakes: tuple[Snake, ...], food: frozenset[Square],
        *, feeds: bool = False,
    ) -> None:  # fmt: skip
        self.settings = settings
        self.turn = turn
        self.snakes = snakes
        self.food = food
        self.feeds = feeds
        """True if chance decides next whether new food appears."""
        self.size = int(settings["size"])
        self._playing = tuple([seat for seat, snake in enumerate(snakes) if not snake.out])

    def _key(self) -> tuple[object, ...]:
        return self.turn, self.snakes, self.food, self.feeds, tuple(self.settings.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SnakesState) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.turn, self.snakes))

    @property
    def seats(self) -> int:
        return len(self.snakes)

    @property
    def finished(self) -> tuple[int, ...]:
        return tuple(seat for seat, snake in enumerate(self.snakes) if snake.out)

    @cached_property
    def outcome(self) -> Outcome | None:
        left = self._playing
        if self._goes_on(len(left), self.turn):
            return None
        lasted = [snake.out or self.turn + 1 for snake in self.snakes]
        places = [1 + sum(other > own for other in lasted) for own in lasted]
        if len(left) == 1:
            reason = f"{SnakesGame.seat_names[left[0]]} is the last on the board"
        else:
            reason = f"{len(left)} are left after {self.turn} turns" if left else "the last went out together"
        return Outcome.ranked(places, reason)

    def _goes_on(self, left: int, turn: int) -> bool:
        """Return true if the game continues with `left` snakes after a turn."""
        return left > 1 and turn < int(self.settings["turns"])

    @property
    def movers(self) -> tuple[int, ...]:
        return self._playing if not self.feeds and self._goes_on(len(self._playing), self.turn) else ()

    @property
    def is_chance(self) -> bool:
        return self.feeds

    def codes_for(self, seat: int) -> Sequence[int]:
        return range(4)

    def text_for(self, seat: int, code: int) -> str:
        return NAMES[code]

    def code_for(self, seat: int, text: str) -> int:
        if text not in STEPS:
            raise UnreadableMove(f"{shown(text)} is not a move: up, down, left or right")
        self.refuse_after_end(text)
        return NAMES.index(text)

    # --- a turn ---

    def after_all(self, moves: Mapping[int, int]) -> "SnakesState":
        rules = self.settings["rules"]
        width = self.size if rules == "wrapped" else 0
        moved = {seat: self.snakes[seat].moved(STEPS[NAMES[code]], width) for seat, code in moves.items()}
        heads = {snake.body[0] for snake in moved.values()}
        fed = {seat: snake.grown() if snake.body[0] in self.food else snake for seat, snake in moved.items()}
        reasons = {seat: self._lost(snake) for seat, snake in fed.items()}
        there = {seat: snake for seat, snake in fed.items() if not reasons[seat]}
        turn = self.turn + 1
        snakes = list(self.snakes)
        for seat in self._playing:
            snake = fed.get(seat)
            if snake is None:
                snakes[seat] = self.snakes[seat].ended(turn, FELL_OUT)
                continue
            reason = reasons[seat] or _collided(seat, there)
            snakes[seat] = snake.ended(turn, reason) if reason else snake
        left = sum(not snake.out for snake in snakes)
        feeds = rules != "constrictor" and self._goes_on(left, turn)
        if rules == "constrictor":
            snakes = [snake if self.snakes[seat].out else _grown_each_turn(snake) for seat, snake in enumerate(snakes)]
        return SnakesState(self.settings, turn, tuple(snakes), self.food - heads, feeds=feeds)

    def _lost(self, snake: Snake) -> str:
        """Return the reason why a snake is out regardless of other snakes; an empty text without such a reason."""
        if snake.health <= 0:
            return "out-of-health"
        return "" if all(0 <= each < self.size for each in snake.body[0]) else "wall-collision"

    # --- food ---

    @cached_property
    def _taken(self) -> frozenset[Square]:
        """The squares that have a snake or food."""
        on_board = [square for seat in self._playing for square in self.snakes[seat].body]
        return self.food.union(on_board)

    def _free(self) -> list[int]:
        """Return the free squares (no snake, no food) as numbers: row times size, plus column."""
        taken = self._taken
        return [number for number, square in enumerate(_squares(self.size)) if square not in taken]

    def _food_chances(self) -> tuple[float, float]:
        """Return the probability of no new food, and for each free square the same probability of new food."""
        free = self.size**2 - len(self._taken)
        chance = (FOOD_CHANCE if self.food else 1.0) if free else 0.0
        return 1.0 - chance, chance / max(1, free)

    def chances(self) -> Sequence[tuple[int, float]]:
        if not self.feeds:
            return ()
        none, each = self._food_chances()
        return ([(0, none)] if none else []) + ([(1 + number, each) for number in self._free()] if each else [])

    def draw(self, number: int) -> int:
        """Return the same code as `drawn`, but without a list of outcomes, and so faster.

        No list is needed, because all free squares are equally probable.
        """
        none, each = self._food_chances()
        place = drawn_evenly(none, each, self.size**2 - len(self._taken), number)
        return 1 + self._free()[place - 1] if place else 0

    def chance_text(self, code: int) -> str:
        return IDLE if code == 0 else f"{(code - 1) % self.size},{(code - 1) // self.size}"

    def after_chance(self, code: int) -> "SnakesState":
        new = () if code == 0 else (((code - 1) % self.size, (code - 1) // self.size),)
        return SnakesState(self.settings, self.turn, self.snakes, self.food.union(new))

    # --- forms ---

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return the view, which is the same for all seats."""
        return {
            "turn": self.turn,
            "food": [list(square) for square in sorted(self.food)],
            "snakes": [
                {"body": [list(square) for square in each.body], "health": each.health, "out": each.out}
                | {"reason": each.reason}
                for each in self.snakes
            ],
            "feeds": self.feeds,
            **self.settings,
        }

    def text(self) -> str:
        return json.dumps(self.view(), separators=(",", ":"))

    def diagram(self) -> str:
        """Return the board, the top row first: heads as capital letters, bodies as small letters, food as `*`."""
        board = _board(self.view())
        return "\n".join(" ".join(board[start : start + self.size]) for start in range(0, len(board), self.size))


@cache
def _squares(size: int) -> list[Square]:
    return [(x, y) for y in range(size) for x in range(size)]


def _board(view: Mapping[str, Any]) -> str:
    """Return the board of a view as a character for each square, row by row from the top."""
    size = view["size"]
    cells = [EMPTY] * size**2
    for x, y in view["food"]:
        cells[_cell(x, y, size)] = FOOD
    for mark, snake in zip(MARKS, view["snakes"], strict=False):
        for place, (x, y) in reversed(list(enumerate(snake["body"]))):
            if not snake["out"]:
                cells[_cell(x, y, size)] = mark.lower() if place else mark
    return "".join(cells)


def _cell(x: int, y: int, size: int) -> int:
    return (size - 1 - y) * size + x


def _marked(view: Mapping[str, Any], ply: str) -> tuple[int, ...]:
    """Return the cells to mark after a ply: the moved heads that are on the board, or the new food."""
    size, snakes, words = view["size"], view["snakes"], ply.split(" ")
    if len(words) == len(snakes) and {IDLE, *STEPS}.issuperset(words):
        heads = [snake["body"][0] for word, snake in zip(words, snakes, strict=True) if word != IDLE]
        return tuple(_cell(x, y, size) for x, y in heads if 0 <= x < size and 0 <= y < size)
    return tuple(_cell(x, y, size) for x, y in view["food"] if ply == f"{x},{y}")


def _collided(seat: int, there: Mapping[int, Snake]) -> str:
    """Return the kind of collision for the head of the snake of `seat`; an empty text if the head hits no snake.

    `there` has the snakes that can be hit, by seat.
    """
    own = there[seat]
    head, others = own.body[0], [snake for other, snake in there.items() if other != seat]
    if head in own.body[1:]:
        return "snake-self-collision"
    if any(head in other.body[1:] for other in others):
        return "snake-collision"
    is_beaten = any(head == other.body[0] and len(own.body) <= len(other.body) for other in others)
    return "head-collision" if is_beaten else ""


def _grown_each_turn(snake: Snake) -> Snake:
    """Return the snake after a turn under the rules `constrictor`, with full health.

    The snake is longer by a square if its last two squares differ. After the start, the last two squares are the same,
    and the snake keeps its length.
    """
    return snake.grown() if snake.body[-1] != snake.body[-2] else snake._replace(health=FULL_HEALTH)


class SnakesGame(Game):
    """Snakes by the rules of Battlesnake."""

    name = "snakes"
    title = "Snakes"
    most_seats = MOST_SEATS
    in_turn = False
    seat_marks = tuple(MARKS)
    seat_names = tuple(f"Snake {mark}" for mark in MARKS)
    keys = KEYS
    settings = (
        Setting("rules", "standard", "which rules of Battlesnake", choices=("standard", "wrapped", "constrictor")),
        Setting("size", 11, "columns and rows of the board", 7, 25),
        Setting("turns", 1_000, "turns after which all that are left tie", 1, 1_000),
    )

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> SnakesState:
        return self.initial_for(self.seats, settings, seed)

    def initial_for(self, seats: int, settings: Mapping[str, Any] | None = None, seed: int = 0) -> SnakesState:
        """Return the first state: snakes near the edges, placed by the seed; food beside each snake, and in the middle.

        With the rules `constrictor` there is no food.
        """
        full = self.complete(settings)
        self.check_seats(seats)
        size, lot = int(full["size"]), Random(seed)
        low, middle, high = 1, (size - 1) // 2, size - 2
        corners = [(x, y) for x in (low, high) for y in (low, high)]
        edges = [(low, middle), (middle, low), (high, middle), (middle, high)]
        lot.shuffle(corners)
        lot.shuffle(edges)
        heads = (corners + edges)[:seats]
        lot.shuffle(heads)
        snakes = tuple(Snake((head,) * FIRST_LENGTH, FULL_HEALTH) for head in heads)
        food: set[Square] = set()
        if full["rules"] != "constrictor":
            food = {(middle, middle)}
            for x, y in heads:  # diagonally beside the head, outward if the head is at a corner
                beside = [(x + i, y + j) for i in (-1, 1) for j in (-1, 1)]
                free = [each for each in beside if each not in food and each not in heads and each != (middle, middle)]
                food.add(lot.choice(free))
        return SnakesState(full, 0, snakes, frozenset(food))

    def load(self, view: Mapping[str, Any]) -> SnakesState:
        settings = settings_in(self, view)
        turn = count_in(self, view, "turn", int(settings["turns"]))
        try:
            snakes = tuple(_snake(each, turn) for each in view["snakes"])
            food = [_square(each) for each in view["food"]]
            feeds = view["feeds"]
        except (KeyError, TypeError, ValueError) as error:
            raise BadPosition(f"not a snakes view: {error}") from error
        size = int(settings["size"])
        is_square = all(0 <= each < size for square in food for each in square)
        on_board = all(
            snake.out or all(0 <= each < size for square in snake.body for each in square) for snake in snakes
        )
        if (
            not self.least_seats <= len(snakes) <= self.most_seats
            or not is_square
            or not on_board
            or type(feeds) is not bool
        ):
            raise BadPosition("not a snakes view: the numbers of snakes, or their places")
        state = SnakesState(settings, turn, snakes, frozenset(food), feeds=feeds)
        if len(food) != len(state.food) or (feeds and (state.outcome or settings["rules"] == "constrictor")):
            raise BadPosition("not a snakes view: food that cannot be there")
        return state

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        size, seats = view["size"], len(view["snakes"])
        pieces = {mark: piece for mark, piece in PIECES.items() if piece.seat is None or piece.seat < seats}
        labels = tuple(map(str, range(size)))
        return Drawing("grid", size, _board(view), pieces, labels, labels[::-1], last=_marked(view, last or ""))

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> SnakesState:
        full = self.complete(settings)
        try:
            view = json.loads(text)
        except (ValueError, RecursionError):
            raise BadPosition(f"{shown(text)} is not a position: the view as JSON") from None
        if not isinstance(view, dict):
            raise BadPosition(f"{shown(text)} is not a position: the view as JSON")
        state = self.load({**full, **view})
        if settings and any(state.settings[name] != value for name, value in settings.items()):
            raise BadPosition(f"{shown(text)} has other settings")
        return state


def _square(given: Any) -> Square:
    if not isinstance(given, list) or [type(each) for each in given] != [int, int]:
        raise ValueError("a square is a list of two integers")
    return given[0], given[1]


def _snake(given: Mapping[str, Any], turn: int) -> Snake:
    """Read a snake from a view after `turn` turns. Raises KeyError, TypeError or ValueError for a bad snake."""
    body = tuple(_square(each) for each in given["body"])
    snake = Snake(body, given["health"], given["out"], given["reason"])
    if len(body) < FIRST_LENGTH or type(snake.health) is not int or type(snake.out) is not int:
        raise ValueError("a snake has a body, a health and an out")
    if not (snake.health <= FULL_HEALTH and 0 <= snake.out <= turn and snake.reason in REASONS):
        raise ValueError("the health or the end of a snake")
    if bool(snake.out) is not bool(snake.reason) or (snake.health < 1 and not snake.out):
        raise ValueError("a snake that is out has a reason")
    return snake


GAME = SnakesGame()
