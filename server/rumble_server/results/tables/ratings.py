"""Ratings of tables: a joint maximum-likelihood fit over all tables, like `results.ratings` for matches of two.

`plackett_luce` has the model. A bot that lost by `no_show` is left out of its table, because absence is no sign of
strength or weakness. A cooperative game gives no ratings: all seats that stay to the end always have equal payoffs.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from rumble_server.results.ratings import ELO, Prior, RatedField, Ratings, interval_of, why_infinite
from rumble_server.results.tables.tally import TableTally

if TYPE_CHECKING:
    from rumble_server.results.rating_model import Matrix
    from rumble_server.results.tables.choices import Rankings


def rate_table_tally(tally: TableTally, *, prior: Prior = "auto", seats: bool = True) -> Ratings:
    """Rate the bots of a tally. If `seats` is true, the model has a term for each seat.

    If the fit would not be finite, `prior` decides: "auto" adds virtual draws, "none" gives no ratings.
    """
    matches = dict.fromkeys(tally.bots, 0)
    for ranking, count in tally.rankings.items():
        for bot, _, _ in ranking:
            matches[bot] += count
    rated = RatedField(matches)
    absent = sum(n for count in tally.bots.values() for finish, n in count.finishes.items() if not finish.sharing)
    if absent:
        rated.notes.append(f"{absent} {'seat' if absent == 1 else 'seats'} lost by no_show are left out.")
    if tally.is_cooperative:
        rated.notes.append("There are no ratings: all seats that stayed to the end had equal payoffs.")
    if not rated.index or tally.is_cooperative:
        return rated.without_ratings(_model(False, seats))
    rankings = [
        ([(rated.index[bot], seat, place) for bot, seat, place in ranking], float(count))
        for ranking, count in tally.rankings.items()
        if count
    ]
    return _rate(rated, rankings, prior, seats)


def _rate(rated: RatedField, rankings: "Rankings", prior: Prior, with_seats: bool) -> Ratings:
    from rumble_server.results import rating_model as model
    from rumble_server.results.tables.choices import Choices, meetings
    from rumble_server.results.tables.plackett_luce import can_separate_seats, fit

    index, notes = rated.index, rated.notes
    bots, seats = len(index), 1 + max(seat for ranking, _ in rankings for _, seat, _ in ranking) if with_seats else 1
    won, met, less = meetings(rankings, bots)
    groups = model.islands(met > 0)
    choices = Choices(rankings, (), bots, seats)
    if with_seats and not can_separate_seats(choices, groups):
        with_seats, seats = False, 1
        choices = Choices(rankings, (), bots, seats)
        notes.append("The terms of the seats are left out: the seats do not tell them from the strengths.")
    reason = why_infinite(list(index), won, met, groups)
    fitted = None if reason else fit(choices, met, less)
    if fitted is not None and not fitted.is_bounded:
        reason = "the seats explain every result, so the terms of the seats have no bound"
    if reason and prior == "none":
        notes.append(f"There are no ratings without a prior: {reason}.")
        return rated.without_ratings(_model(False, with_seats))
    rated.note_limits(reason, groups)
    if fitted is None or reason:
        virtual = _virtual(model.virtual_draws(met > 0, groups), seats)
        fitted = fit(Choices(rankings, virtual, bots, seats), met, less)
    terms, variances = fitted.seat_terms, fitted.covariance.diagonal()[bots:]
    worths = [(ELO * float(h), interval_of(float(h), float(v))) for h, v in zip(terms, variances, strict=True)]
    ratings = rated.with_ratings(_model(bool(reason), with_seats), fitted, reason)
    return replace(ratings, seats=tuple(worths)) if with_seats else ratings


def _virtual(draws: "Matrix", seats: int) -> "Rankings":
    """Return virtual draws as rankings of two bots. The indexes of the two bots determine their seats."""
    bots = range(len(draws))
    return [
        ([(one, (one + other) % seats, 1), (other, (one + other + 1) % seats, 1)], float(draws[one, other]))
        for one in bots
        for other in bots
        if draws[one, other]
    ]


def _model(prior: bool, seats: bool) -> str:
    return (
        "Plackett-Luce, joint maximum likelihood, logistic on 400*log10, a shared place is the mean over its orders, "
        + ("one term for each seat" if seats else "no terms for seats")
        + (", prior of one virtual draw a pair" if prior else ", no prior")
        + ", mean 0; 95% intervals from the Fisher matrix scaled by the shared places"
    )
