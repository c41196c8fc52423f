"""Battlesnakes play tournaments by `rumble bridge battlesnake`: a plain snake, a late snake, a snake of garbage."""

import asyncio
import json
import random
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.bots.bridges.battlesnake.servers import Battlesnake, GarbageSnake, LateSnake, snaking
from tests.e2e.log_checks import assert_all_played, assert_told_as_logged
from tests.e2e.processes import PATIENCE_S, RUMBLE, bridged, serving, typed_here
from tests.e2e.recording_bot import Frame, RecordingBot
from tests.e2e.restartable_server import restartable_server

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


KILLS, BOTS = 10, 12
NIGHT_S = 120


@pytest.mark.long
async def test_sixteen_snakes_at_tables_of_four_while_the_server_is_killed_ten_times(tmp_path: Path) -> None:
    fate, frames, begun = random.Random(5), list[Frame](), asyncio.Event()
    names = [f"bot{number:02}" for number in range(BOTS)]

    def heard(frame: Frame) -> None:
        frames.append(frame)
        if frame["type"] == "turn":
            begun.set()

    with restartable_server(tmp_path) as restartable, ExitStack() as stack:
        server = restartable.server
        given = ("--game", "snakes", "--seats", "4", "--start-at-bots", "16", "--move-ms", "2000")
        server.tournament("create", "cup", *given, "--setting", "turns=20")
        snakes = [stack.enter_context(snaking(kind)) for kind in (*KINDS.values(), Battlesnake)]
        commands = {
            f"snake{number}": ["battlesnake", snake.url, "--matches-at-once", "4"]
            for number, snake in enumerate(snakes)
        }
        bridges = bridged(server, tmp_path, stack, commands)
        bots = [RecordingBot(server.bot_url, "cup", name, 4, lambda: 0.05, heard) for name in names]
        async with asyncio.timeout(NIGHT_S), asyncio.TaskGroup() as playing:
            for bot in bots:
                playing.create_task(bot.play())
            await begun.wait()
            for _ in range(KILLS):
                await asyncio.sleep(fate.uniform(0.2, 1.5))
                await asyncio.to_thread(restartable.kill)
                await asyncio.to_thread(restartable.start)
            over = any(fact["fact"] == "tournament_ended" for fact in restartable.facts())
            assert not over, "over before the last kill"
        assert [await asyncio.to_thread(bridge.wait, PATIENCE_S) for bridge in bridges] == [0] * 4
        facts = restartable.facts()
    field = [*names, *(f"snake{number}" for number in range(4))]
    assert_all_played(facts, field, max_matches=4)
    assert assert_told_as_logged(frames, facts) > 0
    counted = [fact for fact in facts if fact["fact"] == "match_over" and fact["scores"] is not None]
    assert len(counted) == 32
    for result in counted:
        assert (result["termination"], result["at_fault"], result["absent"]) == ("normal", [], [])
        assert result["placement"]["falls"] == []
