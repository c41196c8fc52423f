"""A network that delays, drops and repeats. How frames are split is below the `Link`, and so not of this world."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Protocol

import orjson
from rumble_protocol.codes import CloseCode
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.session import Session

from tests.server.world import VirtualClock
from tests.simulation.disk import Disk
from tests.simulation.timeline import RunClock
from tests.simulation.trace import Entry, Trace

MOST_BYTES = 65_536
HANDSHAKE_MS = 5000
"""How long the server waits for the other side of a closing handshake."""


@dataclass(frozen=True, slots=True)
class NetworkWeather:
    """How the network behaves. A connection that may drop lives `life_ms` on average."""

    delay_ms: tuple[int, int] = (0, 2)
    spike: float = 0.0
    spike_ms: int = 500
    life_ms: int | None = None
    notice_ms: int = 50
    """The server sees the end of a connection within so long,"""
    half_open: float = 0.0
    """or, with this chance, only within `half_open_ms`."""
    half_open_ms: int = 6000
    proxied: bool = False
    """Only pings measure how long frames take."""


class Place(Protocol):
    """What bots connect to: a server's run."""

    number: int
    disk: Disk
    gateway: Gateway
    wires: "list[Wire]"

    @property
    def clock(self) -> RunClock:
        """The time of its process."""

    def enter(self, callback: Callable[[], None]) -> None:
        """Do something when the process gets to it."""


class Client(Protocol):
    """A bot's end of a connection."""

    name: str

    def heard(self, wire: "Wire", text: str) -> None:
        """A frame came."""

    def ended(self, wire: "Wire", code: int | None) -> None:
        """The connection is over; `code` None if it just ended."""


class Network:
    """All connections of a simulation."""

    def __init__(self, timeline: VirtualClock, weather: NetworkWeather, random: Random, trace: Trace) -> None:
        self.timeline = timeline
        self.weather = weather
        self.random = random
        self.trace = trace
        self.calm = False
        """Nothing drops any more."""
        self._opened = 0

    def connect(self, place: Place | None, client: Client, opened: "Callable[[Wire | None], None]") -> None:
        """Connect a bot: it is told of its connection, or of None if nobody listens."""
        delay_ms = self.delay_ms()
        if place is None or place.clock.stopped:
            self.after(delay_ms, lambda: opened(None))
        else:
            self.after(delay_ms, lambda: self._reach(place, client, opened))

    def _reach(self, place: Place, client: Client, opened: "Callable[[Wire | None], None]") -> None:
        if place.clock.stopped:
            opened(None)
        else:
            place.clock.enter(lambda: opened(self._open(place, client)))

    def _open(self, place: Place, client: Client) -> "Wire":
        self._opened += 1
        wire = Wire(self, self._opened, place, client)
        wire.accept()
        if self.weather.life_ms is not None and not self.calm:
            life_ms = int(self.random.expovariate(1 / self.weather.life_ms))
            self.after(life_ms, lambda: None if self.calm else wire.cut())
        return wire

    def delay_ms(self) -> int:
        """How long the next frame takes."""
        if self.weather.spike and self.random.random() < self.weather.spike:
            return self.random.randint(0, self.weather.spike_ms)
        return self.random.randint(*self.weather.delay_ms)

    def notice_ms(self) -> int:
        """How long it takes until the server sees that a connection is gone."""
        late = self.random.random() < self.weather.half_open
        return self.random.randint(0, self.weather.half_open_ms if late else self.weather.notice_ms)

    def after(self, ms: int, callback: Callable[[], None]) -> None:
        """Do something later."""
        self.timeline.call_at(self.timeline.now_ms() + ms, callback)

    def see(self, kind: str, wire: "Wire", text: str = "") -> None:
        """Note what happened on a connection."""
        self.trace.append(Entry(self.timeline.now_ms(), kind, wire.number, text, wire.place.disk.written))


