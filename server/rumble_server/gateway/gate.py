"""The gate before the arena of a led club: no event or timer enters the arena while the node's lease is over.

`Club` makes a gate if the process leads clubs by a lease, and sends every event for the arena through the gate.

The gate compares the clock with the lease at each call. This is needed after a freeze of the process: received frames
are handled before any timer notices the end of the lease. Calls to a closed gate wait, and enter in order when the
lease is valid again. The number of waiting frames of each session is bounded.
"""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

from rumble_protocol.bot_messages import BotMessage, Login
from rumble_protocol.codec import BadMessage
from rumble_protocol.codes import CloseCode

from rumble_server.arena.ports import Caller, Clock, Sessions, TimerHandle
from rumble_server.gateway.ports import ArenaEvents, SessionEvents

Argument = TypeVar("Argument")
Answer = TypeVar("Answer")

CALLS_AT_ONCE = 256
"""Maximum number of waiting calls that enter the arena in one iteration of the event loop."""
MOST_FRAMES = 256
"""Maximum number of frames of a session that wait at a closed gate. No bot that follows the rules sends more."""


class LeaseView(Protocol):
    """A lease of this process, as the gate sees it."""

    @property
    def until_ms(self) -> float:
        """Time at which the lease ends, in ms of the lease's clock."""


class EndedLease:
    """A lease that is over forever."""

    until_ms = -1


class Gate:
    """The gate of one arena. It lets calls in while the node's lease is valid. At other times, calls have to wait."""

    def __init__(self, clock: Clock, lease: LeaseView, now_s: Callable[[], float]) -> None:
        """Make a gate that is open. `now_s` returns the time of the lease's clock in s."""
        self._clock = clock
        self.lease: LeaseView = lease
        self.now_s = now_s
        self.waiting: deque[Callable[[], None]] = deque()
        """Calls that wait until the gate opens, in order."""
        self.closed_at_ms: int | None = None
        """Time in ms at which the gate closed; None while it is open."""
        self._late_before_ms = 0
        """Lateness in ms that the clock had counted when the gate closed."""
        self.were_bots_disconnected = False
        """True if the node has closed the bots' connections since the gate closed: the lease was over for long."""

    def run_or_enqueue(self, call: Callable[[], None]) -> None:
        """Run `call` now if the gate is open and no earlier call waits. Otherwise queue `call` until the gate opens."""
        if self.waiting or self.close_if_over():
            self.waiting.append(call)
        else:
            call()

    def wrap_callback(
        self, start: Callable[[Argument, Callable[[Answer], None]], None]
    ) -> Callable[[Argument, Callable[[Answer], None]], None]:
        """Wrap a function that takes a callback, so that calls of the callback enter through the gate."""
        return lambda request, done: start(request, lambda answer: self.run_or_enqueue(partial(done, answer)))

    def has_valid_lease(self) -> bool:
        """Return true if the lease of this node is valid now."""
        return self.now_s() * 1000 < self.lease.until_ms

    @property
    def is_open(self) -> bool:
        """True if the gate was not closed, and the lease is valid."""
        return self.closed_at_ms is None and self.has_valid_lease()

    def close_if_over(self) -> bool:
        """Close the gate if the lease is over. Return true if the gate is closed, now or since an earlier call.

        Only `reopen` opens it again. A renewed lease alone proves nothing, because another node may have led the club
        in between.
        """
        if self.closed_at_ms is None and not self.has_valid_lease():
            self.close()
        return self.closed_at_ms is not None

    def close(self, ago_ms: int = 0) -> None:
        """Close the gate, because the lease is over. Count the last `ago_ms` as time for which the gate was closed."""
        if self.closed_at_ms is None:
            now_ms = self._clock.now_ms()
            self.closed_at_ms, self._late_before_ms = now_ms - ago_ms, self._clock.lateness.late_ms - ago_ms

    def reopen(self, arena: ArenaEvents) -> None:
        """Open the gate, because the lease is valid again: resume the arena, then let waiting calls in."""
        if self.closed_at_ms is None or not self.has_valid_lease():
            return
        now_ms = self._clock.now_ms()
        closed_ms = now_ms - self.closed_at_ms
        self.closed_at_ms = None
        self._add_lateness(closed_ms, now_ms)
        were_bots_disconnected, self.were_bots_disconnected = self.were_bots_disconnected, False
        self._clock.after_input(self._run_waiting)  # first, so that the calls enter even after an error of the arena
        arena.resume(closed_ms, were_bots_disconnected=were_bots_disconnected)

    def resume_after_sleep(self, arena: ArenaEvents, slept_ms: int) -> None:
        """Resume the arena after a sleep of the machine for `slept_ms`, as if the bots' connections had been closed.

        Without a valid lease, the gate counts as closed during the sleep, and `reopen` resumes the arena.
        """
        if not self.has_valid_lease():
            self.close(slept_ms)
        if self.closed_at_ms is None:
            arena.resume(slept_ms, were_bots_disconnected=True)
        else:
            self.were_bots_disconnected = True

    def _add_lateness(self, closed_ms: int, now_ms: int) -> None:
        """Count the time for which the gate was closed as lateness of the process. Lateness is not charged to bots."""
        # The clock may have counted a part already: a stall of the process, or the time for which another club's gate
        # was closed. Only the rest is added, so that no bot is excused twice for the same ms.
        lateness = self._clock.lateness
        lateness.late_ms += max(0, closed_ms - (lateness.late_ms - self._late_before_ms))
        lateness.suspended_until_ms = now_ms

    def discard(self) -> None:
        """Close the gate forever and drop the waiting calls, because another node leads the club."""
        self.close()
        self.waiting.clear()
        self.lease = EndedLease()

    def _run_waiting(self) -> None:
        """Let up to `CALLS_AT_ONCE` waiting calls in, and schedule the next portion. Stop if the gate closes again."""
        if not self.waiting or self.close_if_over():
            return
        self._clock.after_input(self._run_waiting)  # first, so that the other calls enter after an error of a call
        for _ in range(CALLS_AT_ONCE):
            if not self.waiting or self.close_if_over():
                return
            self.waiting.popleft()()


