"""The rounds of a Swiss for each bot. Some tie-breaks need rounds, not only counts of results. Pure.

A round of a bot is a pairing with all legs of the pairing. The points of the round are the sum over the legs. The round
counts as played if any leg was played. Points are integers in the units of the event (`Scheme`).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from rumble_server.match.match_id import MatchId
from rumble_server.results.result import Result
from rumble_server.results.tally import Scheme


class RoundEntry(NamedTuple):
    """A round of a bot: a pairing, a bye or an absence. A bye and an absence have no opponent.

    All counts are numbers of matches of this bot.
    """

    opponent: str | None = None
    points: int = 0
    over: int = 0
    """Matches of the pairing that have a result."""
    played: int = 0
    """Matches played over the board."""
    second: int = 0
    """Matches played over the board in the second seat."""
    won: int = 0
    """Matches won over the board."""
    won_second: int = 0
    """Matches won over the board in the second seat."""
    given_up: int = 0
    """Matches lost by `no_show`.

    In a round without an opponent, the number is 1 for a requested bye and for an absence, and otherwise 0.
    """
    drawn: int = 0
    """Matches drawn over the board."""

    @property
    def is_open(self) -> bool:
        """True while no match of the pairing has a result yet."""
        return self.opponent is not None and not self.over

    @property
    def is_voluntary(self) -> bool:
        """True if the bot did not play, by its own choice or fault (a voluntary unplayed round, art. 16.1.2)."""
        return not self.played and self.given_up > 0


Rating = Callable[[str], float | None]
ABSENT = RoundEntry(given_up=1)


class Rounds:
    """The rounds of a field of bots.

    `win` and `draw` are the points for a round in which all legs are won or drawn, in units of `scheme`.
    """

    def __init__(
        self, scheme: Scheme, legs: int = 1, names: Iterable[str] = (), rating: Rating = lambda name: None
    ) -> None:
        self.scheme = scheme
        self.legs = legs
        self.rating = rating
        """Function that returns a bot's rating from before the event, or None for a bot without a rating."""
        self.rows: dict[str, list[RoundEntry]] = {name: [] for name in names}
        """The rounds of each bot, in order, with an entry for each paired round. Entries are immutable."""

    @property
    def win(self) -> int:
        return self.legs * self.scheme.win

    @property
    def draw(self) -> int:
        return self.legs * self.scheme.draw

    @property
    def paired(self) -> int:
        """Number of rounds paired so far."""
        return max(map(len, self.rows.values()), default=0)

    def pair(self, pairs: Iterable[tuple[str, str]], byes: Mapping[str, RoundEntry]) -> None:
        """Add the next round. A bot that is neither in `pairs` nor in `byes` is absent."""
        entries = dict(byes)
        for first, second in pairs:
            entries[first], entries[second] = RoundEntry(second), RoundEntry(first)
        for name, row in self.rows.items():
            row.append(entries.get(name, ABSENT))

    def full_bye(self) -> RoundEntry:
        """Return the entry for a bot that the pairing left without an opponent: a round that counts as won."""
        return RoundEntry(points=self.win)

    def half_bye(self) -> RoundEntry:
        """Return the entry for a bot that asked for a bye: a round that counts as drawn."""
        return RoundEntry(points=self.draw, given_up=1)

    def has(self, result: Result) -> bool:
        """Return true if the two bots of a result were paired with each other in the round that its match id names."""
        try:
            number = MatchId.parse(result.match_id).round
        except ValueError:
            return False
        row = self.rows.get(result.seats[0], [])
        return 0 < number <= len(row) and row[number - 1].opponent == result.seats[1]

    def add(self, result: Result, sign: int = 1) -> None:
        """Count the result of a match in a paired round. With `sign` -1, remove the result from the counts."""
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
        """Return a copy that another thread may read, while results are added to the original."""
        other = Rounds(self.scheme, self.legs, rating=self.rating)
        other.rows = {name: row.copy() for name, row in self.rows.items()}
        return other
