"""The way into the arena of a club that this node leads: open while the node's lease holds.

A club whose leader's lease is over is suspended. Nothing enters its arena, no event and no timer, so it tells nothing,
and its memory stays. When the lease is valid again what waited enters in its order. The time of the suspension counts
as time for which the server was late, so clocks and away budgets stood.
"""

from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from rumble_protocol.bot_messages import BotMessage, Login
from rumble_protocol.codes import CloseCode

from rumble_server.arena.arena import Arena
from rumble_server.arena.ports import Caller, Clock, FrameId, Log, TimerHandle
from rumble_server.cluster.records import FRAME_NUMBER, ToLeader, numbered, record

What = TypeVar("What")
Found = TypeVar("Found")

PORTION = 256
"""How many calls that waited enter in one turn of the event loop."""
NOT_ENTERED = 1 << 62
"""In the place of a fact's number."""
MOST_FRAMES = 256
"""Maximum number of frames of one session that wait; a bot that keeps to the rules sends fewer. More are a flood."""


class Gate:
    """Lets calls into an arena in their order, those that come while `holds` says no when `go_on` is called.

    It is asked at each call: a process that was frozen has no time to notice that before it handles what came in.
    """

    def __init__(self, clock: Clock, holds: Callable[[], bool]) -> None:
        self._clock = clock
        self._holds = holds
        self._waiting: deque[Callable[[], None]] = deque()
        self.closed_at_ms: int | None = None
        """Since when it is closed; None while it is open."""
        self._late_before_ms = 0
        self.open_since_ms = 0
        """When it was opened again last."""
        self.late_ms = 0
        """How long it was closed in all, without the time for which the clock itself says that the server was late."""

    def enter(self, call: Callable[[], None]) -> None:
        """Call, now or when the gate is open again."""
        if self.lets_in():
            call()
        else:
            self._waiting.append(call)

    def lets_in(self) -> bool:
        """Whether a call enters now: the gate is open, and nothing waits that came before."""
        # The way of every move, so what `is_open` does is not called while the gate is open.
        return not self._waiting and ((self.closed_at_ms is None and self._holds()) or self.is_open)

    def around(
        self, ask: Callable[[What, Callable[[Found], None]], None]
    ) -> Callable[[What, Callable[[Found], None]], None]:
        """Return a function that asks the same, and whose answers enter by the gate."""
        return lambda what, done: ask(what, lambda found: self.enter(partial(done, found)))

    @property
    def is_open(self) -> bool:
        """Whether the lease holds, and `go_on` was called if there was a time when it did not."""
        if self.closed_at_ms is None and not self._holds():
            self.close()
        return self.closed_at_ms is None

    def close(self) -> None:
        """The lease is over."""
        if self.closed_at_ms is None:
            self.closed_at_ms, self._late_before_ms = self._clock.now_ms(), self._clock.late_ms

    def go_on(self, arena: Arena) -> None:
        """The lease is valid again: let in what waits."""
        if self.closed_at_ms is None or not self._holds():
            return
        self.open_since_ms = self._clock.now_ms()
        closed_ms = self.open_since_ms - self.closed_at_ms
        self.closed_at_ms = None
        self.late_ms += max(0, closed_ms - (self._clock.late_ms - self._late_before_ms))
        arena.scheduler.excuse_absence(closed_ms)
        self._let_in()

    def discard(self) -> None:
        """Nothing enters any more: another node leads the club."""
        self.close()
        self._waiting.clear()
        self._holds = _never

    def _let_in(self) -> None:
        """Let in a portion of what waits. Should the lease be over once more, the rest waits on."""
        for _ in range(PORTION):
            if not self._waiting or not self.is_open:
                return
            self._waiting.popleft()()
        self._clock.after_input(self._let_in)


class GatedClock:
    """The clock of a led club: its timers enter by the gate. It begins `ahead_ms` ahead of the node's own.

    A club's time never goes back: a new leader is as far ahead as the newest fact of the log says.
    """

    def __init__(self, clock: Clock, gate: Gate, ahead_ms: int = 0) -> None:
        self._clock = clock
        self._gate = gate
        self._ahead_ms = ahead_ms
        self.late_ms = clock.late_ms
        self.suspended_until_ms = 0

    def now_ms(self) -> int:
        now_ms = self._clock.now_ms()
        self.late_ms = self._clock.late_ms + self._gate.late_ms
        self.suspended_until_ms = self._gate.open_since_ms + self._ahead_ms
        return now_ms + self._ahead_ms

    def watch(self, is_wanted: Callable[[], bool]) -> None:
        self._clock.watch(is_wanted)

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> TimerHandle:
        timer = _Timer(callback, self._gate)
        timer.handle = self._clock.call_at(when_ms - self._ahead_ms, timer.enter)
        return timer

    def after_input(self, callback: Callable[[], None]) -> TimerHandle:
        timer = _Timer(callback, self._gate)
        timer.handle = self._clock.after_input(timer.enter)
        return timer


