"""Rules of thumb for snakes, in positions drawn as diagrams, and beside a slow flood."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_bots.knowledge.snakes import Scene, best, board_of, judge, tries
from rumble_bots.reference import make_reference_bot
from rumble_bots.reference.battle import play
from rumble_bots.search.plies import random_ply
from rumble_engine import State
from rumble_engine.games.snakes import GAME, NAMES, STEPS, Snake, SnakesState, Square

Body = Sequence[Square]


def at(*bodies: Body, food: Body = (), health: int = 90, rules: str = "standard") -> SnakesState:
    """Return a position on a board of 7 columns and rows; the first snake has this health."""
    snakes = tuple(Snake(tuple(body), 90 if seat else health) for seat, body in enumerate(bodies))
    return SnakesState(GAME.complete({"size": 7, "rules": rules}), 5, snakes, frozenset(food))


def names(codes: Sequence[int]) -> list[str]:
    return [NAMES[code] for code in codes]


FAR = [(6, 6), (6, 5), (6, 4)]


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))), st.booleans())
def test_the_squares_beside_others(squares: set[Square], joined: bool) -> None:
    board = board_of(7, joined)
    beside = {(x + i, y + j) for x, y in squares for i, j in STEPS.values()}
    found = {(x % 7, y % 7) for x, y in beside} if joined else beside & board.bits.keys()
    assert board.near(sum(board.bits[square] for square in squares)) == sum(board.bits[square] for square in found)


def test_walls_and_bodies_are_not_tried_but_a_tail_that_leaves_is() -> None:
    assert names(tries(at([(0, 0), (0, 1), (0, 2)], FAR), 0)) == ["right"]
    ring = [(1, 1), (1, 2), (2, 2), (2, 1)]
    assert names(tries(at(ring, FAR), 0)) == ["down", "left", "right"]
    assert names(tries(at([*ring, (2, 1)], FAR), 0)) == ["down", "left"]
    assert names(tries(at([(0, 3), (1, 3), (2, 3)], FAR, rules="wrapped"), 0)) == ["up", "down", "left"]
    assert names(tries(at(ring, FAR, rules="constrictor"), 0)) == ["down", "left"]


def test_a_snake_that_starves_tries_only_food_and_a_lost_one_anything() -> None:
    state = at([(3, 3), (3, 2), (3, 1)], FAR, food=[(2, 3)], health=1)
    assert names(tries(state, 0)) == ["left"]
    lost = at([(0, 0), (0, 1), (1, 1), (1, 0), (2, 0)], FAR)
    assert len(tries(lost, 0)) == 1
    assert list(best(lost, 0)) == [0, 1, 2, 3]


def test_the_flood_agrees_with_a_slow_one() -> None:
    """Compare what a single snake reaches with steps made one by one, while its body leaves the board."""
    random = Random(5)
    for _ in range(40):
        body = [(random.randrange(7), random.randrange(7))]
        while len(body) < random.randrange(4, 20):
            near = [(body[-1][0] + i, body[-1][1] + j) for i, j in STEPS.values()]
            free = [square for square in near if square not in body and all(0 <= each < 7 for each in square)]
            if not free:
                break
            body.append(random.choice(free))
        scene = Scene(at(body, FAR))
        scene.ranks = [[0]]
        start = scene.near[0] & ~scene.blocked
        left = {square: move for move, square in enumerate(reversed(body), 1)}
        left |= {square: move for move, square in enumerate(reversed(FAR), 1)}
        reached = {square for square, bit in scene.board.bits.items() if start & bit}
        for move in range(2, 60):
            beside = {(x + i, y + j) for x, y in reached for i, j in STEPS.values()}
            reached |= {each for each in beside & scene.board.bits.keys() if left.get(each, 0) <= move}
        assert scene.flood({0: start})[0].squares == sum(scene.board.bits[square] for square in reached)


def test_a_contested_square_goes_to_the_longer_snake_and_of_equal_ones_to_none() -> None:
    left, right = [(0, 3), (0, 2), (0, 1)], [(6, 3), (6, 2), (6, 1)]
    equal = Scene(at(left, right))
    longer = Scene(at(left, [*right, (6, 0)]))
    for scene, gain in ((equal, 0), (longer, 7)):
        reach = scene.flood({seat: near & ~scene.blocked for seat, near in scene.near.items()})
        assert not reach[0].squares & reach[1].squares
        assert reach[1].squares.bit_count() - reach[0].squares.bit_count() == gain


def test_a_hungry_snake_goes_to_food() -> None:
    body = [(3, 3), (3, 2), (3, 1)]
    assert names(best(at(body, FAR, food=[(0, 3)], health=10), 0)) == ["left"]
    assert names(best(at(body, [(0, 0), (0, 1), (0, 2)], food=[(6, 3)], health=10), 0)) == ["right"]


def test_a_snake_shuns_heads_as_long_as_its_own_and_rooms_that_are_too_small() -> None:
    other = [(4, 4), (5, 4), (6, 4)]
    assert "up" not in names(best(at([(4, 2), (3, 2), (2, 2)], other), 0))
    wall = [(2, 0), (2, 1), (2, 2), (2, 3), (1, 3), (0, 3), (0, 4), (0, 5), (1, 5), (2, 5), (3, 5), (3, 4)]
    assert names(best(at(wall, FAR), 0)) == ["right"]


@pytest.mark.parametrize("rules", ["standard", "wrapped", "constrictor"])
def test_judged_scores_are_scores(rules: str) -> None:
    random = Random(1)
    state: State = GAME.initial_for(5, {"rules": rules})
    while state.outcome is None:
        assert isinstance(state, SnakesState)
        scores = judge(state)
        assert sum(scores) == pytest.approx(2.5)
        assert all(0 <= score <= 1 for score in scores)
        out = [snake.out for snake in state.snakes]
        for seat, turn in enumerate(out):
            assert all(scores[seat] < scores[other] for other, later in enumerate(out) if turn and not later)
        state = random_ply(state, random)


def test_more_room_is_judged_better() -> None:
    corner, middle = [(0, 0), (0, 1), (0, 2)], [(3, 2), (3, 3), (3, 4)]
    first, second = judge(at(corner, middle))
    assert first < 0.5 < second


@pytest.mark.parametrize("rules", ["standard", "wrapped", "constrictor"])
def test_the_rules_of_thumb_beat_random_at_a_table_of_four(rules: str) -> None:
    for seed in range(3):
        bots = [make_reference_bot("heuristic" if seat == seed else "random", seed=seat) for seat in range(4)]
        assert play(bots, GAME, seed, {"rules": rules}).scores[seed] == 1
