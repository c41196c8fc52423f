"""A stalled server: no bot pays for the stall, and no bot gains by it."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.attacker import PING, frame, next_turn, text
from tests.hostile.honest import honest_field
from tests.hostile.target import Target, target

pytestmark = [pytest.mark.e2e, pytest.mark.long]

STALL_S, MOVE_MS, EXCUSED_MS = 3.0, 300, 500
SHORT_S = 0.4
"""Length in s of a stall that is longer than the clock, and shorter than the maximum excuse."""
KEY = "key-of-the-cheat-and-his-mate"


def test_a_stall_costs_nobody_anything(tmp_path: Path) -> None:
    """Stop the process while honest bots have open turns: none loses, and none is charged with the stall."""
    with target(tmp_path) as server, honest_field(server, tmp_path / "honest", cycles=4) as field:
        server.stall(STALL_S)
        field.assert_unharmed()
        field.finish()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """Run a server that excuses little."""
    with target(tmp_path_factory.mktemp("stalled"), "--excused-ms", str(EXCUSED_MS)) as running:
        yield running


def test_a_bot_that_thinks_while_the_server_stands_still_pays_with_its_clock(server: Target) -> None:
    """3 s of thought passed on a clock of 300 ms where an accomplice made the server late."""
    cup = server.create(start_at_bots=2, legs=1, time_control={"move_ms": MOVE_MS})
    first, second = (server.attacker().login(name, key=KEY, join=cup) for name in ("slow", "mate"))
    with first, second:
        thinker, turn = next_turn(first, second)
        server.stall(STALL_S)
        thinker.move(turn)
        over = thinker.until("match_over")
    assert over["termination"] == "timeout", over["reason"]
    assert over["winner"] != turn["seat"]


def test_data_after_a_late_answer_wins_nothing(server: Target) -> None:
    """The kernel tells the time of the newest data alone; beyond the bound of the excuse the match is played again."""
    cup = server.create(start_at_bots=2, legs=1, time_control={"move_ms": MOVE_MS})
    first, second = (server.attacker().login(name, key=KEY, join=cup) for name in ("pinger", "pinger-mate"))
    with first, second:
        thinker, turn = next_turn(first, second)

        def answer_late() -> None:
            time.sleep(STALL_S)
            answer = {"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": turn["legal"][0]}
            thinker.send(text(answer) + frame(PING))  # together: the kernel may hold back a second packet

        server.stall(0, answer_late)
        assert thinker.until("match_over")["termination"] == "aborted"
        assert thinker.until("match_start")["attempt"] == 2


def test_an_answer_that_comes_while_the_server_stands_still_is_excused_and_told(server: Target) -> None:
    """The answer counts, and transcript and audit report its wait."""
    cup = server.create(start_at_bots=2, legs=1, time_control={"move_ms": MOVE_MS})
    first, second = (server.attacker().login(name, key=KEY, join=cup) for name in ("thinker", "waiter"))
    first.answers_pings = second.answers_pings = False  # a pong after an answer leaves its wait in doubt
    with first, second:
        thinker, turn = next_turn(first, second)
        server.stall(SHORT_S, lambda: thinker.move(turn))
        other, turn = next_turn(first, second)
        assert (other is not thinker, turn["ply"]) == (True, 1)
        other.say(type="resign", match=turn["match"])
        lines = server.transcript(first.until("match_over")["match"])
        audit = server.host.get(f"/api/tournaments/{cup}/audit").json()
    told_ms = sum(line.get("excused_ms") or 0 for line in lines)
    assert 0 < told_ms <= EXCUSED_MS
    assert sum(bot["excused_ms"] for bot in audit["bots"].values()) == told_ms
