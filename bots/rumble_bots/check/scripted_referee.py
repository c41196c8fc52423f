"""The scripted referee: answers the bot's messages like a server, and records the rules that the bot breaks.

`hear` reads events, answers the bot's messages, and returns the next event for which a step of the check may wait. The
steps decide how the check continues.
"""

import asyncio
import re
from dataclasses import dataclass

from rumble_engine import MoveError, Termination
from rumble_protocol import bot_messages as bot
from rumble_protocol import server_messages
from rumble_protocol.codec import BadMessage, NamedTurn, read_bot_message, read_named_turn
from rumble_protocol.codes import CLOSE_REASONS, CloseCode, ErrorCode, Rejection
from rumble_protocol.fields import NAME_PATTERN

from rumble_bots.check.errors import Trouble
from rumble_bots.check.events import Connected, Ended, Event, Exited, Said, TurnedAway
from rumble_bots.check.link import Link
from rumble_bots.check.scripted_match import AskedTurn, ScriptedMatch
from rumble_bots.check.scripted_server import LIMITS, ScriptedServer

SECOND_LOOK_S = 0.01
"""Extra time in s after a wait has timed out, to read events that came while this process was late."""
UNREADABLE = {1002: "valid-messages", 1007: "valid-messages", 1009: "limits"}
"""Ids of the rules that unreadable frames break, keyed by close code.

After an unreadable frame, the WebSocket library closes the connection with the close code.
"""


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """The event that a login was accepted."""

    login: bot.Login


@dataclass(frozen=True, slots=True)
class Entered:
    """The event that the bot has joined the tournament."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The event that the bot answered in time with a legal move. The match has the state after the move."""

    turn: AskedTurn


@dataclass(frozen=True, slots=True)
class Resigned:
    """The event that the bot resigned a match."""

    match: ScriptedMatch


Heard = Connected | TurnedAway | LoggedIn | Entered | Moved | Resigned | Ended | Exited


