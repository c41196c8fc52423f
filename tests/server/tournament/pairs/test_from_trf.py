"""All rounds of the reference events are paired as in their files."""

from rumble_server.results.trf.reader import read_trf
from rumble_server.tournament.pairs.dutch.pairing import PairedRound, pair_round
from rumble_server.tournament.pairs.from_trf import TrfRounds

from tests.needs import long_or
from tests.server.swiss_events import swiss_events


def as_sets(paired: PairedRound) -> tuple[set[tuple[int, int]], int | None]:
    return set(paired.boards), paired.bye


def test_every_round_of_the_reference_events_is_paired_as_they_have_it() -> None:
    """A usual run pairs every fourth event."""
    compared, differing = 0, []
    for name, text in list(swiss_events.texts().items())[:: long_or(4, 1)]:
        event = read_trf(text)
        rounds = TrfRounds(event, event.rounds or event.played)
        for number in range(1, event.played + 1):
            compared += 1
            if as_sets(pair_round(rounds.before(number))) != as_sets(rounds.paired(number)):
                differing.append((name, number))
    assert compared == long_or(425, 1686)
    assert differing == []
