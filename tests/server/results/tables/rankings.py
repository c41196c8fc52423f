"""Results of tables, written short, drawn at random, and as a strategy."""

from collections.abc import Iterable
from math import exp
from random import Random

from hypothesis import strategies as st
from rumble_engine import Termination
from rumble_engine.outcome import places_of
from rumble_server.results.ratings import Prior, Ratings
from rumble_server.results.table_result import TableResult
from rumble_server.results.tables.ratings import rate_table_tally
from rumble_server.results.tables.tally import TableTally


def rate_tables(
    results: Iterable[TableResult], *, field: Iterable[str] = (), prior: Prior = "auto", seats: bool = True
) -> Ratings:
    """Rate the bots of results of tables."""
    return rate_table_tally(TableTally.of(results, field), prior=prior, seats=seats)


def table(text: str, *payoffs: float) -> TableResult:
    """Return the result written as `A=2 B=1 C=2!`: bots by seat, their places, and `!` for a seat that never played."""
    seats = [cell.rstrip("!").split("=") for cell in text.split()]
    absent = tuple([(seat, Termination.NO_SHOW) for seat, cell in enumerate(text.split()) if cell.endswith("!")])
    return TableResult(tuple(n for n, _ in seats), tuple(int(p) for _, p in seats), payoffs or None, absent)


def orders(text: str) -> list[TableResult]:
    """Return the tables written as `ABC CAB`: bots by place, without ties, in seats by name."""
    return [TableResult(tuple(sorted(w)), tuple(w.index(bot) + 1 for bot in sorted(w))) for w in text.split()]


def drawn_table(
    random: Random, strengths: dict[str, float], size: int, merge: float = 0, step: float = 0
) -> TableResult:
    """Draw a table by the model of Plackett and Luce; each place is shared with the place above with chance `merge`.

    Each seat is weaker by `step` than the seat before.
    """
    bots = random.sample(sorted(strengths), size)
    times = [random.expovariate(exp(strengths[bot] - step * seat)) for seat, bot in enumerate(bots)]
    ranks = dict.fromkeys(range(size), 0)
    rank = 0
    for seat in sorted(range(size), key=times.__getitem__):
        rank += random.random() >= merge
        ranks[seat] = rank
    return TableResult(tuple(bots), places_of([ranks[seat] for seat in range(size)]))


@st.composite
def tables(draw: st.DrawFn, bots: str = "ABCDEFGH", least: int = 2, most: int = 5) -> TableResult:
    """Draw any result: ties, payoffs, falls and seats that never played."""
    seats = draw(st.lists(st.sampled_from(bots), min_size=least, max_size=most, unique=True))
    absent = draw(st.sets(st.integers(0, len(seats) - 1), max_size=1))
    ranks = [draw(st.integers(1, 3)) + 9 * (seat in absent) for seat in range(len(seats))]
    payoffs = draw(st.none() | st.tuples(*[st.sampled_from([-1.5, 0.0, 0.1, 3.0])] * len(seats)))
    fallen = draw(st.dictionaries(st.integers(0, len(seats) - 1), st.sampled_from(["timeout", "resignation"])))
    falls = {seat: Termination(kind) for seat, kind in fallen.items()} | dict.fromkeys(absent, Termination.NO_SHOW)
    return TableResult(tuple(seats), places_of(ranks), payoffs, tuple(sorted(falls.items())))
