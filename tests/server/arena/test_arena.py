"""The arena in a world of bots: whole tournaments on virtual time."""

import pytest
from rumble_engine import Termination
from rumble_server.match.facts import MatchOver
from rumble_server.tournament.exports.document import export

from tests.server.arena.playing import (
    NAMES,
    assert_all_was_played,
    begun_at_random,
    first_legal,
)
from tests.server.web.export_schema import check_export
from tests.server.world import World

# --- whole tournaments ---


@pytest.mark.parametrize("max_matches", [1, 2, 3])
@pytest.mark.parametrize("bots", range(2, 8))
def test_a_tournament_of_random_bots_plays_everything_and_tells_everyone(bots: int, max_matches: int) -> None:
    world = World(delay_ms=3)
    tournament, players = begun_at_random(world, *NAMES[:bots], max_matches=max_matches, cycles=2)
    world.run()
    assert_all_was_played(tournament)
    ranks = {standing.name: standing for standing in tournament.standings.lines()}
    for bot in players:
        own = {match: over for match, over in tournament.results.items() if bot.name in over.seats}
        for kind in ("match_start", "match_over"):
            assert sorted(frame["match"] for frame in bot.inbox.all(kind)) == sorted(own)
        for frame in bot.inbox.all("match_over"):
            assert tuple(frame["scores"]) == own[frame["match"]].scores
        told = bot.inbox.frames[-1]
        assert (told["type"], told["status"], told["bots"]) == ("tournament_over", "finished", bots)
        assert (told["rank"], told["points"]) == (ranks[bot.name].rank, ranks[bot.name].points)


# --- the same seed, the same tournament ---


# --- results ---


def test_the_export_has_every_match_with_its_counted_attempt_and_the_void_ones_apart() -> None:
    world = World()
    tournament, _ = begun_at_random(world, "ann", "ben", seed=3)
    world.organiser.play_again("friday.1.1.1.1")
    world.run()
    document = export(tournament)
    check_export(document)
    assert set(document) == {"tournament", "standings", "matches", "voided"}
    assert document["tournament"]["id"] == "friday"
    assert document["tournament"]["status"] == "finished"
    assert (document["tournament"]["matches_total"], document["tournament"]["matches_over"]) == (2, 2)
    assert [standing["rank"] for standing in document["standings"]] in ([1, 2], [1, 1])
    over: MatchOver = tournament.results["friday.1.1.1.1"]
    (exported,) = (match for match in document["matches"] if match["id"] == "friday.1.1.1.1")
    assert exported == {
        "id": "friday.1.1.1.1",
        "attempt": 2,
        "seats": list(over.seats),
        "scores": list(over.scores or ()),
        "termination": "normal",
        "reason": over.reason,
        "at_fault": [],
        "moves": list(over.moves),
        "started_at_ms": over.started_at_ms,
        "ended_at_ms": over.at_ms,
    }
    (void,) = document["voided"]
    assert (void["attempt"], void["scores"], void["termination"]) == (1, None, "aborted")


def test_the_last_fault_of_a_bot_is_its_own_doing() -> None:
    world = World()
    tournament = world.create(cycles=5, bench_after=2, start_at_bots=2)
    world.player("ann", first_legal, join="friday")
    world.player("bad", lambda turn: "nonsense", join="friday")
    world.run()
    assert tournament.field["ann"].last_fault is None
    assert tournament.results[next(reversed(tournament.results))].termination is Termination.NO_SHOW
    fault = tournament.field["bad"].last_fault
    assert fault is not None
    assert fault.termination is Termination.ILLEGAL_MOVE
