"""An event in a TRF file, as plain data. Points are integers in tenths, since the format has points with a decimal."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rumble_server.results.trf import codes

Worth = Mapping[tuple[str, str], int]
"""Points in tenths, by code and seat."""

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
"""Points in tenths by code, for codes that a file does not set."""

HALVES = dict.fromkeys((*codes.WON, codes.FORFEIT_WIN), 2) | dict.fromkeys((codes.DRAW, codes.UNRATED_DRAW), 1)
"""Half points scored in a game, by code; every other code scores 0."""


@dataclass(frozen=True, slots=True)
class TrfEntry:
    """A round of a player. `opponent` is a starting number, or 0 without an opponent."""

    opponent: int = 0
    seat: str = codes.NO_SEAT
    code: str = codes.ABSENT


@dataclass(frozen=True, slots=True)
class TrfPlayer:
    """A player, with the fields of a line 001."""

    number: int
    """The starting number."""
    name: str
    title: str
    rating: int | None
    points: int | None
    """The points in the file, in tenths; None if the file has none."""
    rank: int | None
    entries: tuple[TrfEntry, ...]
    """The rounds played so far, in order."""


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Players that must not meet each other in the rounds from `first_round` to `last_round`."""

    numbers: tuple[int, ...]
    first_round: int
    last_round: int | None
    """The last round; None for the last round of the event."""


@dataclass(frozen=True, slots=True)
class TrfEvent:
    """An event. Players are in the order of the file."""

    players: tuple[TrfPlayer, ...]
    fields: Mapping[str, str] = field(default_factory=dict)
    """The text of each line that has no attribute of its own (012 name, 042 start, 092 type, ...), by code."""
    rounds: int | None = None
    """The number of rounds that the event will have in the end (142, XXR); None if the file has none."""
    played: int = 0
    """The number of rounds paired so far."""
    first_seat: str = ""
    """The seat of the first player in round 1 (152, XXC): `w` or `b`; empty if the file has none."""
    by_rank: bool = False
    """True if pairing numbers follow the order of the file (XXC rank), not the starting numbers."""
    system: str = ""
    """The encoded type of the event (192), such as FIDE_DUTCH_2025_BAKU."""
    worth: Worth = field(default_factory=dict)
    accelerations: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """The virtual points of each player in tenths, round by round from round 1 (250, XXA)."""
    byes: Mapping[int, Mapping[int, str]] = field(default_factory=dict)
    """The codes of byes requested for rounds not paired yet, by round and player (240, XXZ, and 001)."""
    forbidden: tuple[Forbidden, ...] = ()

    def worth_of(self, entry: TrfEntry) -> int:
        """Return the points of a round, in tenths."""
        return self.worth[entry.code, entry.seat]

    def points(self, player: TrfPlayer) -> int:
        """Return the points of a player in the rounds played so far, in tenths."""
        return sum(map(self.worth_of, player.entries))

    @property
    def is_round_robin(self) -> bool:
        """True if the file calls the event a round-robin (192, 092)."""
        text = f"{self.system} {self.fields.get('092', '')}".casefold()
        return any(word in text for word in ("robin", "berger"))