class Wire:
    """One connection: the server's `Link` at one end, a bot at the other. Frames keep their order each way."""

    def __init__(self, network: Network, number: int, place: Place, client: Client) -> None:
        self.number = number
        self.place = place
        self.address = "127.0.0.1"
        self.is_local = True
        self.lag_ms = sum(network.weather.delay_ms)
        self.lag_by_pings = network.weather.proxied
        self._network = network
        self._client = client
        self._session: Session | None = None
        self._at_server = self._at_bot = True
        """Whether each end takes the connection for alive,"""
        self._cut = False
        """and whether frames still pass."""
        self._up_at_ms = self._down_at_ms = 0
        """When the newest frame each way arrives."""

    def accept(self) -> None:
        """The server takes the connection; it speaks first."""
        opened = {
            "bot": self._client.name,
            "run": self.place.number,
            "lag_ms": self.lag_ms,
            "lag_by_pings": self.lag_by_pings,
        }
        self._network.see("open", self, orjson.dumps(opened).decode())
        self.place.wires.append(self)
        self._session = self.place.gateway.connect(self)

    # --- the server's end: a Link ---

    has_room = True
    delay_ms = None
    """The kernel does not tell for how long data lies unread, as where it is not Linux's."""

    def has_room_for(self, tournament_id: str) -> bool:
        """Whether it may be counted as invited."""
        return True

    def unasked(self) -> None:
        """Frames have no budget of time here."""

    def hold(self) -> None:
        """Every login is answered at once."""

    def go_on(self) -> None:
        """Nothing was held."""

    def known(self) -> None:
        """No connection is counted here."""

    def invited(self, tournament_id: str) -> None:
        """No connection is counted here."""

    def send(self, frame: bytes) -> None:
        assert self._at_server, "a frame on a connection that has ended"
        text = frame.decode()
        self._network.see("told", self, text)
        self._to_bot(lambda: self._client.heard(self, text))

    def close(self, code: CloseCode, reason: str) -> None:
        self._network.see("closing", self, str(int(code)))
        if self._cut:
            self._network.after(HANDSHAKE_MS, self._end_at_server)
        self._to_bot(lambda: self._closed(int(code)))

    def drained(self) -> None:
        """The server stops in good order."""
        if self._session is not None:
            self._session.close(CloseCode.DRAINING)

    def _closed(self, code: int) -> None:
        self._end_at_bot(code)
        self._network.after(self._network.delay_ms(), self._end_at_server)

    def _to_bot(self, deliver: Callable[[], None]) -> None:
        self._down_at_ms = max(self._down_at_ms, self._network.timeline.now_ms() + self._network.delay_ms())
        self._network.timeline.call_at(self._down_at_ms, lambda: deliver() if self._passes_to_bot else None)

    @property
    def _passes_to_bot(self) -> bool:
        return self._at_bot and not self._cut

    # --- the bot's end ---

    def say(self, text: str) -> None:
        """The bot sends a frame."""
        if self._at_bot:
            self._up_at_ms = max(self._up_at_ms, self._network.timeline.now_ms() + self._network.delay_ms())
            self._network.timeline.call_at(self._up_at_ms, lambda: self.place.enter(lambda: self._arrive(text)))

    def _arrive(self, text: str) -> None:
        if not self._at_server or self._cut or self._session is None:
            return
        if len(text) > MOST_BYTES:
            self.close(CloseCode.TOO_LARGE, "")
            return
        self._network.see("arrived", self, text)
        self._session.received(text)

    def hang_up(self) -> None:
        """The bot ends the connection in good order: what it sent before arrives."""
        if self._at_bot:
            self._at_bot = False
            self._up_at_ms = max(self._up_at_ms, self._network.timeline.now_ms() + self._network.delay_ms())
            self._network.timeline.call_at(self._up_at_ms, self._end_at_server)

    # --- the ends of a connection ---

    def cut(self) -> None:
        """The network drops the connection: what is on its way is lost, and each end finds out in its own time."""
        if self._at_bot and not self._cut:
            self._cut = True
            self._network.after(self._network.random.randint(0, 500), lambda: self._end_at_bot(None))
            self._network.after(self._network.notice_ms(), self._end_at_server)

    def server_died(self) -> None:
        """The server is gone: what it sent may still arrive, then the bot sees the end."""
        self._at_server = False
        if self._network.random.random() < 0.5:
            self._cut = True
        self._down_at_ms = max(self._down_at_ms, self._network.timeline.now_ms() + self._network.delay_ms())
        self._network.timeline.call_at(self._down_at_ms, lambda: self._end_at_bot(None))

    def _end_at_server(self) -> None:
        self.place.enter(self._lost)

    def _lost(self) -> None:
        if self._at_server and self._session is not None:
            self._at_server = False
            self._network.see("lost", self)
            self.place.wires.remove(self)
            self.place.gateway.lost(self._session)

    def _end_at_bot(self, code: int | None) -> None:
        if self._at_bot:
            self._at_bot = False
            self._client.ended(self, code)
