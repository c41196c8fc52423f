"""A server that stands still: nobody pays for it, and nobody gains by it."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.hostile.attacker import RawBot, next_turn
from tests.hostile.honest import honest_field
from tests.hostile.target import Target, target, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.long]

STALL_S, MOVE_MS, EXCUSED_MS = 3.0, 300, 500
SHORT_S = 0.4
"""A stall in s that is longer than the clock, and shorter than what is excused."""
KEY = "key-of-the-cheat-and-his-mate"


def test_a_stall_costs_nobody_anything(tmp_path: Path) -> None:
    """Honest bots have open turns while the process is stopped: none loses, and none is charged with the stall."""
    with target(tmp_path) as server, honest_field(server, tmp_path / "honest", cycles=4) as field:
        server.stall(STALL_S)
        field.assert_unharmed()
        field.finish()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """A server that excuses little."""
    with target(tmp_path_factory.mktemp("stalled"), "--excused-ms", str(EXCUSED_MS)) as running:
        yield running


@pytest.mark.parametrize("number", range(3))
def test_who_thinks_while_the_server_stands_still_pays(server: Target, number: int) -> None:
    """3 s of thought passed on a clock of 300 ms where an accomplice made the server late."""
    cup = server.create(start_at_bots=2, legs=1, time_control={"move_ms": MOVE_MS})
    first, second = (server.attacker().login(f"{name}-{number}", key=KEY, join=cup) for name in ("slow", "mate"))
    with first, second:
        thinker, turn = next_turn(first, second)
        server.stall(STALL_S)
        thinker.move(turn)
        over = thinker.until("match_over")
    assert over["termination"] == "timeout", over["reason"]
    assert over["winner"] != turn["seat"]


def test_an_answer_that_comes_while_the_server_stands_still_is_excused_and_told(server: Target) -> None:
    """It counts, and transcript and audit tell for how long it waited."""
    cup = server.create(start_at_bots=2, legs=1, time_control={"move_ms": MOVE_MS})
    first, second = (server.attacker().login(name, key=KEY, join=cup) for name in ("thinker", "waiter"))
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


def test_who_stalls_the_server_again_and_again_voids_no_matches_at_will(server: Target) -> None:
    """Beyond the bound an attempt is void; when that happens again to its match, the tournament is paused."""
    cup = server.create(legs=1, start_at_bots=2, time_control={"move_ms": MOVE_MS})
    first, second = (server.attacker().login(name, key=KEY, join=cup) for name in ("cheat", "mate"))
    with first, second:
        void_by_stalls(server, first, second)
        assert wait_until(lambda: server.host.get(f"/api/tournaments/{cup}").json()["status"] == "paused")
    assert server.host.get(f"/api/tournaments/{cup}").json()["reason"]
    overs = [fact for fact in server.facts(cup) if fact["fact"] == "match_over"]
    assert [(fact["scores"], fact["at_fault"]) for fact in overs] == [(None, [])] * 2


def test_a_challenge_whose_attempts_are_void_is_cancelled(server: Target) -> None:
    first = server.attacker().login("challenger", key=KEY)
    second = server.attacker().login("challenged", key=KEY, challenges=True)
    with first, second:
        second.until("session")
        first.say(type="challenge", against="challenged", game="tictactoe", time_control={"move_ms": MOVE_MS})
        void_by_stalls(server, first, second)
        assert first.until("tournament_over")["status"] == "cancelled"


def void_by_stalls(server: Target, first: RawBot, second: RawBot) -> None:
    """Stall the server in two attempts of a match, while the answer of a bot waits; each of them is void."""
    for attempt in (1, 2):
        thinker, turn = next_turn(first, second)
        assert turn["attempt"] == attempt
        server.stall(2 * EXCUSED_MS / 1000, partial(thinker.move, turn))
        over = thinker.until("match_over")
        assert (over["termination"], over["scores"]) == ("aborted", None)