class _Timer:
    """A timer that may be cancelled also while it waits at the gate."""

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
        """Fire, now or when the gate is open again."""
        self._gate.enter(self.fire)

    def fire(self) -> None:
        if self._callback is not None:
            self._callback()


class _Said:
    """What a session said, and what it waits for until all is told, known once that has entered.

    The log has to be on disk up to `fact`, and of the answers that need something to be read all up to `answer` given.
    """

    __slots__ = ("answer", "fact", "record")

    def __init__(self, said: bytes) -> None:
        self.record = said
        self.fact = NOT_ENTERED
        self.answer = 0


class GatedLeader:
    """The leader of a club for the sessions of its own node: what they bring enters by the gate.

    What was not answered, since the gate is closed or the log does not have it on disk, is kept, to be said again
    should another lead the club. Moves are not: their turns are asked again.
    """

    def __init__(self, leader: Arena, gate: Gate, log: Log) -> None:
        self._leader = leader
        leader.on_answered.append(self.on_durable)
        self._gate = gate
        self._enter, self._lets_in, self._receive = gate.enter, gate.lets_in, leader.receive
        self._log = log
        self._kept: deque[_Said] = deque()
        self._gone: set[int] = set()
        """The sessions whose end waits: one whose login waits, too, would replace a newer one of its bot."""
        self._frames: Counter[int] = Counter()
        """How many frames of each session have come since the gate was closed."""

    def unsure(self) -> list[bytes]:
        """Return the records of what was not answered, in the order in which it was said."""
        return [said.record for said in self._kept]

    def on_durable(self) -> None:
        """More of the log is on disk, or an answer was given, and what waited for that was told."""
        kept, durable, answered = self._kept, self._log.durable, self._leader.answered
        while kept and kept[0].fact <= durable and kept[0].answer <= answered:
            kept.popleft()

    def login(self, session_id: int, login: Login, caller: Caller) -> None:
        call = partial(self._log_in, session_id, login, caller)
        if login.join is None or caller.frame is None:
            self._enter(call)
        else:
            self._keep(record(ToLeader.LOGIN, session_id, FRAME_NUMBER.pack(caller.frame[1])), call)

    def receive(self, session_id: int, message: BotMessage, text: str, *, frame: FrameId | None = None) -> None:
        if frame is None and self._lets_in():  # the way of every move
            if self._frames:
                self._frames.clear()
            self._receive(session_id, message, text)
            return
        call = partial(self._leader.receive, session_id, message, text, frame=frame)
        if frame is None:
            self._take(session_id, call)
        else:
            content = FRAME_NUMBER.pack(frame[1]) + text.encode()
            self._take(session_id, call, record(ToLeader.MESSAGE, session_id, content))

    def refused(self, session_id: int, text: str, error: bytes) -> None:
        call = partial(self._leader.refused, session_id, text, error)
        self._take(session_id, call, numbered(ToLeader.REFUSED, session_id, len(error), error + text.encode()))

    def _take(self, session_id: int, call: Callable[[], None], said: bytes | None = None) -> None:
        if self._gate.is_open:
            self._frames.clear()
        else:
            self._frames[session_id] += 1
            if self._frames[session_id] > MOST_FRAMES:
                if self._frames[session_id] == MOST_FRAMES + 1:
                    self.flooded(session_id, MOST_FRAMES)
                return
        if said is None:
            self._enter(call)
        else:
            self._keep(said, call)

    def _keep(self, said: bytes, call: Callable[[], None]) -> None:
        """Let something in, and keep it until all that follows from it is told."""
        entry = _Said(said)
        self._kept.append(entry)

        def enter() -> None:
            call()
            entry.fact, entry.answer = self._log.last, self._leader.asked
            self.on_durable()

        self._enter(enter)

    def flooded(self, session_id: int, allowed: int) -> None:
        call = partial(self._leader.flooded, session_id, allowed)
        self._keep(numbered(ToLeader.FLOODED, session_id, allowed), call)

    def round_trip(self, session_id: int, lag_ms: int) -> None:
        self._enter(partial(self._leader.round_trip, session_id, lag_ms))

    def silent(self, session_id: int) -> None:
        self._enter(partial(self._leader.silent, session_id))

    def close(self, session_id: int, code: CloseCode) -> None:
        self._keep(numbered(ToLeader.CLOSE, session_id, code), partial(self._leader.close, session_id, code))

    def lost(self, session_id: int) -> None:
        if not self._gate.lets_in():
            self._gone.add(session_id)
        self._enter(partial(self._lose, session_id))

    def _log_in(self, session_id: int, login: Login, caller: Caller) -> None:
        if session_id not in self._gone:
            self._leader.login(session_id, login, caller)

    def _lose(self, session_id: int) -> None:
        self._gone.discard(session_id)
        self._leader.lost(session_id)


def _never() -> bool:
    return False
