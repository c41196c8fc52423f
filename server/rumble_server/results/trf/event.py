"""An event in a TRF file, as plain data. Points are integers in tenths, because the format allows one decimal."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rumble_server.results.trf import codes

Worth = Mapping[tuple[str, str], int]
"""Points in tenths, keyed by the code of a result and the code of a colour (`codes.NO_SEAT` without a game)."""

STANDARD: dict[str, int] = {
    codes.WIN: 10,
    codes.DRAW: 5,
    codes.LOSS: 0,
    codes.FORFEIT_WIN: 10,
    codes.FORFEIT_LOSS: 0,
    codes.PAIRING_BYE: 10,
    codes.FULL_BYE: 10,
    codes.HALF_BYE: 5,
    codes.ABSENT: 0,
}
"""Points in tenths for each code, used for codes that a file does not set."""

HALVES = dict.fromkeys((*codes.WON, codes.FORFEIT_WIN), 2) | dict.fromkeys((codes.DRAW, codes.UNRATED_DRAW), 1)
"""Score in half points for each code. Any other code scores 0."""


@dataclass(frozen=True, slots=True)
class TrfEntry:
    """A round of a player. `opponent` is the opponent's starting number, or 0 without an opponent."""

    opponent: int = 0
    seat: str = codes.NO_SEAT
    code: str = codes.ABSENT


@dataclass(frozen=True, slots=True)
class TrfPlayer:
    """A player, from the fields of a line 001."""

    number: int
    """Starting number of the player."""
    name: str
    rating: int | None
    points: int | None
    """Points as the file gives them, in tenths; None if the file has no points."""
    rank: int | None
    entries: tuple[TrfEntry, ...]
    """Rounds played so far, in order."""


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Players who must not meet each other in the rounds from `first_round` to `last_round`."""

    numbers: tuple[int, ...]
    first_round: int
    last_round: int | None
    """The last round in which the players must not meet; None means the last round of the event."""


@dataclass(frozen=True, slots=True)
class TrfEvent:
    """An event. The players are in the order of the file.

    In the descriptions of the fields, the codes of lines are in parentheses, such as 142.
    """

    players: tuple[TrfPlayer, ...]
    fields: Mapping[str, str] = field(default_factory=dict)
    """Texts of the lines for which this class has no attribute (012 name, 042 start, 092 type, ...), by code."""
    rounds: int | None = None
    """Total number of rounds of the event (142, XXR); None if the file does not give the number."""
    played: int = 0
    """Number of rounds paired so far."""
    first_seat: str = ""
    """Seat of the first player in round 1 (152, XXC): `w` or `b`; empty if the file does not give the seat."""
    is_by_rank: bool = False
    """True if pairing numbers follow the order of the file (XXC rank) instead of the starting numbers."""
    system: str = ""
    """Encoded type of the event (192), such as FIDE_DUTCH_2025_BAKU."""
    worth: Worth = field(default_factory=dict)
    accelerations: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Virtual points in tenths, by player: a value for each round from round 1 on (the lines 250 and XXA)."""
    byes: Mapping[int, Mapping[int, str]] = field(default_factory=dict)
    """Codes of byes requested for rounds that are not paired yet, by round and player.

    They come from the lines 240, XXZ and 001.
    """
    forbidden: tuple[Forbidden, ...] = ()

    def worth_of(self, entry: TrfEntry) -> int:
        """Return the points for a round, in tenths."""
        return self.worth[entry.code, entry.seat]

    def points(self, player: TrfPlayer) -> int:
        """Return a player's points in the rounds so far, in tenths."""
        return sum(map(self.worth_of, player.entries))

    @property
    def is_round_robin(self) -> bool:
        """True if the file describes the event as a round-robin (192, 092)."""
        text = f"{self.system} {self.fields.get('092', '')}".casefold()
        return any(word in text for word in ("robin", "berger"))
