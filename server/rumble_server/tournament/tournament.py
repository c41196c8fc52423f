"""The machine that leads one tournament: synchronous, without I/O or a clock of its own.

What the log tells changes only in `apply`, fact by fact, so that live play and rebuilding go the same way. Commands
(`join`, `start`, ...) check, and give the facts to be recorded; `due` gives the matches that can start or are lost now.
"""

from collections.abc import Iterable, Iterator, Set
from hmac import compare_digest
from math import inf
from random import Random
from typing import Literal

from rumble_engine import Termination
from rumble_protocol.codes import ErrorCode
from rumble_protocol.server_messages import TournamentStatus

from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.match.match_id import MatchId
from rumble_server.results.editions import FIRST
from rumble_server.results.result import result_of
from rumble_server.results.rounds import Rounds
from rumble_server.results.standings import Table
from rumble_server.results.tally import Scheme
from rumble_server.tournament.absence import Absence
from rumble_server.tournament.agenda import Agenda, Slot
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.entrant import Entrant
from rumble_server.tournament.errors import TournamentError
from rumble_server.tournament.facts import (
    BotAbsent,
    BotBenched,
    BotJoined,
    BotLeft,
    HalfByeGiven,
    InviteChanged,
    ResultVoided,
    RoundPaired,
    TournamentCreated,
    TournamentEnded,
    TournamentFact,
    TournamentPaused,
    TournamentResumed,
    TournamentStarted,
)
from rumble_server.tournament.formats import Round, Task, make_schedule
from rumble_server.tournament.terms import Terms

OVER: tuple[TournamentStatus, ...] = ("finished", "cancelled")


