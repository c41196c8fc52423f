"""Ratings of a field of bots: a joint maximum-likelihood fit over all matches, not an incremental Elo. Pure.

Bots have a fixed strength and all results are known, so the order of the results does not matter. `rating_model` has
the arithmetic. The intervals are 95% intervals from the Fisher matrix, corrected for the draws of each pair (a sandwich
estimate). The intervals need a single matrix inversion after each result. A parametric bootstrap would need hundreds of
fits.

Matches lost by `no_show` are left out, because they show nothing about strength. numpy is imported when first needed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import erf, log, sqrt
from typing import TYPE_CHECKING, Any, Literal

from rumble_server.results.tally import DRAWN, FIRST_WON, SECOND_WON, Tally

if TYPE_CHECKING:
    from rumble_server.results.rating_model import Fit, Matrix

ELO = 400 / log(10)
"""Number of Elo points in a natural unit.

A bot that is 400 Elo points stronger scores ten times as much as the other bot.
"""
WIDTH = 1.959963984540054
"""Half the width of a 95% interval of a normal distribution, in standard deviations."""
MOST_COMPARED = 200
"""Maximum number of bots for which `superiority` is shown for each pair. Nobody could read more numbers."""
Prior = Literal["auto", "none"]


@dataclass(frozen=True, slots=True)
class Rating:
    """A bot's rating and its 95% interval, in Elo points.

    Rating and interval are None for a bot without a rating (see `Ratings.notes`).
    """

    name: str
    rating: float | None
    interval: tuple[float, float] | None
    matches: int

    def as_json(self) -> dict[str, Any]:
        """Return the rating as JSON data for the API and commands, rounded to 0.01 points."""
        return {
            "name": self.name,
            "rating": None if self.rating is None else _rounded(self.rating),
            "interval": None if self.interval is None else [*map(_rounded, self.interval)],
            "matches": self.matches,
        }


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of a field, highest first, with a description of the model, and notes for readers."""

    model: str
    """Description of the model in words. Show it wherever ratings are shown."""
    lines: tuple[Rating, ...]
    is_prior_used: bool = False
    prior_reason: str = ""
    """Reason why virtual draws (a prior) were needed; empty without a prior."""
    first_move: float | None = None
    """Advantage of the first seat in Elo points; None if the model has no first-move term."""
    first_move_interval: tuple[float, float] | None = None
    seats: tuple[tuple[float, tuple[float, float]], ...] = ()
    """Advantage in Elo points of each seat of a table, with the interval of the advantage. The mean of all seats is 0.

    Empty if the model has no terms for seats.
    """
    notes: tuple[str, ...] = ()
    """Sentences with facts that readers of the ratings must know."""
    _index: dict[str, int] = field(default_factory=dict, repr=False)
    _fit: "Fit | None" = field(default=None, repr=False, compare=False)

    def superiority(self, name: str, other: str) -> float | None:
        """Return the probability that `name` is stronger than `other`; None if a rating is missing."""
        one, two = self._index.get(name), self._index.get(other)
        if self._fit is None or one is None or two is None:
            return None
        strengths, covariance = self._fit.strengths, self._fit.covariance
        variance = float(covariance[one, one] + covariance[two, two] - 2 * covariance[one, two])
        lead = float(strengths[one] - strengths[two])
        if one == two or variance <= 0:
            return 0.5
        return (1 + erf(lead / sqrt(2 * variance))) / 2

    def as_json(self) -> dict[str, Any]:
        """Return the ratings as JSON data for the API and commands.

        `superiority[one][other]` is the probability that the bot `one` is stronger than the bot `other`. `superiority`
        is empty if more than `MOST_COMPARED` bots have ratings.
        """
        names = [line.name for line in self.lines if line.rating is not None]
        names = names if len(names) <= MOST_COMPARED else []
        interval = self.first_move_interval
        chances = {name: {other: self.superiority(name, other) for other in names if other != name} for name in names}
        seats = [{"worth": _rounded(worth), "interval": [*map(_rounded, reach)]} for worth, reach in self.seats]
        return {
            "model": self.model,
            "prior": self.is_prior_used,
            "prior_reason": self.prior_reason,
            "first_move": None if self.first_move is None else _rounded(self.first_move),
            "first_move_interval": None if interval is None else [*map(_rounded, interval)],
            **({"seats": seats} if seats else {}),
            "notes": list(self.notes),
            "ratings": [line.as_json() for line in self.lines],
            "superiority": {
                name: {other: round(chance, 4) for other, chance in row.items() if chance is not None}
                for name, row in chances.items()
            },
        }


def rate_tally(tally: Tally, *, prior: Prior = "auto", first_move: bool = True) -> Ratings:
    """Rate the bots of a tally. If `first_move` is true, the model has a term for the advantage of the first seat.

    If the fit would not be finite, `prior` decides: "auto" adds virtual draws, "none" gives no ratings.
    """
    if prior not in ("auto", "none"):
        raise ValueError(f'the prior is "auto" or "none", not {prior!r}')
    played = {
        seats: (met[FIRST_WON], met[DRAWN], met[SECOND_WON]) for seats, met in tally.meetings.items() if any(met[:3])
    }
    matches = dict.fromkeys(tally.bots, 0)
    for (first, second), counts in played.items():
        matches[first] += sum(counts)
        matches[second] += sum(counts)
    rated = RatedField(matches)
    forfeits = sum(count.unplayed for count in tally.bots.values()) // 2
    if forfeits:
        rated.notes.append(f"{forfeits} {'match' if forfeits == 1 else 'matches'} lost by no_show are left out.")
    if not rated.index:
        return rated.without_ratings(_model(False, first_move))
    index = rated.index
    cells = [(index[first], index[second], *counts) for (first, second), counts in played.items()]
    return _rate(rated, cells, prior, first_move)


