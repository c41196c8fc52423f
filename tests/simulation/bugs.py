"""Bugs put into the server on purpose: the simulation is worth something only if it finds every bug."""

from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from typing import Any

import pytest
from rumble_protocol.codes import NoticeCode
from rumble_server.arena.bots.frame_sender import NO_MATCH, FrameSender
from rumble_server.arena.bots.player import Player
from rumble_server.arena.bots.session import Assignment, BotSession
from rumble_server.arena.matches import LiveMatch, Matches
from rumble_server.arena.recorder import Recorder
from rumble_server.arena.tournaments import scheduler
from rumble_server.arena.tournaments.followers import Followers
from rumble_server.arena.tournaments.lifecycle import Lifecycle
from rumble_server.match import frames
from rumble_server.match.announcer import Announcer
from rumble_server.match.facts import MatchFact, MatchStarted, MoveMade, SeatAway, SeatFell, StartTold
from rumble_server.match.match_id import MatchId
from rumble_server.match.plies import Plies
from rumble_server.match.progress import Progress
from rumble_server.match.rebuild import RebuiltMatch
from rumble_server.match.referee import Referee
from rumble_server.match.seat import OpenTurn, SeatConnection, SeatState
from rumble_server.results.standings import WinLossStandings
from rumble_server.tournament.agenda import Agenda
from rumble_server.tournament.slot import Slot
from rumble_server.tournament.tables.queue import TableQueue
from rumble_server.tournament.terms import Terms
from rumble_server.tournament.tournament import Tournament

Bug = Callable[[pytest.MonkeyPatch], None]


def _at_a_restart(patch: pytest.MonkeyPatch, change: Callable[[Progress], None]) -> None:
    go_on = Referee.go_on

    def changed(self: Referee, rebuilt: RebuiltMatch, now_ms: int) -> None:
        go_on(self, rebuilt, now_ms)
        change(self.progress)

    patch.setattr(Referee, "go_on", changed)


def tell_before_it_is_on_disk(patch: pytest.MonkeyPatch) -> None:
    """Tell a result, a claim, a join or a host's command before the fact is on disk."""
    send, post = FrameSender.send, FrameSender.post
    patch.setattr(
        FrameSender,
        "send",
        lambda self, frame, after=0, match_id=NO_MATCH: send(self, frame, 0, match_id),
    )
    patch.setattr(FrameSender, "post", lambda self, item: post(self, item._replace(after=0, waits_for_all=False)))


def tell_a_pause_before_it_is_on_disk(patch: pytest.MonkeyPatch) -> None:
    """Tell the field of a pause or a cancellation before the fact is on disk."""
    notify = Lifecycle.notify

    def changed(self: Lifecycle, tournament: Tournament, code: NoticeCode, message: str) -> None:
        with pytest.MonkeyPatch.context() as inside:
            inside.setattr(Recorder, "newest_number_of", lambda *_: 0)
            notify(self, tournament, code, message)

    patch.setattr(Lifecycle, "notify", changed)


def overtake(patch: pytest.MonkeyPatch) -> None:
    """Send frames that need no disk write before the queued frames of their match."""
    patch.setattr(FrameSender, "blocks", lambda *_: False)


def open_too_many(patch: pytest.MonkeyPatch) -> None:
    """Start a match for a bot before the bot is told the end of the match that made room."""
    patch.setattr(FrameSender, "room_to_free", property(lambda _: 0, lambda *_: None))


def count_a_replay_twice(patch: pytest.MonkeyPatch) -> None:
    """Keep counting the result of a match that is replayed."""
    patch.setattr(WinLossStandings, "remove", lambda *_: None)


def refill_a_bank(patch: pytest.MonkeyPatch) -> None:
    """Refill every bank after a restart."""

    def change(progress: Progress) -> None:
        for seat in progress.seats:
            seat.bank_ms = progress.control.bank_ms

    _at_a_restart(patch, change)