class Tournament:
    """One tournament. Bots are keyed by their name as it was first used here.

    Five things are of this run alone and are not in its facts: which bots are connected (`absent_since_ms` of an
    entrant), which bots `due` is to look at again, whether the schedule is to be asked for a round again or is being
    asked (`is_pairing`), and how far a schedule that follows no results was pulled. All else changes only by `apply`.
    """

    def __init__(self, created: TournamentCreated) -> None:
        self.id = created.tournament
        self.config = created.config
        self.created_at_ms = created.at_ms
        self.challenger = created.challenger
        """The bot that asked for it, if it is a challenge."""
        self.invite = created.config.invite
        """The code that bots join with; None if they need none."""
        self.status: TournamentStatus = "lobby"
        self.reason = ""
        """Why it is paused, or was ended."""
        self.paused_by_disk = False
        """Whether it is resumed by itself when the log can be written again."""
        self.field: dict[str, Entrant] = {}
        self.table = _table(self.config)
        self.agenda: Agenda | None = None
        self.openings: tuple[tuple[str, ...], ...] = ()
        self._terms = Terms(self.config, ())
        self.half_byes: dict[int, dict[str, None]] = {}
        """By round of a Swiss, from 1: the bots that the host leaves out of it, in order."""
        self.running: dict[str, MatchStarted] = {}
        self.results: dict[str, MatchOver] = {}
        """By match id: the result that counts, in order of finishing."""
        self.voided: list[MatchOver] = []
        self.started_at_ms: int | None = None
        self.going_since_ms: int | None = None
        """When it was started or last resumed."""
        self.ended_at_ms: int | None = None
        self._gone: set[str] = set()
        """The bots whose matches are lost as they are due."""
        self._unsettled: dict[str, None] = {}
        """Bots that `due` is to look at again; a dict for its order."""
        self._absence = Absence(self.id, self.has_matches)
        self.is_pairing = False
        """Whether a task of `pairing_task` runs."""
        self.pairs_long = False
        """Whether it has run for so long that people are told."""
        self._may_pair = True
        """Whether a match ended since `due` last asked the schedule for a round that follows from results."""

    # --- facts: live or from the log ---

    def apply(self, fact: TournamentFact) -> None:
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
                self.field[fact.bot] = Entrant(fact.bot, self.config.absent_ms, house=fact.house)
                self.table.enter(fact.bot)
                if self.agenda is not None:
                    for bot in self.agenda.bots:
                        self._has_more_from(bot, fact.at_ms)
                    self.agenda.enter_late(fact.bot)
                    self._unsettle(self.field)
            case BotLeft():
                if self.status == "lobby":
                    del self.field[fact.bot]
                    self._gone.discard(fact.bot)
                    self._absence.forget(fact.bot)
                    self.table.withdraw(fact.bot)
                else:
                    self.field[fact.bot].withdrawn = True
                    self._note_gone(self.field[fact.bot])
                    if self.agenda is not None:
                        self.agenda.withdraw(fact.bot)
                    self._unsettled[fact.bot] = None
            case BotAbsent():
                self.field[fact.bot].set_absent_left(fact.absent_left_ms, fact.at_ms)
                self._note_gone(self.field[fact.bot])
            case BotBenched():
                entrant = self.field[fact.bot]
                entrant.benched = fact.benched
                entrant.faulty_in_a_row = 0
                self._note_gone(entrant)
                self._unsettled[fact.bot] = None
            case TournamentStarted():
                self.status = "running"
                self.started_at_ms = self.going_since_ms = fact.at_ms
                self.openings = fact.openings
                self._terms = Terms(self.config, fact.openings)
                schedule = make_schedule(self.config.format, self.config.plan(len(fact.bots)))
                self.agenda = Agenda(self.id, fact.bots, schedule)
                for number, bots in self.half_byes.items():
                    for bot in bots:
                        self.agenda.give_half_bye(bot, number)
                if schedule.has_bracket:
                    self.table.places = self.agenda.places
                self._absence.count_from(fact.at_ms)
                self._unsettle(self.field)
            case TournamentPaused():
                self.status, self.reason = "paused", fact.reason
                self.paused_by_disk = fact.by == "disk"
            case TournamentResumed():
                self.status, self.reason, self.paused_by_disk = "running", "", False
                self.going_since_ms = fact.at_ms
                self._absence.count_from(fact.at_ms)
                self._unsettle(self.field)
            case TournamentEnded():
                self.status, self.reason, self.paused_by_disk = fact.status, fact.reason, False
                self.ended_at_ms = fact.at_ms
                self._absence.end()
            case RoundPaired():
                self._apply_paired(fact)
            case HalfByeGiven():
                self.half_byes.setdefault(fact.round, {})[fact.bot] = None
                if self.agenda is not None:
                    self.agenda.give_half_bye(fact.bot, fact.round)
            case ResultVoided():
                self._apply_voided(fact)
            case InviteChanged():
                self.invite = fact.invite

    def _apply_paired(self, fact: RoundPaired) -> None:
        agenda = self._agenda()
        names = agenda.bots
        pairs = [(names[pairing.first], names[pairing.second]) for pairing in fact.pairings]
        byes, half_byes = ([names[number] for number in given] for given in (fact.byes, fact.half_byes))
        if pairs:  # without any, it says that no further round can be paired
            self.table.pair(pairs, self.config.legs, byes, half_byes)
        paired = Round(fact.pairings, fact.byes, fact.half_byes)
        bots = self._bots_in(paired)
        for bot in bots:
            self._has_more_from(bot, fact.at_ms)
        agenda.add(paired)
        self._unsettle(bots)

    def _bots_in(self, paired: Round) -> list[str]:
        names = self._agenda().bots
        return [names[number] for pairing in paired.pairings for number in (pairing.first, pairing.second)]

    def _has_more_from(self, bot: str, at_ms: int) -> None:
        """Let the absent budget of a bot that gets matches run from `at_ms`, if it had nothing more to play."""
        if not self._agenda().has_more(bot):
            self.field[bot].count_absence_from(at_ms)

    def _agenda(self) -> Agenda:
        if self.agenda is None:
            raise ValueError(f"tournament {self.id} has not started")
        return self.agenda

    def _apply_over(self, over: MatchOver) -> None:
        agenda = self._agenda()
        was_running = self.running.pop(over.match, None) is not None
        self._unsettle(over.seats)
        for bot in over.seats if was_running else ():
            entrant = self.field[bot]
            entrant.playing -= 1
            entrant.count_absence_from(over.at_ms)
        if over.scores is None:
            self.voided.append(over)
            slot = agenda.find(over.match)
            slot.attempt = over.attempt + 1
            agenda.wait(slot)
            return
        agenda.close(over)
        self._may_pair = True
        self.results[over.match] = over
        self.table.add(result_of(over))
        for seat, bot in enumerate(over.seats):
            entrant = self.field[bot]
            if seat in over.at_fault and not (entrant.benched or entrant.withdrawn):
                entrant.last_fault = over
            # A bot that was merely not there is not failing, and has proved nothing either.
            if over.termination is not Termination.NO_SHOW:
                entrant.faulty_in_a_row = entrant.faulty_in_a_row + 1 if seat in over.at_fault else 0

    def _apply_voided(self, fact: ResultVoided) -> None:
        over = self.results.pop(fact.match)
        if over.scores is not None:
            self.table.take_back(result_of(over))
        self.voided.append(over)
        agenda = self._agenda()
        for bot in over.seats:
            self._has_more_from(bot, fact.at_ms)
        slot = agenda.reopen(over.match, over.seats)
        slot.attempt = over.attempt + 1
        self._unsettle(over.seats)

    def _unsettle(self, bots: Iterable[str]) -> None:
        for bot in bots:
            self._unsettled[bot] = None

    # --- commands: they check and return facts, which the caller records and applies ---

    def join(self, bot: str, now_ms: int, invite: str | None = None) -> BotJoined | None:
        """Have a bot enter the field; None if it is in it already. Raises TournamentError."""
        entrant = self.field.get(bot)
        if entrant is not None:
            if entrant.withdrawn:
                raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{bot} left {self.id} for good")
            return None
        if self.status != "lobby" and not (self.config.late_join and self.status not in OVER):
            raise TournamentError(
                ErrorCode.TOURNAMENT_CLOSED, f"{self.id} is {self.status}; it takes no more bots: join another"
            )
        if not self.admits(invite):
            raise TournamentError(
                ErrorCode.INVITE_REQUIRED,
                f"{self.id} is by invitation: ask its host for the code, and send it as `invite`",
            )
        return BotJoined(self.id, bot, now_ms)

    def admits(self, invite: str | None) -> bool:
        """Whether bots join with this code, or need none."""
        code = self.invite
        return code is None or (invite is not None and compare_digest(invite.encode(), code.encode()))

    def leave(self, bot: str, now_ms: int, *, removed: bool = False) -> BotLeft | None:
        """Have a bot leave for good; None if it is not in, or left before. Raises TournamentError after the end."""
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
            order = tuple(sorted(names, key=self._seeded_after))
        try:
            make_schedule(self.config.format, self.config.plan(len(order)))
        except ValueError as error:
            raise TournamentError(ErrorCode.BAD_SETTINGS, f"{self.id} cannot be started: {error}") from None
        return TournamentStarted(self.id, order, tuple(self.config.make_openings()), now_ms)

    def _seeded_after(self, bot: str) -> float:
        """Sort key of the seeding: the greater rating first, and those without one last."""
        rating = self.config.seed_rating(bot)
        return inf if rating is None else -rating

    def pause(self, reason: str, now_ms: int, *, by: Literal["host", "disk"] = "host") -> list[TournamentFact]:
        """Let running matches finish, start none, and run no absent budget. Raises TournamentError."""
        if self.status != "running":
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{self.id} is {self.status}; it cannot be paused")
        return [*self._absence.used(now_ms), TournamentPaused(self.id, reason, by, now_ms)]

    def resume(self, now_ms: int) -> TournamentResumed:
        """Resume: matches start again. Raises TournamentError."""
        if self.status != "paused":
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{self.id} is {self.status}; it cannot be resumed")
        return TournamentResumed(self.id, now_ms)

    def end(self, now_ms: int, *, cancelled: bool, reason: str) -> TournamentEnded:
        """End it early: cancelled, or finished with the standings as they are. Raises TournamentError."""
        if self.status in OVER:
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{self.id} is {self.status} already")
        if not cancelled and self.status == "lobby":
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{self.id} has not started; cancel it instead")
        return TournamentEnded(self.id, "cancelled" if cancelled else "finished", reason, now_ms)

    def change_invite(self, invite: str | None, now_ms: int) -> InviteChanged:
        """Let bots join with this code, or (None) without any. Raises TournamentError."""
        if self.status in OVER:
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{self.id} is {self.status}; it takes no more bots")
        return InviteChanged(self.id, invite, now_ms)

    def bench(self, bot: str, now_ms: int) -> BotBenched | None:
        """Bench a bot that has failed too often in a row, until it is unbenched; None if it has not."""
        entrant, limit = self.field[bot], self.config.bench_after
        if entrant.benched or entrant.withdrawn or limit == 0 or entrant.faulty_in_a_row < limit:
            return None
        reason = f"{bot} lost {entrant.faulty_in_a_row} matches in a row by its own fault"
        return BotBenched(self.id, bot, True, reason, now_ms)

    def unbench(self, bot: str, now_ms: int) -> BotBenched:
        """Let a benched bot play again. Raises TournamentError."""
        entrant = self.field.get(bot)
        if entrant is None:
            raise TournamentError(ErrorCode.UNKNOWN_BOT, f"{self.id} has no bot {bot!r}")
        if not entrant.benched:
            raise TournamentError(ErrorCode.UNAVAILABLE, f"{bot} is not benched in {self.id}")
        return BotBenched(self.id, bot, False, "the host lets it play again", now_ms)

    def give_half_bye(self, bot: str, number: int, now_ms: int) -> HalfByeGiven | None:
        """Leave a bot out of a round of a Swiss, from 1; None if it is left out already. Raises TournamentError."""
        if self.status in OVER or self.config.format != "swiss":
            why = f"is {self.status}" if self.status in OVER else f"is a {self.config.format}, and no Swiss"
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{self.id} {why}; it has no half-point byes")
        entrant = self.field.get(bot)
        if entrant is None or entrant.withdrawn:
            raise TournamentError(ErrorCode.UNKNOWN_BOT, f"{self.id} has no bot {bot!r}")
        schedule = None if self.agenda is None else self.agenda.schedule
        last = self.config.rounds if schedule is None else schedule.number_of_rounds
        if number < 1 or (last is not None and number > last):
            raise TournamentError(ErrorCode.UNAVAILABLE, f"{self.id} has no round {number}; its last is {last}")
        if schedule is not None and number <= len(schedule.rounds_added) + self.is_pairing:
            raise TournamentError(
                ErrorCode.UNAVAILABLE,
                f"round {number} of {self.id} is paired, or is being paired; it is too late for a bye",
            )
        given = bot in self.half_byes.get(number, ())
        return None if given else HalfByeGiven(self.id, bot, number, now_ms)

    def void(self, match_id: str, now_ms: int) -> ResultVoided:
        """Have a match that has a result played again. Raises TournamentError."""
        if self.status in OVER:
            raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{self.id} is {self.status}; its results stand")
        over = self.results.get(match_id)
        if over is None:
            raise TournamentError(ErrorCode.UNAVAILABLE, f"{self.id} has no result of a match {match_id!r}")
        return ResultVoided(match_id, over.attempt, now_ms)

    # --- what is to be done ---

    def ready_to_start(self, now_ms: int) -> bool:
        """Whether the number of bots that it waits for is in the lobby, or its time has come and two bots are in."""
        if self.status != "lobby" or len(self.field) < 2:
            return False
        wanted, at_ms = self.config.start_at_bots, self.config.start_at_ms
        return (wanted is not None and len(self.field) >= wanted) or (at_ms is not None and now_ms >= at_ms)

    @property
    def plays(self) -> bool:
        """Whether it has matches in sight without a result; if not, it is to be paired on, or is complete."""
        return self.agenda is not None and bool(self.agenda.open)

    @property
    def is_complete(self) -> bool:
        """Whether every match of the schedule has its result."""
        agenda = self.agenda
        return agenda is not None and self.status not in OVER and not agenda.open and agenda.exhausted

    @property
    def why_complete(self) -> str:
        return (self.agenda is not None and self.agenda.stopped) or "all matches were played"

    def pairing_task(self) -> Task | None:
        """Return the task that pairs the next round, if it is slow and due: to run once, off the loop, for `paired`."""
        agenda = self.agenda
        if self.status != "running" or agenda is None or agenda.open or not agenda.schedule.slow:
            return None
        return agenda.prepare()

    def paired(self, paired: Round, now_ms: int) -> RoundPaired | None:
        """Return the fact of a round that a pairing task gave; None if the tournament is over meanwhile."""
        if self.status in OVER:
            return None
        return RoundPaired(self.id, paired.pairings, paired.byes, now_ms, paired.half_byes)

    def unsettle(self, bot: str) -> None:
        """Have `due` look at a bot again that became free or connected."""
        if bot in self.field:
            self._unsettled[bot] = None

    def due(self, free: Set[str], now_ms: int) -> Iterator[MatchStarted | MatchOver | RoundPaired]:
        """Give the matches that start now, those lost now because a bot is gone, and rounds newly paired.

        The caller records, applies and carries out each before it asks for the next. `free` are the bots that are
        connected and can take one more match, as it stands at any time.
        """
        while self.status == "running" and self._unsettled:
            if self._may_pair:
                paired = self._pair(now_ms)
                if paired is not None:
                    yield paired
                    continue
            bot = next(iter(self._unsettled))
            found = self._due_for(bot, free, now_ms) if bot in free or bot in self._gone else None
            if found is None:
                self._unsettled.pop(bot, None)
            else:
                yield found
        self._plan_ahead()

    def _plan_ahead(self) -> None:
        """Pull a round if no match is open, also when no bot is there to have it pulled."""
        agenda = self.agenda
        if agenda is not None and self.status not in OVER and not agenda.open:
            self._pull(agenda)

    def _pull(self, agenda: Agenda) -> Round | None:
        pulled = None if agenda.schedule.follows_results else agenda.pull()
        if pulled is not None:
            self._unsettle(self._bots_in(pulled))
        return pulled

    def _pair(self, now_ms: int) -> RoundPaired | None:
        """Pair what follows from the results so far, also for bots that are not free."""
        self._may_pair = False
        agenda = self._agenda()
        if not agenda.schedule.follows_results or agenda.schedule.slow:
            return None
        task = agenda.prepare()
        return None if task is None else self.paired(task(), now_ms)

    def _due_for(self, bot: str, free: Set[str], now_ms: int) -> MatchStarted | MatchOver | None:
        agenda, gone = self._agenda(), self._gone
        while True:
            slot = agenda.oldest(bot, free, gone)
            if slot is not None:
                if gone.isdisjoint(slot.seats):
                    return self._terms.start(slot, now_ms)
                why = {name: self.field[name].why_gone for name in slot.seats if name in gone}
                return self._terms.no_show(slot, why, now_ms)
            if not agenda.may_pull_for(bot) or self._pull(agenda) is None:
                return None

    def _note_gone(self, entrant: Entrant) -> None:
        if entrant.gone:
            self._gone.add(entrant.bot)
        else:
            self._gone.discard(entrant.bot)

    def terms_of(self, over: MatchOver) -> MatchStarted:
        """Return what a match that was lost before it began would have been played under."""
        slot = Slot(over.match, MatchId.parse(over.match).key, (over.seats[0], over.seats[1]), over.attempt)
        return self._terms.start(slot, over.at_ms)

    # --- absence ---

    def appear(self, bot: str, now_ms: int) -> BotAbsent | None:
        """Stop the absent budget of a bot that is connected. Return a fact if some of it was used."""
        entrant = self.field.get(bot)
        if entrant is None:
            return None
        self._unsettled[bot] = None
        fact = self._absence.appear(entrant, now_ms)
        self._note_gone(entrant)
        return fact

    def disappear(self, bot: str, now_ms: int) -> None:
        """Let the absent budget of a bot that is not connected run from `now_ms`, while it has matches to play."""
        entrant = self.field.get(bot)
        if entrant is not None:
            self._absence.disappear(entrant, now_ms)
            self._note_gone(entrant)

    def nobody_there(self, since_ms: int) -> None:
        """Take every bot as not connected, after a restart; absent budgets run from `since_ms`."""
        self._absence.nobody_there(self.field.values(), since_ms)
        for entrant in self.field.values():
            self._note_gone(entrant)
        self._unsettle(self.field)

    def expire_absent(self, now_ms: int) -> list[BotAbsent]:
        """Return the absent budgets that are used up: matches of these bots are lost until they come back."""
        expired = self._absence.expired(now_ms)
        self._unsettle(fact.bot for fact in expired)
        return expired

    @property
    def wake_at_ms(self) -> int | None:
        """When the next absent budget is used up, or when it starts by itself."""
        if self.status == "lobby":
            return self.config.start_at_ms if len(self.field) >= 2 else None
        return self._absence.wake_at_ms

    def has_matches(self, bot: str) -> bool:
        """Whether it is running, and has matches to start for the bot."""
        return self.status == "running" and self.agenda is not None and self.agenda.has_more(bot)

    @property
    def challengers(self) -> list[str]:
        """The bots that meet all others, in a gauntlet that has started."""
        if self.agenda is None or self.config.format != "gauntlet":
            return []
        return self.agenda.bots[: self.config.challengers]

    @property
    def matches_total(self) -> int | None:
        """How many matches it has when all is played; None before the field is known."""
        return None if self.agenda is None else self.agenda.matches_total


def _table(config: TournamentConfig) -> Table:
    """Return the table of a new tournament; that of a Swiss knows the rounds, where its tie-break rules need them."""
    follows_rounds = config.format == "swiss" and config.edition != FIRST
    rounds = Rounds(Scheme.of(config.scheme), config.legs, rating=config.seed_rating) if follows_rounds else None
    return Table(tiebreaks=config.tiebreak_order, points=config.scheme, edition=config.edition, rounds=rounds)
