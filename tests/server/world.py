"""A world in memory for the server core: virtual time, a log with a slow or stuck disk, and bots without sockets.

Nothing here waits: `World.run` jumps from timer to timer.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import Any

from rumble_protocol.codes import CLOSE_REASONS, WORKER_REPLACED, CloseCode
from rumble_protocol.fields import TimeControl
from rumble_protocol.server_messages import Limits
from rumble_server.arena.arena import Arena
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.arena.recovery import read, restore_arena
from rumble_server.arena.state.clubs import ClubDirectory
from rumble_server.gateway.gate import Gate, GatedArena, GatedClock
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.sessions import SessionRegistry
from rumble_server.limits.admission import Admission
from rumble_server.limits.bounds import Bounds
from rumble_server.match.seat import MeasureWait
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import LogFact, TournamentEnded, tournament_of
from rumble_server.tournament.rebuild import rebuild_tournament
from rumble_server.tournament.tournament import Tournament

from tests.server.frames import Frame, Inbox
from tests.server.lease import HeldWhile
from tests.server.memory_log import Disk, MemoryLog
from tests.server.virtual_clock import VirtualClock

GRACE_MS = 30_000
"""Time in ms after a restart of a world in which no away or absent time runs."""


class PlainLink:
    """The part of a link that a server without sockets leaves out: permits, time budgets, and waits for a login."""

    has_room = True
    measure_wait: MeasureWait | None = None

    def has_room_for(self, tournament_id: str) -> bool:
        return self.has_room

    def end_unbudgeted_reading(self) -> None: ...

    def read_waiting(self) -> bool:
        return False

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def count_as_logged_in(self) -> None: ...

    def mark_invited(self, tournament_id: str) -> None: ...


class MemoryLink(PlainLink):
    """The far end of a session, which checks and keeps every frame."""

    def __init__(
        self,
        *,
        is_local: bool = True,
        address: str = "127.0.0.1",
        lag_ms: int = 0,
        lag_by_pings: bool = False,
        measure_wait: MeasureWait | None = None,
    ) -> None:
        self.is_local = is_local
        self.address = address
        self.lag_ms = lag_ms
        self.lag_by_pings = lag_by_pings
        self.inbox = Inbox()
        self.closed: CloseCode | None = None
        self.reason = ""
        self.was_cut = False
        self.has_room = self.has_invited_room = True
        self.is_paused = False
        self.can_send = True
        self.invited_to: str | None = None
        self.on_frame: list[Callable[[Frame], None]] = []
        self.measure_wait = measure_wait
        self.waiting: list[Callable[[], object]] = []
        """Handlers of the frames that wait for the time budget."""

    def read_waiting(self) -> bool:
        waiting, self.waiting = self.waiting, []
        for handle in waiting:
            handle()
        return bool(waiting)

    def has_room_for(self, tournament_id: str) -> bool:
        return self.has_room or self.has_invited_room

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False

    def mark_invited(self, tournament_id: str) -> None:
        self.invited_to = tournament_id

    def send(self, frame: bytes) -> None:
        assert self.closed is None, "a frame after the close"
        if not self.can_send:
            return
        given = self.inbox.add(frame)
        for listener in self.on_frame:
            listener(given)

    def close(self, code: CloseCode, reason: str) -> None:
        assert reason == CLOSE_REASONS[code] or (code is CloseCode.REPLACED and reason == WORKER_REPLACED)
        assert self.closed is None, "closed twice"
        self.reason = reason
        self.closed = code
        self.can_send = False

    def cut_off_silent(self) -> None:
        self.was_cut = True


def make_host(arena: Arena, end_iteration: Callable[[], None]) -> Organiser:
    """Return an organiser, each of whose commands is an event, together with the commands that it calls."""
    plain, host = Organiser(arena), Organiser(arena)

    def run(command: Callable[..., object], *given: Any, **named: Any) -> object:
        try:
            return command(*given, **named)
        finally:
            end_iteration()

    for name in vars(Organiser):
        if not name.startswith("_"):
            setattr(host, name, partial(run, getattr(plain, name)))
    return host


def make_arena(**given: Any) -> Arena:
    """Return an arena with the given parts, and usual parts in place of the others."""
    usual = {
        "taken_ids": (),
        "find_ended": lambda _tournament_id, done: done(None),
        "grace_ms": 0,
        "may_claim": lambda _name, _key: True,
        "run_pairing": lambda task, done: done(task()),
        "admission": Admission(),
        "clubs": ClubDirectory(),
        "bounds": Bounds(),
    }
    return Arena(**{**usual, **given})


class World:
    """A server core on virtual time."""

    def __init__(
        self,
        *,
        seed: int = 0,
        delay_ms: int | None = None,
        limits: Limits | None = None,
        server: str = "test",
        identity: str = "1d",
        open_names: bool = False,
        run_number: int = 1,
        now_ms: int = 1_000_000,
        holds: Callable[[], bool] | None = None,
        ahead_ms: int = 0,
        **arena: Any,
    ) -> None:
        """With `holds`, the arena belongs to a led club; its gate asks `holds` whether the lease is valid."""
        self.clock = VirtualClock(now_ms)
        self.gate = Gate(self.clock, HeldWhile(holds or (lambda: True)), lambda: 0.0)
        self.log = MemoryLog(self.clock, delay_ms)
        self.clock.end_iteration = self.end_iteration
        sessions = SessionRegistry()
        self.arena = make_arena(
            log=self.log,
            clock=self.clock if holds is None else GatedClock(self.clock, self.gate, now_ms + ahead_ms),
            sessions=sessions,
            run_number=run_number,
            random=Random(seed),
            **{"find_ended": self.log.find_ended, **arena},
        )
        self.organiser = make_host(self.arena, self.end_iteration)
        self.gateway = Gateway(
            self.arena if holds is None else GatedArena(self.arena, sessions, self.gate),
            self.arena,
            sessions,
            self.clock,
            self.arena.admission,
            server,
            limits,
            identity=identity,
            open_names=open_names,
        )
        self.log.on_durable.append(lambda: self.gate.run_or_enqueue(self.arena.on_durable))
        self.disk = Disk(self.log)

    def end_iteration(self) -> None:
        """Write the facts of the event that was just handled. Tests call this method after an event of the arena that
        comes from neither a bot nor the organiser.
        """
        self.log.end_iteration()
        self._check_settled()

    def _check_settled(self) -> None:
        """Fail if the whole log is on disk, and a tournament still waits to be settled: nothing would settle it, unless
        the scheduler's budget is spent, and a refill follows.
        """
        is_waiting = self.log.durable < self.log.last or self.gate.waiting or not self.gate.is_open
        if not is_waiting and not self.arena.recorder.is_stopped and self.arena.scheduler.budget > 0:
            assert not self.arena.recorder.unsettled, "nothing follows from facts on disk"

    def after_crash(self, facts: int | None = None, *, down_ms: int = 60_000, **arena: Any) -> "World":
        """Return the next run on the log's first `facts` facts (default: all on disk), with no bot connected."""
        kept = self.log.facts[: self.log.durable if facts is None else facts]
        by_tournament: dict[str, list[LogFact]] = {}
        for fact in kept:
            by_tournament.setdefault(tournament_of(fact), []).append(fact)
        names = by_tournament.pop("", [])
        over = {fact.tournament for fact in kept if isinstance(fact, TournamentEnded)}
        unfinished = [tournament for tournament in by_tournament if tournament not in over]
        now_ms = self.clock.now_ms() + down_ms
        world = World(
            run_number=self.arena.matches.run_number + 1,
            now_ms=now_ms,
            taken_ids=by_tournament,
            grace_ms=GRACE_MS,
            **arena,
        )
        world.log.facts = list(kept)
        world.log.durable = len(kept)
        world.log.records = dict(self.log.records)
        recovered = read(
            names,
            unfinished,
            by_tournament.__getitem__,
            lambda _, matches: {each: [f for f in kept if getattr(f, "match", None) == each] for each in matches},
        )
        restore_arena(world.arena, recovered)
        world.end_iteration()
        return world

    def connect(self, **link: Any) -> "Bot":
        """Return a bot on a connection without a login."""
        return Bot(self, MemoryLink(**link))

    def login(self, name: str, link: Mapping[str, Any] | None = None, **message: Any) -> "Bot":
        """Return a logged-in bot, on a connection with the given properties."""
        bot = self.connect(**link or {})
        bot.login(name, **message)
        return bot

    def player(
        self, name: str, choose: Callable[[Frame], str], think_ms: Callable[[], int] = lambda: 0, **message: Any
    ) -> "Bot":
        """Return a logged-in bot that answers each turn, also the first."""
        bot = self.connect()
        bot.play(choose, think_ms)
        bot.login(name, **message)
        return bot

    def logins(self, *names: str, **message: Any) -> "list[Bot]":
        """Return several logged-in bots, each on its own connection."""
        return [self.login(name, **message) for name in names]

    def create(self, **given: Any) -> Tournament:
        """Create a tournament of tic-tac-toe in its lobby, or with the given configuration."""
        control = given.pop("time_control", TimeControl(move_ms=10_000))
        config = TournamentConfig(**{"name": "Friday", "game": "tictactoe", "time_control": control, **given})
        return self.organiser.create(config)

    def begun(self, *names: str, **config: Any) -> tuple[Tournament, "list[Bot]"]:
        """Create a tournament that starts with these bots, and return both; the bots move when a test has them move."""
        tournament = self.create(start_at_bots=len(names), **config)
        return tournament, self.logins(*names, join=tournament.id)

    def tournament(self, tournament_id: str) -> Tournament:
        """Return a tournament in memory, or as the log has it once it is over."""
        of_it = (fact for fact in self.log.facts if tournament_of(fact) == tournament_id)
        found = self.arena.tournaments.get(tournament_id) or rebuild_tournament(of_it)
        assert found is not None
        return found

    def run(self, ms: int = 10_000_000) -> None:
        """Run all timers due within `ms` ms."""
        self.clock.advance(ms)


