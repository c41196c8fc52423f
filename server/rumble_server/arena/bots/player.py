"""A bot on the running server: sessions, matches, tournaments."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from rumble_server.arena.bots.frame_sender import NO_MATCH, Outgoing
from rumble_server.arena.bots.session import Assignment, BotSession
from rumble_server.tournament.tournament import Tournament

MOST_UNSENT_MATCH_OVERS = 16
"""Maximum number of `match_over` frames that are kept for an absent bot; the newest are kept."""
FreePlayers = dict[str, set[str]]
"""Names of the free players, by game. A free player can take a further tournament match. If necessary, a challenge is
cancelled to make room."""


@dataclass(slots=True, eq=False)
class Player:
    """A bot, known by its name. Each worker of the bot has a session; workers may run on different machines."""

    name: str
    _free: FreePlayers
    """Names of all free players of the club, by game. The player adds and removes only its own name."""
    sessions: dict[str, BotSession] = field(default_factory=dict)
    """Sessions by worker in lower case, the newest login last."""
    sole_session: BotSession | None = None
    """The bot's only session, if this session names no worker; otherwise None. The session gets matches of any game."""
    waiting_matches: dict[str, Assignment] = field(default_factory=dict)
    """Matches that no session of the bot plays at present, by match id, the longest waiting first."""
    tournaments: dict[str, Tournament] = field(default_factory=dict)
    """Open tournaments of the bot by id. When a match ends, the tournament of the match becomes the last entry."""
    name_fact_number: int = 0
    """Number of the fact that recorded the bot's name, if the name is new in this run; otherwise 0."""
    free_since_ms: int = 0
    """Time in ms at which the bot last connected or became free. The fairness audit uses the time."""
    version: str | None = None
    """Version given in the newest login in this run."""
    has_played: bool = False
    """True if the bot was in a match in this run."""
    reserved_for: str | None = None
    """Game of the appointed match for which the bot keeps room; None without an appointment."""
    unsent_match_overs: deque[Outgoing] = field(default_factory=partial(deque, maxlen=MOST_UNSENT_MATCH_OVERS))
    """`match_over` frames that the bot gets at its next login in this run. Their matches ended while the bot was away,
    or the bot's connection ended before the frames were sent."""

    @property
    def is_connected(self) -> bool:
        return bool(self.sessions)

    @property
    def newest(self) -> BotSession | None:
        """Session of the newest login; None for a disconnected bot."""
        return next(reversed(self.sessions.values()), None)

    @property
    def accepts_challenges(self) -> bool:
        return any(each.accepts_challenges for each in self.sessions.values())

    def accepts_game(self, game: str) -> bool:
        """Return true if a session of the bot accepts this game."""
        return any(each.accepts_game(game) for each in self.sessions.values())

    @property
    def room(self) -> int:
        """Number of further matches that the bot can take."""
        return sum(max(0, each.room) for each in self.sessions.values())

    def has_room_for_challenge(self, game: str) -> bool:
        """Return true if the bot has room for a challenge.

        If a tournament has matches for the bot, a challenge must leave one place free.
        """
        return self.session_for(game) is not None and self.room > (0 if self.pending_tournament is None else 1)

    @property
    def pending_tournament(self) -> str | None:
        """Id of a running tournament, not a challenge, that has matches for the bot; None without such a tournament."""
        for tournament in self.tournaments.values():
            if tournament.challenger is None and tournament.has_matches(self.name):
                return tournament.id
        return None

    def plays_elsewhere_too(self, tournament: Tournament) -> bool:
        """Return true if the bot has matches to play here, and also plays or has to play in another tournament. A
        challenge does not count as another tournament.
        """
        others = [each for each in self.tournaments.values() if each is not tournament and each.challenger is None]
        return tournament.has_matches(self.name) and any(
            each.has_matches(self.name) or each.field[self.name].playing for each in others
        )

    @property
    def is_playing(self) -> bool:
        """True if the bot is in a match, or still has to be told of the end of a match."""
        sessions = self.sessions.values()
        return bool(self.waiting_matches) or any(each.matches or each.sender.room_to_free for each in sessions)

    # --- sessions and matches ---

    def matches(self) -> list[str]:
        """Return the ids of the bot's matches, with or without a session."""
        return [match_id for session in self.sessions.values() for match_id in session.matches] + list(
            self.waiting_matches
        )

    def connect(self, session: BotSession) -> BotSession | None:
        """Add a session in place of an older session of the same worker. Return the older session, or None.

        The matches of the older session wait until a session takes them up.
        """
        older = self.sessions.get(session.worker.casefold())
        if older is not None:
            self.disconnect(older)
        self.sessions[session.worker.casefold()] = session
        self._on_sessions_changed()
        return older

    def disconnect(self, session: BotSession) -> bool:
        """Remove a session, and return true. The matches and unsent results of the session wait for a new session.

        If a newer login has replaced the session, change nothing, and return false.
        """
        worker = session.worker.casefold()
        if self.sessions.get(worker) is not session:
            return False
        del self.sessions[worker]
        self.unsent_match_overs.extend(session.sender.unsent_match_overs)
        for match_id, assignment in list(session.matches.items()):
            session.remove_match(assignment)
            self.waiting_matches[match_id] = assignment
        self._on_sessions_changed()
        return True

    def _on_sessions_changed(self) -> None:
        self.sole_session = self.sessions.get("") if len(self.sessions) == 1 else None
        self.update_free()

    def begin_match(self, assignment: Assignment) -> None:
        """Let the bot enter a match. A session with room plays it; otherwise the match waits in `waiting_matches`."""
        self.has_played = True
        session = self.session_for(assignment.game)
        if session is None:
            self.waiting_matches[assignment.match_id] = assignment
        else:
            session.add_match(assignment)
            self.update_free()

    def end_match(self, assignment: Assignment) -> None:
        """Remove an ended match from the bot's matches."""
        if assignment.session is None:
            del self.waiting_matches[assignment.match_id]
        else:
            assignment.session.remove_match(assignment)
            self.update_free()

    def assign_waiting_matches(self, new_session: BotSession | None = None) -> list[Assignment]:
        """Give waiting matches, the longest waiting first, to sessions that play the game of the match and have room.
        Return the given matches.

        A `new_session` that is the bot's only session, and names no worker, takes every match, even beyond its room,
        because earlier sessions of the bot played these matches.
        """
        taken: list[Assignment] = []
        heir = new_session if new_session is self.sole_session else None
        for assignment in self.waiting_matches.values():
            session = heir or self.session_for(assignment.game)
            if session is not None:
                session.add_match(assignment)
                taken.append(assignment)
        for assignment in taken:
            del self.waiting_matches[assignment.match_id]
        if taken:
            self.update_free()
        return taken

    def stop_assigning(self, session: BotSession) -> None:
        """Let a session take no further match."""
        session.max_matches = 0
        self.update_free()

    def eligible_sessions(self, game: str) -> list[BotSession]:
        """Return the sessions that may play a match of this game.

        If the bot has a single session, which names no worker, it may play any game. Otherwise return the sessions
        whose login accepts the game.
        """
        if self.sole_session is not None:
            return [self.sole_session]
        return [each for each in self.sessions.values() if each.accepts_game(game)]

    def session_for(self, game: str) -> BotSession | None:
        """Return the session with most room for a further match of this game; None if no session has room."""
        sole = self.sole_session
        if sole is not None:
            return sole if sole.room > 0 else None
        roomiest: BotSession | None = None
        for each in self.eligible_sessions(game):
            if each.room > (0 if roomiest is None else roomiest.room):
                roomiest = each
        return roomiest

    def room_by_cancelling(self, game: str) -> int:
        """Return the number of further tournament matches of this game that the bot can take if its challenges are
        cancelled.

        While the end of a match is untold, no challenge is cancelled, because the ended match will soon leave room.
        """
        sole = self.sole_session
        if sole is not None:  # the usual case, at the beginning and end of each match
            return max(0, sole.room if sole.sender.room_to_free else sole.room + len(sole.challenges))
        able = self.eligible_sessions(game)
        if any(each.sender.room_to_free for each in able):
            return sum([max(0, each.room) for each in able])
        return sum([max(0, each.room + len(each.challenges)) for each in able])

    def challenge_to_cancel(self, game: str) -> str | None:
        """Return the match id of a challenge that can be cancelled to make room for a tournament match of this game.
        Return None if cancelling a challenge does not make room.
        """
        if self.room_by_cancelling(game):
            for each in self.eligible_sessions(game):
                if each.challenges and each.room + len(each.challenges) > 0:
                    return each.challenges[-1]
        return None

    def has_room_beside(self, game: str, other: str) -> bool:
        """Return true if the bot, with a further match of `game`, still has room for a match of the game `other`."""
        able = self.eligible_sessions(other)
        return sum([max(0, each.room) for each in able]) > 1 or set(able).isdisjoint(self.eligible_sessions(game))

    def tournament_room(self, game: str) -> int:
        """Return the number of further tournament matches of this game that the bot can begin.

        The room kept for an appointment is not counted.
        """
        room = self.room_by_cancelling(game)
        if not room or self.reserved_for is None:
            return room
        return max(1, room - 1) if self.has_room_beside(game, self.reserved_for) else 0

    def update_free(self) -> None:
        """Update the free players of each game: add the player's name if the player is free, otherwise remove it."""
        room = None
        for game, names in self._free.items():
            if room is None or self.sole_session is None:  # a sole session has the same room for all games
                room = self.tournament_room(game)
            if room:
                names.add(self.name)
            else:
                names.discard(self.name)

    def reserve_room(self, game: str | None) -> None:
        """Reserve room of the bot for a match of this game. If `game` is None, end the reservation."""
        self.reserved_for = game
        self.update_free()

    # --- frames of no match in particular: every session gets them ---

    def send(self, frame: bytes, after: int = 0, match_id: str = NO_MATCH) -> None:
        """Send a frame to all sessions, as soon as the fact with number `after` is on disk."""
        for session in self.sessions.values():
            session.sender.send(frame, after, match_id)


