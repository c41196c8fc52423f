"""A world in memory for the server core: virtual time, a log with a slow or stuck disk, and bots without sockets.

Nothing here waits: `World.run` jumps from timer to timer.
"""

import heapq
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, cast

from rumble_protocol.codes import CLOSE_REASONS, WORKER_REPLACED, CloseCode
from rumble_protocol.fields import TimeControl
from rumble_protocol.server_messages import Limits
from rumble_server.arena.arena import Arena
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.arena.ports import Clock
from rumble_server.arena.recovery import read, restore_arena
from rumble_server.arena.state.clubs import ClubDirectory
from rumble_server.gateway.gate import Gate
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.sessions import SessionRegistry
from rumble_server.limits.admission import Admission
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.strangers import Strangers
from rumble_server.match.facts import MatchOver
from rumble_server.match.seat import DelayMs
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import (
    BotBenched,
    BotJoined,
    BotLeft,
    LogFact,
    NameUsed,
    ResultVoided,
    TournamentEnded,
    TournamentPaused,
    TournamentStarted,
    tournament_of,
)
from rumble_server.tournament.rebuild import rebuild_tournament
from rumble_server.tournament.tournament import Tournament

from tests.server.frames import Frame, Inbox
from tests.server.lease import HeldWhile


@dataclass(slots=True, eq=False)
class Timer:
    """A callback due at a time."""

    when_ms: int
    callback: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


class VirtualClock:
    """A clock that stands still until the next timer runs."""

    def __init__(self, now_ms: int = 1_000_000) -> None:
        self._now_ms = now_ms
        self.late_ms = 0
        self.suspended_until_ms = 0
        self.end_iteration: Callable[[], None] = lambda: None
        """Function called before time passes, and after each callback of a timer."""
        self._timers: list[tuple[int, int, Timer]] = []
        """Timers by time; timers of the same time run in the order of their creation."""
        self._numbers = itertools.count()

    @property
    def lateness(self) -> "VirtualClock":
        return self

    def now_ms(self) -> int:
        return self._now_ms

    def watch(self, is_wanted: Callable[[], bool]) -> None:
        """Check that the watcher wants the watch at first, and do no more: only `stall` makes a virtual server late."""
        assert is_wanted()

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> Timer:
        timer = Timer(max(when_ms, self._now_ms), callback)
        heapq.heappush(self._timers, (timer.when_ms, next(self._numbers), timer))
        return timer

    def after_input(self, callback: Callable[[], None]) -> Timer:
        return self.call_at(self._now_ms, callback)

    def step(self, until_ms: int | None = None) -> bool:
        """Run the next timer due by `until_ms`; return False if there is none."""
        while self._timers and self._timers[0][2].cancelled:
            heapq.heappop(self._timers)
        if not self._timers or (until_ms is not None and self._timers[0][0] > until_ms):
            return False
        timer = heapq.heappop(self._timers)[2]
        self._now_ms = max(self._now_ms, timer.when_ms)
        timer.callback()
        self.end_iteration()
        return True

    def stall(self, ms: int) -> None:
        """Stop the server for `ms` ms; timers due meanwhile are late."""
        self._now_ms += ms
        self.late_ms += ms

    def advance(self, ms: int) -> None:
        """Let `ms` ms pass, and run all timers due meanwhile."""
        self.end_iteration()
        until_ms = self._now_ms + ms
        while self.step(until_ms):
            pass
        self._now_ms = until_ms