def refill_an_away_budget(patch: pytest.MonkeyPatch) -> None:
    """Refill every away budget after a restart."""

    def change(progress: Progress) -> None:
        for seat in progress.seats:
            seat.away_left_ms = progress.terms.away_ms

    _at_a_restart(patch, change)


def refill_an_away_budget_at_a_reconnect(patch: pytest.MonkeyPatch) -> None:
    """Refill a bot's away budget when the bot reconnects."""
    connect = Referee.connect

    def changed(self: Referee, seat: int, *given: Any, **named: Any) -> None:
        own = self.progress.seats[seat]
        own.away_left_ms = self.progress.terms.away_ms
        own.away_since_ms = own.away_since_ms and given[1]
        connect(self, seat, *given, **named)

    patch.setattr(Referee, "connect", changed)


def refill_an_absent_budget(patch: pytest.MonkeyPatch) -> None:
    """Refill every absent budget after a restart."""
    nobody_there = Tournament.mark_all_absent

    def changed(self: Tournament, since_ms: int) -> None:
        for entrant in self.field.values():
            entrant.absent_left_ms = self.config.absent_ms
        nobody_there(self, since_ms)

    patch.setattr(Tournament, "mark_all_absent", changed)


def forget_the_thinking_of_a_drop(patch: pytest.MonkeyPatch) -> None:
    """Give a bot that drops and reconnects its whole clock again."""
    suspend = Progress._close_unanswered_turn

    def changed(self: Progress, fact: StartTold | SeatAway) -> None:
        suspend(self, fact)
        self.seats[fact.seat].earlier_thinking_ms = 0

    patch.setattr(Progress, "_close_unanswered_turn", changed)


def run_the_clock_of_a_turn_that_waits(patch: pytest.MonkeyPatch) -> None:
    """Charge a bot's clock while its turn waits in the server for the disk."""
    patch.setattr(Progress, "stop_clock", lambda *_: None)


def charge_a_stall(patch: pytest.MonkeyPatch) -> None:
    """Charge a bot's clock for time in which the server did nothing."""
    patch.setattr(OpenTurn, "excused_ms", lambda *_: 0)


def excuse_twice(patch: pytest.MonkeyPatch) -> None:
    """Excuse time twice: at the suspension of a turn and again when the turn is asked anew."""
    apply_turn = Progress.apply_turn

    def changed(self: Progress, own: SeatState, *given: Any) -> None:
        apply_turn(self, own, *given)
        assert own.turn is not None
        own.turn.late_ms_when_asked -= own.excused_sum_ms

    patch.setattr(Progress, "apply_turn", changed)


def void_at_will(patch: pytest.MonkeyPatch) -> None:
    """Restart a match after any number of stalls."""
    patch.setattr(scheduler, "MOST_STALLS", 1000)


def never_void(patch: pytest.MonkeyPatch) -> None:
    """Excuse any amount of time."""
    patch.setattr(Referee, "_void_if_stalled", lambda *_: False)


def stop_every_clock_of_who_is_away(patch: pytest.MonkeyPatch) -> None:
    """Stop the clock of a bot that is away, in every tournament."""
    init = Progress.__init__

    def changed(self: Progress, *given: Any, **named: Any) -> None:
        init(self, *given, **named)
        self.away_clock_runs = False

    patch.setattr(Progress, "__init__", changed)


def allow_any_lag(patch: pytest.MonkeyPatch) -> None:
    """Believe the pongs of a bot behind a proxy, at every move."""
    link = SeatState.use_connection

    def changed(self: SeatState, connection: SeatConnection) -> None:
        link(self, connection)
        self.lag_by_pings = False

    patch.setattr(SeatState, "use_connection", changed)


