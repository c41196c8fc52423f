"""Invitation codes that bots show. Wrong codes are counted.

A bot with a valid code may log in even if its address may have no further bot.
"""

from dataclasses import dataclass

from rumble_protocol.bot_messages import Login
from rumble_protocol.codes import ErrorCode

from rumble_server.arena.recorder import Recorder
from rumble_server.limits.admission import Admission
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.tournament import Tournament


@dataclass(frozen=True, slots=True)
class Invitation:
    """The result of checking a login's invitation.

    `tournament_id` is the tournament for which the invitation is valid, or None. `is_refused` is true for a wrong code
    after too many other wrong codes.
    """

    tournament_id: str | None = None
    is_refused: bool = False


class Invitations:
    """The check of invitation codes, with a bound on the number of wrong codes."""

    def __init__(self, recorder: Recorder, admission: Admission) -> None:
        self._recorder = recorder
        self._admission = admission

    def check_login(self, login: Login, address: str) -> Invitation:
        """Check the invitation of a login, and count a wrong code. Call this once for each login.

        A bot in the field needs no code if a login from `address` has presented the bot's key before.
        """
        tournament = self._recorder.tournaments.get(login.join or "")
        if tournament is None or tournament.invite is None:
            return Invitation()
        player = self._recorder.players.get(login.name)
        if player is not None and player.name in tournament.field:
            return Invitation(tournament.id if self._admission.guesses.knows(address, login.name) else None)
        if login.invite is None:
            return Invitation()
        try:
            self.check(tournament, login.invite, address)
        except CommandRefused:
            return Invitation(is_refused=True)
        return Invitation(tournament.id if tournament.admits(login.invite) else None)

    def check(self, tournament: Tournament, invite: str | None, address: str) -> None:
        """Count the invitation `invite` if it is wrong. Raises CommandRefused after too many wrong codes."""
        if invite is None or tournament.invite is None or tournament.admits(invite):
            return
        if not self._admission.guesses.count_wrong_code(address, tournament.id, invite, self._recorder.clock.now_ms()):
            raise too_many()


def too_many() -> CommandRefused:
    """Return the error for a wrong invitation after too many other wrong codes."""
    return CommandRefused(ErrorCode.TOO_MANY_MESSAGES, "too many wrong invitations; try again in a minute")
