"""The state machine that leads a tournament: synchronous, without I/O or a clock of its own. The arena drives it.

The state that is rebuilt from the log changes only in `apply`, by one fact at a time. So live play and rebuilding run
the same code. `commands.py` checks requests of people and bots; `due.py` finds the matches to start, and the matches
lost by absence.
"""

from collections.abc import Callable, Iterable, Iterator, Set
from hmac import compare_digest
from math import inf
from typing import assert_never

from rumble_engine import State, Termination
from rumble_protocol.server_messages import OVER, TournamentStatus

from rumble_server.match.clock import FastControl
from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.match.match_id import MatchId
from rumble_server.tournament import facts
from rumble_server.tournament.absence import Absence
from rumble_server.tournament.agenda import Agenda
from rumble_server.tournament.due import Due, DueMatches
from rumble_server.tournament.entrant import Entrant
from rumble_server.tournament.formats import FORMATS, AnyRound, PairingTask
from rumble_server.tournament.slot import Slot
from rumble_server.tournament.terms import Terms

MOST_LATEST = 12
"""Maximum number of latest results in a view, and of final states kept for their boards."""


class Tournament:
    """A tournament. Bots are keyed by the name's spelling at its first use in the tournament.

    Some parts of the state belong to the running process, and not to the facts:

    - `Entrant.absent_since_ms`: which bots are connected;
    - `DueMatches.to_check`: which bots `due` must look at again;
    - `DueMatches.may_pair`: whether the schedule must be asked for a round;
    - `is_pairing` and `is_pairing_slow`: whether a round is being paired, and for long;
    - `Schedule.rounds_added`: which rounds were already made, if the schedule does not depend on results;
    - `final_states`.
    """

    def __init__(self, created: facts.TournamentCreated) -> None:
        self.id = created.tournament
        self.config = created.config
        self.control = FastControl(created.config.time_control)
        """Time control of the matches."""
        self.created_at_ms = created.at_ms
        self.challenger = created.challenger
        """Bot that asked for the tournament, if it is a challenge."""
        self.invite = created.config.invite
        """Code with which bots join; None if no code is needed."""
        self.made_invite = created.made_invite
        """Secret made by the server if the host chose the code, else None. Bots join with the secret or the code."""
        self.join_code: str | None = None
        """Code with which pupils join in a browser; None without a code, or while the host keeps the door closed."""
        self.follows = created.follows
        """Id of the ended tournament whose pupils were moved to this tournament, else None."""
        self.status: TournamentStatus = "lobby"
        self.reason = ""
        """Reason of the pause or the early end."""
        self.is_paused_by_disk = False
        """True if the tournament resumes by itself when the log can be written again."""
        self.field: dict[str, Entrant] = {}
        self.standings = self.config.make_standings()
        self.agenda: Agenda | None = None
        self.openings: tuple[tuple[str, ...], ...] = ()
        self._terms = Terms(self.config, ())
        self.voided_later: dict[str, None] = {}
        """Matches of a Swiss whose results were voided after they had been used to pair a later round; a dict for its
        order."""
        self.roster: tuple[str, ...] = ()
        """Names of the pupils whom the host expects."""
        self.half_byes: dict[int, dict[str, None]] = {}
        """Bots with a half-point bye, keyed by the round of a Swiss, from 1. The bots of a round are in the order in
        which they got the bye."""
        self.running: dict[str, MatchStarted] = {}
        self.results: dict[str, MatchOver] = {}
        """Results that count, by match id, in order of finishing."""
        self.final_states: dict[str, State] = {}
        """Final states of the newest matches with a result that ended in this process, by match id."""
        self.voided: list[MatchOver] = []
        self.voided_results: list[tuple[int, MatchOver]] = []
        """Results that counted and were voided, each with the index that the result had in `results`."""
        self.started_at_ms: int | None = None
        self.going_since_ms: int | None = None
        """Time in ms at which the tournament started or was last resumed."""
        self.ended_at_ms: int | None = None
        self._due: DueMatches | None = None
        """The search for due matches; None before the start."""
        self.absence = Absence(self.id, self.has_matches)
        self.is_pairing = False
        """True while a task of `pairing_task` runs."""
        self.is_pairing_slow = False
        """True if the pairing in progress has taken so long that spectators are shown a remark about it."""

    # --- facts: live or from the log ---

    def apply(self, fact: facts.TournamentFact) -> None:
        match fact:
            case MatchOver():
                self._apply_over(fact)
            case MatchStarted():
                self._apply_match_started(fact)
            case facts.BotJoined():
                self._apply_joined(fact)
            case facts.BotLeft():
                self._apply_left(fact)
            case facts.BotAbsent():
                self._apply_absent(fact)
            case facts.BotBenched():
                self._apply_benched(fact)
            case facts.TournamentStarted():
                self._apply_tournament_started(fact)
            case facts.TournamentPaused():
                self.status, self.reason = "paused", fact.reason
                self.is_paused_by_disk = fact.by == "disk"
            case facts.TournamentResumed():
                self._apply_resumed(fact)
            case facts.TournamentEnded():
                self._apply_ended(fact)
            case facts.RoundPaired() | facts.TablesSeated():
                self._apply_round(fact.as_round, fact.at_ms)
            case facts.HalfByeGiven():
                self.half_byes.setdefault(fact.round, {})[fact.bot] = None
            case facts.HalfByeTaken():
                self.half_byes.setdefault(fact.round, {}).pop(fact.bot, None)
            case facts.ResultVoided():
                self._apply_voided(fact)
            case facts.InviteChanged():
                self.invite, self.made_invite = fact.invite, fact.made_invite
                self.config = self.config.model_copy(update={"invite": fact.invite})
            case facts.JoinCodeChanged():
                self.join_code = fact.code
            case facts.ConfigChanged():
                self._apply_config(fact)
            case facts.RosterChanged():
                self.roster = fact.names
            case facts.TournamentCreated():
                pass  # the tournament was made from this fact
            case _:
                assert_never(fact)

    def _apply_config(self, fact: facts.ConfigChanged) -> None:
        self.config = config = fact.config
        if self.status != "lobby":
            return
        self.control, self._terms = FastControl(config.time_control), Terms(config, ())
        display_names, self.standings = self.standings.display_names, config.make_standings()
        self.standings.display_names = display_names
        self._drop_half_byes_after((config.rounds or inf) if config.is_swiss_of_pairs else 0)
        for bot, entrant in self.field.items():
            self.standings.add_bot(bot)
            entrant.absent_left_ms = config.absent_ms

    def _apply_match_started(self, fact: MatchStarted) -> None:
        self.running[fact.match] = fact
        for bot in fact.seats:
            self.field[bot].playing += 1
        agenda = self._started_agenda()
        agenda.dequeue(agenda.find(fact.match))

    def _apply_joined(self, fact: facts.BotJoined) -> None:
        self.field[fact.bot] = Entrant(
            fact.bot, self.config.absent_ms, reference_bot=fact.house, by_code=fact.by_code, display=fact.display_name
        )
        if fact.display_name is not None:
            self.standings.display_names[fact.bot] = fact.display_name
        self.standings.add_bot(fact.bot)
        if self.agenda is not None:
            for bot in self.agenda.bots:
                self._count_absence_from(bot, fact.at_ms)
            self.agenda.add_late_bot(fact.bot)
            self._mark_for_check(self.field)

    def _apply_left(self, fact: facts.BotLeft) -> None:
        if self.status == "lobby":
            del self.field[fact.bot]
            for resting in self.half_byes.values():
                resting.pop(fact.bot, None)
            self.absence.forget(fact.bot)
            self.standings.remove_bot(fact.bot)
        else:
            self.field[fact.bot].withdrawn = True
            self._update_gone(self.field[fact.bot])
            self._started_agenda().withdraw(fact.bot)
            self.standings.version += 1  # a tie in a bracket may be decided now
            self._mark_for_check((fact.bot,))

    def _apply_absent(self, fact: facts.BotAbsent) -> None:
        entrant = self.field[fact.bot]
        entrant.absent_left_ms = fact.absent_left_ms
        entrant.count_absence_from(fact.at_ms)  # if the bot is still absent, its budget runs on from this time
        self._update_gone(entrant)
        self._mark_for_check((fact.bot,))

    def _apply_benched(self, fact: facts.BotBenched) -> None:
        entrant = self.field[fact.bot]
        entrant.benched, entrant.benched_version = fact.benched, fact.version
        entrant.faulty_in_a_row = 0
        entrant.count_absence_from(fact.at_ms)  # nobody waited for the benched bot
        self._update_gone(entrant)
        self._mark_for_check((fact.bot,))

    def _apply_tournament_started(self, fact: facts.TournamentStarted) -> None:
        self.status = "running"
        self.started_at_ms = self.going_since_ms = fact.at_ms
        self.openings = fact.openings
        self._terms = Terms(self.config, fact.openings)
        schedule = self.config.make_schedule(len(fact.bots))
        self.agenda = Agenda(self.id, fact.bots, schedule, self.half_byes)
        self._drop_half_byes_after(schedule.number_of_rounds)
        if schedule.has_bracket:
            self.standings.places = self.agenda.places
        self.absence.count_from(fact.at_ms)
        self._due = DueMatches(self.id, self.agenda, self._terms, self.config.least_seats, self.field)

    def _apply_resumed(self, fact: facts.TournamentResumed) -> None:
        self.status, self.reason, self.is_paused_by_disk = "running", "", False
        self.going_since_ms = fact.at_ms
        self.absence.count_from(fact.at_ms)
        self._mark_for_check(self.field)

    def _apply_ended(self, fact: facts.TournamentEnded) -> None:
        self.status, self.reason, self.is_paused_by_disk = fact.status, fact.reason, False
        self.ended_at_ms = fact.at_ms
        self.absence.end()

    def _drop_half_byes_after(self, last_round: float) -> None:
        for number in [each for each in self.half_byes if each > last_round]:
            del self.half_byes[number]

    def _apply_round(self, new_round: AnyRound, at_ms: int) -> None:
        agenda = self._started_agenda()
        bots = agenda.names(new_round.bots)
        if bots or new_round.half_byes:  # a round with neither means: no further round is possible
            pairs = [(agenda.bots[first], agenda.bots[second]) for first, second in new_round.pairs]
            byes, half_byes = agenda.names(new_round.byes), agenda.names(new_round.half_byes)
            self.standings.pair(pairs, self.config.legs, byes, half_byes)
        for bot in bots:
            self._count_absence_from(bot, at_ms)
        if agenda.schedule.has_logged_rounds:  # the round was perhaps being paired while results were voided
            self.voided_later.update((over.match, None) for _, over in self.voided_results if over.match in agenda.open)
        agenda.add(new_round)
        self._mark_for_check(bots)

    def _count_absence_from(self, bot: str, at_ms: int) -> None:
        """If a bot has had no matches to play up to now, do not count its absence before `at_ms`.

        Call the method before the bot gets further matches.
        """
        if not self._started_agenda().has_more_for(bot):
            self.field[bot].count_absence_from(at_ms)

    def _started_agenda(self) -> Agenda:
        if self.agenda is None:
            raise ValueError(f"tournament {self.id} has not started")
        return self.agenda

    def _apply_over(self, over: MatchOver) -> None:
        agenda = self._started_agenda()
        was_running = self.running.pop(over.match, None) is not None
        is_void, at_fault = over.scores is None, over.at_fault
        # A match lost by absence neither proves that the bot fails, nor that it works.
        proves = not is_void and over.termination is not Termination.NO_SHOW
        self._mark_for_check(over.absent + over.seats)
        for seat, bot in enumerate(over.seats):
            entrant = self.field[bot]
            if was_running:
                entrant.playing -= 1
                entrant.count_absence_from(over.at_ms)
            is_at_fault = seat in at_fault
            if is_at_fault and not (is_void or entrant.benched or entrant.withdrawn):
                entrant.last_fault = over
            if proves:
                entrant.faulty_in_a_row = entrant.faulty_in_a_row + 1 if is_at_fault else 0
        if is_void:
            self.voided.append(over)
            slot = agenda.find(over.match)
            slot.attempt = over.attempt + 1
            agenda.enqueue(slot)
            return
        agenda.close(over)
        if self._due is not None:
            self._due.may_pair = agenda.schedule.has_logged_rounds
        self.results[over.match] = over
        self.standings.add(self.standings.result_of(over))

    def _apply_voided(self, fact: facts.ResultVoided) -> None:
        index = list(self.results).index(fact.match)
        over = self.results.pop(fact.match)
        self.final_states.pop(fact.match, None)
        self.voided_results.append((index, over))
        self.standings.remove(self.standings.result_of(over))
        self.voided.append(over)
        agenda = self._started_agenda()
        if MatchId.parse(over.match).round < len(agenda.schedule.rounds_added):
            self.voided_later[over.match] = None
        for bot in over.seats + over.absent:
            self._count_absence_from(bot, fact.at_ms)
        slot = agenda.reopen(over)
        slot.attempt = over.attempt + 1
        self._mark_for_check(slot.seats)

    def _mark_for_check(self, bots: Iterable[str]) -> None:
        if self._due is not None:
            self._due.mark_for_check(bots)

    def keep_final_state(self, match_id: str, state: State) -> None:
        """Keep the final state of a match, and forget the oldest state if there are too many."""
        self.final_states[match_id] = state
        if len(self.final_states) > MOST_LATEST:
            del self.final_states[next(iter(self.final_states))]

    # --- what is to be done ---

    def admits(self, invite: str | None) -> bool:
        """Return true if a bot that shows this code may join. If the tournament has no code, any bot may join."""
        codes = [code.encode() for code in (self.invite, self.made_invite) if code is not None]
        return not codes or (invite is not None and any(compare_digest(invite.encode(), code) for code in codes))

    @property
    def is_over(self) -> bool:
        """True if the tournament has finished, or was cancelled."""
        return self.status in OVER

    @property
    def takes_entries(self) -> bool:
        """True if bots may still join."""
        return self.status == "lobby" or (self.config.late_join and not self.is_over)

    def shown_name(self, bot: str) -> str:
        """Return the name under which people see a bot: its display name, or else its name."""
        return self.standings.display_names.get(bot, bot)

    def display_names(self, bots: Iterable[str]) -> dict[str, str]:
        """Return the display names of the given bots, by the bot's name. Bots without a display name are left out."""
        by_bot = self.standings.display_names
        return {bot: by_bot[bot] for bot in bots if bot in by_bot}

    @property
    def shared_invite(self) -> str | None:
        """Code for links and commands; None if no code is needed.

        If the host chose the code, links and commands have `made_invite` in place of the code.
        """
        return self.made_invite or self.invite

    def ready_to_start(self, now_ms: int) -> bool:
        """Return true if the tournament is to start by itself now.

        This is so if the lobby has enough bots for the format, and either has `start_at_bots` bots, or the time
        `start_at_ms` has come. In a classroom only connected bots count toward `start_at_bots`. A pupil is in the
        field from the moment of joining, even without a connection.
        """
        if self.status != "lobby" or len(self.field) < self.config.least_bots:
            return False
        wanted, at_ms = self.config.start_at_bots, self.config.start_at_ms
        away = sum(each.absent_since_ms is not None for each in self.field.values()) if self.config.classroom else 0
        return (wanted is not None and len(self.field) - away >= wanted) or (at_ms is not None and now_ms >= at_ms)

    def results_since(self, voided_result_count: int) -> list[MatchOver]:
        """Return the results that counted after the first `voided_result_count` voidings, then the later results."""
        overs = list(self.results.values())
        for index, over in reversed(self.voided_results[voided_result_count:]):
            overs.insert(index, over)
        return overs

    @property
    def has_open_matches(self) -> bool:
        """True if the agenda has matches without a result. Otherwise the next step is a pairing or the end."""
        return self.agenda is not None and bool(self.agenda.open)

    @property
    def is_complete(self) -> bool:
        """True if every match of the schedule has its result, and the tournament has not been ended yet."""
        agenda = self.agenda
        return agenda is not None and not self.is_over and not agenda.open and agenda.is_finished

    @property
    def why_complete(self) -> str:
        return (self.agenda is not None and self.agenda.stop_reason) or "all matches were played"

    def pairing_task(self) -> PairingTask | None:
        """Return the task that pairs the next round; None if no round is due, or the schedule is not slow.

        Run the task once, off the event loop, and pass its result to `round_fact`.
        """
        agenda = self.agenda
        if self.status != "running" or agenda is None or agenda.open or not agenda.schedule.is_slow:
            return None
        return agenda.prepare()

    def round_fact(self, new_round: AnyRound, now_ms: int) -> facts.RoundFact | None:
        """Return the fact of the round made by a pairing task; None if the tournament has ended meanwhile."""
        return None if self.is_over else facts.fact_of_round(self.id, new_round, now_ms)

    def mark_for_check(self, bot: str) -> None:
        """Have `due` look again at a bot that became free or connected."""
        if bot in self.field:
            self._mark_for_check((bot,))

    @property
    def bots_to_check(self) -> tuple[str, ...]:
        """Bots that `due` must look at again."""
        return () if self._due is None else tuple(self._due.to_check)

    def next_matches(self, bot: str) -> list[Slot]:
        """Return the bot's waiting matches that may start next; an empty list unless the tournament runs."""
        return self._started_agenda().queue.next_slots(bot) if self.has_waiting(bot) else []

    def has_waiting(self, bot: str) -> bool:
        return self.status == "running" and self.agenda is not None and self.agenda.queue.has_waiting(bot)

    def start_of(self, slot: Slot, now_ms: int) -> MatchStarted:
        """Return the fact that a waiting match begins."""
        return self._terms.start(slot, now_ms)

    def due(self, free: Set[str], now_ms: int, room_of: Callable[[str], int] | None = None) -> Iterator[Due]:
        """Yield the matches that start now, the matches lost now because a bot is gone, and newly paired rounds.

        The caller records, applies and carries out each fact before it asks for the next. `free` has the bots that are
        connected and can take a further match. `room_of` returns the number of matches that a bot can take; by default,
        a free bot can take one match. The caller keeps `free` and `room_of` up to date.

        After many pulled matches, yield nothing more: `has_more_due` is then true.
        """
        room_of, search = room_of or free.__contains__, self._due
        if search is None:
            return
        search.begin()
        while self.status == "running" and (fact := search.next(free, now_ms, room_of)) is not None:
            yield fact
        if not self.has_open_matches and not self.is_over:
            search.add_next_round()  # even when no bot is there that would cause a pull

    @property
    def has_more_due(self) -> bool:
        """True if the last call of `due` ended early, so that a further call may yield more."""
        return self._due is not None and self._due.has_pulled_most

    def _update_gone(self, entrant: Entrant) -> None:
        if self._due is not None:
            self._due.update_gone(entrant)

    def terms_of(self, over: MatchOver) -> MatchStarted:
        """Return the `MatchStarted` of a match that was lost before it began, as if the match had begun."""
        slot = Slot(over.match, MatchId.parse(over.match).key, over.seats, over.attempt)
        return self._terms.start(slot, over.at_ms)

    # --- absence ---

    def on_connected(self, bot: str, now_ms: int) -> facts.BotAbsent | None:
        """Stop the absent budget of a bot that is connected. Return a fact if a part of the budget was used."""
        entrant = self.field.get(bot)
        if entrant is None:
            return None
        self._mark_for_check((bot,))
        fact = self.absence.on_connected(entrant, now_ms)
        self._update_gone(entrant)
        return fact

    def on_disconnected(self, bot: str, now_ms: int) -> None:
        """Let the absent budget of a disconnected bot run from `now_ms`, while the bot has matches to play."""
        entrant = self.field.get(bot)
        if entrant is not None:
            self.absence.on_disconnected(entrant, now_ms)
            self._update_gone(entrant)

    def mark_all_absent(self, since_ms: int) -> None:
        """Mark every bot as disconnected, after a restart; absent budgets run from `since_ms`."""
        self.absence.mark_all_absent(self.field.values(), since_ms)
        for entrant in self.field.values():
            self._update_gone(entrant)
        self._mark_for_check(self.field)

    @property
    def wake_at_ms(self) -> int | None:
        """Time in ms of the next timed event: a used-up absent budget, or the automatic start. None without such an
        event.
        """
        if self.status == "lobby":
            return self.config.start_at_ms if len(self.field) >= self.config.least_bots else None
        return self.absence.wake_at_ms

    def has_matches(self, bot: str) -> bool:
        """Return true if the tournament is running and has matches to start for the bot."""
        return self.status == "running" and self.agenda is not None and self.agenda.has_more_for(bot)

    @property
    def challengers(self) -> list[str]:
        """Challengers of a started gauntlet; empty for any other tournament."""
        if self.agenda is None or "challengers" not in FORMATS[self.config.format].options:
            return []
        return self.agenda.bots[: self.config.challengers]

    @property
    def matches_total(self) -> int | None:
        """Number of matches of the whole tournament; None before the start."""
        return None if self.agenda is None else self.agenda.matches_total
