"""A world in memory for the server core: virtual time, a log whose disk can be held up, bots without sockets.

Nothing here waits: `World.run` jumps from timer to timer.
"""

import heapq
import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from rumble_protocol.codes import CLOSE_REASONS, WORKER_REPLACED, CloseCode
from rumble_protocol.fields import TimeControl
from rumble_protocol.server_messages import Limits
from rumble_server.arena.arena import Arena
from rumble_server.arena.organiser import Organiser
from rumble_server.arena.ports import Clock
from rumble_server.arena.recovery import read, take_up
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.sessions import Sessions
from rumble_server.limits.strangers import Strangers
from rumble_server.match.facts import MatchOver
from rumble_server.nodes.gate import Gate, GatedClock, GatedLeader
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
from rumble_server.tournament.tournament import Tournament

from tests.server.frames import Frame, Inbox


@dataclass(slots=True, eq=False)
class Timer:
    """A callback due at a time."""

    when_ms: int
    callback: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


class VirtualClock:
    """Time that stands still until the next timer is run."""

    def __init__(self, now_ms: int = 1_000_000) -> None:
        self._now_ms = now_ms
        self.late_ms = 0
        self.suspended_until_ms = 0
        self._timers: list[tuple[int, int, Timer]] = []
        """By time; ties run in the order in which they were made."""
        self._numbers = itertools.count()

    def now_ms(self) -> int:
        return self._now_ms

    def watch(self, is_wanted: Callable[[], bool]) -> None:
        """Only `stall` makes a virtual server late; but who watches has to want it from the first."""
        assert is_wanted()

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> Timer:
        timer = Timer(max(when_ms, self._now_ms), callback)
        heapq.heappush(self._timers, (timer.when_ms, next(self._numbers), timer))
        return timer

    def after_input(self, callback: Callable[[], None]) -> Timer:
        return self.call_at(self._now_ms, callback)

    def step(self, until_ms: int | None = None) -> bool:
        """Run the next timer, if one is due by `until_ms`."""
        while self._timers and self._timers[0][2].cancelled:
            heapq.heappop(self._timers)
        if not self._timers or (until_ms is not None and self._timers[0][0] > until_ms):
            return False
        timer = heapq.heappop(self._timers)[2]
        self._now_ms = max(self._now_ms, timer.when_ms)
        timer.callback()
        return True

    def stall(self, ms: int) -> None:
        """The server does nothing for so long; what fell due meanwhile is late."""
        self._now_ms += ms
        self.late_ms += ms

    def advance(self, ms: int) -> None:
        """Let `ms` pass, with all that is due on the way."""
        until_ms = self._now_ms + ms
        while self.step(until_ms):
            pass
        self._now_ms = until_ms


class MemoryLog:
    """A log in memory. It writes at once (`delay_ms` None), after a delay, or not at all while `stuck`."""

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
        if self._delay_ms is None and not self.stuck:
            self.write(number)
        elif self._delay_ms is not None:
            self._clock.call_at(self._clock.now_ms() + self._delay_ms, lambda: self.write(number))
        return number

    def file(self, ended: EndedTournament) -> None:
        self.records[ended.id] = ended

    def find_ended(self, tournament_id: str, done: Callable[[EndedTournament | None], None]) -> None:
        """The archive of tests: it finds the records of what is over on disk, and rebuilds nothing."""
        written = self.facts[: self.durable]
        is_over = any(isinstance(fact, TournamentEnded) and fact.tournament == tournament_id for fact in written)
        done(self.records.get(tournament_id) if is_over else None)

    def hurry(self) -> None:
        pass

    def unstick(self) -> None:
        """Writing works again, and all that waited is written."""
        self.stuck = False
        self.write(self.last)

    def write(self, number: int) -> None:
        if not self.stuck and number > self.durable:
            self.durable = number
            for listener in self.on_durable:
                listener()


GRACE_MS = 30_000
"""For how long no away or absent time runs after a restart of a world."""


