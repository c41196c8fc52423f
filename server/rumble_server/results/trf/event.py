"""An event as a TRF file tells it: plain data. Points are integers in tenths, as the format has one decimal."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rumble_server.results.trf import codes

Worth = Mapping[tuple[str, str], int]
"""The points in tenths of a code, by code and seat."""

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
"""The points in tenths of a code where a file says nothing else."""

HALVES = dict.fromkeys((*codes.WON, codes.FORFEIT_WIN), 2) | dict.fromkeys((codes.DRAW, codes.UNRATED_DRAW), 1)
"""The half points of a game by each code with an opponent; 0 for the others."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One round of one player. `opponent` is a starting number; 0: none."""

    opponent: int = 0
    seat: str = codes.NO_SEAT
    code: str = codes.ABSENT


@dataclass(frozen=True, slots=True)
class Player:
    """A player: what stands in a line 001."""

    number: int
    """The starting number."""
    name: str
    title: str
    rating: int | None
    points: int | None
    """The points in the file, in tenths; None where it tells none."""
    rank: int | None
    entries: tuple[Entry, ...]
    """The rounds played, one entry each."""


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Players that must not meet each other in these rounds."""

    numbers: tuple[int, ...]
    first_round: int
    last_round: int | None
    """None: to the end."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event. Players are in the order of the file."""

    players: tuple[Player, ...]
    fields: Mapping[str, str] = field(default_factory=dict)
    """The text of each line that is nothing else here (012 name, 042 start, 092 type, ...), by its code."""
    rounds: int | None = None
    """How many rounds the event has when it is over (142, XXR); None where the file does not say."""
    played: int = 0
    """How many rounds were paired so far."""
    first_seat: str = ""
    """The seat of the first player in round 1 (152, XXC): `w` or `b`; empty where the file does not say."""
    by_rank: bool = False
    """Whether pairing numbers follow the order of the file (XXC rank), and not the starting numbers."""
    system: str = ""
    """The encoded type of the event (192), such as FIDE_DUTCH_2025_BAKU."""
    worth: Worth = field(default_factory=dict)
    accelerations: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """By player: virtual points in tenths, from round 1 (250, XXA)."""
    byes: Mapping[int, Mapping[int, str]] = field(default_factory=dict)
    """By round that is not paired yet, and player: the code of a bye that was asked for (240, XXZ, and 001)."""
    forbidden: tuple[Forbidden, ...] = ()

    def worth_of(self, entry: Entry) -> int:
        """Return the points of a round, in tenths."""
        return self.worth[entry.code, entry.seat]

    def points(self, player: Player) -> int:
        """Return the points of the rounds played, in tenths."""
        return sum(map(self.worth_of, player.entries))

    @property
    def is_round_robin(self) -> bool:
        """Whether the file calls the event a round-robin (192, 092)."""
        text = f"{self.system} {self.fields.get('092', '')}".casefold()
        return any(word in text for word in ("robin", "berger"))
