"""The consequences of events: matches begin or are lost; tournaments start, pair their rounds, and end.

A transaction settles the tournaments changed by its facts. The scheduler starts only a few matches in an iteration of
the event loop, so that frames are not kept waiting. A tournament that cannot be settled, because the code of its game
or of its schedule fails, is paused, and stops no other tournament.
"""

import logging
from collections.abc import Callable
from functools import partial
from itertools import chain

from rumble_protocol.codes import NoticeCode

from rumble_server.arena.bots.frame_sender import Outgoing
from rumble_server.arena.bots.player import Player
from rumble_server.arena.matches import Matches
from rumble_server.arena.ports import RunPairing, TimerHandle
from rumble_server.arena.recorder import Recorder
from rumble_server.arena.tournaments.appointments import Appointment, Appointments
from rumble_server.arena.tournaments.lifecycle import Lifecycle
from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.match.frames import frame_of_match_over
from rumble_server.match.match_id import tournament_id_of
from rumble_server.tournament import commands
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.formats import AnyRound
from rumble_server.tournament.tournament import Tournament

log = logging.getLogger(__name__)

MOST_ATTEMPTS = 5
"""After this many void attempts at a match, its tournament is paused, so that the host can look into it. A challenge is
cancelled instead of paused. Attempts that the host ended do not count."""
MOST_STALLS = 2
"""After this many stalled attempts at a match, its tournament is paused, else a bot could void matches at will. An
attempt is stalled if too much excused time made the attempt void."""
PAIRING_NOTICE_MS = 1_000
"""Time in ms after which the bots and watchers are told that the pairing of a round takes long."""
STARTS_AT_ONCE = 32
"""Maximum number of matches started or lost in an iteration of the event loop; the rest follow in the next
iteration."""


