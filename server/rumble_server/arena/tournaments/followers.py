"""Followers: sessions that wait after a tournament for the host's next tournament, for an hour at most.

Until the next tournament, or until the hour is over, the frame `tournament_over` is held back.
"""

from dataclasses import dataclass, field

from rumble_server.arena.bots.frame_sender import Outgoing
from rumble_server.arena.bots.session import BotSession
from rumble_server.arena.ports import Clock, TimerHandle

FOLLOW_MS = 3_600_000
"""Maximum time in ms after a tournament's end for which its followers wait for the next tournament."""
HeldFrames = dict[BotSession, tuple[bytes, int]]
"""For each session, the held frame `tournament_over`, and the number of the fact that must be on disk first."""


@dataclass(eq=False, slots=True)
class Followers:
    """The waiting sessions of a club, by the id of the ended tournament, until their connections end."""

    _clock: Clock
    _frames: dict[str, HeldFrames] = field(default_factory=dict)
    _timers: dict[str, TimerHandle] = field(default_factory=dict)

    def hold(self, tournament_id: str, ended_at_ms: int, session: BotSession, frame: bytes, after: int) -> bool:
        """Hold back `frame`, a `tournament_over`, and return true. If the tournament ended too long ago, hold
        nothing back, and return false.
        """
        until_ms = ended_at_ms + FOLLOW_MS
        if self._clock.now_ms() >= until_ms:
            return False
        if tournament_id not in self._frames:
            self._frames[tournament_id] = {}
            self._timers[tournament_id] = self._clock.call_at(until_ms, lambda: self.release(tournament_id))
        self._frames[tournament_id][session] = frame, after
        return True

    def release(self, tournament_id: str) -> None:
        """Send the held frames of a tournament, after all earlier frames of the sessions."""
        timer = self._timers.pop(tournament_id, None)
        if timer is not None:
            timer.cancel()
        for session, (frame, after) in self._frames.pop(tournament_id, {}).items():
            session.sender.post(Outgoing(frame, after, waits_for_all=True))

    def forget(self, session: BotSession) -> None:
        """Forget a session whose connection has ended."""
        for frames in self._frames.values():
            frames.pop(session, None)

    def stop(self) -> None:
        """Cancel the timers, so that held frames stay unsent.

        After the server's next start, each bot hears of the tournament's end at its login.
        """
        for timer in self._timers.values():
            timer.cancel()
