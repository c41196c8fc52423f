from itertools import count

import pytest
from rumble_protocol.feed_messages import Expected
from rumble_server.web.feed.expected import FEWEST_RESULTS, MOST_RESULTS, estimate_end

from tests.server.web.memory_server import MemoryServer


def test_the_end_is_expected_by_the_pace_of_the_last_results() -> None:
    ends_ms = [10_000, 9_000, 8_000, 7_000, 6_000]
    assert estimate_end(ends_ms, 5_000, 20, 10_000) == Expected(remaining_ms=20_000, results=5, window_ms=5_000)


def test_the_longer_no_match_ends_the_later_the_end_is_expected() -> None:
    ends_ms = [10_000, 9_000, 8_000, 7_000, 6_000]
    stalled = estimate_end(ends_ms, 5_000, 20, 60_000)
    assert stalled is not None
    assert stalled.remaining_ms == 220_000


def test_only_the_latest_results_count_for_the_expected_end() -> None:
    ends_ms = [at_ms for at_ms, _ in zip(count(1_000_000, -100), range(500), strict=False)]
    found = estimate_end(ends_ms, 0, 10, 1_000_000)
    assert found == Expected(remaining_ms=1_000, results=MOST_RESULTS, window_ms=100 * MOST_RESULTS)


def test_results_before_a_pause_do_not_count_for_the_expected_end() -> None:
    ends_ms = [103_000, 102_000, 101_000, 1_000, 900, 800]
    assert estimate_end(ends_ms, 100_000, 5, 104_000) is None
    assert estimate_end([105_000, 104_000, *ends_ms], 100_000, 5, 105_000) == Expected(
        remaining_ms=5_000, results=5, window_ms=5_000
    )


@pytest.mark.parametrize(
    ("results", "to_play", "now_ms"), [(FEWEST_RESULTS - 1, 5, 9_000), (FEWEST_RESULTS, 0, 9_000), (0, 5, 9_000)]
)
def test_no_end_is_expected_where_too_little_is_known(results: int, to_play: int, now_ms: int) -> None:
    assert estimate_end([5_000 + number for number in range(results)][::-1], 1_000, to_play, now_ms) is None


async def test_the_expected_end_is_told_while_a_tournament_runs_and_not_in_a_pause(server: MemoryServer) -> None:
    tournament, _ = server.begun("alice", "bob", "carol", think_ms=50, cycles=4)
    early = server.watch(tournament)
    assert (await early.read("snapshot")).data["expected"] is None
    while len(tournament.results) < 10:
        server.pass_ms(100)
    late = server.watch(tournament)
    snapshot = (await late.read("snapshot")).data
    assert FEWEST_RESULTS <= snapshot["expected"]["results"] <= snapshot["matches_over"]
    assert 0 < snapshot["expected"]["remaining_ms"] < 60_000
    server.world.organiser.pause(tournament.id, "lunch")
    server.pass_ms(2_000)
    assert (await late.read("status")).data["expected"] is None
    await early.close()
    await late.close()