class Disk:
    """Promise 1, checked on every frame of every world: what is told of it is on disk."""

    def __init__(self, log: MemoryLog) -> None:
        self._log = log
        self._read = 0
        self._known: set[tuple[object, ...]] = set()

    def check(self, bot: str, frame: Frame) -> None:
        """Fails if the frame tells the bot of something that is not on disk yet."""
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
    """The far end of a session: it keeps what was sent, each frame checked."""

    def __init__(
        self,
        *,
        is_local: bool = True,
        address: str = "127.0.0.1",
        lag_ms: int = 0,
        lag_by_pings: bool = False,
        delay_ms: Callable[[int], int] | None = None,
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
        self.is_known = False
        self.invited_to: str | None = None
        self.on_frame: list[Callable[[Frame], None]] = []
        self.delay_ms = delay_ms

    def has_room_for(self, tournament_id: str) -> bool:
        return self.has_room or self.has_invited_room

    def unasked(self) -> None:
        """Nothing is measured here."""

    def hold(self) -> None:
        self.is_held = True

    def go_on(self) -> None:
        self.is_held = False

    def known(self) -> None:
        self.is_known = True

    def invited(self, tournament_id: str) -> None:
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

    def cut(self) -> None:
        self.was_cut = True


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
        """With `holds` the arena is that of a led club, behind a gate that asks it whether the lease holds."""
        self.clock = VirtualClock(now_ms)
        self.gate = Gate(self.clock, holds or (lambda: True))
        led = GatedClock(self.clock, self.gate, ahead_ms)
        self.log = MemoryLog(self.clock, delay_ms)
        sessions = Sessions()
        self.arena = Arena(
            log=self.log,
            clock=self.clock if holds is None else led,
            sessions=sessions,
            run=run,
            random=Random(seed),
            **{"find_ended": self.log.find_ended, **arena},
        )
        self.organiser = Organiser(self.arena)
        door = self.arena.door
        self.gateway = Gateway(
            self.arena if holds is None else GatedLeader(self.arena, self.gate),
            self.arena,
            sessions,
            self.clock,
            Strangers(door.bounds, door.refusals),
            "test",
            limits,
            identity="1d",
            open_names=open_names,
        )
        self.log.on_durable.append(lambda: self.gate.enter(self.arena.on_durable))
        self.disk = Disk(self.log)

    def after_crash(self, facts: int | None = None, *, down_ms: int = 60_000, **arena: Any) -> "World":
        """The next run, on the first `facts` facts of the log (all that are on disk, if not given), nobody there."""
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
        take_up(world.arena, recovered)
        return world

    def connect(self, **link: Any) -> "Bot":
        """A connection that has not logged in."""
        return Bot(self, MemoryLink(**link))

    def login(self, name: str, **message: Any) -> "Bot":
        """A connection that has."""
        bot = self.connect()
        bot.login(name, **message)
        return bot

    def logins(self, *names: str, **message: Any) -> "list[Bot]":
        """Several bots, each on a connection of its own."""
        return [self.login(name, **message) for name in names]

    def create(self, **given: Any) -> Tournament:
        """A tournament of tic-tac-toe in its lobby, or as given."""
        control = given.pop("time_control", TimeControl(move_ms=10_000))
        config = TournamentConfig(**{"name": "Friday", "game": "tictactoe", "time_control": control, **given})
        return self.organiser.create(config)

    def run(self, ms: int = 10_000_000) -> None:
        """Let everything happen that is due within `ms`."""
        self.clock.advance(ms)


class Bot:
    """A scripted bot: `say` sends, `heard` takes what came since."""

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
        self.session.received(text)

    @property
    def inbox(self) -> Inbox:
        """What it was sent."""
        return self.link.inbox

    def heard(self, kind: str | None = None) -> list[Frame]:
        """The frames since the last call, of one type if `kind` is given (the others are dropped)."""
        return self.inbox.heard(kind)

    def last(self, kind: str) -> Frame:
        """The newest frame of a type, whether taken or not."""
        return self.inbox.last(kind)

    def error(self) -> str:
        """The code of the error that is the newest frame."""
        frame = self.inbox.frames[-1]
        assert frame["type"] == "error", frame
        return str(frame["code"])

    def login(self, name: str, **message: Any) -> None:
        """Log in on this connection."""
        self.say(type="login", name=name, **message)

    def move(self, move: str, *, turn: Frame | None = None) -> None:
        """Answer the newest turn, or the one given."""
        turn = turn or self.last("turn")
        self.say(type="move", match=turn["match"], turn_id=turn["turn_id"], move=move)

    def play(self, choose: Callable[[Frame], str], think_ms: Callable[[], int] = lambda: 0) -> None:
        """From now on, answer each turn after thinking so long about it."""

        def answer(frame: Frame) -> None:
            if frame["type"] == "turn":
                clock = self.world.clock
                clock.call_at(clock.now_ms() + think_ms(), lambda: self._answer(frame, choose))

        self.link.on_frame.append(answer)

    def _answer(self, turn: Frame, choose: Callable[[Frame], str]) -> None:
        if self.link.closed is None and not self.gone:
            self.move(choose(turn), turn=turn)

    def drop(self) -> None:
        """The socket ends."""
        self.gone = True
        self.world.gateway.lost(self.session)
