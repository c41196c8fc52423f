"""The gate before the arena of a led club: no event and no timer enters while the lease of this node is over.

`Club` makes a gate if the process leads clubs by a lease, and sends all events for the arena through the gate. A
process that was frozen wakes up to a full socket, and handles the input before any timer notices the end of the lease.
So the gate compares the clock with the lease at each call. Calls to a closed gate wait, and enter in their order when
the lease is valid again. The number of waiting frames of each session is bounded.
"""

from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from rumble_protocol.bot_messages import BotMessage, Login
from rumble_protocol.codes import CloseCode

from rumble_server.arena.arena import Arena
from rumble_server.arena.ports import Caller, Clock, TimerHandle
from rumble_server.gateway.ports import HeldLease, Leader, Receive

What = TypeVar("What")
Found = TypeVar("Found")

PORTION = 256
"""Maximum number of waiting calls that enter in one turn of the event loop."""
MOST_FRAMES = 256
"""Maximum number of frames that one session may send to a closed gate. No bot that keeps to the rules sends more."""


class Over:
    """A lease that is over for good."""

    until_ms = -1


class Gate:
    """The gate of one arena, which lets calls in while a lease is valid."""

    def __init__(self, clock: Clock, lease: HeldLease, now_s: Callable[[], float]) -> None:
        """Make an open gate. `now_s` is the clock of the lease, in s."""
        self._clock = clock
        self.lease: HeldLease = lease
        self.now_s = now_s
        self.receive: Receive | None = None
        """The arena's own `receive`, for sessions that have found the gate open."""
        self.waiting: deque[Callable[[], None]] = deque()
        """Calls that wait until the gate is open again, in order."""
        self.closed_at_ms: int | None = None
        """Time in ms at which the gate was closed; None while the gate is open."""
        self._late_before_ms = 0
        """Lateness that the clock had counted when the gate was closed, in ms."""
        self.is_abandoned = False
        """True if the bots' connections were closed during the time with a closed gate."""

    def enter(self, call: Callable[[], None]) -> None:
        """Run `call` now, or in its order when the gate is open again."""
        if self.lets_in():
            call()
        else:
            self.waiting.append(call)

    def lets_in(self) -> bool:
        """Return whether a call enters now: the gate is open, and no earlier call waits."""
        return not self.waiting and self.is_open

    def around(
        self, ask: Callable[[What, Callable[[Found], None]], None]
    ) -> Callable[[What, Callable[[Found], None]], None]:
        """Wrap a function so that the calls of its callback enter by the gate."""
        return lambda what, done: ask(what, lambda found: self.enter(partial(done, found)))

    def clock(self, newest_ms: int) -> Clock:
        """Return the club's clock. If this node's clock is behind the newest fact, the club's clock is set forward."""
        clock, ahead_ms = self._clock, newest_ms - self._clock.now_ms()
        return GatedClock(AheadClock(clock, ahead_ms) if ahead_ms > 0 else clock, self)

    def leader(self, arena: Arena) -> Leader:
        """Wrap the arena so that all calls of sessions enter by the gate."""
        self.receive = arena.receive
        return GatedLeader(arena, self)

    def holds(self) -> bool:
        """Return whether the lease of this node is valid."""
        return self.now_s() * 1000 < self.lease.until_ms

    @property
    def is_open(self) -> bool:
        """True if the lease holds, and `go_on` was called after the lease was last over."""
        # A renewed lease alone proves nothing, because another node may have led the club in between.
        if self.closed_at_ms is None and not self.holds():
            self.close()
        return self.closed_at_ms is None

    def close(self) -> None:
        """Close the gate, because the lease is over."""
        if self.closed_at_ms is None:
            self.closed_at_ms, self._late_before_ms = self._clock.now_ms(), self._clock.lateness.late_ms

    def abandon(self) -> None:
        """Note that the bots' connections are closed, because the lease has been over for long."""
        self.is_abandoned = True

    def go_on(self, arena: Arena) -> None:
        """Open the gate, because the lease is valid again: resume the arena, and let waiting calls in."""
        if self.closed_at_ms is None or not self.holds():
            return
        now_ms = self._clock.now_ms()
        closed_ms = now_ms - self.closed_at_ms
        self.closed_at_ms = None
        self._excuse(closed_ms, now_ms)
        bots_were_closed, self.is_abandoned = self.is_abandoned, False
        arena.go_on(closed_ms, bots_were_closed=bots_were_closed)
        self._let_in()

    def _excuse(self, closed_ms: int, now_ms: int) -> None:
        """Count the time with a closed gate as lateness of the process."""
        # The clock may have counted a part already: a stall of the process, or the time for which another club's gate
        # was closed. Only the rest is added, so that no bot is excused twice for the same ms.
        lateness = self._clock.lateness
        lateness.late_ms += max(0, closed_ms - (lateness.late_ms - self._late_before_ms))
        lateness.suspended_until_ms = now_ms

    def discard(self) -> None:
        """Close the gate for good, and drop the waiting calls, because another node leads the club."""
        self.close()
        self.waiting.clear()
        self.lease = Over()

    def _let_in(self) -> None:
        """Let a portion of the waiting calls in, and schedule the next portion; stop if the lease is over again."""
        for _ in range(PORTION):
            if not self.waiting or not self.is_open:
                return
            self.waiting.popleft()()
        self._clock.after_input(self._let_in)