def take_any_turn_id(patch: pytest.MonkeyPatch) -> None:
    """Take a move that was sent for another turn id."""
    move = Referee.move

    def changed(self: Referee, seat: int, turn_id: str, *given: Any) -> bool:
        turn = self.progress.seats[seat].turn
        if turn is not None:
            turn_id = turn.turn_id
        return move(self, seat, turn_id, *given)

    patch.setattr(Referee, "move", changed)


def drop_in_silence(patch: pytest.MonkeyPatch) -> None:
    """Leave a move for no open turn without an answer."""
    patch.setattr(Referee, "_reject_unexpected_move", lambda *_: None)


def forget_the_open_matches(patch: pytest.MonkeyPatch) -> None:
    """Hide its open matches from a bot that reconnects."""
    patch.setattr(Matches, "sync_connections", lambda *_: None)


def blame_for_a_server_that_was_down(patch: pytest.MonkeyPatch) -> None:
    """Start away budgets at once after a restart."""
    init = Progress.__init__
    parameters = signature(init)

    def changed(*given: Any, **named: Any) -> None:
        bound = parameters.bind(*given, **named)
        bound.arguments["grace_until_ms"] = 0
        init(*bound.args, **bound.kwargs)

    patch.setattr(Progress, "__init__", changed)


def give_the_first_move_to_the_same(patch: pytest.MonkeyPatch) -> None:
    """Keep the seats from leg to leg instead of swapping them."""
    put = Agenda.open_slot

    def changed(self: Agenda, slot: Slot) -> None:
        if MatchId.parse(slot.match_id).leg % 2 == 0 and len(slot.seats) == 2:
            slot.seats = (slot.seats[1], slot.seats[0])
        put(self, slot)

    patch.setattr(Agenda, "open_slot", changed)


def start_during_a_pause(patch: pytest.MonkeyPatch) -> None:
    """Log a host's pause, yet go on starting matches."""
    due = Tournament.due

    def changed(self: Tournament, *given: Any) -> Any:
        status, self.status = self.status, "running" if self.status == "paused" else self.status
        try:
            yield from due(self, *given)
        finally:
            self.status = status if self.status == "running" else self.status

    patch.setattr(Tournament, "due", changed)


def leave_the_matches_of_a_worker_that_dropped(patch: pytest.MonkeyPatch) -> None:
    """Keep a match for the worker that dropped, although another worker has room."""
    take_up = Player.assign_waiting_matches
    patch.setattr(
        Player,
        "assign_waiting_matches",
        lambda self, new_session=None: [] if new_session is None else take_up(self, new_session),
    )


def leave_a_place_that_became_free(patch: pytest.MonkeyPatch) -> None:
    """Take up no waiting match when a worker has room again."""
    patch.setattr(Matches, "assign_waiting_matches", lambda *_: None)


def take_up_more_than_there_is_room_for(patch: pytest.MonkeyPatch) -> None:
    """Take up every waiting match of the bot, with or without room."""
    take_up, session_for = Player.assign_waiting_matches, Player.session_for

    def changed(self: Player, new_session: BotSession | None = None) -> list[Assignment]:
        with pytest.MonkeyPatch.context() as inside:
            inside.setattr(Player, "session_for", lambda self, game: session_for(self, game) or self.newest)
            return take_up(self, new_session)

    patch.setattr(Player, "assign_waiting_matches", changed)


def ask_every_worker(patch: pytest.MonkeyPatch) -> None:
    """Send a turn to all sessions of its bot."""
    ask = LiveMatch.ask

    def changed(self: LiveMatch, seat: int, frame: bytes, turn_id: str) -> None:
        ask(self, seat, frame, turn_id)
        for session in self.players[seat].sessions.values():
            if session is not self.assignments[seat].session:
                session.sender.send_now(frame)

    patch.setattr(LiveMatch, "ask", changed)


