"""The rounds of a round-robin, as lists of pairings."""

from collections.abc import Iterator

from rumble_server.tournament.formats import Plan
from rumble_server.tournament.formats.round_robin import RoundRobin
from rumble_server.tournament.pairing import Pairing


def round_robin(bots: int, cycles: int) -> Iterator[list[Pairing]]:
    """Every round, in order."""
    for pulled in RoundRobin(Plan(bots, cycles)).rounds():
        yield list(pulled.pairings)
