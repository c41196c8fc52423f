"""Clients of `nodes.py`: bots with the SDK and on a bare WebSocket, and visitors, with the pauses that each met."""

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
from rumble_bots import Bot, Turn
from rumble_bots.sdk.address import Address
from rumble_bots.sdk.serve import serve
from rumble_bots.sdk.transport import Connection
from rumble_bots.sdk.transport import connect as sdk_connect
from rumble_protocol.codes import DO_NOT_RECONNECT, CloseCode
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from tests.e2e.raw_field import MATCHES_EACH, RawField, Wanderer
from tests.e2e.recording_bot import Frame, chosen

SILENT_S = 12.0
"""Time in s without data from the server after which a client gives a connection up."""
FIRST_PAUSE_S = 0.5
"""Time in s after which a raw bot comes again at first, where PROTOCOL.md does not say `at once`."""
AGAIN = (421, 502, 503)
"""Refusals after which a bot tries again within 1 s."""


class Pauses:
    """Longest waits in s, by name of the waiting client."""

    def __init__(self) -> None:
        self._longest: dict[str, float] = {}
        self._since: dict[str, float] = {}
        """Start of each present wait, in s."""
        self._any_s, self._last_any_s = 0.0, time.monotonic()
        """Longest time in s in which no client heard anything, and the time in s of the newest frame or event."""

    def heard(self, who: str, waits: bool) -> None:
        """Note that a client heard something, and whether it now waits for more."""
        self._end_of_all()
        self._end(who)
        if waits:
            self._since[who] = time.monotonic()
        else:
            self._since.pop(who, None)

    def _end(self, who: str) -> None:
        if who in self._since:
            self._longest[who] = max(self._longest.get(who, 0.0), time.monotonic() - self._since[who])

    def _end_of_all(self) -> None:
        now_s = time.monotonic()
        self._any_s, self._last_any_s = max(self._any_s, now_s - self._last_any_s), now_s

    def take_of_all(self) -> float:
        """Return the longest time in s, since the last call, in which no client heard anything."""
        self._end_of_all()
        taken, self._any_s = self._any_s, 0.0
        return taken

    def take(self) -> dict[str, float]:
        """Return the longest wait of each client since the last call."""
        for who in self._since:
            self._end(who)
        taken, self._longest = self._longest, {}
        return taken


@dataclass(slots=True)
class Tally:
    """Ends and refusals of connections."""

    lost: int = 0
    """Connections of bots that ended too early."""
    refused: Counter[str] = field(default_factory=Counter)
    """Answers that refused a bot's handshake or a request for a feed."""
    for_good: int = 0
    """Feeds that a browser would have given up for good."""


