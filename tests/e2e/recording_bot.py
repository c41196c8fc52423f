"""A small bot that records every result: a class for tests, and a program that can be killed.

    python -m tests.e2e.recording_bot URL TOURNAMENT NAME FOLDER THINK_MS

The bot thinks THINK_MS ms per move until the file `hurry` is in FOLDER, and appends results to FOLDER/NAME.jsonl.
Its moves depend on the position alone.
"""

import asyncio
import json
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

Frame = dict[str, Any]

AGAIN_S = 0.1
RESULTS = ("match_over", "tournament_over")


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

    async def play(self) -> None:
        """Play until the end of the tournament."""
        while True:
            try:
                async with connect(self.url, compression=None, ping_interval=None, proxy=None) as socket:
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


def read_recorded(folder: Path) -> list[Frame]:
    """Read all results that the recording bots wrote into a folder, without lines cut off by a kill."""
    lines = (line for file in sorted(folder.glob("*.jsonl")) for line in file.read_text().splitlines())
    return [json.loads(line) for line in lines if line.endswith("}")]


def main() -> None:
    url, tournament, name, folder, think_ms = sys.argv[1:]
    hurry = Path(folder) / "hurry"
    with (Path(folder) / f"{name}.jsonl").open("a") as notes:

        def heard(frame: Frame) -> None:
            if frame["type"] in RESULTS:
                print(json.dumps(frame), file=notes, flush=True)

        bot = RecordingBot(
            url, tournament, name, think_s=lambda: 0 if hurry.exists() else int(think_ms) / 1000, heard=heard
        )
        asyncio.run(bot.play())


if __name__ == "__main__":
    main()
