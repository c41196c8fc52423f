"""What each bot did round by round: what tie-breaks need of a Swiss beyond counts. Pure.

A round of a bot is its pairing with all legs together, as a match of teams has all its boards together: its points are
the sum. It was played if any of its matches was. Points are integers in units of the event (`Scheme`).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from rumble_server.match.match_id import MatchId
from rumble_server.results.result import Result
from rumble_server.results.tally import Scheme


class Entry(NamedTuple):
    """One round of one bot. Without an opponent it is a bye or an absence."""

    opponent: str | None = None
    points: int = 0
    over: int = 0
    """How many matches of the pairing have a result."""
    played: int = 0
    """How many of these were played over the board."""
    second: int = 0
    """How many were played with the second seat."""
    won: int = 0
    """How many were won over the board."""
    won_second: int = 0
    given_up: int = 0
    """How many were lost by `no_show`; of a round without an opponent, 1 if the bot asked for it or was absent."""
    drawn: int = 0
    """How many were drawn over the board."""

    @property
    def is_open(self) -> bool:
        """Whether nothing is known of it yet."""
        return self.opponent is not None and not self.over

    @property
    def is_voluntary(self) -> bool:
        """Whether it was not played by the bot's own choice or fault: a voluntary unplayed round (art. 16.1.2)."""
        return not self.played and self.given_up > 0


Rating = Callable[[str], float | None]
ABSENT = Entry(given_up=1)


class Rounds:
    """The rounds of a field. `draw` and `win` are the units of a whole round that is drawn and won."""

    def __init__(
        self, scheme: Scheme, legs: int = 1, names: Iterable[str] = (), rating: Rating = lambda name: None
    ) -> None:
        self.scheme = scheme
        self.legs = legs
        self.rating = rating
        """Returns what a bot was rated before the event; None: nothing."""
        self.rows: dict[str, list[Entry]] = {name: [] for name in names}
        """By bot: an entry for each round that was paired. Entries are immutable."""

    @property
    def win(self) -> int:
        return self.legs * self.scheme.win

    @property
    def draw(self) -> int:
        return self.legs * self.scheme.draw

    @property
    def paired(self) -> int:
        """How many rounds were paired."""
        return max(map(len, self.rows.values()), default=0)

    def pair(self, pairs: Iterable[tuple[str, str]], byes: Mapping[str, Entry]) -> None:
        """Take in the next round. Who has neither an opponent nor a bye in it is absent."""
        entries = dict(byes)
        for first, second in pairs:
            entries[first], entries[second] = Entry(second), Entry(first)
        for name, row in self.rows.items():
            row.append(entries.get(name, ABSENT))

    def full_bye(self) -> Entry:
        """Return the round of a bot that the pairing left over: it counts as won."""
        return Entry(points=self.win)

    def half_bye(self) -> Entry:
        """Return the round of a bot that asked for a bye: it counts as drawn."""
        return Entry(points=self.draw, given_up=1)

    def has(self, result: Result) -> bool:
        """Whether the match is of a round that was paired, and these two met in it."""
        try:
            number = MatchId.parse(result.match_id).round
        except ValueError:
            return False
        row = self.rows.get(result.seats[0], [])
        return 0 < number <= len(row) and row[number - 1].opponent == result.seats[1]

    def add(self, result: Result, sign: int = 1) -> None:
        """Count a match of a round that was paired, or take it back with a `sign` of -1."""
        index = MatchId.parse(result.match_id).round - 1
        for seat, name in enumerate(result.seats):
            score = result.scores[seat]
            played = 0 if result.is_forfeit else 1
            won = 1 if played and score == 1 else 0
            now = self.rows[name][index]
            self.rows[name][index] = Entry(
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
        """Return a copy that may be read on another thread while this one counts on."""
        other = Rounds(self.scheme, self.legs, rating=self.rating)
        other.rows = {name: row.copy() for name, row in self.rows.items()}
        return other