@dataclass(slots=True)
class _Lateness:
    """The lateness of the node, in the time of a clock that runs ahead."""

    late_ms: int
    suspended_until_ms: int


class GatedClock:
    """The clock of a led club. Calls by the clock's timers enter the arena through the gate.

    The clock runs ahead of the node's clock if the club's newest fact has a later time, because the time of a club must
    not go back. The fact may have the time of an earlier leader, whose clock was ahead.
    """

    def __init__(self, clock: Clock, gate: Gate, newest_ms: int = 0) -> None:
        """Make the clock of a club on the node's clock. `newest_ms` is the time in ms of the club's newest fact."""
        self._clock = clock
        self._gate = gate
        self._ahead_ms = max(0, newest_ms - clock.now_ms())
        # The methods themselves, without wrappers, because a further call would cost time at every move.
        self.now_ms, self.measure_lateness, self.lateness = clock.now_ms, clock.measure_lateness, clock.lateness
        if self._ahead_ms > 0:
            self.now_ms, self.lateness = self._now_ahead_ms, _Lateness(0, 0)
            self.now_ms()

    def _now_ahead_ms(self) -> int:
        now_ms, lateness, ahead_ms = self._clock.now_ms(), self._clock.lateness, self._ahead_ms
        self.lateness.late_ms = lateness.late_ms
        self.lateness.suspended_until_ms = lateness.suspended_until_ms + ahead_ms
        return now_ms + ahead_ms

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> TimerHandle:
        timer = _Timer(callback, self._gate)
        timer.handle = self._clock.call_at(when_ms - self._ahead_ms, timer.run_or_enqueue)
        return timer

    def after_input(self, callback: Callable[[], None]) -> TimerHandle:
        timer = _Timer(callback, self._gate)
        timer.handle = self._clock.after_input(timer.run_or_enqueue)
        return timer