@dataclass(slots=True)
class ScriptedReferee(ScriptedServer):
    """A `ScriptedServer` that answers the messages of a single bot."""

    # --- incoming messages ---

    async def hear(self, until: float) -> Heard | None:
        """Return the next event for which a step may wait. Raises Trouble.

        Return None when the loop's clock reaches `until`.
        """
        while True:
            try:
                async with asyncio.timeout_at(until):
                    event = await self.inbox.get()
            except TimeoutError:
                await asyncio.sleep(SECOND_LOOK_S)
                if self.inbox.empty():
                    return None
                continue
            heard = await self._take(event)
            if heard is not None:
                return heard

    async def _take(self, event: Event) -> Heard | None:
        match event:
            case Connected(link):
                self.record.add("note", "the bot connects")
                await self.welcome(link)
                return event
            case TurnedAway(why):
                self.record.add("note", f"turned away: {why}")
                return event
            case Exited(stale=True):
                return None
            case Exited():
                self.record.add("note", f"the program {event.how}")
                self.leave()
                return event
            case Ended(link, code, reason):
                if link is not self.link:
                    return None
                self.record.add("note", f"the bot's connection ended: {code} {reason}".rstrip())
                if code in UNREADABLE:
                    self.record.breach(UNREADABLE[code], f"it sent an unreadable frame: {code} {reason}".rstrip())
                self.leave()
                return event
            case Said(link, frame, at):
                return await self._on_frame(link, frame, at)

    async def _on_frame(self, link: Link, frame: str | bytes, at: float) -> Heard | None:
        if link.gone:
            return None
        if isinstance(frame, bytes):
            self.record.add("bot", f"<{len(frame)} bytes in a binary frame>")
            self.record.breach("valid-messages", "it sent a binary frame; frames are text")
            await self._extra(link)
            return None
        self.record.add("bot", frame)
        size = len(frame.encode())
        if size > LIMITS.frame_bytes:
            self.record.breach("limits", f"it sent a frame of {size} bytes; a server closes the connection with 1009")
            return None
        try:
            message = read_bot_message(frame)
        except BadMessage as problem:
            await self._on_invalid_answer(link, frame, problem)
            self.record.breach("valid-messages", f"it sent a frame that is not a message: {problem}")
            await self._extra(link)
            await self.say(
                server_messages.Error(code=ErrorCode.BAD_MESSAGE, message=problem.message, detail=problem.detail), link
            )
            return None
        if isinstance(message, bot.Login):
            return await self._on_login(link, message)
        if link is not self.link:
            self.record.breach("valid-messages", f"it sent a {message.type} before its login")
            await self.error(link, ErrorCode.NOT_LOGGED_IN, "log in first: send a `login` with your name")
            return None
        if isinstance(message, bot.Move):
            return await self._on_move(link, message, at)
        await self._extra(link)
        return await self._on_request(link, message)

    async def _extra(self, link: Link) -> None:
        """Count a frame that answers no turn. Raises Trouble if the bot sends more such frames than allowed."""
        link.extras += 1
        allowed = LIMITS.unsolicited_per_minute * (1 + (self.record.now() - link.opened_at) / 60)
        if link.extras > allowed:
            await self.error(link, ErrorCode.TOO_MANY_MESSAGES, CLOSE_REASONS[CloseCode.TOO_MANY_MESSAGES], fatal=True)
            await self.close(link, CloseCode.TOO_MANY_MESSAGES)
            raise Trouble("limits", f"it sent {link.extras} messages that answer no turn")

    async def _on_login(self, link: Link, login: bot.Login) -> Heard | None:
        if link is self.link:
            self.record.breach("valid-messages", "it sent a second login on one connection")
            await self.error(link, ErrorCode.ALREADY_LOGGED_IN, f"this connection is logged in as {login.name}")
            return None
        if not re.fullmatch(NAME_PATTERN, login.name):
            self.refused = f"{login.name[:40]!r} is not a name"
            await self.error(link, ErrorCode.BAD_NAME, "a name is 1 to 32 letters, digits, `_`, `.` or `-`")
            return None
        if self.link is not None and login.name.lower() != self.login.name.lower():
            await self.error(
                link, ErrorCode.UNAVAILABLE, f"this kit checks {self.login.name} at the moment", fatal=True
            )
            await self.close(link, CloseCode.DRAINING)
            return None
        if self.link is not None:
            await self.close(self.link, CloseCode.REPLACED)
        self.link = link
        self.logins.append(login)
        self.choose_game(login.games)
        matches = [match for match in self.matches.values() if not match.over]
        await self.say_session(matches)
        for match in matches:
            await self.say(match.start_message(resumed=True))
            if match.asks:
                await self.ask(match)
        if login.join is not None:
            await self._on_join(link, login.join)
        return LoggedIn(login)

    async def _on_join(self, link: Link, tournament_id: str) -> Heard | None:
        self.tournament_id = self.tournament_id or tournament_id
        if tournament_id != self.tournament_id:
            message = f"there is no tournament {tournament_id!r} here; you are in {self.tournament_id!r}"
            await self.error(link, ErrorCode.UNKNOWN_TOURNAMENT, message)
            return None
        await self.say_joined()
        self.member = True
        return Entered()

    async def _on_request(self, link: Link, message: bot.Join | bot.Leave | bot.Resign | bot.Challenge) -> Heard | None:
        match message:
            case bot.Join(tournament=tournament_id):
                return await self._on_join(link, tournament_id)
            case bot.Leave():
                raise Trouble("stays-connected", "it left the tournament while it was asked to play")
            case bot.Challenge():
                await self.error(link, ErrorCode.UNAVAILABLE, "nobody takes challenges here")
            case bot.Resign(match=match_id):
                match = self.matches.get(match_id)
                if match is not None and not match.over and message.failed:
                    await self.lose(match, Termination.CRASHED, f"{match.name} crashed")
                    why = message.reason or "it told no reason"
                    raise Trouble("whole-match", f"it failed in {match_id} at ply {len(match.moves)}: {why}")
                if match is not None and not match.over:
                    await self.lose(match, Termination.RESIGNATION, f"{match.name} resigned")
                    return Resigned(match)
                await self.error(link, ErrorCode.BAD_MESSAGE, "you cannot resign a match you are not playing")
        return None

    async def _on_move(self, link: Link, move: bot.Move, at: float) -> Heard | None:
        turn = self.turns.get(move.turn_id)
        if turn is not None and turn.open and turn.match.match_id == move.match:
            return await self._on_answer(turn, move, at)
        await self._extra(link)
        known = self.matches.get(move.match)
        if turn is None or turn.match.match_id != move.match:
            why = "a match it does not play" if known is None else "a turn_id that was not asked in this match"
            self.record.breach("answers", f"it sent a move for {why}")
            code = Rejection.UNKNOWN_MATCH if known is None or known.over else Rejection.STALE_TURN
            await self.reject(move, code, "copy match and turn_id from the turn that you answer")
        elif turn.answer is not None:
            again = "the same answer twice" if turn.answer == move.move else "another answer to a turn it had answered"
            self.record.breach("answers", f"it sent {again}", fault=turn.answer != move.move)
            await self.reject(move, Rejection.ALREADY_PLAYED, "this turn was answered already; the move counted")
        else:
            over = turn.match.over
            code = Rejection.UNKNOWN_MATCH if over else Rejection.STALE_TURN
            await self.reject(move, code, "the match is over" if over else "answer the newest turn of this match")
        return None

    async def _on_invalid_answer(self, link: Link, frame: str, problem: BadMessage) -> None:
        """Handle a frame that is not a valid message.

        If the frame answers an open turn, the bot loses the match, and Trouble is raised.
        """
        named = read_named_turn(frame)
        turn = None if named is None or link is not self.link else self.turns.get(named.turn_id)
        if named is not None and turn is not None and turn.open and turn.match.match_id == named.match:
            await self._lose(turn, named, Rejection.BAD_MOVE, problem.message)
            raise Trouble("valid-messages", f"it answered a turn with a frame that is not a message: {problem}")

    async def _lose(self, turn: AskedTurn, move: bot.Move | NamedTurn, code: Rejection, why: str) -> None:
        self.close_turn(turn.match)
        await self.reject(move, code, why)
        await self.lose(turn.match, Termination.ILLEGAL_MOVE, why)

    async def _on_answer(self, turn: AskedTurn, move: bot.Move, at: float) -> Heard:
        match = turn.match
        if at > turn.deadline:
            raise await self.too_late(turn)
        try:
            match.answer(move.move)
        except MoveError as error:
            await self._lose(turn, move, Rejection.ILLEGAL_MOVE, str(error))
            why = f"{move.move[:40]!r} at ply {turn.ply} of {match.match_id}: {error}"
            raise Trouble("legal-moves", why) from None
        turn.answer = move.move
        turn.took_ms = round((at - turn.asked_at) * 1000)
        match.used(turn.took_ms)
        self.close_turn(match)
        return Moved(turn)
