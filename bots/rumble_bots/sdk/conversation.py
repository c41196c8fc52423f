"""The bot's side of the protocol, sans I/O: a frame or an answer in, actions out. No socket, no thread, no sleep.

A ply may be asked more than once: after a reconnect, the server asks again, with a new `turn_id`. If the bot still
thinks about the ply, the bot's answer is sent for the newest turn. An answer that was lost on its way is sent again. An
answer for a position that is no longer asked is dropped.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from logging import DEBUG, INFO, WARNING

from pydantic import ValidationError
from rumble_engine import Termination
from rumble_engine.registry import game_title
from rumble_protocol import PROTOCOL_VERSION, bot_messages
from rumble_protocol import server_messages as server
from rumble_protocol.clubs import MAIN
from rumble_protocol.codec import BadMessage, read_server_message
from rumble_protocol.codes import DO_NOT_RECONNECT, ErrorCode, NoticeCode, Rejection
from rumble_protocol.fields import MOST_REASON, MoveInfo
from rumble_protocol.secret import is_made

from rumble_bots.sdk.actions import Action, Admitted, Drop, Fail, Finish, Say, Send, Summary, Tell, Think
from rumble_bots.sdk.bot import Noted, Turn
from rumble_bots.sdk.errors import BadServer, Closed, Refused, SdkError
from rumble_bots.sdk.info import fitted

LONGEST_ANSWER = 256
"""Maximum number of characters sent as an answer; more than in the longest move of any game."""
LONGEST_NOTE = 1024
"""Maximum number of bytes sent as a note: the protocol's limit."""
FOR_NOW = frozenset({ErrorCode.UNAVAILABLE, ErrorCode.TOO_MANY_MESSAGES})
"""Temporary refusals of a login or a join. The bot tries again if an earlier login was accepted.

After `TOO_MANY_MESSAGES`, a bot always tries again: other bots at its address may have sent the messages. A refused
challenge is never sent again, because the server could refuse the challenge each time.
"""
ABOUT_ENTERING = frozenset(
    {
        ErrorCode.UNKNOWN_TOURNAMENT,
        ErrorCode.INVITE_REQUIRED,
        ErrorCode.TOURNAMENT_CLOSED,
        ErrorCode.UNKNOWN_BOT,
        ErrorCode.UNKNOWN_GAME,
        ErrorCode.BAD_SETTINGS,
        ErrorCode.UNAVAILABLE,
        ErrorCode.QUOTA,
        ErrorCode.BAD_MESSAGE,
    }
)
"""Errors that answer a join or a challenge."""


@dataclass(frozen=True, slots=True)
class Aim:
    """The bot's login, and its wishes for play."""

    name: str
    """The bot's name on the server."""
    key: str | None = None
    """The key that proves that the name is the bot's own."""
    made_key: str | None = None
    """The key that the server has made in exchange for `key`, if known; otherwise None."""
    join: str | None = None
    """The id of the tournament to join."""
    invite: str | None = None
    """The code of the tournament's invitation, if the tournament asks for a code."""
    challenge: bot_messages.Challenge | None = None
    """A match to ask for, instead of a tournament to join."""
    challenges: bool = False
    """True if the bot accepts challenges. Such a bot stays connected when its tournament has ended."""
    max_matches: int = 1
    """Maximum number of matches of the bot at a time."""
    worker: str | None = None
    """The name of this program among several programs of the bot."""
    follow: bool = False
    """True if the bot stays connected after its tournament, to play in the host's next tournament.

    A bot with a challenge ends with the match of its challenge.
    """
    games: Sequence[str] | None = None
    """The games that the bot plays; None means any."""
    version: str | None = None
    """The version of the bot's program, as the author labels it."""
    client: str = "rumble python sdk"
    """Name of the library or program that sends the bot's messages. The login contains this name."""


