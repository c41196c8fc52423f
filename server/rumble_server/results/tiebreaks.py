"""Ranks and tie-breaks, by the names and definitions of the FIDE Tie-Break Regulations (Handbook C.07). Pure.

- `de`, direct encounter (art. 6): the points against the bots still tied. Bots that stay tied are compared again by
  the points against each other. A pair that met more than once counts with the average of its matches. The value shown
  is the place among the tied bots, or 0 if all stay tied.
- `won` (art. 7.2): matches won over the board. A win by `no_show` is a forfeit and does not count here.
- `bpg` (art. 7.3): matches played over the board with the second seat ("with black").
- `bwg` (art. 7.4): matches won over the board with the second seat.
- `ps`, progressive score (art. 7.5): the sum of the points after each round.
- `bh` or `buchholz` (art. 8.1): the points of the opponents. `bh-c1` leaves out the lowest opponent (art. 14.1),
  `bh-m1` the lowest and the highest (art. 14.3).
- `sb`, Sonneborn-Berger (art. 9.1): the points scored against each opponent, times the final points of this opponent,
  summed over all opponents.
- `ks`, Koya (art. 9.2): points against opponents with at least half of the points that can be scored.
- `aro` and `tpr` (art. 10.1 and 10.2): the average rating of the opponents, and the performance rating by this average,
  if all bots have ratings from before the event.
- `faults` (Rumble's own): matches that ended by the bot's own fault; the bot with the fewest stands first.

All values are in the event's points. docs/RULES.md compares the editions, and lists where Rumble differs.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from rumble_server.results import direct_encounter
from rumble_server.results.editions import NEWEST, Edition
from rumble_server.results.round_sums import RoundSums
from rumble_server.results.sums import Sums, split_by
from rumble_server.results.tally import Count, MatchNumbers, Scheme, Tally

if TYPE_CHECKING:
    from rumble_protocol.feed_messages import Standing

    from rumble_server.results.rounds import Rounds

TIEBREAKS: dict[str, str] = {
    "de": "direct encounter",
    "won": "wins over the board",
    "sb": "Sonneborn-Berger",
    "ks": "Koya",
    "bpg": "matches with the second seat",
    "bwg": "wins with the second seat",
    "bh": "Buchholz",
    "bh-c1": "Buchholz without the lowest",
    "bh-m1": "median Buchholz",
    "ps": "progressive score",
    "buchholz": "Buchholz",
    "aro": "average rating of the opponents",
    "tpr": "tournament performance rating",
    "faults": "fewest faults",
}
"""Descriptions of the tie-breaks for people, keyed by the short names of the tie-breaks."""
OF_RATINGS = frozenset(("aro", "tpr"))
"""Tie-breaks that need the bots' ratings from before the event."""
OF_ROUNDS = frozenset(("bh-c1", "bh-m1", "ps")) | OF_RATINGS
"""Tie-breaks that need the rounds of the event, not only counts of results."""
DEFAULT = ("de", "won", "sb", "ks")
"""The default tie-breaks of a round-robin."""
DEFAULT_SWISS = ("bh-c1", "bh", "de", "won", "sb")
"""The default tie-breaks of a Swiss."""

POINTS = "points"
Groups = list[list[str]]
ValuesOf = Callable[[str], tuple[Mapping[str, int], Mapping[str, float | None] | None]]
"""Function that returns two mappings by bot for a tie-break: the values by which to sort, the greatest first, and the
values that the standings show. In place of the second, None means that the place among the tied bots is shown."""


def check_tiebreaks(tiebreaks: Sequence[str], *, rounds: bool = True) -> tuple[str, ...]:
    """Check tie-breaks, and return them. Raises ValueError if a tie-break is unknown, given twice or not computable.

    If `rounds` is false, only counts of results are known. Tie-breaks that need rounds cannot be computed then.
    """
    unknown = [name for name in tiebreaks if name not in TIEBREAKS]
    if unknown:
        raise ValueError(f"unknown tie-break {unknown[0]!r}; there are: {', '.join(TIEBREAKS)}")
    if len({"bh" if name == "buchholz" else name for name in tiebreaks}) < len(tiebreaks):
        raise ValueError(f"a tie-break comes twice in {', '.join(tiebreaks)}")
    for name in tiebreaks:
        if not rounds and name in OF_ROUNDS:
            raise ValueError(f"the tie-break {name} needs to know the rounds: it is for a swiss")
    return tuple(tiebreaks)


