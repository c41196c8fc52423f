"""A bot's session on the arena's side: the terms of a login, and the matches in play."""

from dataclasses import dataclass

from rumble_protocol.bot_messages import Login

from rumble_server.arena.bots.frame_sender import FrameSender, FrameSenders
from rumble_server.arena.ports import Caller


@dataclass(slots=True, eq=False)
class Assignment:
    """A player's seat in a match, and the session that plays the match."""

    match_id: str
    seat: int
    game: str
    is_challenge: bool
    session: "BotSession | None" = None
    """Session that plays the match; None while the player is away from the match."""


class BotSession:
    """A login of a bot on a connection.

    A match takes up room until the frame `match_over` is sent to the bot. So the bot never sees itself in more than
    `max_matches` matches.
    """

    def __init__(self, session_id: int, login: Login, caller: Caller, senders: FrameSenders) -> None:
        self.id = session_id
        self.sender = FrameSender(session_id, senders)
        self.worker = login.worker or ""
        """Name of the bot's worker; empty if the login names no worker. The empty name counts as a separate worker."""
        self.matches: dict[str, Assignment] = {}
        """Assignments of the matches that this session plays, by match id."""
        self.challenges: tuple[str, ...] = ()
        """Match ids of the challenges in `matches`, the newest last. A tournament match may replace a challenge."""
        self.address = caller.address
        """Address of the connection, for limits and bans."""
        self.max_matches = min(login.max_matches, caller.most_matches)
        self.accepts_challenges = login.challenges
        self.games = None if login.games is None else tuple(login.games)
        """Games that the bot plays; None for any game."""
        self.omit = tuple(login.omit)
        """Fields that the bot wants left out of `turn`."""
        self.follow = bool(login.follow)
        """True if the bot stays connected after a tournament's end, and is then moved to the host's next tournament."""
        self.version = login.version
        self.client = login.client
        self.lag_ms = caller.lag_ms
        """Shortest of the connection's last round trips, in ms."""
        self.lag_by_pings = caller.lag_by_pings
        """True if only pings measure the round trips. The round trips may then be too long, because a bot can delay its
        pongs."""
        self.measure_wait = caller.measure_wait
        self.is_stamped = caller.measure_wait is not None
        """True if the server can measure how long the bot's answers waited in this machine before they were read."""

    @property
    def room(self) -> int:
        """Number of further matches that the session can take; 0 or less for none."""
        return self.max_matches - len(self.matches) - self.sender.room_to_free

    def accepts_game(self, game: str) -> bool:
        """Return true if the login accepts this game."""
        return self.games is None or game in self.games

    def add_match(self, assignment: Assignment) -> None:
        """Have the session play a match."""
        assignment.session = self
        self.matches[assignment.match_id] = assignment
        if assignment.is_challenge:
            self.challenges = (*self.challenges, assignment.match_id)

    def remove_match(self, assignment: Assignment) -> None:
        """Take a match away from the session. The session no longer plays the match."""
        assignment.session = None
        del self.matches[assignment.match_id]
        if assignment.is_challenge:
            self.challenges = tuple([each for each in self.challenges if each != assignment.match_id])
