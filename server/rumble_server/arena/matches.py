"""The floor: every match that is being played. It hands events to referees and carries out their effects.

A move's way: `move` -> `Referee.move` -> `_carry_out` -> the log and the other bot's contact, in one call.
"""

import logging
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from rumble_engine import Termination
from rumble_protocol import server_messages as say
from rumble_protocol.bot_messages import Move
from rumble_protocol.codec import write_message
from rumble_protocol.codes import Rejection

from rumble_server.arena.player import OpenMatch, Player
from rumble_server.arena.ports import Clock, Log
from rumble_server.match.facts import Effect, FrameSeen, MatchOver, MatchStarted, Send
from rumble_server.match.referee import Referee

log = logging.getLogger(__name__)

MOST_KEPT = 2048
"""Characters of a frame that is not a valid message: more of it says nothing more."""
SECRETS = re.compile(r'("(?:key|invite)"\s*:\s*)"(?:[^"\\]|\\.)*"?')

LOOP_LAG_MS = 5
"""A timer that is late by less than this says nothing about the server's load."""


@dataclass(slots=True)
class Floor:
    """Open matches by id. `run` is this run's number on its database: turn ids begin with it."""

    log: Log
    clock: Clock
    run: int
    matches: dict[str, OpenMatch]
    on_over: Callable[[MatchOver, tuple[Player, ...]], None]
    """Called when a match was taken off the floor."""
    nobody_away_before_ms: int = 0
    """After a start of the server: no away or absent time runs before."""
    _turns: int = 0

    def new_turn_id(self) -> str:
        """A turn id that no other turn of any run has."""
        self._turns += 1
        return f"{self.run:x}.{self._turns:x}"

    # --- matches begin, go on and stop ---

    def open(self, started: MatchStarted, players: tuple[Player, ...]) -> None:
        """A match begins between connected players."""
        referee = Referee(started, self.new_turn_id, nobody_away_before_ms=self.nobody_away_before_ms)
        match = self._place(referee, players)
        for player in players:
            self._connect(match, player, started.at_ms)

    def go_on(self, referee: Referee, players: tuple[Player, ...]) -> None:
        """A match that was running when the server stopped goes on, nobody connected yet."""
        match = self._place(referee, players)
        self._carry_out(match, referee.conclude(self.clock.now_ms()))

    def abort(self, match_id: str, reason: str) -> None:
        """A match is void."""
        match = self.matches[match_id]
        self._carry_out(match, match.referee.abort(reason, self.clock.now_ms()))

    def forfeit(self, match: OpenMatch, player: Player, termination: Termination, reason: str) -> None:
        """A player loses a match by something outside the board."""
        seat = match.seat_of(player)
        self._carry_out(match, match.referee.forfeit(seat, termination, reason, self.clock.now_ms()))

    def stop(self) -> None:
        """Judge no more: what is running stays as the log has it."""
        for match in self.matches.values():
            if match.timer is not None:
                match.timer.cancel()

    def _place(self, referee: Referee, players: tuple[Player, ...]) -> OpenMatch:
        match = OpenMatch(referee, players)
        self.matches[referee.match] = match
        for player in players:
            player.matches[referee.match] = match
        return match

    # --- players come and go ---

    def connect(self, player: Player) -> None:
        """The player is connected again: its matches go on."""
        now_ms = self.clock.now_ms()
        for match in list(player.matches.values()):
            self._connect(match, player, now_ms)

    def _connect(self, match: OpenMatch, player: Player, now_ms: int) -> None:
        contact = player.contact
        if contact is not None:
            seat = match.seat_of(player)
            effects = match.referee.connect(seat, now_ms, lag_ms=contact.lag_ms, omit=contact.omit)
            self._carry_out(match, effects)

    def disconnect(self, player: Player) -> None:
        """The player's connection ended."""
        now_ms = self.clock.now_ms()
        for match in list(player.matches.values()):
            self._carry_out(match, match.referee.disconnect(match.seat_of(player), now_ms))

    def round_trip(self, player: Player, lag_ms: int) -> None:
        """The player's connection was measured."""
        for match in player.matches.values():
            match.referee.round_trip(match.seat_of(player), lag_ms)

    def sent_late(self, player: Player, frames: Iterable[bytes]) -> None:
        """These frames to the player had waited for the disk until now: a clock that one of them starts had not run."""
        waited = {id(frame) for frame in frames}
        for match in player.matches.values():
            turn = match.referee.turn
            if turn is not None and id(turn.frame) in waited:
                match.referee.sent_late(turn.frame, self.clock.now_ms())
                self._arm(match)

    def is_on_turn(self, player: Player) -> bool:
        """Whether a turn of the player is open in any match."""
        for match in player.matches.values():
            turn = match.referee.turn
            if turn is not None and match.players[turn.seat] is player:
                return True
        return False

    # --- play ---

    def move(self, player: Player, message: Move, frame: str) -> bool:
        """A bot moves. False if that answered no open turn of its own."""
        match = player.matches.get(message.match)
        if match is None:
            player.send(write_message(_unknown_match(message)))
            return False
        referee = match.referee
        seat = match.seat_of(player)
        turn = referee.turn
        answers = turn is not None and turn.seat == seat and turn.turn_id == message.turn_id
        now_ms = self.clock.now_ms()
        try:
            effects = referee.move(seat, message.turn_id, message.move, now_ms, frame)
        except Exception:
            # A game's own code failed: that is the server's fault, and of this match alone.
            log.exception("match %s: the referee failed at ply %d", referee.match, len(referee.moves))
            effects = referee.abort("the server failed at this match; nobody is blamed", now_ms)
        self._carry_out(match, effects)
        return answers

    def resign(self, player: Player, match_id: str, frame: str) -> bool:
        """A bot gives a match up. False if it has no such match."""
        match = player.matches.get(match_id)
        if match is None:
            return False
        self._carry_out(match, match.referee.resign(match.seat_of(player), self.clock.now_ms(), frame))
        return True

    def overhear(self, player: Player, sender: Literal["bot", "server"], frame: str) -> None:
        """A frame that belongs to no match in particular is kept with all that the player is playing.

        Keys and invitations are blanked, and of a long frame only the beginning is kept.
        """
        if player.matches:
            kept = SECRETS.sub(r'\1"***"', frame)
            if len(kept) > MOST_KEPT:
                kept = f"{kept[:MOST_KEPT]}... ({len(frame)} characters)"
            now_ms = self.clock.now_ms()
            for match in player.matches.values():
                referee = match.referee
                seat = match.seat_of(player)
                self.log.append(FrameSeen(referee.match, referee.attempt, seat, sender, kept, now_ms))

    def _carry_out(self, match: OpenMatch, effects: Iterable[Effect]) -> None:
        append = self.log.append
        number = 0
        over: MatchOver | None = None
        for effect in effects:
            if type(effect) is Send:
                contact = match.players[effect.seat].contact
                if contact is not None:
                    contact.send(effect.frame, number if effect.durable else 0)
            elif type(effect) is MatchOver:
                over = effect
                number = append(effect)
            else:
                append(effect)  # type: ignore[arg-type]  # mypy does not narrow a union by `type(...) is`
        if over is None:
            self._arm(match)
        else:
            self._close(match, over)

    def _close(self, match: OpenMatch, over: MatchOver) -> None:
        if match.timer is not None:
            match.timer.cancel()
            match.timer = None
        del self.matches[over.match]
        for player in match.players:
            del player.matches[over.match]
        self.on_over(over, match.players)

    # --- time ---

    def _arm(self, match: OpenMatch) -> None:
        """Keep the match's one timer no later than its referee wants; one that comes too early just goes on."""
        wake_at_ms = match.referee.wake_at_ms
        if wake_at_ms is None:
            return
        if match.timer is not None:
            if match.timer_at_ms <= wake_at_ms:
                return
            match.timer.cancel()
        match.timer_at_ms = wake_at_ms
        match.timer = self.clock.call_at(wake_at_ms, lambda: self._on_timer(match))

    def _on_timer(self, match: OpenMatch) -> None:
        match.timer = None
        wake_at_ms = match.referee.wake_at_ms
        if match.referee.over is not None or wake_at_ms is None:
            return
        now_ms = self.clock.now_ms()
        if now_ms < wake_at_ms:
            self._arm(match)
            return
        late_ms = now_ms - match.timer_at_ms
        match.timer_at_ms = now_ms
        match.timer = self.clock.after_input(lambda: self._wake(match, late_ms if late_ms >= LOOP_LAG_MS else 0))

    def _wake(self, match: OpenMatch, loop_lag_ms: int) -> None:
        match.timer = None
        referee, now_ms = match.referee, self.clock.now_ms()
        if referee.over is None:
            turn = referee.turn
            contact = None if turn is None else match.players[turn.seat].contact
            if turn is not None and contact is not None and contact.holds(turn.frame):
                referee.sent_late(turn.frame, now_ms)  # it still waits for the disk: its clock has not started
            self._carry_out(match, referee.wake(now_ms, loop_lag_ms))


def _unknown_match(message: Move) -> say.Rejected:
    return say.Rejected(
        match=message.match,
        turn_id=message.turn_id,
        code=Rejection.UNKNOWN_MATCH,
        message="you have no open match of this id",
        your_turn=False,
        remaining_ms=None,
    )
