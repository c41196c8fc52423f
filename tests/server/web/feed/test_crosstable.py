"""A pair of the crosstable is made again only after its bots have met."""

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