class MemoryLog:
    """A log in memory, which writes at the end of each event (`delay_ms` None) or after `delay_ms`.

    It never writes in the event itself, as no server's log does, and never while `stuck`.
    """

    def __init__(self, clock: Clock, delay_ms: int | None = None) -> None:
        self._clock = clock
        self._delay_ms = delay_ms
        self.facts: list[LogFact] = []
        self.records: dict[str, EndedTournament] = {}
        self.durable = 0
        self.stuck = False
        self.on_durable: list[Callable[[], None]] = []

    @property
    def last(self) -> int:
        return len(self.facts)

    def append(self, fact: LogFact) -> int:
        self.facts.append(fact)
        number = len(self.facts)
        if self._delay_ms is not None:
            self._clock.call_at(self._clock.now_ms() + self._delay_ms, lambda: self.write(number))
        return number

    def end_iteration(self) -> None:
        """Write the facts of the event that was just handled, and the facts that follow, if writing takes no time."""
        while self._delay_ms is None and self.durable < self.last and not self.stuck:
            self.write(self.last)

    def add_record(self, ended: EndedTournament) -> None:
        self.records[ended.id] = ended

    def find_ended(self, tournament_id: str, done: Callable[[EndedTournament | None], None]) -> None:
        """Find the record of an ended tournament on disk. Rebuild nothing."""
        written = self.facts[: self.durable]
        is_over = any(isinstance(fact, TournamentEnded) and fact.tournament == tournament_id for fact in written)
        done(self.records.get(tournament_id) if is_over else None)

    def flush_soon(self) -> None:
        pass

    def unstick(self) -> None:
        """Let writing work again, and write all waiting facts."""
        self.stuck = False
        self.write(self.last)

    def write(self, number: int) -> None:
        if not self.stuck and number > self.durable:
            self.durable = number
            for listener in self.on_durable:
                listener()


GRACE_MS = 30_000
"""Time in ms after a restart of a world in which no away or absent time runs."""


class Disk:
    """Check on every frame of every world: facts are on disk before bots are told."""

    def __init__(self, log: MemoryLog) -> None:
        self._log = log
        self._read = 0
        self._known: set[tuple[object, ...]] = set()

    def check(self, bot: str, frame: Frame) -> None:
        """Fail if the frame tells the bot a fact that is not on disk yet."""
        self._read_on()
        for key in self._told_by(bot, frame):
            assert key in self._known, f"{bot} was told before it was on disk: {frame}"

    def _read_on(self) -> None:
        for fact in self._log.facts[self._read : self._log.durable]:
            match fact:
                case MatchOver():
                    self._known.add(("over", fact.match, fact.attempt, fact.scores, fact.termination))
                case BotJoined() | BotLeft():
                    self._known.add((type(fact), fact.tournament, fact.bot))
                case NameUsed():
                    self._known.add(("name", fact.name))
                case TournamentStarted():
                    self._known.add(("status", fact.tournament, "running"))
                case TournamentPaused():
                    self._known.add(("status", fact.tournament, "paused"))
                case TournamentEnded():
                    self._known.add(("status", fact.tournament, fact.status))
                case BotBenched():
                    self._known.add(("benched", fact.tournament, fact.bot))
                case ResultVoided():
                    self._known.add(("voided", fact.match))
                case _:
                    pass
        self._read = self._log.durable

    def _told_by(self, bot: str, frame: Frame) -> Iterator[tuple[object, ...]]:
        match frame:
            case {"type": "match_over", "scores": scores}:
                told = None if scores is None else tuple(scores)
                yield "over", frame["match"], frame["attempt"], told, frame["termination"]
            case {"type": "session"}:
                yield "name", bot
                for each in frame["tournaments"]:
                    yield BotJoined, each["id"], bot
                    if each["status"] != "lobby":
                        yield "status", each["id"], each["status"]
            case {"type": "joined" | "left" | "tournament_over" as kind, "tournament": tournament, "status": status}:
                if kind != "left":
                    yield BotJoined, tournament, bot
                elif (BotJoined, tournament, bot) in self._known:
                    yield BotLeft, tournament, bot
                if status != "lobby":
                    yield "status", tournament, status
            case {"type": "notice", "code": "paused" | "cancelled" as status}:
                yield "status", frame["tournament"], status
            case {"type": "notice", "code": "removed"}:
                yield BotLeft, frame["tournament"], bot
            case {"type": "notice", "code": "benched"}:
                yield "benched", frame["tournament"], bot
            case {"type": "notice", "code": "match_voided"}:
                yield "voided", frame["match"]
            case _:
                pass


