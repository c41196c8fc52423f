"""A bot as the live server knows it: its session, its matches, its tournaments."""

from collections.abc import Iterable, Iterator

from rumble_server.arena.session import NO_MATCH, BotSession
from rumble_server.tournament.tournament import Tournament


class Player:
    """A bot by name."""

    __slots__ = ("_free", "claimed", "matches", "name", "session", "tournaments")

    def __init__(self, name: str, free: set[str]) -> None:
        """`free` are the names of the players who can take one more match; this one is kept in it."""
        self.name = name
        self._free = free
        self.session: BotSession | None = None
        """The newest login; None while it is not connected."""
        self.matches: dict[str, int] = {}
        """The ids of the matches that it is playing, with its seat in each."""
        self.tournaments: dict[str, Tournament] = {}
        """The tournaments it is in that are not over, by id; the one whose last match ended longest ago comes first."""
        self.claimed = 0
        """The number of the fact of its name, if the name is new in this run."""

    @property
    def is_connected(self) -> bool:
        return self.session is not None

    @property
    def is_free(self) -> bool:
        """Whether it is connected and can take one more match."""
        return self.name in self._free

    def connect(self, session: BotSession | None) -> None:
        """Have a session, or (None) none any more."""
        self.session = session
        self._count()

    def begin(self, match_id: str, seat: int) -> None:
        """Play a match."""
        self.matches[match_id] = seat
        self._count()

    def end(self, match_id: str) -> None:
        """Play a match no longer."""
        del self.matches[match_id]
        self._count()

    def take_no_more(self) -> None:
        """Take no further match in this session."""
        if self.session is not None:
            self.session.max_matches = 0
            self._count()

    def _count(self) -> None:
        if self.session is not None and len(self.matches) < self.session.max_matches:
            self._free.add(self.name)
        else:
            self._free.discard(self.name)

    def plays(self, game: str) -> bool:
        """Whether it is connected, and its login did not leave out this game."""
        return self.session is not None and (self.session.games is None or game in self.session.games)

    def send(self, frame: bytes, after: int = 0, match_id: str = NO_MATCH) -> None:
        """Send a frame if it is connected, not before the fact of number `after` is on disk."""
        if self.session is not None:
            self.session.send(frame, after, match_id)

    def send_over(self, frame: bytes, match_id: str, after: int) -> None:
        """Send a `match_over` if it is connected, not before the fact of number `after` is on disk."""
        if self.session is not None:
            self.session.send_over(frame, match_id, after)

    def send_last(self, frame: bytes, after: int) -> None:
        """Send a frame if it is connected, after all that was said before and the fact of number `after` is on disk."""
        if self.session is not None:
            self.session.send_last(frame, after)


class Players:
    """Every bot that this run knows, by name in whatever case it is written."""

    def __init__(self) -> None:
        self.by_name: dict[str, Player] = {}
        """By name in lower case."""
        self.free: set[str] = set()
        """The names of those who can take one more match."""

    def get(self, name: str) -> Player | None:
        return self.by_name.get(name.casefold())

    def __getitem__(self, name: str) -> Player:
        return self.by_name[name.casefold()]

    def __iter__(self) -> Iterator[Player]:
        return iter(self.by_name.values())

    def enter(self, name: str) -> Player:
        """Return the player of that name, new if there was none."""
        return self.by_name.setdefault(name.casefold(), Player(name, self.free))

    def of(self, names: Iterable[str]) -> tuple[Player, ...]:
        """Return the players of these names, which must be known."""
        return tuple(self.by_name[name.casefold()] for name in names)
