"""Rules of thumb for snakes: reach as many squares as possible before the other snakes, and eat when hungry.

A set of squares is an integer with a bit for each square. A flood fill from all heads at once then takes few
operations. A body frees its squares one by one, the square of the tail first. The flood fill may enter a square as soon
as the tail has left the square.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from rumble_engine.games.snakes import NAMES, STEPS, SnakesState, Square

from rumble_bots.knowledge.worths import scores

HUNGRY = 30
"""Maximum health of a hungry snake. To a hungry snake, food is worth most."""
AMPLE = 2
"""Lead in length over every other snake, in squares. With this lead or more, a snake without hunger wants no food."""
APPETITE = 0.4
"""Worth of food that a snake without hunger reaches in one move. On the same scale, the worth of room is the share of
the board's squares that the snake reaches first."""
GROWTH = 6
"""Worth of one square of a snake's length, in squares of room."""
STARVES = 0.3
"""Factor by which the worth of a snake is multiplied if the snake will probably starve before it reaches food."""
HEADS_LOST, HEADS_WON = 1.0, 0.1
"""`HEADS_LOST` is subtracted from a move's worth if a snake of the same length or more may enter the same square.
`HEADS_WON` is added to the worth if only shorter snakes may enter the square."""


class Board:
    """The squares of a board as bits. An unused bit after each row keeps the rows apart."""

    def __init__(self, size: int, joined: bool) -> None:
        self.row, self.width, self.joined = size + 1, size, joined
        self.bits = {(x, y): 1 << y * self.row + x for y in range(size) for x in range(size)}
        self.all = sum(self.bits.values())
        self.left = sum(self.bits[0, y] for y in range(size))
        """The squares of the first column as bits."""

    def after(self, square: Square, code: int) -> int:
        """Return the square to which a move from `square` leads, as a bit; 0 if the move leads off the board."""
        step, width = STEPS[NAMES[code]], self.width
        x, y = square[0] + step[0], square[1] + step[1]
        return self.bits.get((x % width, y % width) if self.joined else (x, y), 0)

    def near(self, squares: int) -> int:
        """Return the squares next to any of the given squares."""
        row = self.row
        near = squares << 1 | squares >> 1 | squares << row | squares >> row
        if self.joined:
            last, top = self.width - 1, row * (self.width - 1)
            near |= (squares & self.left) << last | squares >> last & self.left | squares << top | squares >> top
        return near & self.all


board_of = lru_cache(64)(Board)


class Reach(NamedTuple):
    """The squares that a snake reaches before all others, and the number of moves to its first food (0: no food)."""

    squares: int
    meal: int


class Scene:
    """A position of snakes as sets of squares (bits)."""

    def __init__(self, state: SnakesState) -> None:
        rules = state.settings["rules"]
        self.board = board = board_of(state.size, rules == "wrapped")
        self.snakes = {seat: snake for seat, snake in enumerate(state.snakes) if not snake.out}
        self.lengths = {seat: len(snake.body) for seat, snake in self.snakes.items()}
        self.near = {seat: board.near(board.bits[snake.body[0]]) for seat, snake in self.snakes.items()}
        """The squares next to each head, by seat."""
        self.food = sum(board.bits[square] for square in state.food)
        bits = board.bits
        self.leaving: dict[int, int] = {}
        """Squares that become free because bodies move on. The key is the number of moves after which they are free."""
        bodies = 0
        for snake in self.snakes.values():
            left = {bits[square]: move for move, square in enumerate(reversed(snake.body), 1)}
            for bit, move in left.items():
                self.leaving[move] = self.leaving.get(move, 0) | bit
                bodies |= bit
        if rules == "constrictor":
            self.leaving = {}
        self.blocked = bodies & ~self.leaving.get(1, 0)
        """The squares still covered by bodies after the next move."""
        longest = sorted(self.snakes, key=self.lengths.__getitem__, reverse=True)
        self.ranks = [list(seats) for _, seats in groupby(longest, self.lengths.__getitem__)]
        """Groups of seats whose snakes are equally long, the group of the longest snakes first."""

    def moves(self, seat: int) -> dict[int, int]:
        """Return the squares to which a seat's moves lead, keyed by the code of the move.

        Moves that surely end the snake are left out.
        """
        snake = self.snakes[seat]
        squares = {code: self.board.after(snake.body[0], code) & ~self.blocked for code in range(4)}
        return {code: to for code, to in squares.items() if to and (snake.health > 1 or to & self.food)}

    def flood(self, starts: dict[int, int]) -> dict[int, Reach]:
        """Return the reach of each snake, by seat. `starts` has the possible squares of each head after the next move.

        If two snakes reach a square in the same move, the longer snake gets the square. If they are equally long, no
        snake gets it.
        """
        near, food, free, move = self.board.near, self.food, self.board.all & ~self.blocked, 1
        reached, meals = dict(starts), {seat: int(bool(start & food)) for seat, start in starts.items()}
        for start in starts.values():
            free &= ~start
        last = max(self.leaving, default=0)
        grows = True
        while grows or move < last:
            move += 1
            free |= self.leaving.get(move, 0)
            grows = False
            for seats in self.ranks:
                once = twice = 0
                claims = []
                for seat in seats:
                    claim = near(reached[seat]) & free
                    twice |= once & claim
                    once |= claim
                    claims.append((seat, claim))
                if not once:
                    continue
                grows = True
                free &= ~once
                for seat, claim in claims:
                    claimed = claim & ~twice
                    reached[seat] |= claimed
                    if claimed & food and not meals[seat]:
                        meals[seat] = move
        return {seat: Reach(squares, meals[seat]) for seat, squares in reached.items()}


