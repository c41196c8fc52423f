"""Links between simulated nodes, in the place of sockets: they delay, fall silent one way, break and come back.

An end does what `cluster/link_connection.py` does: packets in their order, pings, and the end of what is silent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from rumble_server.cluster.links import Links

from tests.server.world import VirtualClock

if TYPE_CHECKING:
    from tests.simulation.cluster import Node

SILENT_MS, PING_MS = 1000, 333
"""A link is ended when nothing has come over it for the first time; each end pings once in the second."""
DIAL_MS = 3000
RETRY_MS = (50, 1000)


@dataclass(frozen=True, slots=True)
class LinkWeather:
    """How links behave, while the world is not calm."""

    delay_ms: tuple[int, int] = (0, 2)
    spike: float = 0.0
    """The chance that a packet, and all behind it, takes up to `spike_ms`."""
    spike_ms: int = 500
    full_bytes: int = 1 << 20
    """Bytes on their way beyond which an end takes no more."""


class Cables:
    """The network between the nodes. What is sent into a way that is cut arrives when that is mended."""

    def __init__(self, timeline: VirtualClock, weather: LinkWeather, random: Random) -> None:
        self.timeline = timeline
        self.weather = weather
        self.random = random
        self.nodes: dict[str, Node] = {}
        """By address."""
        self._cut_until_ms: dict[tuple[str, str], int] = {}
        self._ends: list[End] = []

    def cut(self, here: str, there: str, ms: int) -> None:
        """Let nothing through from one node to another for so long."""
        way = here, there
        self._cut_until_ms[way] = max(self.mended_ms(*way), self.timeline.now_ms() + ms)

    def mended_ms(self, here: str, there: str) -> int:
        """From when on something gets through."""
        return self._cut_until_ms.get((here, there), 0)

    def mend(self) -> None:
        """Nothing is cut any more, and nothing will be late."""
        self._cut_until_ms.clear()
        self.weather = LinkWeather()

    def reset(self, node: Node) -> None:
        """Break every link of a node: what is on its way is lost."""
        for end in list(self._ends):
            if end.here is node:
                end.broken()
                end.other.broken()

    def died(self, node: Node) -> None:
        """A node is gone. Others are told at once, or find out by its silence."""
        is_told = self.random.random() < 0.7
        for end in [each for each in self._ends if each.here is node]:
            end.is_up = False
            self._ends.remove(end)
            if is_told:
                self.after(self.delay_ms(), end.other.broken)

    def open(self, here: Node, there: Node) -> tuple[End, End]:
        """Make a link."""
        ends = End(self, here, dialled=True), End(self, there, dialled=False)
        ends[0].other, ends[1].other = ends[1], ends[0]
        self._ends += ends
        return ends

    def closed(self, end: End) -> None:
        """An end is over."""
        if end in self._ends:
            self._ends.remove(end)

    def delay_ms(self) -> int:
        """How long the next packet takes."""
        weather = self.weather
        if weather.spike and self.random.random() < weather.spike:
            return self.random.randint(0, weather.spike_ms)
        return self.random.randint(*weather.delay_ms)

    def after(self, ms: int, callback: Callable[[], None]) -> None:
        """Do something later."""
        self.timeline.call_at(self.timeline.now_ms() + ms, callback)


class End:
    """What one node has of a link: a `Link` of `cluster/edge.py`."""

    other: End

    def __init__(self, cables: Cables, here: Node, *, dialled: bool) -> None:
        self.here = here
        self.node = ""
        """The node at the other end: its id, or its address if it was dialled."""
        self.is_full = False
        self.is_up = True
        self._dialled = dialled
        self._cables = cables
        self._way: deque[tuple[int, int, Callable[[], None]]] = deque()
        """What is on its way to the other end: when it would be there, how large it is, and what it does there."""
        self._bytes = 0
        self._newest_ms = 0
        self._heard_at_ms = self._now_ms()

    def _now_ms(self) -> int:
        return self._cables.timeline.now_ms()

    # --- as a link connection ---

    def send(self, packet: bytes) -> None:
        """Send a packet."""
        self._carry(len(packet), lambda: self.other.heard(packet))

    def end(self) -> None:
        """End the link at once; the other end is told if that gets through."""
        if self.is_up:
            self.is_up = False
            self._way.clear()
            self._bytes = 0
            self._send_on(0, self.other.broken)
            self.here.process.call_at(self._now_ms(), self._down)

    def begin(self) -> None:
        """Ping from now on."""
        self._heard_at_ms = self._now_ms()
        self._ping_later()

    # --- what comes ---

    def heard(self, packet: bytes) -> None:
        """A packet came."""
        if self.is_up:
            self._heard_at_ms = self._now_ms()
            links = self.here.links
            hear = links.heard_as_edge if self._dialled else links.heard_as_leader
            hear(self, packet)  # type: ignore[arg-type]  # it is one without a socket
            self.here.world.note_level()

    def broken(self) -> None:
        """The network, or the other node, ended the link."""
        self.here.process.enter(self._break)

    def _break(self) -> None:
        if self.is_up:
            self.is_up = False
            self._way.clear()
            self._down()

    def _down(self) -> None:
        self._cables.closed(self)
        links = self.here.links
        down = links.down_as_edge if self._dialled else links.down_as_leader
        down(self)  # type: ignore[arg-type]

    # --- pings ---

    def _ping_later(self) -> None:
        self.here.process.call_at(self._now_ms() + PING_MS, self._ping)

    def _ping(self) -> None:
        self.here.process.after_input(self._look)

    def _look(self) -> None:
        if not self.is_up:
            return
        if self._now_ms() - self._heard_at_ms > SILENT_MS:
            self.end()
            return
        self._carry(8, self.other.pinged)
        self._ping_later()

    def pinged(self) -> None:
        """A ping came: it is answered."""
        if self.is_up:
            self._heard_at_ms = self._now_ms()
            self._carry(8, self.other.ponged)

    def ponged(self) -> None:
        """The answer to a ping came."""
        if self.is_up:
            self._heard_at_ms = self._now_ms()

    # --- the way to the other end ---

    def _carry(self, size: int, arrive: Callable[[], None]) -> None:
        if self.is_up:
            self._bytes += size
            self.is_full = self.is_full or self._bytes > self._cables.weather.full_bytes
            self._send_on(size, lambda: self.other.here.process.enter(arrive))

    def _send_on(self, size: int, arrive: Callable[[], None]) -> None:
        self._newest_ms = max(self._newest_ms, self._now_ms() + self._cables.delay_ms())
        self._way.append((self._newest_ms, size, arrive))
        if len(self._way) == 1:
            self._cables.timeline.call_at(self._newest_ms, self._pump)

    def _pump(self) -> None:
        """The first that is on its way arrives, unless the way is cut."""
        if not self._way:
            return
        due_ms = max(self._way[0][0], self._cables.mended_ms(self.here.name, self.other.here.name))
        if due_ms > self._now_ms():
            self._cables.timeline.call_at(due_ms, self._pump)
            return
        _, size, arrive = self._way.popleft()
        if self._way:
            self._cables.timeline.call_at(self._way[0][0], self._pump)
        arrive()
        self._bytes -= size
        if self.is_full and self.is_up and self._bytes <= self._cables.weather.full_bytes // 2:
            self.is_full = False
            links = self.here.links
            writable = links.writable_as_edge if self._dialled else links.writable_as_leader
            self.here.process.enter(lambda: writable(self))  # type: ignore[arg-type]


class Dialled:
    """A link that a node needs, as `cluster/links.py` has it: dialled again whenever it is lost."""

    def __init__(self, cables: Cables, here: Node, links: Links, address: str) -> None:
        self.connection: End | None = None
        self._cables, self._here, self._links, self._address = cables, here, links, address
        self._wait_ms = RETRY_MS[0]
        self._tries = 0
        self._dial()

    def down(self) -> None:
        """The link is lost."""
        if self.connection is not None:
            self.connection = None
            self._wait_ms = RETRY_MS[0]
            self._dial()

    def end(self) -> None:
        """Need it no more."""
        self._tries += 1
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.end()

    def _dial(self) -> None:
        self._tries += 1
        number = self._tries
        cables, here = self._cables, self._here
        there = cables.nodes.get(self._address)
        ways_ms = 0 if there is None else max(cables.mended_ms(*way) for way in _ways(here, there))
        if ways_ms <= cables.timeline.now_ms():
            cables.after(cables.delay_ms(), lambda: self._reach(number, there))
        here.process.call_at(here.process.now_ms() + DIAL_MS, lambda: self._failed(number))

    def _reach(self, number: int, there: Node | None) -> None:
        back_ms = self._cables.delay_ms()
        if there is None or not there.is_up:
            self._cables.after(back_ms, lambda: self._here.process.enter(lambda: self._failed(number)))
        else:
            there.process.enter(lambda: self._accept(number, there, back_ms))

    def _accept(self, number: int, there: Node, back_ms: int) -> None:
        if number != self._tries:
            return
        own, other = self._cables.open(self._here, there)
        own.node = self._address
        there.links.take(other, self._here.name)  # type: ignore[arg-type]
        other.begin()
        self._cables.after(back_ms, lambda: self._here.process.enter(lambda: self._made(number, own)))

    def _made(self, number: int, own: End) -> None:
        if number != self._tries or not own.is_up:
            own.end()
            return
        self._tries += 1
        self._wait_ms = RETRY_MS[0]
        self.connection = own
        own.begin()
        self._links.made(self._address, own)  # type: ignore[arg-type]

    def _failed(self, number: int) -> None:
        """Nobody has answered, or nobody is there."""
        if number == self._tries:
            self._tries += 1
            number = self._tries
            wait_ms, self._wait_ms = self._wait_ms, min(2 * self._wait_ms, RETRY_MS[1])
            again_ms = self._here.process.now_ms() + wait_ms
            self._here.process.call_at(again_ms, lambda: self._dial() if number == self._tries else None)


def _ways(here: Node, there: Node) -> tuple[tuple[str, str], tuple[str, str]]:
    return (here.name, there.name), (there.name, here.name)
