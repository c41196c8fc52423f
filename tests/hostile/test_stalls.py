"""A server that stands still: nobody pays for it, and nobody gains by it."""

from pathlib import Path

import pytest

from tests.hostile.attacker import next_turn
from tests.hostile.honest import honest_field
from tests.hostile.target import target, wait_until

pytestmark = pytest.mark.e2e

STALL_S, MOVE_MS, EXCUSED_MS = 4.0, 300, 1_000
KEY = "key-of-the-cheat-and-his-mate"


def test_a_stall_costs_nobody_anything(tmp_path: Path) -> None:
    """Honest bots have open turns while the process is stopped: none loses, and none is charged with the stall."""
    with target(tmp_path) as server, honest_field(server, tmp_path / "honest", cycles=4) as field:
        server.stall(STALL_S)
        field.assert_unharmed()
        field.finish()


def test_a_short_stall_is_excused_and_told(tmp_path: Path) -> None:
    """A bot thinks on while the server stands still: its move counts, and transcript and audit tell for how long."""
    with target(tmp_path) as server:
        cup = server.create(legs=1, time_control={"move_ms": MOVE_MS})
        first, second = (server.attacker().login(name, key=KEY, join=cup) for name in ("cheat", "mate"))
        with first, second:
            first.until("joined")
            second.until("joined")
            server.start_tournament(cup)
            thinker, turn = next_turn(first, second)
            server.stall(0.9)
            thinker.move(turn)
            other, turn = next_turn(first, second)
            assert (other is not thinker, turn["ply"]) == (True, 1)
            other.say(type="resign", match=turn["match"])
            match = first.until("match_over")["match"]
            lines = server.transcript(match)
            audit = server.host.get(f"/api/tournaments/{cup}/audit").json()
    told_ms = sum(line.get("excused_ms") or 0 for line in lines)
    assert MOVE_MS < told_ms < 2 * EXCUSED_MS
    assert sum(bot["excused_ms"] for bot in audit["bots"].values()) == told_ms


def test_who_stalls_the_server_again_and_again_voids_no_matches_at_will(tmp_path: Path) -> None:
    """Beyond the bound an attempt is void; when that happens again to its match, the tournament is paused."""
    with target(tmp_path, "--excused-ms", str(EXCUSED_MS)) as server:
        cup = server.create(legs=1, start_at_bots=2, time_control={"move_ms": MOVE_MS})
        first, second = (server.attacker().login(name, key=KEY, join=cup) for name in ("cheat", "mate"))
        with first, second:
            for attempt in (1, 2):
                thinker, turn = next_turn(first, second)
                assert turn["attempt"] == attempt
                server.stall(2 * EXCUSED_MS / 1000)
                thinker.move(turn)
                over = thinker.until("match_over")
                assert (over["termination"], over["scores"]) == ("aborted", None)
            assert wait_until(lambda: server.host.get(f"/api/tournaments/{cup}").json()["status"] == "paused")
            assert server.host.get(f"/api/tournaments/{cup}").json()["reason"]
        assert [fact["at_fault"] for fact in server.facts(cup) if fact["fact"] == "match_over"] == [[], []]


def test_a_challenge_whose_attempts_are_void_is_cancelled(tmp_path: Path) -> None:
    with target(tmp_path, "--excused-ms", str(EXCUSED_MS)) as server:
        first = server.attacker().login("cheat", key=KEY)
        second = server.attacker().login("mate", key=KEY, challenges=True)
        with first, second:
            second.until("session")
            first.say(type="challenge", against="mate", game="tictactoe", time_control={"move_ms": MOVE_MS})
            for _ in range(2):
                thinker, turn = next_turn(first, second)
                server.stall(2 * EXCUSED_MS / 1000)
                thinker.move(turn)
                assert thinker.until("match_over")["termination"] == "aborted"
            assert first.until("tournament_over")["status"] == "cancelled"
