"""A bot as the live server knows it: its sessions, its matches, its tournaments."""

from collections import deque
from collections.abc import Iterable, Iterator

from rumble_server.arena.session import NO_MATCH, BotSession, Part
from rumble_server.tournament.tournament import Tournament

MOST_UNTOLD = 16
"""Maximum number of ends of matches that are kept for a bot that is away; the newest are kept."""
Free = dict[str, set[str]]
"""By game: the names of the players who can take one more match of a tournament, if need be in place of a challenge."""


class Player:
    """A bot by name. Each of its workers has one session, on whatever machine."""

    __slots__ = (
        "_free",
        "away_from",
        "claimed",
        "free_since_ms",
        "has_played",
        "kept_for",
        "name",
        "sessions",
        "sole",
        "tournaments",
        "untold",
    )

    def __init__(self, name: str, free: Free) -> None:
        """This player is kept in `free`."""
        self.name = name
        self._free = free
        self.sessions: dict[str, BotSession] = {}
        """By worker in lower case, the newest login last."""
        self.sole: BotSession | None = None
        """Its one session, if that is no worker. It is given every match, whatever games its login names."""
        self.away_from: dict[str, Part] = {}
        """The matches that it is in and no session plays, by id; the one that has waited longest comes first."""
        self.tournaments: dict[str, Tournament] = {}
        """The tournaments it is in that are not over, by id; the one whose last match ended longest ago comes first."""
        self.claimed = 0
        """The number of the fact of its name, if the name is new in this run."""
        self.free_since_ms = 0
        """When it last came, or a match of it ended: for audits."""
        self.has_played = False
        """Whether it was in a match in this run."""
        self.kept_for: str | None = None
        """The game of a match of a tournament for which it keeps its last place, if it keeps that."""
        self.untold: deque[tuple[bytes, int]] = deque(maxlen=MOST_UNTOLD)
        """The `match_over` of matches that ended while it was away, each with the number of its fact: for its next
        login in this run."""

    @property
    def is_connected(self) -> bool:
        return bool(self.sessions)

    @property
    def newest(self) -> BotSession | None:
        """The newest login; None while it is not connected."""
        return next(reversed(self.sessions.values()), None)

    @property
    def accepts_challenges(self) -> bool:
        return any(each.accepts_challenges for each in self.sessions.values())

    def plays(self, game: str) -> bool:
        """Whether it is connected, and a login of it did not leave out this game."""
        return any(each.plays(game) for each in self.sessions.values())

    @property
    def room(self) -> int:
        """How many more matches it can take."""
        return sum(each.room for each in self.sessions.values() if each.room > 0)

    def has_room_for_challenge(self, game: str) -> bool:
        """Whether it can take one more match that leaves a place for the tournament that has matches for it, if any."""
        return self.session_for(game) is not None and self.room > (0 if self.needed_in is None else 1)

    @property
    def needed_in(self) -> str | None:
        """The id of a running tournament that has matches for it, challenges not counted."""
        for tournament in self.tournaments.values():
            if tournament.challenger is None and tournament.has_matches(self.name):
                return tournament.id
        return None

    def is_shared(self, tournament: Tournament) -> bool:
        """Whether it has matches to play in this tournament and in another one, challenges not counted."""
        others = [each for each in self.tournaments.values() if each is not tournament and each.challenger is None]
        return tournament.has_matches(self.name) and any(
            each.has_matches(self.name) or each.field[self.name].playing for each in others
        )

    @property
    def plays_anything(self) -> bool:
        """Whether it is in a match, or is still to be told of the end of one."""
        return bool(self.away_from) or any(each.matches or each.held_overs for each in self.sessions.values())

    # --- sessions and matches ---

    def matches(self) -> list[str]:
        """Return the ids of the matches that it is in, whether a session plays them or it is away."""
        return [match_id for session in self.sessions.values() for match_id in session.matches] + list(self.away_from)

    def connect(self, session: BotSession) -> BotSession | None:
        """Have a session. Return the older one of the same worker, if any, which plays nothing any more."""
        older = self.sessions.get(session.worker.casefold())
        if older is not None:
            self.disconnect(older)
        self.sessions[session.worker.casefold()] = session
        self._note_sessions()
        return older

    def disconnect(self, session: BotSession) -> bool:
        """Have a session no longer: it plays nothing any more. Return False if a newer one has taken its place."""
        worker = session.worker.casefold()
        if self.sessions.get(worker) is not session:
            return False
        del self.sessions[worker]
        for match_id, part in list(session.matches.items()):
            session.give_up(part)
            self.away_from[match_id] = part
        self._note_sessions()
        return True

    def _note_sessions(self) -> None:
        self.sole = self.sessions.get("") if len(self.sessions) == 1 else None
        self.note_room()

    def begin(self, part: Part) -> None:
        """Be in a match, which a session plays if one has room."""
        self.has_played = True
        session = self.session_for(part.game)
        if session is None:
            self.away_from[part.match_id] = part
        else:
            session.take(part)
            self.note_room()

    def end(self, part: Part) -> None:
        """Be in a match no longer."""
        if part.session is None:
            del self.away_from[part.match_id]
        else:
            part.session.give_up(part)
            self.note_room()

    def take_up(self, newcomer: BotSession | None = None) -> list[Part]:
        """Have sessions with room for them play the matches of their games that none plays, the longest waiting first.

        Return these matches. A `newcomer` that is no worker and alone takes up all: it played them before.
        """
        taken: list[Part] = []
        heir = newcomer if newcomer is self.sole else None
        for part in self.away_from.values():
            session = heir or self.session_for(part.game)
            if session is not None:
                session.take(part)
                taken.append(part)
        for part in taken:
            del self.away_from[part.match_id]
        if taken:
            self.note_room()
        return taken

    def take_no_more(self, session: BotSession) -> None:
        """Have a session take no further match."""
        session.max_matches = 0
        self.note_room()

    def able(self, game: str) -> list[BotSession]:
        """Return the sessions that may be given a match of this game: those whose login did not leave it out."""
        if self.sole is not None:
            return [self.sole]
        return [each for each in self.sessions.values() if each.plays(game)]

    def session_for(self, game: str) -> BotSession | None:
        """Return the session with most room for one more match of this game; None if none has any."""
        sole = self.sole
        if sole is not None:
            return sole if sole.room > 0 else None
        found: BotSession | None = None
        for each in self.able(game):
            if each.room > (0 if found is None else found.room):
                found = each
        return found

    def challenge_to_cancel(self, game: str) -> str | None:
        """Return the challenge that gives way to a tournament's match of this game for which no session has room."""
        return next((each.challenges[-1] for each in self.able(game) if each.challenges and each.has_place()), None)

    def is_free(self, game: str) -> bool:
        """Whether it can take one more match of a tournament of this game, if need be in the place of a challenge."""
        if self.sole is not None:
            return self.sole.has_place()
        able = self.able(game)
        if any(each.held_overs for each in able):  # no challenge gives way at another session
            return any(each.room > 0 for each in able)
        return any(each.has_place() for each in able)

    def spares(self, game: str, other: str) -> bool:
        """Whether it can take one more match of this game and has a place for another game then, as it has now."""
        return sum(each.room for each in self.able(other)) > 1 or not any(each.plays(other) for each in self.able(game))

    def may_begin(self, game: str) -> bool:
        """Whether it is free for a match of this game that nothing keeps a place for."""
        return self.is_free(game) and (self.kept_for is None or self.spares(game, self.kept_for))

    def note_room(self) -> None:
        """Take note of how much room its sessions have."""
        sole, name = self.sole, self.name
        is_free = sole is not None and self.kept_for is None and sole.has_place()  # the usual case, whatever the game
        for game, names in self._free.items():
            if is_free or ((sole is None or self.kept_for is not None) and self.may_begin(game)):
                names.add(name)
            else:
                names.discard(name)

    def keep(self, game: str | None) -> None:
        """Keep its last place for a match of this game; None: keep it no longer."""
        self.kept_for = game
        self.note_room()

    # --- frames of no match in particular: every session has them ---

    def send(self, frame: bytes, after: int = 0, match_id: str = NO_MATCH) -> None:
        """Send a frame if it is connected, not before the fact of number `after` is on disk."""
        for session in self.sessions.values():
            session.send(frame, after, match_id)

    def send_last(self, frame: bytes, after: int) -> None:
        """Send a frame if it is connected, after all that was said before and the fact of number `after` is on disk."""
        for session in self.sessions.values():
            session.send_last(frame, after)


class Players:
    """Every bot that this run knows, by name in whatever case it is written."""

    def __init__(self) -> None:
        self.by_name: dict[str, Player] = {}
        """By name in lower case."""
        self._free: Free = {}

    def get(self, name: str) -> Player | None:
        return self.by_name.get(name.casefold())

    def __getitem__(self, name: str) -> Player:
        return self.by_name[name.casefold()]

    def __iter__(self) -> Iterator[Player]:
        return iter(self.by_name.values())

    def enter(self, name: str) -> Player:
        """Return the player of that name, new if there was none."""
        return self.by_name.setdefault(name.casefold(), Player(name, self._free))

    def forget(self, name: str) -> None:
        """Know a bot no more: its name is free, it plays nothing, and no tournament in memory has it."""
        del self.by_name[name.casefold()]

    def of(self, names: Iterable[str]) -> tuple[Player, ...]:
        """Return the players of these names, which must be known."""
        by_name = self.by_name
        return tuple([by_name[name.casefold()] for name in names])

    def free(self, game: str) -> set[str]:
        """Return the names of those who can take one more match of a tournament of this game; it is kept current."""
        found = self._free.get(game)
        if found is None:
            found = self._free[game] = {each.name for each in self if each.may_begin(game)}
        return found