class RatedField:
    """A field to be rated, with the number of matches of each bot, and the notes for readers so far."""

    def __init__(self, matches: Mapping[str, int]) -> None:
        names = sorted((name for name, number in matches.items() if number), key=lambda name: (name.casefold(), name))
        unrated = sorted(name for name, number in matches.items() if not number)
        self.matches = matches
        self.index = {name: number for number, name in enumerate(names)}
        """For each bot that has matches, the index of the bot in the arrays of the fit."""
        self.unrated = tuple(Rating(name, None, None, 0) for name in unrated)
        """A `Rating` for each bot that has no matches; the values for rating and interval are None."""
        self.notes: list[str] = []
        if not names:
            self.notes.append("There are no ratings: no match was played.")
        elif unrated:
            self.notes.append(f"Without a rating, for want of matches: {_some(unrated)}.")

    def without_ratings(self, model: str) -> Ratings:
        """Return `Ratings` with a line for each bot and all notes, but without ratings. `model` describes the model."""
        lines = tuple(Rating(name, None, None, self.matches[name]) for name in self.index)
        return Ratings(model, lines + self.unrated, notes=tuple(self.notes))

    def with_ratings(self, model: str, fitted: "Fit", prior_reason: str) -> Ratings:
        """Return the ratings of a fit, highest first, with all notes. `prior_reason` is empty without a prior."""
        strengths, variances = fitted.strengths, fitted.covariance.diagonal()
        rated = (
            Rating(name, ELO * float(strength), interval_of(float(strength), float(variance)), self.matches[name])
            for name, strength, variance in zip(self.index, strengths, variances, strict=False)
        )
        lines = sorted(rated, key=lambda line: (-round(line.rating or 0.0, 6), line.name.casefold(), line.name))
        return Ratings(
            model,
            (*lines, *self.unrated),
            is_prior_used=bool(prior_reason),
            prior_reason=prior_reason,
            notes=tuple(self.notes),
            _index=self.index,
            _fit=fitted,
        )

    def note_limits(self, prior_reason: str, groups: list[list[int]]) -> None:
        """Add a note about the prior, and a note about groups that have not met.

        The first note is left out if `prior_reason` is empty, and the second note if there is only one group.
        """
        if prior_reason:
            self.notes.append(f"A prior holds the ratings in bounds, one virtual draw a pair that met: {prior_reason}.")
        if len(groups) > 1:
            self.notes.append("Ratings compare bots within a group only; between groups they are a guess of equality.")


def _rate(rated: RatedField, cells: list[tuple[int, int, int, int, int]], prior: Prior, first_move: bool) -> Ratings:
    from rumble_server.results import rating_model as model

    index, notes = rated.index, rated.notes
    score, count, drawn = model.arrays(cells, len(index))
    groups = model.islands(count > 0)
    if first_move and not model.can_separate_first_move(count, groups):
        first_move = False
        notes.append("The first-move term is left out: the seats do not tell it from the strengths.")
    reason = why_infinite(list(index), score, count, groups)
    if not reason and first_move and not model.first_move_is_finite(score, count):
        reason = "the seats explain every result, so the first-move term has no bound"
    if reason and prior == "none":
        notes.append(f"There are no ratings without a prior: {reason}.")
        return rated.without_ratings(_model(False, first_move))
    rated.note_limits(reason, groups)
    if drawn.sum() == count.sum():
        notes.append("Every match was drawn: all that is known is how closely the bots are matched.")
    virtual = model.virtual_draws(count > 0, groups) if reason else 0 * count
    fitted = model.fit(score, count, drawn, virtual, first_move)
    ratings = rated.with_ratings(_model(bool(reason), first_move), fitted, reason)
    if not first_move:
        return ratings
    interval = interval_of(fitted.first_move, float(fitted.covariance[-1, -1]))
    return replace(ratings, first_move=ELO * fitted.first_move, first_move_interval=interval)


def interval_of(middle: float, variance: float) -> tuple[float, float]:
    """Return the 95% interval around `middle`, in Elo points. `middle` and `variance` are in natural units."""
    reach = WIDTH * sqrt(max(variance, 0.0))
    return ELO * (middle - reach), ELO * (middle + reach)


def why_infinite(names: list[str], score: "Matrix", count: "Matrix", groups: list[list[int]]) -> str:
    """Return the reason why the likelihood has no maximum at finite strengths; an empty text if it has a maximum."""
    from rumble_server.results import rating_model as model

    if len(groups) > 1:
        return f"the field falls into {len(groups)} groups that have not met"
    lost = (count - score).T  # the scores of the second seats, by (second, first)
    if model.is_strongly_connected((score > 0) | (lost > 0)):
        return ""
    points = score.sum(axis=1) + lost.sum(axis=1)
    played = count.sum(axis=1) + count.sum(axis=0)
    perfect = [name for name, got, of in zip(names, points, played, strict=True) if got == of]
    nothing = [name for name, got in zip(names, points, strict=True) if got == 0]
    reasons = [
        f"{_some(group)} {what}" for group, what in ((perfect, "lost no point"), (nothing, "won no point")) if group
    ]
    return " and ".join(reasons) or "one group of bots took no point from the others"


def _rounded(value: float) -> float:
    return round(value, 2) + 0.0  # never -0.0


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _model(prior: bool, first_move: bool) -> str:
    return (
        "Bradley-Terry, joint maximum likelihood, logistic on 400*log10, a draw is half a point, "
        + ("one first-move term for the field" if first_move else "no first-move term")
        + (", prior of one virtual draw a pair" if prior else ", no prior")
        + ", mean 0; 95% intervals from the Fisher matrix scaled by the draws"
    )
