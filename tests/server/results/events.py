"""Tables of known events as results, and a strategy for random results."""

from collections.abc import Iterable, Mapping, Sequence

from hypothesis import strategies as st
from rumble_engine import Termination
from rumble_protocol.feed_messages import Standing
from rumble_server.results.ratings import Prior, Ratings, rate_tally
from rumble_server.results.result import Result, blame
from rumble_server.results.tally import Tally
from rumble_server.results.tiebreaks import DEFAULT, rank_tally

UZCHESS = """
Pragg        * 1 1 1 0 0 = 1 = =  5.5 DE 2   SB 25.25 WON 4 BWG 1 KS 3.5
Abdusattorov 0 * = = 1 1 0 1 = 1  5.5 DE 0.5 SB 22.5  WON 4 BWG 0 KS 3
Sindarov     0 = * = = 1 = = 1 1  5.5 DE 0.5 SB 22.25 WON 3 BWG 1 KS 3
Erigaisi     0 = = * = = 1 1 = =  5   DE 0   SB 21.5  WON 2 BWG 2 KS 3
Maghsoodloo  1 0 = = * = 1 0 = =  4.5 DE 1.5 SB 20.5  WON 2 BWG 1 KS 3.5
Rapport      1 0 0 = = * = = = 1  4.5 DE 1   SB 18.75 WON 2 BWG 2 KS 2.5
Yakubboev    = 1 = 0 0 = * = = 1  4.5 DE 0.5 SB 19.5  WON 2 BWG 1 KS 2.5
Vokhidov     0 0 = 0 1 = = * 1 =  4   DE 0   SB 16.5  WON 2 BWG 1 KS 2.5
Nepo         = = 0 = = = = 0 * =  3.5 DE 0   SB 16    WON 0 BWG 0 KS 3
Aravindh     = 0 0 = = 0 0 = = *  2.5 DE 0   SB 11.25 WON 0 BWG 0 KS 1.5
"""


def uzchess() -> tuple[list[Result], dict[str, dict[str, float]]]:
    """Return the matches of `UZCHESS` (above the diagonal), and the published values of each player."""
    lines = [line.split() for line in UZCHESS.strip().splitlines()]
    scores = {"1": (1.0, 0.0), "=": (0.5, 0.5), "0": (0.0, 1.0)}
    published = {
        line[0]: {"points": float(line[11])}
        | {key.lower(): float(value) for key, value in zip(line[12::2], line[13::2], strict=True)}
        for line in lines
    }
    results = [
        Result((line[0], other[0]), scores[line[1 + column]])
        for row, line in enumerate(lines)
        for column, other in enumerate(lines[row + 1 :], row + 1)
    ]
    return results, published


def beats(text: str) -> list[Result]:
    """Return the matches written as `A>B B=C`, won by the first seat or drawn."""
    return [Result((pair[0], pair[2]), (1.0, 0.0) if pair[1] == ">" else (0.5, 0.5)) for pair in text.split()]


NAMES = st.sampled_from("ABCDE")
RESULTS = st.builds(
    lambda seats, ended: Result(seats, ended[0], ended[1], blame(*ended)),
    st.tuples(NAMES, NAMES).filter(lambda seats: seats[0] != seats[1]),
    st.sampled_from(
        [
            *(((scores), Termination.NORMAL) for scores in [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)] * 2),
            *((scores, Termination.TIMEOUT) for scores in [(1.0, 0.0), (0.0, 1.0)]),
            *((scores, Termination.NO_SHOW) for scores in [(1.0, 0.0), (0.0, 1.0), (0.0, 0.0)]),
        ]
    ),
)
"""Results of any kind between five bots."""


def rate(
    results: Iterable[Result], *, field: Iterable[str] = (), prior: Prior = "auto", first_move: bool = True
) -> Ratings:
    """Rate the bots of results."""
    return rate_tally(Tally.of(results, field), prior=prior, first_move=first_move)


def rank(
    results: Iterable[Result],
    tiebreaks: Sequence[str] = DEFAULT,
    points: tuple[float, float, float] = (1, 0.5, 0),
    *,
    field: Iterable[str] = (),
    byes: Mapping[str, int] | None = None,
) -> list[Standing]:
    """Rank the bots of results."""
    return rank_tally(Tally.of(results, field, byes), tiebreaks, points)