class MemoryLink:
    """The far end of a session, which checks and keeps every frame."""

    def __init__(
        self,
        *,
        is_local: bool = True,
        address: str = "127.0.0.1",
        lag_ms: int = 0,
        lag_by_pings: bool = False,
        delay_ms: DelayMs | None = None,
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
        self.is_held = False
        self.invited_to: str | None = None
        self.on_frame: list[Callable[[Frame], None]] = []
        self.delay_ms = delay_ms

    def has_room_for(self, tournament_id: str) -> bool:
        return self.has_room or self.has_invited_room

    def count_unsolicited(self) -> None:
        """Do nothing: frames have no time budget here."""

    def pause_reading(self) -> None:
        self.is_held = True

    def resume_reading(self) -> None:
        self.is_held = False

    def count_as_logged_in(self) -> None:
        """Do nothing: connections need no permits here."""

    def mark_invited(self, tournament_id: str) -> None:
        self.invited_to = tournament_id

    def send(self, frame: bytes) -> None:
        assert self.closed is None, "a frame after the close"
        given = self.inbox.add(frame)
        for listener in self.on_frame:
            listener(given)

    def close(self, code: CloseCode, reason: str) -> None:
        assert reason == CLOSE_REASONS[code] or (code is CloseCode.REPLACED and reason == WORKER_REPLACED)
        assert self.closed is None, "closed twice"
        self.reason = reason
        self.closed = code

    def abort_silent(self) -> None:
        self.was_cut = True


class Host:
    """An organiser, each of whose commands is an event."""

    def __init__(self, organiser: Organiser, end_iteration: Callable[[], None]) -> None:
        self._organiser = organiser
        self._end_iteration = end_iteration

    def __getattr__(self, name: str) -> Any:
        command = getattr(self._organiser, name)

        def event(*given: Any, **named: Any) -> Any:
            try:
                return command(*given, **named)
            finally:
                self._end_iteration()

        return event


def make_arena(**given: Any) -> Arena:
    """Return an arena with the given parts, and usual parts in place of the others."""
    usual = {
        "taken_ids": (),
        "find_ended": lambda _tournament_id, done: done(None),
        "grace_ms": 0,
        "may_claim": lambda _name, _key: True,
        "work": lambda task, done: done(task()),
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
        open_names: bool = False,
        run: int = 1,
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
            clock=self.clock if holds is None else self.gate.clock(now_ms + ahead_ms),
            sessions=sessions,
            run=run,
            random=Random(seed),
            **{"find_ended": self.log.find_ended, **arena},
        )
        self.organiser = cast(Organiser, Host(Organiser(self.arena), self.end_iteration))
        admission = self.arena.admission
        self.gateway = Gateway(
            self.arena if holds is None else self.gate.leader(self.arena),
            self.arena,
            sessions,
            self.clock,
            Strangers(admission.bounds, admission.refusals),
            "test",
            limits,
            identity="1d",
            open_names=open_names,
        )
        self.log.on_durable.append(lambda: self.gate.run_or_queue(self.arena.on_durable))
        self.disk = Disk(self.log)

    def end_iteration(self) -> None:
        """Write the facts of the event that was just handled. Tests call this method after an event of the arena that
        comes from neither a bot nor the organiser.
        """
        self.log.end_iteration()
        self._check_settled()

    def _check_settled(self) -> None:
        """Fail if the whole log is on disk, and a tournament still waits to be settled: nothing would settle it."""
        is_waiting = self.log.durable < self.log.last or self.gate.waiting or not self.gate.is_open
        if not is_waiting and not self.arena.recorder.stopped:
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
            run=self.arena.matches.run + 1, now_ms=now_ms, taken_ids=by_tournament, grace_ms=GRACE_MS, **arena
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

    def drop(self) -> None:
        """End the socket."""
        self.gone = True
        self.world.gateway.end_session(self.session)
        self.world.end_iteration()