class Scheduler:
    """The scheduler of a club: it starts matches, and settles changed tournaments."""

    def __init__(self, recorder: Recorder, matches: Matches, lifecycle: Lifecycle, run_pairing: RunPairing) -> None:
        self.is_draining = False
        """True while draining: no match starts any more."""
        self.trouble: str | None = None
        """Reason why the log cannot be written at present; None otherwise. No match starts while there is a reason."""
        self.budget = STARTS_AT_ONCE
        """Number of further matches that may start or be lost in this iteration of the event loop. When the budget is
        spent, the unsettled tournaments wait for `_refill`."""
        self._recorder = recorder
        self._matches = matches
        self._lifecycle = lifecycle
        self._run_pairing = run_pairing
        self._appointments = Appointments(recorder.players, recorder.clock, self._end_appointment)
        self._unsettled = recorder.unsettled
        self._is_refill_due = False
        """True if the next iteration of the event loop calls `_refill`."""
        self._waiting_for_quota: dict[str, None] = {}
        """Ids of tournaments whose matches wait for the club's quota. The tournament that has waited longest comes
        first. A tournament that starts a match goes to the end."""
        self._timers: dict[str, tuple[int, TimerHandle]] = {}
        """For each tournament id, the time in ms at which the tournament's next absent budget is used up, or at which
        the tournament starts by itself, and the timer for this time."""

    def stop(self) -> None:
        """Stop the timers, because nothing is settled from now on."""
        for _, timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    # --- events ---

    def recheck(self, player: Player) -> None:
        """Look at a player's tournaments again, because the player has connected or become free.

        The tournament in which the player has waited longest comes first. So no tournament is always passed over.
        """
        player.free_since_ms = self._recorder.clock.now_ms()
        for tournament in player.tournaments.values():
            tournament.mark_for_check(player.name)
            if self.budget > 0:  # else the tournaments that are left keep their place
                self._unsettled.pop(tournament.id, None)
            self._unsettled[tournament.id] = None

    def on_over(self, tournament: Tournament, over: MatchOver, players: tuple[Player, ...]) -> None:
        """Handle the end of a match: bench failing players, count void attempts, look at the players' tournaments."""
        if self._waiting_for_quota:  # waiting tournaments first; the tournament of this match was just played in
            waiting = {**self._waiting_for_quota, **self._unsettled}
            self._unsettled.clear()
            self._unsettled.update(waiting)
        for seat in over.at_fault:
            self._bench_if_failing(tournament, players[seat])
        if over.scores is None and tournament.status == "running":
            self._pause_after_voids(tournament, over)
        for player in players:
            player.free_since_ms = over.at_ms
            others = player.tournaments
            if tournament.id in others:
                if len(others) == 1:
                    continue  # the end's own fact makes the tournament unsettled
                others[tournament.id] = others.pop(tournament.id)
            self.recheck(player)

    def _pause_after_voids(self, tournament: Tournament, over: MatchOver) -> None:
        """If a match was void too often, pause its tournament; if the tournament is a challenge, cancel it instead."""
        voided = [each for each in tournament.voided if each.match == over.match and each.scores is None]
        voided = [each for each in voided if each.reason != commands.PLAYED_AGAIN]
        if len(voided) < MOST_ATTEMPTS and sum(each.stalled for each in voided) < MOST_STALLS:
            return
        self._pause(tournament, f"match {over.match} was void {len(voided)} times: {over.reason}")

    def _pause(self, tournament: Tournament, why: str) -> None:
        """Pause a running tournament, so that the host can look into it. Cancel a challenge, or a lobby.

        Do nothing if the tournament is paused or over.
        """
        if tournament.status == "paused" or tournament.is_over:
            return
        if tournament.challenger is not None or tournament.status == "lobby":
            self._lifecycle.end(tournament, cancelled=True, reason=why)
        else:
            self._lifecycle.pause(tournament, why)

    def settle_all(self) -> None:
        """Settle every tournament in memory."""
        with self._recorder.transaction:
            self._unsettled.update(dict.fromkeys(self._recorder.tournaments))

    def excuse_absence(self, for_ms: int) -> None:
        """Do not charge absent budgets for the last `for_ms` milliseconds, because the club was suspended then.

        Absent budgets run again from the time that `Lifecycle.absent_from_ms` returns. All timers are set anew, because
        server time may have jumped.
        """
        now_ms = self._recorder.clock.now_ms()
        self.stop()
        with self._recorder.transaction:
            for tournament in self._recorder.tournaments.values():
                if tournament.status == "running":
                    for fact in tournament.absence.used_budgets(now_ms - for_ms):
                        self._recorder.record(fact)
                tournament.absence.count_from(self._lifecycle.absent_from_ms())
                self._unsettled[tournament.id] = None

    # --- what follows ---

    def settle(self) -> None:
        """Start the due matches, record the lost matches, and start, pair or end tournaments, until nothing changes.

        After `STARTS_AT_ONCE` matches, the rest is left to a later iteration of the event loop.
        """
        if self._recorder.is_stopped:
            return
        while self._unsettled and self.budget > 0:
            tournament_id = next(iter(self._unsettled))
            tournament = self._recorder.tournaments.get(tournament_id)
            if tournament is None:
                del self._unsettled[tournament_id]
                self._waiting_for_quota.pop(tournament_id, None)
                self._set_timer(tournament_id, None)
                self._end_appointments(tournament_id)
                continue
            try:
                self._settle(tournament)
            except Exception:
                log.exception("%s: could not be settled", tournament_id)
                self._unsettled.pop(tournament_id, None)
                self.budget -= 1
                self._pause_failed(tournament, "the schedule")
        if self.budget < STARTS_AT_ONCE and not self._is_refill_due:
            self._is_refill_due = True
            self._recorder.clock.after_input(self._refill)

    def _settle(self, tournament: Tournament) -> None:
        """Settle one tournament. If the budget is spent meanwhile, the tournament stays unsettled."""
        if tournament.status == "lobby" and tournament.ready_to_start(self._recorder.clock.now_ms()):
            self._start_by_itself(tournament)
        self._pause_while_disk_fails(tournament)
        if tournament.status == "paused" or tournament.is_over:
            self._end_appointments(tournament.id)
        self._start_matches(tournament)
        if self.budget > 0:
            self._unsettled.pop(tournament.id, None)
            if not tournament.has_open_matches:
                self._pair_or_end(tournament)
            self._set_timer(tournament.id, tournament.wake_at_ms)

    def _pause_while_disk_fails(self, tournament: Tournament) -> None:
        """Pause a running tournament while the log cannot be written, and resume the tournament afterwards."""
        if self.trouble is not None and tournament.status == "running":
            message = f"{tournament.id} is paused: the server cannot write to its disk ({self.trouble})"
            self._lifecycle.pause(tournament, message, by="disk")
            self._lifecycle.notify_now(tournament, NoticeCode.DISK, message)
        elif self.trouble is None and tournament.is_paused_by_disk:
            self._recorder.record(commands.resume(tournament, self._recorder.clock.now_ms()))
            message = f"{tournament.id} goes on: the disk works again"
            self._lifecycle.notify_now(tournament, NoticeCode.RESUMED, message)

    def _pause_failed(self, tournament: Tournament, what: str) -> None:
        """Pause or cancel a tournament because the server failed at `what`."""
        try:
            self._pause(tournament, f"the server failed at {what}; the server's log has the error")
        except Exception:
            log.exception("%s: could not be paused", tournament.id)

    def _refill(self) -> None:
        """Begin the budget of a new iteration of the event loop. If the last budget was spent, settle the rest."""
        was_spent = self.budget <= 0
        self._is_refill_due, self.budget = False, STARTS_AT_ONCE
        if was_spent:
            with self._recorder.transaction:
                pass  # its end settles

    def _pair_or_end(self, tournament: Tournament) -> None:
        """Pair the next round of a tournament that has no open matches, or end the tournament if it is complete."""
        if not tournament.is_complete:
            self._pair_next_round(tournament)
        if tournament.is_complete:  # perhaps complete now, without a further round
            self._lifecycle.end(tournament, cancelled=False, reason=tournament.why_complete)

    def _start_matches(self, tournament: Tournament) -> None:
        """Start due matches and record lost matches, as far as the budget and the club's quota allow."""
        if self.is_draining or self.trouble is not None:
            return
        players, game = self._recorder.players, tournament.config.game
        is_challenge = tournament.challenger is not None
        if is_challenge:
            free = {each.name for each in players.of(tournament.field) if each.has_room_for_challenge(game)}
            room_of: Callable[[str], int] = free.__contains__
        else:
            free = players.free(game)
            room_of = partial(players.tournament_room, game)
        room = self._match_room()
        if room <= 0 and tournament.status == "running":
            self._wait_for_quota(tournament)
            return
        if self._waiting_for_quota:
            self._waiting_for_quota.pop(tournament.id, None)
        now_ms = self._recorder.clock.now_ms()
        for fact in chain(self._appointments.due(tournament, now_ms), tournament.due(free, now_ms, room_of)):
            if isinstance(fact, MatchStarted):
                seated = players.of(fact.seats)
                if not is_challenge:
                    owed = self._appointments.appoint_owed(fact, seated)
                    if owed is not None:
                        self._unsettled[owed.id] = None
                        continue
                    if not self._make_room(fact, seated):
                        continue
                fact.free_since_ms = tuple([player.free_since_ms for player in seated])
                versions = tuple([player.version or "" for player in seated])
                fact.versions = versions if any(versions) else ()
                self._matches.start(fact, tournament, seated)
                if not is_challenge:
                    self._appointments.on_match_started(tournament, seated)
                self._lifecycle.recheck_challenges(players.of(fact.absent))
                room -= 1
            else:
                self._recorder.record_for(tournament, fact)
            if isinstance(fact, MatchOver):
                self._send_no_show(tournament, fact)
                self._lifecycle.recheck_challenges(players.of(fact.absent + fact.seats))
            self.budget -= 1
            if self.budget <= 0:
                break
            if room <= 0 and (room := self._match_room()) <= 0:  # a cancelled challenge may have made room
                self._wait_for_quota(tournament)
                break
        else:
            if tournament.has_more_due:
                self.budget = 0  # pulled matches take time, too

    def _end_appointments(self, tournament_id: str) -> None:
        for appointment in self._appointments.of_tournament(tournament_id):
            self._end_appointment(appointment)

    def _end_appointment(self, appointment: Appointment) -> None:
        """End an appointment, and free its players for other matches."""
        self._appointments.end(appointment)
        if not self._recorder.is_stopped:
            with self._recorder.transaction:
                for player in appointment.players:
                    self.recheck(player)

    def _wait_for_quota(self, tournament: Tournament) -> None:
        """Let a tournament wait for the club's quota of matches.

        If the tournament is a challenge, send its bots a single notice about the wait.
        """
        if tournament.id in self._waiting_for_quota:
            return
        self._waiting_for_quota[tournament.id] = None
        if tournament.challenger is not None and not tournament.running and not tournament.is_complete:
            most = self._recorder.allowance.quotas.matches
            message = f"this club plays as many matches at once as it may ({most}); yours begins when another is over"
            self._lifecycle.notify(tournament, NoticeCode.QUOTA, message)

    def _match_room(self) -> int:
        """Return the number of further matches that the club's quota allows."""
        return self._recorder.allowance.match_room(len(self._matches.live))

    def _make_room(self, started: MatchStarted, players: tuple[Player, ...]) -> bool:
        """Cancel the newest challenge of each bot that has no room left for the match `started`.

        Return true if every bot has room now. Return false also if a bot must first be told that its challenge ended,
        or if an older match, from which the bot was away, takes the freed room.
        """
        had_room = True
        for player in players:
            if player.sole_session is not None and not player.sole_session.challenges:
                continue  # the usual case: a free bot has room
            if player.session_for(started.game) is None:
                had_room = False
                to_cancel = player.challenge_to_cancel(started.game)
                if to_cancel is not None:
                    challenge = self._recorder.tournaments[tournament_id_of(to_cancel)]
                    reason = f"{player.name} has a match to play in {started.tournament}"
                    self._lifecycle.end(challenge, cancelled=True, reason=reason)
        return had_room or all(player.session_for(started.game) is not None for player in players)

    def _start_by_itself(self, tournament: Tournament) -> None:
        try:
            self._lifecycle.begin(tournament)
        except CommandRefused as error:
            self._lifecycle.end(tournament, cancelled=True, reason=str(error))

    def _pair_next_round(self, tournament: Tournament) -> None:
        """Start the pairing of the next round in the background, if the round is due and the schedule is slow."""
        if self.is_draining or self.trouble is not None or tournament.is_pairing:
            return
        task = tournament.pairing_task()
        if task is None:
            return
        tournament.is_pairing = True

        clock = self._recorder.clock
        notice = clock.call_at(clock.now_ms() + PAIRING_NOTICE_MS, partial(self._notify_of_pairing, tournament))

        def done(pulled: AnyRound | None) -> None:
            notice.cancel()
            tournament.is_pairing = tournament.is_pairing_slow = False
            if self._recorder.is_stopped:
                return
            with self._recorder.transaction:
                try:
                    fact = None if pulled is None else tournament.round_fact(pulled, self._recorder.clock.now_ms())
                    if fact is not None:
                        self._recorder.record(fact)
                except Exception:
                    log.exception("%s: the next round could not be added", tournament.id)
                    pulled = None
                if pulled is None:
                    self._pause_failed(tournament, "the pairing of the next round")

        self._run_pairing(task, done)

    def _notify_of_pairing(self, tournament: Tournament) -> None:
        if not self._recorder.is_stopped and not tournament.is_over:
            tournament.is_pairing_slow = True
            message = f"the next round of {tournament.id} is being paired; this may take some seconds"
            self._lifecycle.notify(tournament, NoticeCode.PAIRING, message)

    def _bench_if_failing(self, tournament: Tournament, player: Player) -> None:
        fact = commands.bench(tournament, player.name, self._recorder.clock.now_ms(), player.version)
        if fact is not None:
            self._recorder.record(fact)
            again = "a new version, or the host, lets it play again"
            message = f"{fact.reason}: it is benched in {tournament.id}; {again}"
            self._lifecycle.notify(tournament, NoticeCode.BENCHED, message, [player])

    def _send_no_show(self, tournament: Tournament, over: MatchOver) -> None:
        frame = frame_of_match_over(over, tournament.terms_of(over).opening_state())
        item = Outgoing(frame, self._recorder.newest_number_of(tournament), over.match, is_match_over=True)
        for seat, player in enumerate(self._recorder.players.of(over.seats)):
            session = player.newest
            if session is not None and seat not in over.at_fault:
                session.sender.post(item)

    # --- time ---

    def _set_timer(self, tournament_id: str, wake_at_ms: int | None) -> None:
        """Let a settled tournament be woken at `wake_at_ms`. If `wake_at_ms` is None, the tournament is not woken."""
        if tournament_id in self._timers:
            set_at_ms, timer = self._timers[tournament_id]
            if set_at_ms == wake_at_ms:
                return
            timer.cancel()
            del self._timers[tournament_id]
        if wake_at_ms is not None:
            timer = self._recorder.clock.call_at(wake_at_ms, partial(self._wake, tournament_id))
            self._timers[tournament_id] = wake_at_ms, timer

    def _wake(self, tournament_id: str) -> None:
        """Record the used absent budgets of a tournament whose time has come, and settle the tournament."""
        del self._timers[tournament_id]
        with self._recorder.transaction:
            self._unsettled[tournament_id] = None
            tournament = self._recorder.tournaments.get(tournament_id)
            if tournament is not None:
                for fact in tournament.absence.expired_budgets(self._recorder.clock.now_ms()):
                    self._recorder.record(fact)
