"""Appointments, for the scheduler: a bot in several tournaments keeps room for a match that has waited too long.

Bots whose matches end together are often the only free bots. Without appointments, two tournaments would pair these
bots again and again, while a third tournament waits for one of them. An appointment keeps both bots of a match free for
it. No bot has two appointments, so it waits only for the end of its opponent's current match, never for another
appointment.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from rumble_server.arena.bots.player import Player, Players
from rumble_server.arena.ports import Clock, TimerHandle
from rumble_server.match.facts import MatchStarted
from rumble_server.tournament.slot import Slot
from rumble_server.tournament.tournament import Tournament

OWES_AFTER = 2
"""Factor that decides when a bot owes a waiting tournament a match.

A bot with matches in three tournaments owes the third a match after 3 * `OWES_AFTER` matches in the first two.
"""


@dataclass(slots=True, eq=False)
class PassOverCount:
    """A count of how often a bot has passed over a tournament.

    While a match of the tournament waits for the bot, each match that the bot begins in another tournament is counted.
    """

    since_ms: int
    """Time in ms at which the first counted match began. An appointment for the tournament does not change the time."""
    times: int = 0
    """Number of counted matches. An appointment for the tournament sets the number to 0."""


@dataclass(slots=True, eq=False)
class Appointment:
    """A waiting match, whose players are kept free until the match begins or the appointment's time is over."""

    tournament: Tournament
    slot: Slot
    players: tuple[Player, ...]
    timer: TimerHandle | None = None

    @property
    def stands(self) -> bool:
        """True if the match still waits to be played, and both players are connected and may play."""
        tournament = self.tournament
        is_waiting = tournament.status == "running" and self.slot.order > 0
        return is_waiting and all(
            player.eligible_sessions(tournament.config.game) and not tournament.field[player.name].is_gone
            for player in self.players
        )

    @property
    def is_due(self) -> bool:
        return all(player.room_by_cancelling(self.tournament.config.game) for player in self.players)


class Appointments:
    """The appointments of a club.

    An appointment lasts at most as long as its match has waited so far. So each further appointment may last longer.
    """

    def __init__(self, players: Players, clock: Clock, on_expired: Callable[[Appointment], None]) -> None:
        """`on_expired` is called when the time of an appointment is over."""
        self._players = players
        self._clock = clock
        self._on_expired = on_expired
        self._by_player: dict[Player, Appointment] = {}
        self._pass_overs: dict[Player, dict[str, PassOverCount]] = {}
        """Counts by player, and by the id of a tournament that has a match for the player. Only players in several
        tournaments have counts."""

    def appoint_owed(self, started: MatchStarted, players: tuple[Player, ...]) -> Tournament | None:
        """Return the tournament to which a player of the match `started` owes a match; None if `started` may begin.

        Make an appointment for the owed match, which keeps the match's players free. An owed match does not hold up
        `started` in two cases: an appointment was made for `started`, or the tournament of `started` was passed over
        at least as often as the tournament of the owed match.
        """
        appointment = self._by_player.get(players[0])
        if not self._pass_overs or (appointment is not None and appointment.slot.match_id == started.match):
            return None
        passed = [self._pass_overs.get(player, {}) for player in players]
        here = max(each[started.tournament].times if started.tournament in each else 0 for each in passed)
        for player, elsewhere in zip(players, passed, strict=True):
            least = max(here + 1, OWES_AFTER * (len(elsewhere) + 1))
            for tournament_id, counted in elsewhere.items():
                other = player.tournaments.get(tournament_id) if counted.times >= least else None
                if (
                    other is None
                    or player in self._by_player
                    or player.has_room_beside(started.game, other.config.game)
                ):
                    continue
                if self._make(player, other, counted):
                    return other
        return None

    def _make(self, player: Player, tournament: Tournament, counted: PassOverCount) -> bool:
        """Make an appointment for the player's oldest match with a connected opponent. Return whether an appointment
        was made.
        """
        appointment: Appointment | None = None
        for slot in tournament.next_matches(player.name):
            if appointment is None or slot.order < appointment.slot.order:
                candidate = Appointment(tournament, slot, self._players.of(slot.seats))
                if candidate.stands and self._by_player.keys().isdisjoint(candidate.players):
                    appointment = candidate
        if appointment is None:
            return False
        now_ms = self._clock.now_ms()
        appointment.timer = self._clock.call_at(2 * now_ms - counted.since_ms, partial(self._on_expired, appointment))
        counted.times = 0
        for each in appointment.players:
            self._by_player[each] = appointment
            each.reserve_room(tournament.config.game)
            tournament.mark_for_check(each.name)
        return True

    def due(self, tournament: Tournament, now_ms: int) -> Iterator[MatchStarted]:
        """Yield each appointed match of a tournament if all players of the match are free now.

        End the appointments that do not stand any more (see `Appointment.stands`).
        """
        if not self._by_player:
            return
        for name in tournament.bots_to_check:
            player = self._players.get(name)  # None: the bot left the lobby, and its name is free again
            appointment = None if player is None else self._by_player.get(player)
            if appointment is None or appointment.tournament is not tournament:
                continue
            if not appointment.stands:
                self._on_expired(appointment)
            elif appointment.is_due:
                yield tournament.start_of(appointment.slot, now_ms)

    def on_match_started(self, tournament: Tournament, players: tuple[Player, ...]) -> None:
        """Record that a match of `players` has started in a tournament.

        End the appointment for the match, if any.

        For each player, the match is counted for every other tournament in which a match waits for the player.
        """
        now_ms = self._clock.now_ms()
        for player in players:
            others = player.tournaments.values()
            was = self._pass_overs.pop(player, {})
            passed = {}
            if len(others) > 1:
                for other in others:
                    if other is not tournament and other.challenger is None and other.has_waiting(player.name):
                        counted = passed[other.id] = was.get(other.id) or PassOverCount(now_ms)
                        counted.times += 1
            if passed:
                self._pass_overs[player] = passed
            appointment = self._by_player.get(player)
            if appointment is not None and not appointment.slot.order:
                self._on_expired(appointment)

    def of_tournament(self, tournament_id: str) -> list[Appointment]:
        """Return the appointments for matches of a tournament, which may be forgotten."""
        return [each for each in dict.fromkeys(self._by_player.values()) if each.tournament.id == tournament_id]

    def end(self, appointment: Appointment) -> None:
        """End an appointment. Its players are free for other matches again."""
        if appointment.timer is not None:
            appointment.timer.cancel()
        for player in appointment.players:
            del self._by_player[player]
            player.reserve_room(None)
