"""Views of snakes as the JSON of Battlesnake's API: the documented fields, over matches played at random."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rumble_bots.bridges.battlesnake.objects import FIRST, body_of, last_direction
from rumble_engine.games.snakes import GAME, NAMES, SnakesState

RULES = st.sampled_from(["standard", "wrapped", "constrictor"])


def plies(rules: str, seats: int, seed: int) -> Iterator[tuple[SnakesState, dict[int, str]]]:
    """Yield the states of a random match without chance to move, each with the last directions of its movers."""
    lot = Random(seed)
    state = GAME.initial_for(seats, {"rules": rules, "size": 7}, seed)
    moved: dict[int, str] = {}
    while True:
        if state.is_chance:
            state = state.after(lot.choice(state.chances())[0])
        yield state, moved
        if state.outcome is not None:
            return
        codes = {seat: lot.choice(state.codes_for(seat)) for seat in state.movers}
        moved = {seat: NAMES[code] for seat, code in codes.items()}
        state = state.after_all(codes)


def points(squares: Any) -> list[tuple[int, int]]:
    return [(square["x"], square["y"]) for square in squares]


@given(RULES, st.integers(2, 8), st.integers(0, 2**32))
def test_every_state_of_a_match(rules: str, seats: int, seed: int) -> None:
    names = [f"bot{seat}" for seat in range(seats)]
    for state, moved in plies(rules, seats, seed):
        view = json.loads(json.dumps(state.view()))
        for seat, name in enumerate(names):
            body = body_of(view, seat, names, "cup.1-1", 500, latency_ms=12, shout="hi")
            assert json.loads(json.dumps(body)) == body
            you, board, shown = body["you"], body["board"], {snake["id"]: snake for snake in body["board"]["snakes"]}
            playing = [number for number, snake in enumerate(state.snakes) if not snake.out]
            assert [snake["name"] for snake in shown.values()] == [names[number] for number in playing]
            assert (you["name"], you["latency"], you["shout"]) == (name, "12", "hi")
            assert shown.get(you["id"], you) == you
            for number, snake in zip(playing, shown.values(), strict=True):
                own = state.snakes[number]
                assert points(snake["body"]) == list(own.body)
                assert points([snake["head"]]) == [own.body[0]]
                assert (snake["length"], snake["health"]) == (len(own.body), own.health)
            assert body["turn"] == state.turn
            assert sorted(points(board["food"])) == sorted(state.food)
            assert (board["height"], board["width"], board["hazards"]) == (7, 7, [])
            assert 0 <= you["health"] <= 100
            assert last_direction(view, seat) == moved.get(seat, last_direction(view, seat))
            assert state.turn or last_direction(view, seat) == FIRST == "up"


def test_the_fields_are_those_of_the_documentation() -> None:
    state = GAME.initial_for(2, {"rules": "wrapped"}, 1)
    body = body_of(state.view(), 1, ["ann", "bob"], "cup.1-1", 480)
    assert list(body) == ["game", "turn", "board", "you"]
    squad = dict.fromkeys(["allowBodyCollisions", "sharedElimination", "sharedHealth", "sharedLength"], False)
    settings = {"foodSpawnChance": 15, "minimumFood": 1, "hazardDamagePerTurn": 0}
    others = {"royale": {"shrinkEveryNTurns": 0}, "squad": squad}
    ruleset = {"name": "wrapped", "version": "v1.2.3", "settings": settings | others}
    game = {"id": "cup.1-1", "ruleset": ruleset, "map": "standard", "timeout": 480, "source": "custom"}
    assert body["game"] == game
    x, y = state.snakes[1].body[0]
    square, look = {"x": x, "y": y}, {"color": "#888888", "head": "default", "tail": "default"}
    you = {"id": "seat-1", "name": "bob", "health": 100, "body": [square] * 3, "latency": "0", "head": square}
    assert body["you"] == you | {"length": 3, "shout": "", "squad": "", "customizations": look}
    assert list(body["board"]) == ["height", "width", "food", "hazards", "snakes"]


def test_constrictors_get_no_food() -> None:
    game = body_of(GAME.initial_for(2, {"rules": "constrictor"}, 1).view(), 0, ["ann", "bob"], "cup.1-1", 500)["game"]
    assert (game["ruleset"]["name"], game["map"]) == ("constrictor", "empty")
    assert (game["ruleset"]["settings"]["foodSpawnChance"], game["ruleset"]["settings"]["minimumFood"]) == (0, 0)
