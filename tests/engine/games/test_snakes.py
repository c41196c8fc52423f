"""Snakes: 150 games of Battlesnake's own program in lockstep, food, ends, and positions that cannot be."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rumble_engine import BadPosition, BadSettings, IllegalMove, UnreadableMove, drawn
from rumble_engine.chance import BITS
from rumble_engine.conformance import check_game
from rumble_engine.games.snakes import FOOD_CHANCE, GAME, NAMES, Snake, SnakesState, Square

REFERENCE = Path(__file__).with_name("snakes_reference") / "games.jsonl.gz"


def squares(given: list[list[int]]) -> tuple[Square, ...]:
    return tuple((x, y) for x, y in given)


def recorded_games() -> Iterator[list[dict[str, Any]]]:
    """Yield the recorded games, each as its lines."""
    lines: list[dict[str, Any]] = []
    with gzip.open(REFERENCE, "rt") as file:
        for line in map(json.loads, file):
            if "board" in line and lines:
                yield lines
                lines = []
            lines.append(line)
    yield lines


def test_150_games_of_battlesnake_in_lockstep() -> None:
    turns: Counter[str] = Counter()
    for start, *rest in recorded_games():
        settings = GAME.complete({"rules": start["rules"], "size": start["size"]})
        snakes = [Snake(squares(each["body"]), each["health"]) for each in start["board"]["snakes"]]
        state = SnakesState(settings, 0, tuple(snakes), frozenset(squares(start["board"]["food"])))
        for line in rest:
            if "over" in line:
                assert state.outcome is not None
                continue
            assert state.outcome is None
            words = [move if seat in state.movers else "-" for seat, move in enumerate(line["moves"])]
            state = state.play(" ".join(words))
            after = [(squares(s["body"]), s["health"], s.get("out", "")) for s in line["after"]["snakes"]]
            assert [(each.body, each.health, each.reason) for each in state.snakes] == after, line
            assert state.food == frozenset(squares(line["after"]["food"])), line
            if state.feeds:
                state = state.play("{},{}".format(*line["food"]) if "food" in line else "-")
            turns[start["rules"]] += 1
    assert turns == {"standard": 1498, "wrapped": 925, "constrictor": 362}


@pytest.mark.parametrize(
    ("settings", "seats"),
    [({}, 2), ({"size": 7, "turns": 20}, 8), ({"rules": "wrapped"}, 4), ({"rules": "constrictor", "size": 7}, 3)],
)
def test_snakes_passes_the_conformance_kit(settings: dict[str, Any], seats: int) -> None:
    assert check_game(GAME, settings=settings, playouts=4, seats=seats).playouts == 4


def duel(first: str, second: str, **settings: Any) -> SnakesState:
    """Return two snakes, drawn as their squares from the head on: `33 32 31`."""
    bodies = [tuple((int(square[0]), int(square[1])) for square in each.split()) for each in (first, second)]
    full = GAME.complete({"size": 7, **settings})
    return SnakesState(full, 4, tuple(Snake(body, 100) for body in bodies), frozenset({(6, 6)}))


def test_snakes_that_go_out_together_tie_before_snakes_that_went_earlier() -> None:
    state: SnakesState = GAME.initial_for(3, {"rules": "constrictor"}, 1)
    bodies = [((0, 5),) * 3, ((3, 3),) * 3, ((3, 5),) * 3]
    state = SnakesState(state.settings, 0, tuple(Snake(body, 100) for body in bodies), frozenset())
    state = state.play("left right right").play("- left left")
    assert state.outcome is not None
    assert (state.outcome.places, state.outcome.reason) == ((3, 1, 1), "the last went out together")


def test_a_snake_that_fell_out_is_gone_before_the_others_move() -> None:
    state: SnakesState = GAME.initial_for(3, {"rules": "constrictor"}, 1)
    bodies = [((2, 3),) * 3, ((3, 3),) * 3, ((8, 8),) * 3]
    state = SnakesState(state.settings, 0, tuple(Snake(body, 100) for body in bodies), frozenset()).play("right - up")
    assert ([each.reason for each in state.snakes], state.movers) == (["", "fell-out", ""], (0, 2))
    assert state.snakes[0].body[0] == (3, 3)
    assert GAME.load(state.view()) == state
    ended = state.play("- - up").outcome
    assert ended is not None
    assert (ended.places, ended.reason) == ((2, 3, 1), "Snake C is the last on the board")


def test_a_snake_that_starves_is_in_nobodys_way() -> None:
    state = duel("33 32 31", "43 53 63")
    starving, other = state.snakes
    state = SnakesState(state.settings, 4, (starving._replace(health=1), other), state.food).play("up left")
    assert [each.reason for each in state.snakes] == ["out-of-health", ""]


def test_after_the_last_turn_all_that_are_left_tie() -> None:
    state = duel("33 32 31", "66 65 64", turns=5).play("up left")
    assert state.outcome is not None
    assert (state.outcome.places, state.outcome.reason) == ((1, 1), "2 are left after 5 turns")


def test_food_comes_by_chance_and_always_where_there_is_none() -> None:
    with_food = duel("33 32 31", "56 55 54").play("up left")
    chances = dict(with_food.chances())
    assert chances[0] == pytest.approx(1 - FOOD_CHANCE)
    assert len(chances) == 1 + 49 - 6 - 1
    eaten = duel("33 32 31", "56 55 54").play("up right")
    assert (eaten.food, eaten.snakes[1].body[-2:]) == (frozenset(), ((5, 5), (5, 5)))
    assert 0 not in dict(eaten.chances())
    assert eaten.play("0,3").food == {(0, 3)}
    with pytest.raises(UnreadableMove):
        eaten.code_of("-")


@pytest.mark.parametrize("seats", range(2, 9))
def test_starts_differ_by_seed_and_are_fair_places(seats: int) -> None:
    starts = [GAME.initial_for(seats, {"size": 11}, seed) for seed in range(20)]
    assert len({state.text() for state in starts}) > 15
    for state in starts:
        heads = {each.body[0] for each in state.snakes}
        assert len(heads) == seats
        assert len(state.food) == seats + 1
        assert all(min(x, y, 10 - x, 10 - y) == 1 for x, y in heads)


@pytest.mark.parametrize("seats", [1, 9])
def test_there_are_two_to_eight_seats(seats: int) -> None:
    with pytest.raises(BadSettings, match="2 to 8 seats"):
        GAME.initial_for(seats)


def test_views_that_cannot_be() -> None:
    view = duel("33 32 31", "56 55 54").play("up left").view()
    assert GAME.load(view).view() == view
    snake = view["snakes"][0]
    changes: list[dict[str, Any]] = [
        {"snakes": [snake]},
        {"snakes": [snake, {**snake, "body": [[0, 0]]}]},
        {"snakes": [snake, {**snake, "health": 101}]},
        {"snakes": [snake, {**snake, "out": 3}]},
        {"snakes": [snake, {**snake, "body": [[9, 9]] * 3}]},
        {"snakes": [snake, 1]},
        {"food": [[0, 7]]},
        {"food": [[0, 1], [0, 1]]},
        {"food": [[True, 1]]},
        {"feeds": 1},
        {"turn": 1_001},
    ]
    for change in changes:
        with pytest.raises(BadPosition):
            GAME.load({**view, **change})
    for text in ("", "[]", "[" * 10_000):
        with pytest.raises(BadPosition):
            GAME.parse(text)


def test_every_direction_is_always_legal_until_the_end() -> None:
    state = duel("03 13 23", "66 65 64")
    assert [state.text_for(0, code) for code in state.codes_for(0)] == list(NAMES)
    ended = state.play("left left")
    with pytest.raises(IllegalMove, match="Snake B is the last on the board"):
        ended.code_for(1, "up")


def test_the_diagram() -> None:
    rows = duel("33 32 31", "56 55 54").diagram().splitlines()
    assert rows[0] == ". . . . . B *"
    assert rows[3] == ". . . A . . ."
    assert rows[4] == ". . . a . . ."


@pytest.mark.parametrize("food", [[], [[0, 0]]])
def test_food_is_drawn_from_its_list_of_chances(food: list[list[int]]) -> None:
    state = GAME.initial_for(3)
    state = GAME.load({**state.view(), "food": food, "feeds": True})
    for seed in range(300):
        number = Random(seed).getrandbits(BITS)
        assert state.draw(number) == drawn(state.chances(), number)
