"""A pair of the crosstable is made again only after its bots have met."""

from dataclasses import replace

import pytest
from rumble_server.tournament.facts import ResultVoided
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.feed import crosstable

from tests.server.web.memory_server import MemoryServer


def by_names(tournament: Tournament) -> dict[tuple[str, ...], int]:
    return {tuple(sorted(pair.names)): id(pair) for pair in crosstable.pairs_view(tournament) or []}


async def test_only_pairs_that_met_are_made_again(server: MemoryServer, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = server.played("alice", "bob", "carol", cycles=2)
    monkeypatch.setattr(crosstable, "AT_ONCE", 1)
    await crosstable.prepare_pairs(tournament)
    before = by_names(tournament)
    assert len(before) == 3
    assert by_names(tournament) == before
    played = {
        frozenset(pair.names): (sum(pair.scores), pair.played) for pair in crosstable.pairs_view(tournament) or []
    }
    assert set(played.values()) == {(4.0, 4)}
    over = next(over for over in tournament.results.values() if set(over.seats) == {"alice", "bob"})
    tournament.apply(ResultVoided(over.match, over.attempt, 0))
    after = by_names(tournament)
    assert {names for names in before if after[names] != before[names]} == {("alice", "bob")}
    assert crosstable.pair_view(tournament, "alice", "bob").played == 3


def test_a_pair_has_the_scores_of_both_bots_from_either_seat_whatever_points_they_are_worth(
    server: MemoryServer,
) -> None:
    tournament = server.played("alice", "bob", cycles=2, points=[3, 1, 0])
    overs = list(tournament.results.values())
    assert {over.seats for over in overs} == {("alice", "bob"), ("bob", "alice")}
    for over, scores in zip(overs, [(1.0, 0.0), (0.5, 0.5), (1.0, 0.0), (0.0, 0.0)], strict=True):
        tournament.apply(ResultVoided(over.match, over.attempt, 0))
        tournament.apply(replace(over, attempt=over.attempt + 1, scores=scores, at_fault=()))
    scored = {
        name: sum((over.scores or ())[over.seats.index(name)] for over in tournament.results.values())
        for name in ("alice", "bob")
    }
    pair = crosstable.pair_view(tournament, "alice", "bob")
    assert (pair.scores, pair.played) == ([scored["alice"], scored["bob"]], 4)
    assert sum(pair.scores) == 3