class Players:
    """The bots known in this run, by name compared without case."""

    def __init__(self) -> None:
        self.by_name: dict[str, Player] = {}
        """Players by name in lower case."""
        self._free: FreePlayers = {}

    def get(self, name: str) -> Player | None:
        return self.by_name.get(name.casefold())

    def __getitem__(self, name: str) -> Player:
        return self.by_name[name.casefold()]

    def __iter__(self) -> Iterator[Player]:
        return iter(self.by_name.values())

    def get_or_add(self, name: str) -> Player:
        """Return the player of a name; a new name gets a new player."""
        return self.by_name.setdefault(name.casefold(), Player(name, self._free))

    def forget(self, name: str) -> None:
        """Forget a bot. The bot must have no claimed name, no matches, and no tournaments in memory."""
        del self.by_name[name.casefold()]

    def of(self, names: Iterable[str]) -> tuple[Player, ...]:
        """Return the players of these known names."""
        by_name = self.by_name
        return tuple([by_name[name.casefold()] for name in names])

    def tournament_room(self, game: str, name: str) -> int:
        """Return the number of further tournament matches of this game that the player of a known name can begin."""
        return self[name].tournament_room(game)

    def free(self, game: str) -> set[str]:
        """Return the names of players who can take a further tournament match of this game. Players keep the returned
        set up to date.
        """
        names = self._free.get(game)
        if names is None:
            names = self._free[game] = {each.name for each in self if each.tournament_room(game)}
        return names