def tell_an_answer_before_all_are_in(patch: pytest.MonkeyPatch) -> None:
    """Send the other seats a notice at each answer."""
    take = Referee._record_answer

    def changed(self: Referee, plies: Plies, made: MoveMade, *given: Any) -> None:
        take(self, plies, made, *given)
        self._announcer.notify_others(made.seat, NoticeCode.OPPONENT_AWAY, made.move, made.at_ms)

    patch.setattr(Referee, "_record_answer", changed)


def tell_an_answer_in_a_turn(patch: pytest.MonkeyPatch) -> None:
    """Put each answer into the news at once, and so into the turn of a bot that comes back."""
    answer = Plies.apply_answer

    def changed(self: Plies, made: MoveMade, code: int) -> bool:
        self._parts_seen[0].append((made.seat, made.move))
        return answer(self, made, code)

    patch.setattr(Plies, "apply_answer", changed)


def tell_an_answer_by_the_clock(patch: pytest.MonkeyPatch) -> None:
    """Tell a bot that comes back the others' present clocks, which change at an answer."""
    ask = Announcer.ask_movers

    def changed(self: Announcer, plies: Plies, now_ms: int) -> None:
        self._progress.clocks_when_asked = None
        ask(self, plies, now_ms)

    patch.setattr(Announcer, "ask_movers", changed)


def let_a_seat_fall_twice(patch: pytest.MonkeyPatch) -> None:
    """Let a seat that fell out fall out once more, when its bot resigns, leaves or stays away."""
    apply = Progress.apply

    def changed(self: Progress, fact: MatchFact) -> None:
        again = isinstance(fact, SeatFell) and self.plies is not None and fact.seat in self.plies.falls
        apply(self, fact)
        if isinstance(fact, SeatFell):
            self.seats[fact.seat].is_out = again

    patch.setattr(Progress, "apply", changed)


def draw_anew_after_a_restart(patch: pytest.MonkeyPatch) -> None:
    """Draw with other random numbers after a restart."""

    def change(progress: Progress) -> None:
        if progress.plies is not None:
            progress.plies.draw_count += 1

    _at_a_restart(patch, change)


def tell_a_seed_in_the_start(patch: pytest.MonkeyPatch) -> None:
    """Tell the seed in `match_start` instead of its commitment."""
    patch.setattr(frames, "commitment_of", lambda seed, *_: seed)


def tell_a_seed_in_a_turn(patch: pytest.MonkeyPatch) -> None:
    """Tell the seed in each turn."""
    ask = LiveMatch.ask

    def changed(self: LiveMatch, seat: int, frame: bytes, turn_id: str) -> None:
        ask(self, seat, frame[:-1] + f',"seed":"{self.progress.terms.chance_seed}"}}'.encode(), turn_id)

    patch.setattr(LiveMatch, "ask", changed)


def tell_a_start_before_it_is_on_disk(patch: pytest.MonkeyPatch) -> None:
    """Tell the commitment to a seed that a crash can still lose."""
    patch.setattr(LiveMatch, "send_start", LiveMatch.send)


def use_a_seed_again(patch: pytest.MonkeyPatch) -> None:
    """Play a void match again with the seed that the void attempt has told."""
    start, seeds = Terms.start, dict[str, str]()

    def changed(self: Terms, slot: Slot, at_ms: int, absent: tuple[str, ...] = ()) -> MatchStarted:
        started = start(self, slot, at_ms, absent)
        if slot.attempt == 1:
            seeds[slot.match_id] = started.chance_seed
        return replace(started, chance_seed=seeds.get(slot.match_id, started.chance_seed))

    patch.setattr(Terms, "start", changed)


def let_a_table_starve(patch: pytest.MonkeyPatch) -> None:
    """Start a newer table with a place that an older table of the bot needs."""
    patch.setattr(TableQueue, "_with_room", lambda self, bot, room_of: self.waiting(bot) if room_of(bot) else [])