def rank_tally(
    tally: Tally,
    tiebreaks: Sequence[str] = DEFAULT,
    points: tuple[float, float, float] = (1, 0.5, 0),
    *,
    edition: Edition = NEWEST,
    rounds: "Rounds | None" = None,
) -> "list[Standing]":
    """Rank the bots of a tally. Bots that stay tied get the same rank, and are listed by name.

    `rounds` are the rounds of a Swiss. Without rounds, forfeits count as played, and the standings do not depend on
    `edition`.
    """
    sums = Sums(tally, Scheme.of(points)) if rounds is None else RoundSums(rounds, edition)
    return rank_sums(sums, tally.bots, tiebreaks)


def rank_sums(sums: Sums | RoundSums, counts: Mapping[str, Count], tiebreaks: Sequence[str]) -> "list[Standing]":
    """Rank a field by `sums`. The standings show the numbers of `counts`."""
    tiebreaks = check_tiebreaks(tiebreaks, rounds=isinstance(sums, RoundSums))

    def values_of(tiebreak: str) -> tuple[Mapping[str, int], dict[str, float | None]]:
        if tiebreak in OF_RATINGS and isinstance(sums, RoundSums):
            rated = sums.by_ratings(tiebreak)
            return {name: value or 0 for name, value in rated.items()}, {**rated}
        values, unit = sums.values(tiebreak)
        return values, {name: values[name] / unit for name in counts}

    return rank_by(sums.points, sums.scheme.scale, counts, tiebreaks, sums.encounters, values_of)


def rank_by(
    points: Mapping[str, int],
    scale: int,
    counts: Mapping[str, MatchNumbers],
    tiebreaks: Sequence[str],
    meet: direct_encounter.Meet,
    values_of: ValuesOf,
) -> "list[Standing]":
    """Rank a field by points and tie-breaks. `points` are integers in units of 1 / `scale`.

    `meet` returns the encounters of tied bots, for the tie-break `de`. `values_of` is called for all other tie-breaks
    but `faults`.
    """
    from rumble_protocol.feed_messages import Standing  # loaded late: the help of a command needs no messages

    groups = [(POINTS, group) for group in split_by(list(counts), points)]
    shown: dict[str, Mapping[str, float | None]] = {}
    for tiebreak in tiebreaks:
        parts, shown[tiebreak] = _split(tiebreak, [group for _, group in groups], counts, meet, values_of)
        groups = [
            (label if index == 0 else tiebreak, part)
            for (label, _), parts_of_group in zip(groups, parts, strict=True)
            for index, part in enumerate(parts_of_group)
        ]
    lines: list[Standing] = []
    labels = [label for label, _ in groups]
    for (above, group), below in zip(groups, [*labels[1:], POINTS], strict=False):
        first = len(lines)
        last = first + len(group) - 1
        for place, name in enumerate(sorted(group, key=lambda name: (name.casefold(), name)), first):
            count = counts[name]
            neighbours = (above if place == first else "", below if place == last else "")
            lines.append(
                Standing(
                    rank=first + 1,
                    name=name,
                    points=points[name] / scale,
                    played=count.played,
                    wins=count.wins,
                    draws=count.draws,
                    losses=count.losses,
                    tiebreaks={tiebreak: values[name] for tiebreak, values in shown.items()},
                    decided_by=next((part for part in neighbours if part not in ("", POINTS)), ""),
                    faults={str(kind): number for kind, number in count.faults.items() if number},
                    byes=count.byes,
                    half_byes=count.half_byes,
                )
            )
    return lines


def _split(
    tiebreak: str, groups: Groups, counts: Mapping[str, MatchNumbers], meet: direct_encounter.Meet, values_of: ValuesOf
) -> tuple[list[Groups], Mapping[str, float | None]]:
    """Split groups of tied bots. Return the parts of each group, the best first, and the value shown for each bot."""
    shown: Mapping[str, float | None] | None = None
    if tiebreak == "de":
        parts = [direct_encounter.split(group, meet) for group in groups]
    else:
        if tiebreak == "faults":
            shown = {name: sum(count.faults.values()) for name, count in counts.items()}
            values: Mapping[str, int] = {name: -sum(count.faults.values()) for name, count in counts.items()}
        else:
            values, shown = values_of(tiebreak)
        parts = [split_by(group, values) for group in groups]
    if shown is None:
        shown = {name: place for each in parts for name, place in direct_encounter.places(each).items()}
    return parts, shown