def best(state: SnakesState, seat: int) -> Sequence[int]:
    """Return the moves with the highest `_rate`. If every move surely ends the snake, return all moves."""
    scene = Scene(state)
    moves = scene.moves(seat)
    if len(moves) < 2:
        return list(moves) or state.codes_for(seat)
    others = {other: near & ~scene.blocked for other, near in scene.near.items() if other != seat}
    rates = {code: _rate(scene, seat, to, others) for code, to in moves.items()}
    highest = max(rates.values())
    return [code for code, rate in rates.items() if rate == highest]


def _rate(scene: Scene, seat: int, to: int, others: dict[int, int]) -> float:
    """Return the worth of a move to the square `to`.

    The worth depends on room, on food, and on other heads that may enter the same square. `others` has the possible
    next squares of each other snake.
    """
    reach = scene.flood({seat: to} | {other: squares & ~to for other, squares in others.items()})[seat]
    length, health = scene.lengths[seat], scene.snakes[seat].health
    room = reach.squares.bit_count()
    rate = room / scene.board.width**2
    if room < length:
        rate -= 3 * (1 - room / length)
    rivals = [scene.lengths[other] for other, squares in others.items() if squares & to]
    if any(rival >= length for rival in rivals):
        rate -= HEADS_LOST
    elif rivals:
        rate += HEADS_WON
    if health <= max(HUNGRY, reach.meal):
        return rate + (1 - reach.meal / scene.board.width if reach.meal else -1)
    is_ample = all(length >= each + AMPLE for other, each in scene.lengths.items() if other != seat)
    return rate + (0 if is_ample or not reach.meal else APPETITE / reach.meal)


def tries(state: SnakesState, seat: int) -> Sequence[int]:
    """Return the moves that do not surely end the snake. If every move surely ends the snake, return a single move."""
    return list(Scene(state).moves(seat)) or state.codes_for(seat)[:1]


def judge(state: SnakesState) -> Sequence[float]:
    """Return the scores estimated from the worth of each snake.

    The worth of a snake in play follows from room, length and food. The worth of a snake that is out is below 0.
    Of two such snakes, the snake that went out earlier has the lower worth.
    """
    scene = Scene(state)
    worths = [snake.out - state.turn - 1.0 for snake in state.snakes]
    for seat, reach in scene.flood({seat: near & ~scene.blocked for seat, near in scene.near.items()}).items():
        length, health, room = scene.lengths[seat], scene.snakes[seat].health, reach.squares.bit_count()
        starves = health < reach.meal or (health < HUNGRY and not reach.meal)
        worth = room + GROWTH * (length + (0.8 / reach.meal if reach.meal else 0))
        worths[seat] = worth * min(1.0, room / length) * (STARVES if starves else 1.0)
    return scores(worths)