class Listening(ClientConnection):
    """A connection that aborts after `SILENT_S` without data, pings included."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._watch = self.loop.call_later(SILENT_S, self.transport.abort)

    def data_received(self, data: bytes) -> None:
        self._watch.cancel()
        self._watch = self.loop.call_later(SILENT_S, self.transport.abort)
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._watch.cancel()
        super().connection_lost(exc)


@dataclass(slots=True)
class RawBot(Wanderer):
    """A bot on a bare WebSocket that follows PROTOCOL.md and does no more."""

    tally: Tally = field(default_factory=Tally)
    _pause_s: float = FIRST_PAUSE_S

    async def play(self) -> None:
        """Play until the end of the tournament."""
        while True:
            try:
                async with connect(
                    self.url, compression=None, ping_interval=None, proxy=None, create_connection=Listening
                ) as socket:
                    async for text in socket:
                        frame = json.loads(text)
                        self.heard(frame)
                        if frame["type"] == "tournament_over":
                            return
                        await self._on(socket, frame)
            except InvalidStatus as refused:
                status = refused.response.status_code
                self.tally.refused[f"bot {status}"] += 1
                if status in AGAIN:
                    await asyncio.sleep(random.uniform(0.5, 1.0))
                    continue
            except (OSError, EOFError, WebSocketException) as error:
                self.tally.lost += 1
                code = error.rcvd.code if isinstance(error, ConnectionClosed) and error.rcvd is not None else None
                if code in DO_NOT_RECONNECT:
                    raise
                if code == CloseCode.NO_LEADER and self._pause_s == FIRST_PAUSE_S:
                    self._pause_s *= 2
                    continue
            else:
                self.tally.lost += 1
            await asyncio.sleep(self._pause_s * random.uniform(0.5, 1.5))
            self._pause_s = min(2 * self._pause_s, 30.0)

    async def _on(self, socket: ClientConnection, frame: Frame) -> None:
        if frame["type"] == "joined":
            self._pause_s = FIRST_PAUSE_S
        await Wanderer._on(self, socket, frame)


class Thinker(Bot):
    """An SDK bot that plays like the raw bots."""

    def __init__(self, think_s: Callable[[], float]) -> None:
        self._think_s = think_s

    async def choose(self, turn: Turn) -> str:
        await asyncio.sleep(self._think_s())
        return chosen({"state": turn.state, "legal": turn.legal})


@dataclass(slots=True)
class Overheard:
    """A connection of the SDK that tells each received frame to `heard`."""

    connection: Connection
    heard: Callable[[Frame], None]
    tally: Tally

    @property
    def round_trip_ms(self) -> float:
        return self.connection.round_trip_ms

    async def send(self, frame: str) -> None:
        await self.connection.send(frame)

    async def receive(self) -> str | bytes:
        try:
            text = await self.connection.receive()
        except Exception:
            self.tally.lost += 1
            raise
        self.heard(json.loads(text))
        return text

    async def close(self) -> None:
        await self.connection.close()


@dataclass(slots=True)
class SdkBot(Wanderer):
    """A bot with the SDK."""

    tally: Tally = field(default_factory=Tally)

    async def play(self) -> None:
        """Play until the end of the tournament."""

        async def overhear(server: Address) -> Connection:
            try:
                return Overheard(await sdk_connect(server), self.heard, self.tally)
            except Exception:
                self.tally.refused["SDK"] += 1
                raise

        login = {name: value for name, value in self.login_frame().items() if name != "type"}
        await serve(Thinker(self.think_s), self.url, connect=overhear, **login)


@dataclass(slots=True)
class Field(RawField):
    """The bots of one tournament, raw bots and SDK bots in turn."""

    pauses: Pauses = field(default_factory=Pauses)
    tally: Tally = field(default_factory=Tally)
    _open: dict[str, set[str]] = field(default_factory=dict)

    def _bot(self, name: str, url: str) -> Any:
        plain = RawField._bot(self, name, url)

        def heard(frame: Frame) -> None:
            plain.heard(frame)
            self._pausing(name, frame)

        kind = RawBot if is_raw(name) else SdkBot
        return kind(url, self.tournament, name, MATCHES_EACH, plain.think_s, heard, tally=self.tally)

    def _pausing(self, name: str, frame: Frame) -> None:
        matches = self._open.setdefault(name, set())
        match frame["type"]:
            case "match_start":
                matches.add(frame["match"])
            case "match_over":
                matches.discard(frame["match"])
            case "session":
                matches.intersection_update(frame["matches"])
            case "tournament_over":
                matches.clear()
        self.pauses.heard(name, bool(matches))


def is_raw(name: str) -> bool:
    return int(name[3:]) % 2 == 1


@dataclass(slots=True)
class Visitor:
    """A reader of a feed, like a browser's EventSource: any answer other than a feed ends the reading for good.

    Unless the visitor is plain, it then begins again, as the pages' own script does.
    """

    name: str
    front: str
    tournament: str
    pauses: Pauses
    tally: Tally
    is_plain: bool
    is_over: bool = False
    """True once the feed has told the end of the tournament."""
    _last: str = ""
    _retry_s: float = 3.0

    async def read(self) -> None:
        while not self.is_over:
            try:
                status = await self._read_once()
            except httpx.HTTPError:
                status = 0  # the connection ended; a browser reconnects
            if status:
                self.tally.refused[f"feed {status}"] += 1
                self.tally.for_good += 1
                if self.is_plain:
                    self.pauses.heard(self.name, waits=False)
                    return
                self._retry_s = 1.0
            await asyncio.sleep(self._retry_s)

    async def _read_once(self) -> int:
        """Read an answer to its end. Return 0 for a feed, and the HTTP status for any other answer."""
        url = f"{self.front}/api/tournaments/{self.tournament}/events"
        asked = {"Accept": "text/event-stream", "Accept-Encoding": "identity"}
        resumed = {"Last-Event-ID": self._last} if self._last else {}
        async with (
            httpx.AsyncClient(timeout=None, trust_env=False) as client,
            client.stream("GET", url, headers=asked | resumed) as answer,
        ):
            if answer.status_code != httpx.codes.OK or "text/event-stream" not in answer.headers.get(
                "Content-Type", ""
            ):
                return answer.status_code
            async for line in answer.aiter_lines():
                name, _, value = line.partition(": ")
                if name == "retry":
                    self._retry_s = int(value) / 1000
                elif name == "id":
                    self._last = value
                elif name == "event":
                    self.pauses.heard(self.name, waits=True)
                elif name == "data" and '"status":"finished"' in value:
                    self.is_over = True
                    self.pauses.heard(self.name, waits=False)
                    break
        return 0
