"""Records of ended tournaments equal their standings."""

import pytest
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.rebuild import rebuild_tournament

from tests.server.arena.playing import begun_at_random
from tests.server.world import World


@pytest.mark.parametrize("format_name", ["round-robin", "knockout", "gauntlet", "swiss"])
def test_a_tournament_is_recorded_at_its_end_as_it_is_rebuilt_later(format_name: str) -> None:
    world = World()
    tournament, bots = begun_at_random(world, "ann", "ben", "cid", "dan", format=format_name)
    bots[3].say(type="leave", tournament=tournament.id)
    world.run()
    assert tournament.status == "finished"
    record = world.log.records["friday"]
    assert record == EndedTournament.of(tournament)
    rebuilt = rebuild_tournament(world.log.facts)
    assert rebuilt is not None
    assert record == EndedTournament.of(rebuilt)
    assert [(line.name, line.rank, line.points) for line in record.lines] == [
        (each.name, each.rank, each.points) for each in tournament.standings.lines()
    ]
    assert [line.played for line in record.lines] == [each.played for each in tournament.standings.lines()]
    assert [line for line in record.lines if line.withdrawn] == [record.result_of("dan")]
    assert record.result_of("zoe") is None
    assert record.challengers == tuple(tournament.challengers)
    assert (record.matches_over, record.bots) == (len(tournament.results), 4)


def test_matches_that_are_aborted_by_the_end_do_not_change_the_record() -> None:
    world = World()
    tournament, _ = world.begun("ann", "ben")
    assert tournament.running
    world.organiser.end(tournament.id, cancelled=False)
    assert not tournament.running
    assert world.log.records["friday"] == EndedTournament.of(tournament)
