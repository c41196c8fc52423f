"""A tiny server on loopback: every bot that logs in plays `matches` matches of tic-tac-toe against a partner that takes
the first free square. The server reads and writes messages by the protocol's models.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from random import Random
from typing import Any

from rumble_bots.check.scripted_match import ScriptedMatch
from rumble_engine import MoveError, Outcome, Termination, get_game
from rumble_protocol import SUBPROTOCOL, bot_messages
from rumble_protocol import server_messages as say
from rumble_protocol.clubs import MAIN, web_path
from rumble_protocol.codec import read_bot_message, write_message
from rumble_protocol.codes import ErrorCode, Rejection
from rumble_protocol.fields import TimeControl
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as websockets_serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

CONTROL = TimeControl(move_ms=5000)
TOURNAMENT, PARTNER = "cup", "bob"


class _Match(ScriptedMatch):
    """A match whose partner takes the first free square."""

    def go_on(self) -> None:
        code = self.state.codes()[0]
        self._go_to(self.state.after(code), self.state.text_of(code))


@dataclass
class FakeServer:
    """The server; it breaks the first connection of each name after `drop_after` moves."""

    matches: int = 2
    drop_after: int | None = None
    refusals: list[tuple[int, str | None]] = field(default_factory=list)
    """Refusals of the first connections: a status and its `Retry-After`."""
    silent_after: int | None = None
    """The login on whose connection the server falls silent."""
    refuse_key: bool = False
    key: str | None = None
    """The only key that the server accepts; None: any key."""
    identity: str = ""
    features: list[str] = field(default_factory=lambda: ["workers"])
    stays: bool = False
    """True if the server never ends the tournament."""
    club: str = MAIN
    port: int = 0
    logins: list[bot_messages.Login] = field(default_factory=list)
    challenges: list[bot_messages.Challenge] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    moves: int = 0
    closes: list[int | None] = field(default_factory=list)
    """The close codes of the connections that were played to the end."""

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}{web_path(self.club)}"

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["FakeServer"]:
        async with websockets_serve(
            self._talk,
            "127.0.0.1",
            0,
            process_request=self._look,
            select_subprotocol=_subprotocol,
            compression=None,
            close_timeout=0.1,  # a client that this server keeps waiting does not close
        ) as listener:
            self.port = next(iter(listener.sockets)).getsockname()[1]
            yield self

    @contextmanager
    def in_a_thread(self) -> Iterator["FakeServer"]:
        """Run the server on an event loop of its own, for programs that are not coroutines."""
        ready = threading.Event()
        loop = asyncio.new_event_loop()
        stop = asyncio.Event()

        async def listen() -> None:
            async with self.listening():
                ready.set()
                await stop.wait()

        thread = threading.Thread(target=loop.run_until_complete, args=(listen(),))
        thread.start()
        assert ready.wait(60)
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(stop.set)
            thread.join()
            loop.close()

    def _look(self, socket: ServerConnection, request: Request) -> Response | None:
        if self.refusals:
            status, retry_after = self.refusals.pop(0)
            refusal = socket.respond(HTTPStatus(status), "come again\n")
            if retry_after is not None:
                refusal.headers["Retry-After"] = retry_after
            return refusal
        known = request.path == f"{web_path(self.club)}/bot"
        return None if known else socket.respond(HTTPStatus.NOT_FOUND, "there is no such club\n")

    async def _talk(self, socket: ServerConnection) -> None:
        welcome = say.Welcome(
            server="fake",
            features=self.features,
            limits=say.Limits(),
            games=["tictactoe"],
            identity=self.identity,
            club=self.club,
        )
        await self._say(socket, welcome)
        login = await self._hear(socket)
        assert isinstance(login, bot_messages.Login)
        self.logins.append(login)
        if self.refuse_key or self.key not in (None, login.key):
            await self._say(socket, say.Error(code=ErrorCode.BAD_KEY, message="another key protects it", fatal=True))
            await socket.close(4003, "this name is protected by another key")
            return
        session = say.Session(name=login.name, open=not login.key, max_matches=1, matches=[], tournaments=[])
        await self._say(socket, session)
        if len(self.logins) == self.silent_after:
            socket.transport.pause_reading()
            await socket.wait_closed()
        if await self._enter(socket, login):
            for number in range(self.matches):
                await self._play(socket, login, f"{TOURNAMENT}.{number}", seat=number % 2)
            over = say.TournamentOver(tournament=TOURNAMENT, status="finished", rank=1, bots=2, points=1.5)
            if not self.stays:
                await self._say(socket, over)
        await socket.wait_closed()
        self.closes.append(socket.close_code)

    async def _enter(self, socket: ServerConnection, login: bot_messages.Login) -> bool:
        if login.join is None:
            challenge = await self._hear(socket)
            assert isinstance(challenge, bot_messages.Challenge)
            self.challenges.append(challenge)
            self.matches = 1
            if challenge.against != PARTNER:
                await self._say(socket, say.Error(code=ErrorCode.UNKNOWN_BOT, message="nobody has that name"))
                return False
        elif login.join != TOURNAMENT:
            await self._say(socket, say.Error(code=ErrorCode.UNKNOWN_TOURNAMENT, message="no such tournament"))
            return False
        joined = say.Joined(
            tournament=TOURNAMENT, game="tictactoe", settings={}, time_control=CONTROL, status="running"
        )
        await self._say(socket, joined)
        return True

    async def _play(self, socket: ServerConnection, login: bot_messages.Login, match_id: str, seat: int) -> None:
        match = _Match(match_id, get_game("tictactoe"), seat, login.name, CONTROL, Random(1))
        seats = [login.name, PARTNER] if seat == 0 else [PARTNER, login.name]
        await self._say(socket, match.start_message(resumed=False).model_copy(update={"seats": seats}))
        while match.outcome is None:
            if not match.asks:
                match.go_on()
                continue
            turn_id = f"{match_id}-{len(match.moves)}"
            await socket.send(match.turn_message(turn_id, []).decode())
            answer = await self._hear(socket)
            self.moves += 1
            if self.moves == self.drop_after:
                socket.transport.abort()
                await socket.wait_closed()
            if isinstance(answer, bot_messages.Resign):
                match.fall([seat], Termination.RESIGNATION, f"{login.name} resigned")
                continue
            assert isinstance(answer, bot_messages.Move)
            assert (answer.match, answer.turn_id) == (match_id, turn_id)
            try:
                match.answer(answer.move)
            except MoveError as error:
                told: dict[str, Any] = {"match": match_id, "turn_id": turn_id, "your_turn": False, "remaining_ms": None}
                await self._say(socket, say.Rejected(code=Rejection.BAD_MOVE, message=str(error), **told))
                match.fall([seat], Termination.ILLEGAL_MOVE, str(error))
        self.outcomes.append(match.outcome)
        await self._say(socket, match.over_message(match.outcome))

    @staticmethod
    async def _say(socket: ServerConnection, message: Any) -> None:
        await socket.send(write_message(message).decode())

    @staticmethod
    async def _hear(socket: ServerConnection) -> bot_messages.BotMessage:
        frame = await socket.recv()
        assert isinstance(frame, str), "a bot sends text frames"
        return read_bot_message(frame)


def _subprotocol(socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Choose our sub-protocol; a client without an offer speaks version 1."""
    assert not offered or SUBPROTOCOL in offered
    return Subprotocol(SUBPROTOCOL) if offered else None
