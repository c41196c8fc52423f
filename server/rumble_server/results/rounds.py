"""The rounds of a Swiss, bot by bot: tie-breaks of a Swiss need the rounds, not only counts. Pure.

A round of a bot is its pairing with all legs together, as a match of teams has all boards together. The points of the
round are the sum over the legs, and the round counts as played if any leg was played. Points are integers in units of
the event (`Scheme`).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from rumble_server.match.match_id import MatchId
from rumble_server.results.result import Result
from rumble_server.results.tally import Scheme


class RoundEntry(NamedTuple):
    """A round of a bot: a pairing, or, without an opponent, a bye or an absence. All counts are of matches."""

    opponent: str | None = None
    points: int = 0
    over: int = 0
    """Matches of the pairing with a result."""
    played: int = 0
    """Matches played over the board."""
    second: int = 0
    """Matches played over the board with the second seat."""
    won: int = 0
    """Matches won over the board."""
    won_second: int = 0
    """Matches won over the board with the second seat."""
    given_up: int = 0
    """Matches lost by `no_show`. In a round without an opponent: 1 if the bot asked for a bye or was absent, else 0."""
    drawn: int = 0
    """Matches drawn over the board."""

    @property
    def is_open(self) -> bool:
        """True while no match of the pairing has a result."""
        return self.opponent is not None and not self.over

    @property
    def is_voluntary(self) -> bool:
        """True if the bot did not play, by its own choice or fault: a voluntary unplayed round (art. 16.1.2)."""
        return not self.played and self.given_up > 0


Rating = Callable[[str], float | None]
ABSENT = RoundEntry(given_up=1)


class Rounds:
    """The rounds of a field. `win` and `draw` are the points, in units, of a whole round won or drawn."""

    def __init__(
        self, scheme: Scheme, legs: int = 1, names: Iterable[str] = (), rating: Rating = lambda name: None
    ) -> None:
        self.scheme = scheme
        self.legs = legs
        self.rating = rating
        """Function that returns a bot's rating before the event; None for a bot without a rating."""
        self.rows: dict[str, list[RoundEntry]] = {name: [] for name in names}
        """The rounds of each bot, an entry for each round paired. Entries are immutable."""

    @property
    def win(self) -> int:
        return self.legs * self.scheme.win

    @property
    def draw(self) -> int:
        return self.legs * self.scheme.draw

    @property
    def paired(self) -> int:
        """The number of rounds paired so far."""
        return max(map(len, self.rows.values()), default=0)

    def pair(self, pairs: Iterable[tuple[str, str]], byes: Mapping[str, RoundEntry]) -> None:
        """Add the next round. A bot of the field with neither an opponent nor a bye is absent from the round."""
        entries = dict(byes)
        for first, second in pairs:
            entries[first], entries[second] = RoundEntry(second), RoundEntry(first)
        for name, row in self.rows.items():
            row.append(entries.get(name, ABSENT))

    def full_bye(self) -> RoundEntry:
        """Return the round of a bot that the pairing left without an opponent: it counts as won."""
        return RoundEntry(points=self.win)

    def half_bye(self) -> RoundEntry:
        """Return the round of a bot that asked for a bye: it counts as drawn."""
        return RoundEntry(points=self.draw, given_up=1)

    def has(self, result: Result) -> bool:
        """Return whether the round of a result's match was paired, with the result's two bots against each other."""
        try:
            number = MatchId.parse(result.match_id).round
        except ValueError:
            return False
        row = self.rows.get(result.seats[0], [])
        return 0 < number <= len(row) and row[number - 1].opponent == result.seats[1]

    def add(self, result: Result, sign: int = 1) -> None:
        """Count a match of a paired round; with a `sign` of -1, take the match back."""
        index = MatchId.parse(result.match_id).round - 1
        for seat, name in enumerate(result.seats):
            score = result.scores[seat]
            played = 0 if result.is_forfeit else 1
            won = 1 if played and score == 1 else 0
            now = self.rows[name][index]
            self.rows[name][index] = RoundEntry(
                now.opponent,
                now.points + sign * self.scheme.points(score),
                now.over + sign,
                now.played + sign * played,
                now.second + sign * played * seat,
                now.won + sign * won,
                now.won_second + sign * won * seat,
                now.given_up + sign * (1 if not played and score == 0 else 0),
                now.drawn + sign * (1 if played and 0 < score < 1 else 0),
            )

    def snapshot(self) -> "Rounds":
        """Return a copy to be read on another thread, while results are added to the original."""
        other = Rounds(self.scheme, self.legs, rating=self.rating)
        other.rows = {name: row.copy() for name, row in self.rows.items()}
        return other