class _Timer:
    """A timer whose call enters the arena through the gate. Even while the call waits, the timer can be cancelled."""

    __slots__ = ("_callback", "_gate", "handle")

    handle: TimerHandle
    """The timer of the node's clock."""

    def __init__(self, callback: Callable[[], None], gate: Gate) -> None:
        self._callback: Callable[[], None] | None = callback
        self._gate = gate

    def cancel(self) -> None:
        self._callback = None
        self.handle.cancel()

    def run_or_enqueue(self) -> None:
        """Call the callback now, or when the gate opens."""
        self._gate.run_or_enqueue(self.fire)

    def fire(self) -> None:
        if self._callback is not None:
            self._callback()


class GatedArena:
    """The arena of a led club, behind the club's gate, as sessions call the arena (port `SessionEvents`)."""

    def __init__(self, arena: SessionEvents, sessions: Sessions, gate: Gate) -> None:
        self._arena = arena
        self._sessions = sessions
        self._gate = gate
        self._run_or_enqueue, self._receive = gate.run_or_enqueue, arena.receive
        self._ended_sessions: set[int] = set()
        """Ids of sessions whose end waits at the gate. If the login of such a session waits, too, the login is dropped.

        Otherwise the old login could replace a newer session of the same bot.
        """
        self._frames: Counter[int] = Counter()
        """Number of frames that each session has sent since calls began to wait at the gate, by session id."""

    def login(self, session_id: int, login: Login, caller: Caller) -> None:
        self._run_or_enqueue(partial(self._log_in, session_id, login, caller))

    def receive(self, session_id: int, message: BotMessage, text: str) -> None:
        gate = self._gate
        # The condition of `Gate.run_or_enqueue`, written out because calls would cost time at every move.
        if gate.closed_at_ms is None and not gate.waiting and gate.now_s() * 1000 < gate.lease.until_ms:
            self._receive(session_id, message, text)
        else:
            self._run_or_enqueue_frame(session_id, partial(self._receive, session_id, message, text))

    def on_invalid_frame(self, session_id: int, text: str, problem: BadMessage) -> None:
        self._run_or_enqueue_frame(session_id, partial(self._arena.on_invalid_frame, session_id, text, problem))

    def _run_or_enqueue_frame(self, session_id: int, call: Callable[[], None]) -> None:
        """Send a frame through the gate, where the frame waits if the gate is closed, or if other calls wait.

        If more than `MOST_FRAMES` frames of the session came while calls waited, end the session and drop its frames.
        """
        if not self._gate.waiting:
            self._frames.clear()
        self._frames[session_id] += 1
        if self._frames[session_id] <= MOST_FRAMES:
            self._run_or_enqueue(call)
        elif self._frames[session_id] == MOST_FRAMES + 1:
            too_many = f"more than {MOST_FRAMES} messages while the server was suspended"
            self._sessions.drop_received(session_id)
            self._run_or_enqueue(partial(self._arena.on_flood, session_id, too_many))

    def on_flood(self, session_id: int, too_many: str) -> None:
        self._run_or_enqueue_frame(session_id, partial(self._arena.on_flood, session_id, too_many))

    def on_round_trip(self, session_id: int, lag_ms: int) -> None:
        self._run_or_enqueue(partial(self._arena.on_round_trip, session_id, lag_ms))

    def on_silence(self, session_id: int) -> None:
        self._run_or_enqueue(partial(self._arena.on_silence, session_id))

    def close(self, session_id: int, code: CloseCode) -> None:
        self._run_or_enqueue(partial(self._arena.close, session_id, code))

    def on_disconnect(self, session_id: int) -> None:
        self._ended_sessions.add(session_id)
        self._run_or_enqueue(partial(self._disconnect, session_id))

    def _log_in(self, session_id: int, login: Login, caller: Caller) -> None:
        if session_id not in self._ended_sessions:
            self._arena.login(session_id, login, caller)

    def _disconnect(self, session_id: int) -> None:
        self._ended_sessions.discard(session_id)
        self._arena.on_disconnect(session_id)
