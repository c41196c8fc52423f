"""A log in memory, with a slow or stuck disk, and a check that no bot is told a fact before it is on disk."""

from collections.abc import Callable, Iterator

from rumble_server.arena.ports import Clock
from rumble_server.match.facts import MatchOver
from rumble_server.tournament.club_facts import NameUsed
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import (
    BotBenched,
    BotJoined,
    BotLeft,
    LogFact,
    ResultVoided,
    TournamentEnded,
    TournamentPaused,
    TournamentStarted,
)

from tests.server.frames import Frame


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
                result = None if scores is None else tuple(scores)
                yield "over", frame["match"], frame["attempt"], result, frame["termination"]
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
