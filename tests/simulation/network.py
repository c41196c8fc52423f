"""A network that delays and drops. The splitting of frames lies below the `Link`, and so outside this world."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Protocol

import orjson
from rumble_protocol.codes import CloseCode
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.session import Session

from tests.server.run_clock import RunClock
from tests.server.virtual_clock import VirtualClock
from tests.server.world import PlainLink
from tests.simulation.disk import Disk
from tests.simulation.trace import Entry, Trace

MOST_BYTES = 65_536
HANDSHAKE_MS = 5000
"""Time in ms that the server waits for the other side of a closing handshake."""


@dataclass(frozen=True, slots=True)
class NetworkWeather:
    """Behaviour of the network. If `life_ms` is set, connections live for `life_ms` on average."""

    delay_ms: tuple[int, int] = (0, 2)
    spike: float = 0.0
    spike_ms: int = 500
    life_ms: int | None = None
    notice_ms: int = 50
    """Maximum time in ms until the server notices the end of a connection."""
    half_open: float = 0.0
    """Chance that the server notices only within `half_open_ms`."""
    half_open_ms: int = 6000
    proxied: bool = False
    """True if a proxy stands between, so that only pings measure the delay of frames."""


class Place(Protocol):
    """The server's run to which bots connect."""

    number: int
    disk: Disk
    gateway: Gateway
    wires: "list[Wire]"

    @property
    def clock(self) -> RunClock:
        """The clock of the server's process."""

    @property
    def is_clean(self) -> bool:
        """True while all facts are on disk and told."""

    def enter(self, callback: Callable[[], None]) -> None:
        """Call `callback` when the process gets to it."""


class Client(Protocol):
    """A bot's end of a connection."""

    name: str

    def heard(self, wire: "Wire", text: str) -> None:
        """Handle a frame from the server."""

    def ended(self, wire: "Wire", code: int | None) -> None:
        """Handle the end of the connection; `code` is None if the connection ended without a close frame."""


class Network:
    """All connections of a simulation."""

    def __init__(self, timeline: VirtualClock, weather: NetworkWeather, random: Random, trace: Trace) -> None:
        self.timeline = timeline
        self.weather = weather
        self.random = random
        self.trace = trace
        self.calm = False
        """True once no connection drops any more."""
        self._opened = 0

    def connect(self, place: Place | None, client: Client, opened: "Callable[[Wire | None], None]") -> None:
        """Connect a bot: `opened` gets the connection, or None if nobody listens."""
        delay_ms = self.delay_ms()
        if place is None or place.clock.stopped:
            self.timeline.call_in(delay_ms, lambda: opened(None))
        else:
            self.timeline.call_in(delay_ms, lambda: self._reach(place, client, opened))

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
            self.timeline.call_in(life_ms, lambda: None if self.calm else wire.cut_off_silent())
        return wire

    def delay_ms(self) -> int:
        """Draw the delay in ms of the next frame."""
        if self.weather.spike and self.random.random() < self.weather.spike:
            return self.random.randint(0, self.weather.spike_ms)
        return self.random.randint(*self.weather.delay_ms)

    def notice_ms(self) -> int:
        """Draw the time in ms until the server notices the end of a connection."""
        late = self.random.random() < self.weather.half_open
        return self.random.randint(0, self.weather.half_open_ms if late else self.weather.notice_ms)

    def see(self, kind: str, wire: "Wire", text: str = "") -> None:
        """Note an event on a connection in the trace."""
        self.trace.append(Entry(self.timeline.now_ms(), kind, wire.number, text, wire.place.disk.written))


class Wire(PlainLink):
    """A connection: the server's `Link` at one end, a bot at the other. Frames keep their order each way."""

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
        """False once the end in question knows that the connection is over."""
        self._has_spoken = False
        """True once a frame of the bot has arrived."""
        self._cut = False
        """True once the network has dropped the connection and no frame passes."""
        self._up_at_ms = self._down_at_ms = 0
        """Arrival times in ms of the newest frame each way."""

    def accept(self) -> None:
        """Accept the connection at the server, which speaks first."""
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

    @property
    def can_send(self) -> bool:
        return self._at_server

    def send(self, frame: bytes) -> None:
        assert self._at_server, "a frame on a connection that has ended"
        text = frame.decode()
        self._network.see("told", self, text)
        self._to_bot(lambda: self._client.heard(self, text))

    def close(self, code: CloseCode, reason: str) -> None:
        self._network.see("closing", self, str(int(code)))
        if self._cut:
            self._network.timeline.call_in(HANDSHAKE_MS, self._end_at_server)
        self._to_bot(lambda: self._closed(int(code)))

    def drained(self) -> None:
        """Close the connection as a server that stops in good order."""
        if self._session is not None:
            self._session.request_close(CloseCode.DRAINING)

    def _closed(self, code: int) -> None:
        self._end_at_bot(code)
        self._network.timeline.call_in(self._network.delay_ms(), self._end_at_server)

    def _to_bot(self, deliver: Callable[[], None]) -> None:
        self._down_at_ms = max(self._down_at_ms, self._network.timeline.now_ms() + self._network.delay_ms())
        self._network.timeline.call_at(self._down_at_ms, lambda: deliver() if self._passes_to_bot else None)

    @property
    def _passes_to_bot(self) -> bool:
        return self._at_bot and not self._cut

    # --- the bot's end ---

    def say(self, text: str) -> None:
        """Send a frame from the bot."""
        if self._at_bot:
            self._up_at_ms = max(self._up_at_ms, self._network.timeline.now_ms() + self._network.delay_ms())
            self._network.timeline.call_at(self._up_at_ms, lambda: self.place.enter(lambda: self._arrive(text)))

    def _arrive(self, text: str) -> None:
        if not self._at_server or self._cut or self._session is None:
            return
        if len(text) > MOST_BYTES:
            self.close(CloseCode.TOO_LARGE, "")
            return
        if not self._has_spoken:
            self._has_spoken = True
            self._network.see("first", self, "clean" if self.place.is_clean else "")
        self._network.see("arrived", self, text)
        self._session.on_text(text)

    def hang_up(self) -> None:
        """Close the connection from the bot's end, after all its frames have arrived."""
        if self._at_bot:
            self._at_bot = False
            self._up_at_ms = max(self._up_at_ms, self._network.timeline.now_ms() + self._network.delay_ms())
            self._network.timeline.call_at(self._up_at_ms, self._end_at_server)

    # --- the ends of a connection ---

    def cut_off_silent(self) -> None:
        """Drop the connection: frames on their way are lost, and each end notices in its own time."""
        if self._at_bot and not self._cut:
            self._cut = True
            self._network.timeline.call_in(self._network.random.randint(0, 500), lambda: self._end_at_bot(None))
            self._network.timeline.call_in(self._network.notice_ms(), self._end_at_server)

    def server_died(self) -> None:
        """End the connection after the server's death: frames on their way may still reach the bot before the end."""
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
            self.place.gateway.end_session(self._session)

    def _end_at_bot(self, code: int | None) -> None:
        if self._at_bot:
            self._at_bot = False
            self._client.ended(self, code)