@dataclass(slots=True)
class _Match:
    start: server.MatchStart | None = None
    asked: Turn | None = None
    """The newest turn of this connection that has no answer yet."""
    thought: Turn | None = None
    """The turn that the bot is thinking about."""
    answer: tuple[Turn, str, str | None, MoveInfo | None] | None = None
    """The last answer: its turn, the move, the note and the info."""
    sent: Turn | None = None
    """The turn that the answer was last sent for."""


class Conversation:
    """The messages between a bot and a server, over all connections of the bot."""

    def __init__(self, aim: Aim, now: Callable[[], float], club: str = MAIN) -> None:
        """Begin without a connection. `now` returns the time in s. The key of `aim` belongs to the club `club`."""
        self.aim = aim
        self.tournament_id = aim.join
        """Id of the bot's tournament; None before the bot has a tournament.

        If the bot accepts no challenges, the conversation ends when this tournament ends.
        """
        self.logins = 0
        """Number of accepted logins so far."""
        self.identity = ""
        """The club's identity in the last `welcome`; empty before the first `welcome`."""
        self._follows = aim.follow and aim.challenge is None
        self._open: list[str] = []
        """Ids of the bot's open tournaments, including challenges, the newest last."""
        self._made_key = aim.made_key
        self._shows_made = False
        """True if the next login shows the made key instead of the key of `aim`.

        After too many wrong keys from an address, the server refuses all keys from this address except made keys.
        """
        self._club = club
        self._now = now
        self._matches: dict[str, _Match] = {}
        self._logged_in = False
        self._entering = False
        """True from a login with a tournament to join, or a challenge to send, until the server's answer."""
        self._joins: str | None = None
        """Id of the tournament that the last login joined, if any."""
        self._before_challenge: set[str] | None = None
        """Ids of the bot's tournaments when it sent the challenge; None before."""
        self._is_leaving = False
        """True once the bot's owner wants to leave. Each further login is followed by `leave`."""
        self._informs = self._tells_failures = False

    # --- incoming messages ---

    def on_frame(self, frame: str | bytes, round_trip_ms: float = 0.0, late_ms: float = 0.0) -> list[Action]:
        """Handle a frame of the server.

        `late_ms` is the time in ms by which this machine delays the start of the bot's thinking, and the bot's answer.
        """
        try:
            message = read_server_message(frame)
        except BadMessage as problem:
            new_type = any(detail.field == "type" for detail in problem.detail)  # perhaps of a later version
            return [Say(DEBUG if new_type else WARNING, f"ignored a message of the server: {problem}")]
        match message:
            case server.Welcome():
                return self._login(message)
            case server.Session():
                return self._session(message)
            case server.Joined():
                return self._joined(message)
            case server.Left():
                return self._finish(message.tournament, Summary(message.tournament, "left"))
            case server.MatchStart():
                self._match(message.match).start = message
                return [Tell(message), Say(DEBUG, f"{message.match}: {' - '.join(message.seats)}, seat {message.seat}")]
            case server.Turn():
                return self._turn(message, round_trip_ms, late_ms)
            case server.Rejected():
                return self._rejected(message)
            case server.MatchOver():
                return self._match_over(message)
            case server.TournamentOver(tournament=tournament_id, status=status):
                summary = Summary(tournament_id, "over", status, message.rank, message.bots, message.points)
                return [Tell(message), *self._finish(tournament_id, summary)]
            case server.Notice():
                return self._notice(message)
            case server.Error():
                return self._error(message)

    def on_lost(self, code: int, reason: str) -> list[Action]:
        """Handle the end of the connection. The caller then connects again if the actions contain no `Fail`."""
        if self._entering:  # the join has no answer, so the next login joins the same tournament again
            self.tournament_id = self._joins
        self._logged_in = self._entering = False
        for match in self._matches.values():
            match.asked = None
        if code in DO_NOT_RECONNECT:
            return [Fail(Closed(code, reason))]
        return []

    def on_move(self, turn: Turn, move: str) -> list[Action]:
        match = self._take_thought(turn)
        if match is None:
            return [Say(DEBUG, f"{turn.match}: the move {move!r} came too late for ply {turn.ply}")]
        note, info, lost = None, None, list[str]()
        if isinstance(move, Noted):
            note = _first_bytes(move.note, LONGEST_NOTE) or None
            info, lost = fitted(move.info)
        match.answer = (turn, move[:LONGEST_ANSWER].encode("utf-8", "replace").decode(), note, info)
        warnings: list[Action] = [Say(WARNING, f"{turn.match}: of its info the bot cannot say: {', '.join(lost)}")]
        return [*(warnings if lost else []), *self._send_answer(match)]

    def on_no_move(self, turn: Turn, why: str, *, failed: bool = False) -> list[Action]:
        """Resign the match of `turn`, because the bot has no move. If the turn is no longer open, log `why` instead.

        `failed` is true if the bot failed, and false if the bot wants to resign.
        """
        match = self._take_thought(turn)
        if match is None or match.asked is None:
            return [Say(DEBUG, f"{turn.match}: {why}; but ply {turn.ply} is not asked now")]
        resign = bot_messages.Resign(match=turn.match)
        if self._tells_failures:
            resign = resign.model_copy(update={"reason": _first_bytes(why, MOST_REASON), "failed": failed or None})
        return [Say(WARNING, f"{turn.match}: {'the bot failed' if failed else 'resigning'}: {why}"), Send(resign)]

    def leave(self) -> list[Action]:
        """Leave the tournament, as the bot's owner wants: now, or after the next login."""
        self._is_leaving = self.tournament_id is not None
        if self.tournament_id is None or not self._logged_in:
            return []
        return [Send(bot_messages.Leave(tournament=self.tournament_id, invite=self.aim.invite))]

    # --- logging in and entering ---

    def _login(self, welcome: server.Welcome) -> list[Action]:
        if welcome.protocol != PROTOCOL_VERSION:
            return [Fail(BadServer(f"the server speaks protocol {welcome.protocol}, this SDK {PROTOCOL_VERSION}"))]
        if welcome.club != self._club:
            return [Fail(BadServer(f"the club {welcome.club} answers, not the club {self._club}; no key was shown"))]
        if self.aim.worker is not None and "workers" not in welcome.features:
            return [Fail(BadServer("the server is too old for a bot of several workers: play without a worker"))]
        self.identity = welcome.identity
        self._informs = "info" in welcome.features
        self._tells_failures = "failure" in welcome.features
        aim, self._joins = self.aim, self.tournament_id
        self._entering = not self._is_leaving and (self._joins is not None or aim.challenge is not None)
        try:
            login = bot_messages.Login(
                name=aim.name,
                key=self._made_key if self._shows_made else aim.key,
                version=aim.version,
                client=aim.client,
                games=None if aim.games is None else list(aim.games),
                max_matches=max(1, min(aim.max_matches, welcome.limits.max_matches)),
                join=self._joins,
                invite=aim.invite,
                challenges=aim.challenges,
                worker=aim.worker,
                exchange_key=True if "made_key" in welcome.features and aim.key and not is_made(aim.key) else None,
                follow=True if "follow" in welcome.features and self._follows else None,
            )
        except ValidationError as error:  # such as an invitation code that is too long
            problem = error.errors()[0]
            return [Fail(SdkError(f"the bot cannot log in: {problem['loc'][0]}: {problem['msg']}"))]
        return [Send(login)]

    def _session(self, session: server.Session) -> list[Action]:
        self._logged_in = True
        self.logins += 1
        self._matches = {match_id: known for match_id, known in self._matches.items() if match_id in session.matches}
        actions: list[Action] = [Tell(session), Say(INFO, f"logged in as {session.name}")]
        if not session.open:
            actions.append(Admitted(self.identity, session.made_key))
        self._made_key, self._shows_made = session.made_key or self._made_key, False
        if session.max_matches < self.aim.max_matches:
            actions.append(Say(INFO, f"the server grants {session.max_matches} matches at once"))
        if self.aim.challenge is not None and self.tournament_id is None:
            actions.append(Send(self._challenge_or_join(self.aim.challenge, session.tournaments)))
        known, self._open = self._open, [each.id for each in session.tournaments]
        if self._follows and self._open and self.tournament_id not in self._open:
            # Perhaps the host moved the bot over meanwhile. If the login's join is answered later, the answer decides.
            self.tournament_id = ([each for each in self._open if each not in known] or self._open)[-1]
        return [*actions, *self.leave()] if self._is_leaving else actions

    def _challenge_or_join(
        self, challenge: bot_messages.Challenge, tournaments: Sequence[server.TournamentSummary]
    ) -> bot_messages.Challenge | bot_messages.Join:
        """Return the challenge. If the challenge was accepted, and the answer was lost, return a `join` instead."""
        if self._before_challenge is None:
            self._before_challenge = {each.id for each in tournaments}
        for each in tournaments:
            if each.id not in self._before_challenge and each.game == challenge.game:
                return bot_messages.Join(tournament=each.id)
        return challenge

    def _joined(self, joined: server.Joined) -> list[Action]:
        is_answer = self._entering and self._joins in (None, joined.tournament)
        is_open = joined.status in ("lobby", "running", "paused")
        if is_open and joined.tournament not in self._open:
            self._open.append(joined.tournament)
        is_first = self.tournament_id is None and (is_answer or (self._follows and is_open))
        if is_first or (is_answer and is_open):
            self.tournament_id = joined.tournament
        if is_answer:
            self._entering = False
            if self.aim.games is not None and joined.game not in self.aim.games:
                plays = ", ".join(map(game_title, self.aim.games))
                why = f"{joined.tournament} is a tournament of {game_title(joined.game)}; this bot plays {plays}"
                self.tournament_id = joined.tournament
                return [*self.leave(), Fail(Refused(ErrorCode.UNKNOWN_GAME, why))]
        return [
            Tell(joined),
            Say(INFO, f"in {joined.tournament} ({game_title(joined.game)}), which is {joined.status}"),
        ]

    def _error(self, error: server.Error) -> list[Action]:
        details = "; ".join(f"{detail.field}: {detail.problem}" for detail in error.detail)
        text = f"{error.message} ({details})" if details else error.message
        at_login = not self._logged_in
        if at_login and self._made_key is not None:
            if error.code is ErrorCode.BAD_KEY and self._shows_made:  # made for an earlier claim on the name
                self._made_key, self._shows_made = None, False
                return [Say(WARNING, text), Drop()]
            self._shows_made = error.code is ErrorCode.TOO_MANY_MESSAGES
        is_challenge = self._entering and not at_login and self.tournament_id is None
        if error.code in FOR_NOW and not is_challenge and (self.logins or error.code is ErrorCode.TOO_MANY_MESSAGES):
            return [Say(WARNING, text), *([Drop()] if at_login or self._entering else [])]
        stays = self.aim.challenges and self.logins > 1  # for challenges, though its tournament refuses it by now
        if at_login or (self._entering and error.code in ABOUT_ENTERING and not stays):
            return [Fail(Refused(error.code, text))]
        if error.code in ABOUT_ENTERING:
            self._entering = False  # the next login does not insist on the refused tournament
        return [Say(WARNING, f"the server answers {error.code}: {text}")]

    def _finish(self, tournament_id: str, summary: Summary) -> list[Action]:
        """Handle the end of a tournament for the bot. A bot that follows goes on in its newest open tournament."""
        if tournament_id in self._open:
            self._open.remove(tournament_id)
        is_own = tournament_id == self.tournament_id
        goes_on = self.aim.challenges or (self._follows and self._open and not self._is_leaving)
        if is_own and self._follows:
            self.tournament_id = self._open[-1] if self._open else None
        return [Finish(summary) if is_own and not goes_on else Say(INFO, str(summary))]

    # --- matches ---

    def _match(self, match_id: str) -> _Match:
        return self._matches.setdefault(match_id, _Match())

    def _turn(self, message: server.Turn, round_trip_ms: float, late_ms: float) -> list[Action]:
        match = self._match(message.match)
        turn = match.asked = Turn.of(message, match.start, self._now, round_trip_ms, late_ms)
        if match.answer is not None and turn.asks_the_same(match.answer[0]):
            return self._send_answer(match)
        if match.thought is not None and turn.asks_the_same(match.thought):
            return []
        match.thought = turn
        return [Think(turn)]

    def _take_thought(self, turn: Turn) -> _Match | None:
        """Record that the bot no longer thinks about `turn`.

        Return the turn's match, or None if the bot was not thinking about `turn`.
        """
        match = self._matches.get(turn.match)
        if match is None or match.thought is not turn:
            return None
        match.thought = None
        return match

    def _send_answer(self, match: _Match) -> list[Action]:
        """Send the bot's answer in a match if the answer fits the open turn of the match.

        Otherwise keep the answer, for example because no turn is open between two connections.
        """
        asked, answer = match.asked, match.answer
        if asked is None or answer is None or not asked.asks_the_same(answer[0]):
            return []
        match.asked, match.sent = None, asked
        _, move, note, info = answer
        sent_info = info if self._informs else None
        return [Send(bot_messages.Move(match=asked.match, turn_id=asked.turn_id, move=move, note=note, info=sent_info))]

    def _rejected(self, message: server.Rejected) -> list[Action]:
        fault = message.code in (Rejection.ILLEGAL_MOVE, Rejection.BAD_MOVE)
        level = WARNING if fault else INFO
        actions: list[Action] = [Tell(message), Say(level, f"{message.match}: {message.code}: {message.message}")]
        match = self._matches.get(message.match)
        again = match.sent if match is not None else None
        if match is None or again is None or again.turn_id != message.turn_id or not (fault and message.your_turn):
            return actions
        match.answer, match.sent, match.asked, match.thought = None, None, again, again
        return [*actions, Think(again)]

    def _match_over(self, message: server.MatchOver) -> list[Action]:
        match = self._matches.get(message.match)
        start = match.start if match is not None else None
        if start is None or start.attempt <= message.attempt:
            self._matches.pop(message.match, None)
        return [Tell(message), Say(INFO, f"{message.match}: {_result(message, start)}: {message.reason}")]

    def _notice(self, notice: server.Notice) -> list[Action]:
        if notice.code is NoticeCode.REMOVED and notice.tournament is not None and notice.match is None:
            return [Tell(notice), *self._finish(notice.tournament, Summary(notice.tournament, "removed"))]
        about = notice.match or notice.tournament
        return [Tell(notice), Say(INFO, f"{about}: {notice.message}" if about else notice.message)]


def _first_bytes(text: str, most: int) -> str:
    """Return the first characters of `text`: as many as fit into `most` bytes of UTF-8."""
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")


def _result(over: server.MatchOver, start: server.MatchStart | None) -> str:
    """Return the result of a match in a few words. If `start` is given, describe the result of the bot's own seat."""
    if over.scores is None:
        return "void, to be played again"
    if start is not None and over.places is not None and len(over.places) > 2:
        return f"place {over.places[start.seat]} of {len(over.places)}"
    if over.winner is None:
        return "drawn"
    if start is None:  # if a match never began, only a bot that was there is told
        return "won before it began" if over.termination is Termination.NO_SHOW else "over"
    return "won" if over.winner == start.seat else f"lost to {start.seats[over.winner]}"
