"""A bot in this process that keeps every rule, except for its quirk."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from rumble_bots.check.report import Report
from rumble_bots.check.run import Plan, check_bot
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Frame as WebSocketFrame
from websockets.frames import Opcode
from websockets.typing import Subprotocol

Frame = dict[str, Any]

PAUSE_S = 0.02
KEY = "a-key-of-the-tests"
FUTURE = "from_the_future"


@dataclass(slots=True)
class QuirkyBot:
    """A bot; `run` goes on until it is cancelled, or the quirk ends it."""

    quirk: str = ""
    login: Frame = field(default_factory=dict)
    """Fields of its login that differ from the default fields."""
    path: str = "/bot"
    subprotocol: str = "rumble.v1"
    logins: int = 0
    over: set[str] = field(default_factory=set)
    seen: set[tuple[str, int]] = field(default_factory=set)
    first: Frame | None = None
    """The newest turn."""
    thinking: "asyncio.Future[None] | None" = None
    frames: list[Frame] = field(default_factory=list)

    async def run(self, address: str) -> None:
        """Play at `address`, and connect again after each end except 4001."""
        while True:
            with suppress(OSError, ConnectionClosed, InvalidStatus):
                url = f"ws://{address}{self.path}"
                offered = [Subprotocol(self.subprotocol)] if self.subprotocol else None
                async with connect(url, subprotocols=offered, ping_interval=None, proxy=None) as socket:
                    if self.quirk == "no-pongs":
                        _without_pongs(socket)
                    async for text in socket:
                        await self._on(socket, json.loads(text))
            if socket.close_code == 1001 and self.quirk == "no-restart":
                return
            if socket.close_code == 4001 and self.quirk != "comes-back":
                return
            if "tournament-over" in self.over and self.quirk == "ends-with-tournament":
                return
            if socket.close_code == 1006 and self.quirk == "no-reconnect":
                return
            await asyncio.sleep(PAUSE_S)

    async def _on(self, socket: ClientConnection, frame: Frame) -> None:
        self.frames.append(frame)
        if self.quirk == f"ends-at-{frame['type']}" or (self.quirk == f"ends-at-{FUTURE}" and FUTURE in frame):
            await socket.close()
        match frame["type"]:
            case "welcome" if self.quirk != "no-login":
                if self.quirk == "moves-first":
                    await _say(socket, {"type": "join", "tournament": "check"})
                await _say(socket, self._login())
            case "session" if self.quirk == "joins-later":
                await _say(socket, {"type": "join", "tournament": "check"})
            case "joined" if self.quirk == "leaves":
                await _say(socket, {"type": "leave", "tournament": "check"})
            case "turn":
                await self._on_turn(socket, frame)
            case "notice" if self.quirk == "forgets-at-news" and self.thinking is not None:
                self.thinking.cancel()
            case "notice" if frame["code"] == "seat_fell":
                await self._on_fall(socket, frame)
            case "rejected" if frame["your_turn"] and frame["code"] == "bad_move":
                assert self.first is not None
                await self._answer(socket, self.first)
            case "match_over":
                if self.quirk == "ends-at-second-result" and frame["match"] in self.over:
                    await socket.close()
                self.over.add(frame["match"])
            case "tournament_over" if self.quirk == "ends-with-tournament":
                self.over.add("tournament-over")
                await socket.close()
            case _:
                pass

    async def _on_fall(self, socket: ClientConnection, notice: Frame) -> None:
        assert self.first is not None
        is_own = notice["seat"] == self.first["seat"]
        if self.quirk == ("ends-when-fallen" if is_own else "ends-at-other-fall"):
            await socket.close()
        elif self.quirk == "talks-when-fallen" and is_own:
            await self._answer(socket, self.first)

    def _login(self) -> Frame:
        self.logins += 1
        key = f"{KEY}-{self.logins}" if self.quirk == "new-keys" else KEY
        usual = {"type": "login", "name": "quirky", "key": key, "join": "check", "max_matches": 2}
        return {name: value for name, value in {**usual, **self.login}.items() if value is not None}

    async def _on_turn(self, socket: ClientConnection, turn: Frame) -> None:
        asking = (turn["match"], turn["ply"])
        match self.quirk:
            case "first-asking" if asking in self.seen and turn["attempt"] == 1:
                return
            case "played-once" if turn["match"] in self.over:
                return
            case "needs-moves" if turn["ply"] and not turn["moves"]:
                return
            case "binary":
                await socket.send(b"{}")
            case "not-utf8" if not self.seen:
                self.seen.add(asking)
                await socket.send(b"\xff", text=True)
                return
            case "resigns-later" if turn["ply"] < 4:
                pass
            case "resigns" | "resigns-later":
                await _say(socket, {"type": "resign", "match": turn["match"]})
                return
            case "crashes":
                await _say(socket, {"type": "resign", "match": turn["match"], "failed": True, "reason": "KeyError: 1"})
                return
            case "one-match" if self.first is not None:
                turn = {**turn, "match": self.first["match"]}
            case _:
                pass
        self.seen.add(asking)
        self.first = turn
        if self.quirk == "forgets-at-news":
            self.thinking = asyncio.ensure_future(self._answer_later(socket, turn))
        else:
            await self._answer(socket, turn)

    async def _answer_later(self, socket: ClientConnection, turn: Frame) -> None:
        await asyncio.sleep(PAUSE_S)
        with suppress(ConnectionClosed):
            await self._answer(socket, turn)

    async def _answer(self, socket: ClientConnection, turn: Frame) -> None:
        legal = turn.get("legal") or [str(square) for square in range(9) if turn["state"]["board"][square] == "."]
        answer = {"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": legal[0], "note": "n"}
        await _say(socket, answer | ({"move": int(legal[0])} if self.quirk == "numbers" else {}))


async def _say(socket: ClientConnection, message: Frame) -> None:
    await socket.send(json.dumps(message))


def _without_pongs(socket: ClientConnection) -> None:
    send = socket.protocol.send_frame

    def send_some(frame: WebSocketFrame) -> None:
        if frame.opcode is not Opcode.PONG:
            send(frame)

    socket.protocol.send_frame = send_some  # type: ignore[method-assign]


async def check_here(plan: Plan, run: Callable[[str], Awaitable[object]]) -> Report:
    """Check a bot of the kit's own process; `run` gets HOST:PORT of the kit's server."""
    running: list[asyncio.Future[object]] = []

    def start(line: str) -> None:
        running.append(asyncio.ensure_future(run(line.partition("ws://")[2].partition("/")[0])))

    try:
        return await check_bot(plan, start)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