def take_a_crash_for_a_resignation(patch: pytest.MonkeyPatch) -> None:
    """Blame nobody for a crash."""
    resign = Referee.resign
    patch.setattr(Referee, "resign", lambda self, seat, now_ms, frame, _=None: resign(self, seat, now_ms, frame))


def lose_the_result_of_a_lost_connection(patch: pytest.MonkeyPatch) -> None:
    """Drop a result that waits for the disk when its connection ends."""
    patch.setattr(FrameSender, "unsent_match_overs", ())


def tell_a_follower_at_once(patch: pytest.MonkeyPatch) -> None:
    """Tell a pupil who follows the end of the tournament before there is a next one."""
    patch.setattr(Followers, "hold", lambda *_: False)


BUGS: tuple[tuple[Bug, str, int], ...] = (
    (tell_before_it_is_on_disk, r"was told match_over .* facts were on disk", 0),
    (tell_a_pause_before_it_is_on_disk, r"was told notice (paused|cancelled) .* facts were on disk", 6),
    (overtake, r"was told .* after fact", 93),
    (open_too_many, r"open at once; it may have", 8),
    (count_a_replay_twice, r"points; its results in the log make", 20),
    (refill_a_bank, r"ms by seat; it should be", 9),
    (refill_an_away_budget, r"ms to be away, not|went away with", 9),
    (refill_an_away_budget_at_a_reconnect, r"ms to be away, not", 3),
    (refill_an_absent_budget, r"may be absent", 18),
    (forget_the_thinking_of_a_drop, r"ms by seat; it should be", 3),
    (run_the_clock_of_a_turn_that_waits, r"lost on time before the clock had run out", 66),
    (charge_a_stall, r"excuses 0 ms; it should be", 54),
    (excuse_twice, r"excuses \d+ ms; it should be", 57),
    (void_at_will, r"attempts that stalled", 68),
    (never_void, r"ms were excused, and it was", 68),
    (stop_every_clock_of_who_is_away, r"ms by seat; it should be|excuses", 3),
    (allow_any_lag, r"that only pings measured", 34),
    (take_any_turn_id, r"is not what its bot sent", 35),
    (drop_in_silence, r"and nothing came of it", 1),
    (forget_the_open_matches, r"was not told its start", 3),
    (blame_for_a_server_that_was_down, r"before its budget was used up|ms to be away, not", 5),
    (give_the_first_move_to_the_same, r"had the first move", 2),
    (leave_the_matches_of_a_worker_that_dropped, r"although connection \d+ has room", 8),
    (leave_a_place_that_became_free, r"although connection \d+ has room", 144),
    (take_up_more_than_there_is_room_for, r"open at once; it may have", 39),
    (ask_every_worker, r"was told on the connections|plays it on another", 8),
    (start_during_a_pause, r"was started during a pause", 6),
    (tell_an_answer_before_all_are_in, r"was told opponent_away about seat \d after move_made", 1),
    (tell_an_answer_in_a_turn, r"since the seat's last answer was", 5),
    (tell_an_answer_by_the_clock, r"ms by seat; it should be", 5),
    (let_a_seat_fall_twice, r"seat_fell in ply \d+ by seat", 22),
    (draw_anew_after_a_restart, r"is not the draw of the seed", 18),
    (tell_a_seed_in_the_start, r"was told the seed of .* in match_start", 1),
    (tell_a_seed_in_a_turn, r"was told the seed of .* in turn", 1),
    (tell_a_start_before_it_is_on_disk, r"was told the commitment \w+, not", 310),
    (let_a_table_starve, r"was started, though .* was reserved for", 303),
    (use_a_seed_again, r"seed of chance \w+ occurs", 20),
    (take_a_crash_for_a_resignation, r"resign.* and nothing came of it", 20),
    (lose_the_result_of_a_lost_connection, r"was never told the result", 81),
    (tell_a_follower_at_once, r"before the next tournament", 0),
)
"""Each bug, a pattern of the checker's complaint, and a seed that shows the bug."""
