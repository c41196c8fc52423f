"""A bot as the live server knows it: its session, its matches, its tournaments."""

from collections.abc import Iterable, Iterator

from rumble_server.arena.session import NO_MATCH, BotSession
from rumble_server.tournament.tournament import Tournament


class Player:
    """A bot by name."""

    __slots__ = ("_free", "challenges", "claimed", "matches", "name", "session", "tournaments")

    def __init__(self, name: str, free: set[str]) -> None:
        """`free` are the names of the players who can take one more match of a tournament; this one is kept in it."""
        self.name = name
        self._free = free
        self.session: BotSession | None = None
        """The newest login; None while it is not connected."""
        self.matches: dict[str, int] = {}
        """The ids of the matches that it is playing, with its seat in each."""
        self.challenges: tuple[str, ...] = ()
        """Those of these matches that are challenges, the newest last. A tournament's match takes their place."""
        self.tournaments: dict[str, Tournament] = {}
        """The tournaments it is in that are not over, by id; the one whose last match ended longest ago comes first."""
        self.claimed = 0
        """The number of the fact of its name, if the name is new in this run."""

    @property
    def is_connected(self) -> bool:
        return self.session is not None

    @property
    def room(self) -> int:
        """How many more matches it can take."""
        return 0 if self.session is None else self.session.max_matches - len(self.matches)

    @property
    def has_room_for_challenge(self) -> bool:
        """Whether it can take one more match that leaves a place for the tournament that has matches for it, if any."""
        return self.room > (0 if self.needed_in is None else 1)

    @property
    def needed_in(self) -> str | None:
        """The id of a running tournament that has matches for it, challenges not counted."""
        for tournament in self.tournaments.values():
            if tournament.challenger is None and tournament.has_matches(self.name):
                return tournament.id
        return None

    def connect(self, session: BotSession | None) -> None:
        """Have a session, or (None) none any more."""
        self.session = session
        self._count()

    def begin(self, match_id: str, seat: int, *, is_challenge: bool) -> None:
        """Play a match."""
        self.matches[match_id] = seat
        if is_challenge:
            self.challenges = (*self.challenges, match_id)
        self._count()

    def end(self, match_id: str) -> None:
        """Play a match no longer."""
        del self.matches[match_id]
        if match_id in self.challenges:
            self.challenges = tuple([each for each in self.challenges if each != match_id])
        self._count()

    def take_no_more(self) -> None:
        """Take no further match in this session."""
        if self.session is not None:
            self.session.max_matches = 0
            self._count()

    def _count(self) -> None:
        if self.session is not None and len(self.matches) - len(self.challenges) < self.session.max_matches:
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
        """The names of those who can take one more match of a tournament, if need be in the place of a challenge."""

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
        by_name = self.by_name
        return tuple([by_name[name.casefold()] for name in names])
