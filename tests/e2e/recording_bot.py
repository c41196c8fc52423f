"""A small bot that tells a test every frame. Its moves depend on the position alone."""

import asyncio
import json
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

Frame = dict[str, Any]

AGAIN_S = 0.1


@dataclass(slots=True)
class RecordingBot:
    """A bot that reconnects until its tournament is over."""

    url: str
    tournament: str
    name: str
    max_matches: int = 1
    think_s: Callable[[], float] = lambda: 0.0
    heard: Callable[[Frame], None] = lambda _: None
    closes: list[int] = field(default_factory=list)
    """Close codes of its connections, in order."""
    _answers: set[asyncio.Task[None]] = field(default_factory=set)
    _socket: ClientConnection | None = None
    """The newest connection."""

    async def play(self) -> None:
        """Play until the end of the tournament."""
        while True:
            try:
                async with connect(self.url, compression=None, ping_interval=None, proxy=None) as socket:
                    self._socket = socket
                    async for text in socket:
                        frame = json.loads(text)
                        self.heard(frame)
                        if frame["type"] == "tournament_over":
                            return
                        await self._on(socket, frame)
                    self.closes.append(socket.close_code or 0)
            except ConnectionClosed as closed:
                self.closes.append(closed.rcvd.code if closed.rcvd else 0)
            except (OSError, EOFError, WebSocketException):
                pass
            await self.come_again()

    def cut(self) -> None:
        """End the connection without a close, as the death of a bot's process does."""
        if self._socket is not None:
            self._socket.transport.abort()

    async def come_again(self) -> None:
        """Wait before the next connection."""
        await asyncio.sleep(AGAIN_S)

    async def _on(self, socket: ClientConnection, frame: Frame) -> None:
        if frame["type"] == "welcome":
            await socket.send(json.dumps(self.login_frame()))
        elif frame["type"] == "turn":
            answer = asyncio.create_task(self._answer(socket, frame))
            self._answers.add(answer)
            answer.add_done_callback(self._answers.discard)

    async def _answer(self, socket: ClientConnection, turn: Frame) -> None:
        await self.think()
        with suppress(ConnectionClosed):
            await socket.send(json.dumps(self.move_frame(turn)))

    def login_frame(self) -> Frame:
        return {"type": "login", "name": self.name, "max_matches": self.max_matches, "join": self.tournament}

    async def think(self) -> None:
        await asyncio.sleep(self.think_s())

    def move_frame(self, turn: Frame) -> Frame:
        return {"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": chosen(turn)}


def chosen(turn: Frame) -> str:
    """Choose a legal move that depends on the position alone."""
    text = json.dumps(turn["state"], sort_keys=True)
    legal: list[str] = turn["legal"]
    return legal[zlib.crc32(text.encode()) % len(legal)]
