from collections.abc import Sequence

import pytest
from rumble_server.web.feed.expected import FEWEST_RESULTS, MOST_RESULTS, estimate_end

from tests.server.web.memory_server import MemoryServer

FIVE = [10_000, 9_000, 8_000, 7_000, 6_000]
AFTER_A_PAUSE = [103_000, 102_000, 101_000, 1_000, 900, 800]


@pytest.mark.parametrize(
    ("ends_ms", "since_ms", "to_play", "now_ms", "expected"),
    [
        (FIVE, 5_000, 20, 10_000, (20_000, 5, 5_000)),
        (FIVE, 5_000, 20, 60_000, (220_000, 5, 55_000)),  # the longer no match ends, the later
        (range(1_000_000, 950_000, -100), 0, 10, 1_000_000, (1_000, MOST_RESULTS, 100 * MOST_RESULTS)),
        ([105_000, 104_000, *AFTER_A_PAUSE], 100_000, 5, 105_000, (5_000, 5, 5_000)),
        (AFTER_A_PAUSE, 100_000, 5, 104_000, None),
        (FIVE[: FEWEST_RESULTS - 1], 1_000, 5, 19_000, None),
        (FIVE, 1_000, 0, 19_000, None),
        ([], 1_000, 5, 19_000, None),
    ],
)
def test_the_end_is_expected_by_the_pace_of_the_latest_results(
    ends_ms: Sequence[int], since_ms: int, to_play: int, now_ms: int, expected: tuple[int, int, int] | None
) -> None:
    found = estimate_end(ends_ms, since_ms, to_play, now_ms)
    assert (None if found is None else (found.remaining_ms, found.results, found.window_ms)) == expected


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
