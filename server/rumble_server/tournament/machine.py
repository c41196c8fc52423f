"""The machine that leads one tournament: synchronous, without I/O or a clock of its own.

State changes only in `apply`, fact by fact, so that replaying the log rebuilds the machine. Commands (`join`,
`start`, ...) check, and give the facts to be recorded; `due` gives the matches that can start or are lost now.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Literal

from rumble_engine import Termination
from rumble_protocol.codes import ErrorCode
from rumble_protocol.server_messages import TournamentStatus

from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.tournament.agenda import Agenda, Slot
from rumble_server.tournament.errors import TournamentError
from rumble_server.tournament.facts import (
    BotAbsent,
    BotBenched,
    BotJoined,
    BotLeft,
    ResultVoided,
    TournamentCreated,
    TournamentEnded,
    TournamentFact,
    TournamentPaused,
    TournamentResumed,
    TournamentStarted,
)
from rumble_server.tournament.field import Entrant
from rumble_server.tournament.schedule import Pairing, round_robin, round_robin_matches
from rumble_server.tournament.standings import Record, Table

OVER: tuple[TournamentStatus, ...] = ("finished", "cancelled")


class Tournament:
    """One tournament, rebuilt from its facts. Bots are keyed by their name as it was first used here."""

    def __init__(self, created: TournamentCreated) -> None:
        self.id = created.tournament
        self.config = created.config
        self.created_at_ms = created.at_ms
        self.status: TournamentStatus = "lobby"
        self.reason = ""
        """Why it was paused or ended."""
        self.paused_by_disk = False
        """It goes on by itself when the log can be written again."""
        self.field: dict[str, Entrant] = {}
        self.table = Table()
        self.agenda: Agenda | None = None
        self.running: dict[str, MatchStarted] = {}
        self.results: dict[str, MatchOver] = {}
        """The counted result of each finished match, in order of finishing."""
        self.voided: list[MatchOver] = []
        self.started_at_ms: int | None = None
        self.ended_at_ms: int | None = None
        self._unsettled: dict[str, None] = {}
        """Bots whose situation changed since `due` looked at them; a dict for its order."""
        self._absent: dict[str, Entrant] = {}
        """Those of the field that are not connected."""

    # --- replaying ---

    def apply(self, fact: TournamentFact) -> None:
        """Take a fact into account."""
        match fact:
            case MatchOver():
                self._apply_over(fact)
            case MatchStarted():
                self.running[fact.match] = fact
                for bot in fact.seats:
                    self.field[bot].playing += 1
                agenda = self._agenda()
                agenda.start(agenda.find(fact.match))
            case BotJoined():
                self.field[fact.bot] = Entrant(fact.bot, self.config.absent_ms)
                self.table.records.setdefault(fact.bot, Record())
            case BotLeft():
                if self.status == "lobby":
                    del self.field[fact.bot]
                    self._absent.pop(fact.bot, None)
                    del self.table.records[fact.bot]
                else:
                    self.field[fact.bot].withdrawn = True
                    self._unsettled[fact.bot] = None
            case BotAbsent():
                self.field[fact.bot].set_absent_left(fact.absent_left_ms, fact.at_ms)
            case BotBenched():
                entrant = self.field[fact.bot]
                entrant.benched = fact.benched
                entrant.faulty_in_a_row = 0
                self._unsettled[fact.bot] = None
            case TournamentStarted():
                self.status = "running"
                self.started_at_ms = fact.at_ms
                rounds = round_robin(len(fact.bots), self.config.cycles)
                self.agenda = Agenda(self.id, fact.bots, self.config.legs, rounds)
                self._count_absence_from(fact.at_ms)
                self._unsettle_all()
            case TournamentPaused():
                self.status, self.reason = "paused", fact.reason
                self.paused_by_disk = fact.by == "disk"
            case TournamentResumed():
                self.status, self.reason, self.paused_by_disk = "running", "", False
                self._count_absence_from(fact.at_ms)
                self._unsettle_all()
            case TournamentEnded():
                self.status, self.reason, self.paused_by_disk = fact.status, fact.reason, False
                self.ended_at_ms = fact.at_ms
            case ResultVoided():
                self._apply_voided(fact)
            case TournamentCreated():
                pass

    def _agenda(self) -> Agenda:
        if self.agenda is None:
            raise ValueError(f"tournament {self.id} has not started")
        return self.agenda

    def _apply_over(self, over: MatchOver) -> None:
        agenda = self._agenda()
        was_running = self.running.pop(over.match, None) is not None
        for bot in over.seats:
            self._unsettled[bot] = None
            if was_running:
                self.field[bot].playing -= 1
                self.field[bot].count_absence_from(over.at_ms)
        if over.scores is None:
            self.voided.append(over)
            slot = agenda.find(over.match)
            slot.attempt = over.attempt + 1
            agenda.wait(slot)
            return
        agenda.find(over.match)
        agenda.close(over.match)
        self.results[over.match] = over
        self.table.add(over.match, over.seats, over.scores, over.termination, over.at_fault)
        for seat, bot in enumerate(over.seats):
            entrant = self.field[bot]
            entrant.faulty_in_a_row = entrant.faulty_in_a_row + 1 if seat in over.at_fault else 0

    def _apply_voided(self, fact: ResultVoided) -> None:
        over = self.results.pop(fact.match)
        if over.scores is not None:
            self.table.take_back(over.match, over.seats, over.scores, over.termination, over.at_fault)
        self.voided.append(over)
        agenda = self._agenda()
        for bot in over.seats:
            if not agenda.has_more(bot):
                self.field[bot].count_absence_from(fact.at_ms)
        slot = agenda.reopen(over.match, over.seats)
        slot.attempt = over.attempt + 1
        for bot in over.seats:
            self._unsettled[bot] = None

    def _unsettle_all(self) -> None:
        self._unsettled.update(dict.fromkeys(self.field))

    # --- commands: they check, and give facts; the caller records and applies them ---

    def join(self, bot: str, now_ms: int, invite: str | None = None) -> BotJoined | None:
        """The bot enters the field; None if it is in it already. Raises TournamentError."""
        entrant = self.field.get(bot)
        if entrant is not None:
            if entrant.withdrawn:
                raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{bot} left {self.id} for good")
            return None
        if self.status != "lobby":
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{self.id} is {self.status}; it takes no more bots")
        if self.config.invite is not None and invite != self.config.invite:
            raise TournamentError(ErrorCode.INVITE_REQUIRED, f"{self.id} is by invitation: send its `invite` code")
        return BotJoined(self.id, bot, now_ms)

    def leave(self, bot: str, now_ms: int, *, removed: bool = False) -> BotLeft | None:
        """The bot leaves for good; None if it is not in, or left before. Raises TournamentError after the end."""
        entrant = self.field.get(bot)
        if entrant is None or entrant.withdrawn:
            return None
        if self.status in OVER:
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{self.id} is {self.status}")
        return BotLeft(self.id, bot, removed, now_ms)

    def start(self, now_ms: int, order: tuple[str, ...] | None = None) -> TournamentStarted:
        """Number the field: by the seed from the sorted names, or as `order` has it. Raises TournamentError."""
        if self.status != "lobby":
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{self.id} is {self.status}; it cannot be started")
        if len(self.field) < 2:
            raise TournamentError(
                ErrorCode.TOURNAMENT_CLOSED, f"{self.id} needs two bots to start; it has {len(self.field)}"
            )
        if order is None:
            names = sorted(self.field, key=lambda name: (name.casefold(), name))
            Random(self.config.seed).shuffle(names)
            order = tuple(names)
        return TournamentStarted(self.id, order, now_ms)

    def pause(self, reason: str, now_ms: int, *, by: Literal["host", "disk"] = "host") -> list[TournamentFact]:
        """Running matches finish, none starts, and no absent budget runs. Raises TournamentError."""
        if self.status != "running":
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{self.id} is {self.status}; it cannot be paused")
        absent = [
            BotAbsent(self.id, entrant.bot, entrant.absent_left(now_ms), now_ms) for entrant in self._waited_for()
        ]
        return [*absent, TournamentPaused(self.id, reason, by, now_ms)]

    def unpause(self, now_ms: int) -> TournamentResumed:
        """Matches start again. Raises TournamentError."""
        if self.status != "paused":
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{self.id} is {self.status}; it cannot be resumed")
        return TournamentResumed(self.id, now_ms)

    def end(self, now_ms: int, *, cancelled: bool, reason: str) -> TournamentEnded:
        """The host ends it early: cancelled, or finished with the standings as they are. Raises TournamentError."""
        if self.status in OVER:
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{self.id} is {self.status} already")
        if not cancelled and self.status == "lobby":
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{self.id} has not started; cancel it instead")
        return TournamentEnded(self.id, "cancelled" if cancelled else "finished", reason, now_ms)

    def bench(self, bot: str, now_ms: int) -> BotBenched | None:
        """Whether the bot has just failed too often in a row; then it is benched until the host lets it play again."""
        entrant, limit = self.field[bot], self.config.bench_after
        if entrant.benched or entrant.withdrawn or limit == 0 or entrant.faulty_in_a_row < limit:
            return None
        reason = f"{bot} lost {entrant.faulty_in_a_row} matches in a row by its own fault"
        return BotBenched(self.id, bot, True, reason, now_ms)

    def unbench(self, bot: str, now_ms: int) -> BotBenched:
        """The host lets a benched bot play again. Raises TournamentError."""
        entrant = self.field.get(bot)
        if entrant is None:
            raise TournamentError(ErrorCode.UNKNOWN_BOT, f"{self.id} has no bot {bot!r}")
        if not entrant.benched:
            raise TournamentError(ErrorCode.UNAVAILABLE, f"{bot} is not benched in {self.id}")
        return BotBenched(self.id, bot, False, "the host lets it play again", now_ms)

    def void(self, match: str, now_ms: int) -> ResultVoided:
        """The host has a match that has a result played again. Raises TournamentError."""
        if self.status in OVER:
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{self.id} is {self.status}; its results stand")
        over = self.results.get(match)
        if over is None:
            raise TournamentError(ErrorCode.UNAVAILABLE, f"{self.id} has no result of a match {match!r}")
        return ResultVoided(match, over.attempt, now_ms)

    # --- what is to be done ---

    def ready_to_start(self) -> bool:
        """Whether as many bots are in the lobby as it waits for."""
        wanted = self.config.start_at_bots
        return self.status == "lobby" and wanted is not None and len(self.field) >= wanted

    def is_complete(self) -> bool:
        """Whether every match of the schedule has its result."""
        agenda = self.agenda
        if agenda is None or self.status in OVER or agenda.open:
            return False
        return agenda.exhausted or not agenda.pull()

    def unsettle(self, bot: str) -> None:
        """The bot became free, or there: `due` is to look at it again."""
        if bot in self.field:
            self._unsettled[bot] = None

    def due(self, is_free: Callable[[str], bool], now_ms: int) -> Iterator[MatchStarted | MatchOver]:
        """The matches that start now, and those lost now because a bot is not there for good.

        The caller records, applies and carries out each before it asks for the next. `is_free` tells whether a bot
        is connected and can take one more match.
        """
        while self.status == "running" and self._unsettled:
            bot = next(iter(self._unsettled))
            found = self._due_for(bot, is_free, now_ms)
            if found is None:
                self._unsettled.pop(bot, None)
            else:
                yield found

    def _due_for(self, bot: str, is_free: Callable[[str], bool], now_ms: int) -> MatchStarted | MatchOver | None:
        agenda = self._agenda()
        gone = self.field[bot].gone
        if not gone and not is_free(bot):
            return None
        while True:
            for slot in agenda.waiting(bot):
                opponent = slot.opponent(bot)
                opponent_gone = self.field[opponent].gone
                if not opponent_gone and not is_free(opponent):
                    continue
                if gone or opponent_gone:
                    return self._no_show(slot, now_ms)
                return self.terms(slot, now_ms)
            if not agenda.may_pull_for(bot) or not agenda.pull():
                return None

    def terms_of(self, over: MatchOver) -> MatchStarted:
        """What a match that was lost before it began would have been played under."""
        cycle, number, board, leg = (int(part) for part in over.match.split(".")[-4:])
        slot = Slot(over.match, Pairing(cycle, number, board, 0, 0), leg, (over.seats[0], over.seats[1]), over.attempt)
        return self.terms(slot, over.at_ms)

    def terms(self, slot: Slot, now_ms: int) -> MatchStarted:
        """What a match is played under. Its seed depends on the tournament's and on the pairing alone."""
        config, pairing = self.config, slot.pairing
        seed = Random(f"{config.seed}.{pairing.cycle}.{pairing.round}.{pairing.board}").getrandbits(32)
        return MatchStarted(
            match=slot.match,
            attempt=slot.attempt,
            game=config.game,
            settings=config.settings,
            seed=seed,
            seats=slot.seats,
            moves=(),
            time_control=config.time_control,
            illegal_retries=config.illegal_retries,
            away_ms=config.away_ms,
            at_ms=now_ms,
        )

    def _no_show(self, slot: Slot, now_ms: int) -> MatchOver:
        at_fault = tuple(seat for seat, bot in enumerate(slot.seats) if self.field[bot].gone)
        why = " and ".join(f"{slot.seats[seat]} {self.field[slot.seats[seat]].why_gone}" for seat in at_fault)
        return MatchOver(
            match=slot.match,
            attempt=slot.attempt,
            seats=slot.seats,
            scores=tuple(0.0 if seat in at_fault or len(at_fault) == 2 else 1.0 for seat in range(2)),
            termination=Termination.NO_SHOW,
            reason=why,
            at_fault=at_fault,
            moves=(),
            at_ms=now_ms,
        )

    # --- absence ---

    def appear(self, bot: str, now_ms: int) -> BotAbsent | None:
        """The bot is connected: its absent budget stops. A fact if some of it was used."""
        entrant = self.field.get(bot)
        if entrant is None:
            return None
        self._unsettled[bot] = None
        left_ms = entrant.absent_left(now_ms) if self._is_waited_for(entrant) else entrant.absent_left_ms
        entrant.absent_since_ms = None
        self._absent.pop(bot, None)
        if left_ms == entrant.absent_left_ms:
            return None
        return BotAbsent(self.id, bot, left_ms, now_ms)

    def disappear(self, bot: str, now_ms: int) -> None:
        """The bot is not connected: from now its absent budget runs, while it has matches to play."""
        entrant = self.field.get(bot)
        if entrant is not None and entrant.absent_since_ms is None:
            entrant.absent_since_ms = now_ms
            self._absent[bot] = entrant

    def nobody_there(self, since_ms: int) -> None:
        """After a restart no bot is connected; absent budgets run from `since_ms`."""
        for entrant in self.field.values():
            entrant.absent_since_ms = since_ms
        self._absent = dict(self.field)
        self._unsettle_all()

    def _count_absence_from(self, at_ms: int) -> None:
        for entrant in self._absent.values():
            entrant.count_absence_from(at_ms)

    def expire_absent(self, now_ms: int) -> list[BotAbsent]:
        """The bots whose absent budget is used up by now: their matches are lost until they come back."""
        expired = [
            BotAbsent(self.id, entrant.bot, 0, now_ms)
            for entrant in self._waited_for()
            if entrant.absent_until_ms <= now_ms
        ]
        for fact in expired:
            self._unsettled[fact.bot] = None
        return expired

    @property
    def wake_at_ms(self) -> int | None:
        """When the next absent budget is used up."""
        return min((entrant.absent_until_ms for entrant in self._waited_for()), default=None)

    def _waited_for(self) -> Iterator[Entrant]:
        return (entrant for entrant in self._absent.values() if self._is_waited_for(entrant))

    def _is_waited_for(self, entrant: Entrant) -> bool:
        if self.status != "running" or self.agenda is None:
            return False
        return entrant.is_waited_for and self.agenda.has_more(entrant.bot)

    @property
    def matches_total(self) -> int | None:
        """How many matches it has when all is played; None before the field is known."""
        if self.agenda is None:
            return None
        return round_robin_matches(len(self.agenda.bots), self.config.cycles, self.config.legs)
