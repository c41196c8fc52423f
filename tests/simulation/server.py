"""A run of the server: the real core, from its recovery of the disk's log to its end."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

import orjson
from rumble_server.arena.ports import Sessions
from rumble_server.arena.recovery import read, restore_arena
from rumble_server.gateway.gate import Gate, GatedClock
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.ports import SessionEvents
from rumble_server.gateway.sessions import SessionRegistry
from rumble_server.limits.bounds import Bounds
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.formats import AnyRound

from tests.server.lease import HeldWhile
from tests.server.run_clock import RunClock
from tests.server.virtual_clock import VirtualClock
from tests.server.world import make_arena
from tests.simulation.disk import Disk, DiskLog
from tests.simulation.trace import Entry, Trace

if TYPE_CHECKING:
    from tests.simulation.network import Wire

DRAIN_MS = 2000
WORK_MS = 300
READ_MS = 5


class ServerRun:
    """A server process, built like `app.Server` without the web."""

    def __init__(
        self,
        number: int,
        timeline: VirtualClock,
        disk: Disk,
        random: Random,
        trace: Trace,
        *,
        grace_ms: int,
        bounds: Bounds,
        holds: Callable[[], bool] = lambda: True,
    ) -> None:
        """Recover the log; `holds` tells whether a node's lease is valid."""
        self.number = number
        self.disk = disk
        self.wires: list[Wire] = []
        self._timeline = timeline
        self._trace = trace
        self._random = random
        self.clock = RunClock(timeline)
        self.gate = Gate(self.clock, HeldWhile(holds), lambda: 0.0)
        self.log = self._open_log()
        self.reading = 0
        """Number of reads in progress for answers to bots."""
        reader, sessions = disk.reader, SessionRegistry()
        self.arena = make_arena(
            log=self.log,
            clock=GatedClock(self.clock, self.gate),
            sessions=sessions,
            run_number=number,
            random=random,
            taken_ids=reader.tournament_ids(),
            grace_ms=grace_ms,
            find_ended=self._find_ended,
            run_pairing=self._run_pairing,
            bounds=bounds,
        )
        called, admission = self._arena_for_sessions(sessions), self.arena.admission
        self.gateway = Gateway(called, self.arena, sessions, self.clock, admission, "simulated", identity="1d")
        self.log.on_durable += [
            lambda: self.gate.run_or_enqueue(self.arena.on_durable),
            lambda: self.gate.run_or_enqueue(self._note_clean),
        ]
        self.log.on_trouble.append(lambda trouble: self.gate.run_or_enqueue(lambda: self.arena.on_trouble(trouble)))
        started = {"grace_ms": grace_ms, "excused_ms": bounds.excused_ms, "proxied_lag_ms": bounds.proxied_lag_ms}
        self._see("start", orjson.dumps(started).decode())
        names, unfinished = reader.club_facts()[0], reader.tournament_ids(over=False)
        recovered = read(names, unfinished, reader.tournament_facts, reader.facts_of_matches)
        restore_arena(self.arena, recovered)
        assert not recovered.damaged, recovered.damaged

    def _arena_for_sessions(self, sessions: Sessions) -> SessionEvents:
        """Return the arena as `sessions` call it."""
        return self.arena

    def _open_log(self) -> DiskLog:
        return DiskLog(self.disk, self.clock, self.kill)

    def enter(self, callback: Callable[[], None]) -> None:
        """Call `callback` in the arena, when the process gets to it and its lease is valid."""
        self.clock.enter(lambda: self.gate.run_or_enqueue(callback))

    @property
    def is_up(self) -> bool:
        """True while the server takes connections and commands."""
        return not self.clock.stopped

    def _run_pairing(self, task: Callable[[], AnyRound], done: Callable[[AnyRound], None]) -> None:
        """Pair a round outside the event loop, which takes up to `WORK_MS`."""
        ready_ms = self.clock.now_ms() + self._random.randint(0, WORK_MS)
        self.clock.call_at(ready_ms, lambda: self.gate.run_or_enqueue(lambda: done(task())))

    def _find_ended(self, tournament_id: str, done: Callable[[EndedTournament | None], None]) -> None:
        """Read an ended tournament outside the event loop. A tournament's end and record are written in one commit."""
        over = self.disk.reader.tournament_ids(over=True)
        ended = self.disk.reader.ended([tournament_id]).get(tournament_id)
        assert (ended is not None) == (tournament_id in over)
        self.reading += 1

        def read() -> None:
            self.reading -= 1
            done(ended)
            self._note_clean()

        self.clock.call_at(self.clock.now_ms() + READ_MS, lambda: self.gate.run_or_enqueue(read))

    def kill(self) -> None:
        """End the process as `kill -9` or a power cut does."""
        if self.is_up:
            self.log.cut_off()
            self._end("kill")

    def drain(self) -> None:
        """Drain as at SIGTERM: running matches may finish for `DRAIN_MS`, then the server stops in good order."""
        self.arena.drain()
        self.clock.call_at(self.clock.now_ms() + DRAIN_MS, self._stop)

    def _stop(self) -> None:
        if self.log.durable < self.log.last and self.log.trouble is None:
            self.log.flush_soon()
            self.clock.call_at(self.clock.now_ms() + 1, self._stop)
            return
        self.arena.stop()
        for wire in list(self.wires):
            wire.drained()
        self._end("stop", "whole" if self.log.durable == self.log.last else "")

    def stall(self, ms: int) -> None:
        """Stop the process for `ms` ms."""
        self.clock.stall(ms)
        self._see("stall", str(self._timeline.now_ms() + ms))

    def _end(self, how: str, text: str = "") -> None:
        self.clock.stopped = True
        self._see(how, text)
        for wire in self.wires:
            wire.server_died()
        self.wires = []

    @property
    def is_clean(self) -> bool:
        """True while all facts are on disk and told."""
        return self.log.durable == self.log.last and not self.reading

    def _note_clean(self) -> None:
        if self.is_clean:
            self._see("clean")

    def _see(self, kind: str, text: str = "") -> None:
        self._trace.append(Entry(self._timeline.now_ms(), kind, self.number, text, self.disk.written))