class AheadClock:
    """A clock that is `ahead_ms` ahead of the node's clock.

    A club's time never goes back, and the club's newest fact may be from a node whose clock was ahead.
    """

    def __init__(self, clock: Clock, ahead_ms: int) -> None:
        self._clock = clock
        self._ahead_ms = ahead_ms
        self.late_ms, self.suspended_until_ms = clock.lateness.late_ms, 0

    @property
    def lateness(self) -> "AheadClock":
        return self

    def now_ms(self) -> int:
        now_ms, lateness = self._clock.now_ms(), self._clock.lateness
        self.late_ms, self.suspended_until_ms = lateness.late_ms, lateness.suspended_until_ms + self._ahead_ms
        return now_ms + self._ahead_ms

    def watch(self, is_wanted: Callable[[], bool]) -> None:
        self._clock.watch(is_wanted)

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> TimerHandle:
        return self._clock.call_at(when_ms - self._ahead_ms, callback)

    def after_input(self, callback: Callable[[], None]) -> TimerHandle:
        return self._clock.after_input(callback)


class GatedClock:
    """The clock of a led club, whose timers enter by the gate."""

    def __init__(self, clock: Clock, gate: Gate) -> None:
        self._clock = clock
        self._gate = gate
        # The methods themselves, without wrappers, because a further call would cost time at every move.
        self.now_ms, self.watch, self.lateness = clock.now_ms, clock.watch, clock.lateness

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> TimerHandle:
        timer = _Timer(callback, self._gate)
        timer.handle = self._clock.call_at(when_ms, timer.enter)
        return timer

    def after_input(self, callback: Callable[[], None]) -> TimerHandle:
        timer = _Timer(callback, self._gate)
        timer.handle = self._clock.after_input(timer.enter)
        return timer


class _Timer:
    """A timer that can be cancelled even while its call waits at the gate."""

    __slots__ = ("_callback", "_gate", "handle")

    def __init__(self, callback: Callable[[], None], gate: Gate) -> None:
        self._callback: Callable[[], None] | None = callback
        self._gate = gate
        self.handle: TimerHandle | None = None

    def cancel(self) -> None:
        self._callback = None
        if self.handle is not None:
            self.handle.cancel()

    def enter(self) -> None:
        """Fire now, or when the gate is open again."""
        self._gate.enter(self.fire)

    def fire(self) -> None:
        if self._callback is not None:
            self._callback()


class GatedLeader:
    """The `Leader` of a led club's sessions: the arena behind the gate."""

    def __init__(self, arena: Arena, gate: Gate) -> None:
        self._arena = arena
        self._gate = gate
        self._enter, self._receive = gate.enter, arena.receive
        self._gone: set[int] = set()
        """Sessions whose end waits at the gate. A waiting login of such a session is dropped, because the login would
        replace a newer session of the same bot."""
        self._frames: Counter[int] = Counter()
        """Numbers of frames received since the gate was closed, by session."""

    def login(self, session_id: int, login: Login, caller: Caller) -> None:
        self._enter(partial(self._log_in, session_id, login, caller))

    def receive(self, session_id: int, message: BotMessage, text: str) -> None:
        if self._gate.lets_in():
            self._receive(session_id, message, text)
        else:
            self._hold(session_id, partial(self._receive, session_id, message, text))

    def refused(self, session_id: int, text: str, error: bytes) -> None:
        self._hold(session_id, partial(self._arena.refused, session_id, text, error))

    def _hold(self, session_id: int, call: Callable[[], None]) -> None:
        """Let a frame in when the gate is open; drop the frame if its session has flooded the closed gate."""
        if self._gate.is_open:
            self._frames.clear()
        self._frames[session_id] += 1
        if self._frames[session_id] <= MOST_FRAMES:
            self._enter(call)
        elif self._frames[session_id] == MOST_FRAMES + 1:
            self.flooded(session_id, MOST_FRAMES)

    def flooded(self, session_id: int, allowed: int) -> None:
        self._enter(partial(self._arena.flooded, session_id, allowed))

    def round_trip(self, session_id: int, lag_ms: int) -> None:
        self._enter(partial(self._arena.round_trip, session_id, lag_ms))

    def silent(self, session_id: int) -> None:
        self._enter(partial(self._arena.silent, session_id))

    def close(self, session_id: int, code: CloseCode) -> None:
        self._enter(partial(self._arena.close, session_id, code))

    def lost(self, session_id: int) -> None:
        if not self._gate.lets_in():
            self._gone.add(session_id)
        self._enter(partial(self._lose, session_id))

    def _log_in(self, session_id: int, login: Login, caller: Caller) -> None:
        if session_id not in self._gone:
            self._arena.login(session_id, login, caller)

    def _lose(self, session_id: int) -> None:
        self._gone.discard(session_id)
        self._arena.lost(session_id)