class Bot:
    """A scripted bot: `say` sends a message, and `heard` takes the new frames."""

    def __init__(self, world: World, link: MemoryLink) -> None:
        self.world = world
        self.link = link
        self.name = ""
        self.sent: list[str] = []
        self.gone = False
        link.on_frame.append(self._note)
        self.session = world.gateway.connect(link)

    def _note(self, frame: Frame) -> None:
        if frame["type"] == "session":
            self.name = frame["name"]
        self.world.disk.check(self.name, frame)

    def say(self, **message: Any) -> None:
        """Send a message."""
        self.say_text(json.dumps(message))

    def say_text(self, text: str) -> None:
        """Send any text."""
        self.sent.append(text)
        self.session.on_text(text)
        self.world.end_iteration()

    @property
    def inbox(self) -> Inbox:
        """Frames sent to this bot."""
        return self.link.inbox

    def heard(self, kind: str | None = None) -> list[Frame]:
        """Return the frames since the last call, all or of one type; frames of other types are dropped."""
        return self.inbox.heard(kind)

    def last(self, kind: str) -> Frame:
        """Return the newest frame of a type, taken or not."""
        return self.inbox.last(kind)

    def error(self) -> str:
        """Return the error code of the newest frame."""
        frame = self.inbox.frames[-1]
        assert frame["type"] == "error", frame
        return str(frame["code"])

    def login(self, name: str, **message: Any) -> None:
        """Log in on this connection."""
        self.say(type="login", name=name, **message)

    def move(self, move: str, *, turn: Frame | None = None) -> None:
        """Answer the given turn, by default the newest."""
        turn = turn or self.last("turn")
        self.say(type="move", match=turn["match"], turn_id=turn["turn_id"], move=move)

    def play(self, choose: Callable[[Frame], str], think_ms: Callable[[], int] = lambda: 0) -> None:
        """Answer each turn from now on, after the given thinking time."""

        def answer(frame: Frame) -> None:
            if frame["type"] == "turn":
                clock = self.world.clock
                clock.call_at(clock.now_ms() + think_ms(), lambda: self._answer(frame, choose))

        self.link.on_frame.append(answer)

    def _answer(self, turn: Frame, choose: Callable[[Frame], str]) -> None:
        if self.link.closed is None and not self.gone:
            self.move(choose(turn), turn=turn)

    def end_socket(self) -> None:
        """End the socket. The arena is not told yet."""
        self.gone = True
        self.link.can_send = False

    def drop(self) -> None:
        """End the socket, and tell the arena."""
        self.end_socket()
        self.world.gateway.end_session(self.session)
        self.world.end_iteration()
