"""Battlesnakes play tournaments by `rumble bridge battlesnake`: a plain snake, a late snake, a snake of garbage."""

import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.bots.bridges.battlesnake.servers import Battlesnake, GarbageSnake, LateSnake, snaking
from tests.e2e.processes import PATIENCE_S, RUMBLE, bridged, serving, typed_here

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
ANY = "import random, sys\nfor line in sys.stdin: print(random.choice(line.split()), flush=True)"
KINDS: dict[str, type[Battlesnake]] = {"plain": Battlesnake, "late": LateSnake, "garbage": GarbageSnake}


def test_three_battlesnakes_and_a_bot_that_moves_at_random(tmp_path: Path) -> None:
    with serving(tmp_path) as server, ExitStack() as stack:
        clock = ("--move-ms", "1000")
        server.tournament("create", "cup", "--game", "snakes", "--legs", "2", "--start-at-bots", "4", *clock)
        snakes = {name: stack.enter_context(snaking(kind)) for name, kind in KINDS.items()}
        commands = {name: ["battlesnake", snake.url, "--matches-at-once", "3"] for name, snake in snakes.items()}
        commands["any"] = ["stdio", "--bare", "--", RUMBLE[0], "-c", ANY]
        bridges = bridged(server, tmp_path, stack, commands)
        assert [bridge.wait(PATIENCE_S) for bridge in bridges] == [0] * 4
        exported = typed_here(["tournament", "export", "cup"], server.environment, tmp_path).out
    matches = json.loads(exported)["matches"]
    assert len(matches) == 12
    assert {match["termination"] for match in matches} == {"normal"}, "nobody was late or illegal for the server"
    for snake in snakes.values():
        started, ended = snake.told("/start"), snake.told("/end")
        games = {each["game"]["id"] for each in started}
        assert len(started) == len(ended) == len(games) == 6
        assert {each["game"]["id"] for each in ended} == games
        assert all(len(each["board"]["snakes"]) < 2 for each in ended)
        paths = [path for path, body in snake.requests if body["game"]["id"] == started[0]["game"]["id"]]
        assert (paths[:2], paths[-1]) == (["/start", "/move"], "/end")
    logs = {name: (tmp_path / f"{name}.log").read_text() for name in snakes}
    assert "bridge" not in logs["plain"]
    assert logs["late"].count("turn 0: the Battlesnake did not answer within 500 ms; the bridge sends up\n") == 6
    assert logs["garbage"].count("/start: the Battlesnake answers with status 404, not 200\n") == 6
    assert "Traceback" not in "".join(logs.values())
