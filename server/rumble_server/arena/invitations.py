"""Invitations that bots show: a valid one lets its bot in beside the bounds of its address, a wrong one is counted."""

from dataclasses import dataclass

from rumble_protocol.bot_messages import Login
from rumble_protocol.codes import ErrorCode

from rumble_server.arena.recorder import Recorder
from rumble_server.limits.door import Door
from rumble_server.tournament.errors import TournamentError
from rumble_server.tournament.tournament import Tournament


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a login showed: a valid invitation to a tournament, or none; or it was not looked at (`refused`)."""

    tournament_id: str | None = None
    refused: bool = False


class Invitations:
    """Compares codes, unless there were too many wrong ones."""

    def __init__(self, recorder: Recorder, door: Door) -> None:
        self._recorder = recorder
        self._door = door

    def shown_by(self, login: Login, address: str) -> Invitation:
        """Look at the invitation of a login, once; a wrong one is counted.

        A bot that is in the field needs no code, if its key was shown from this address before.
        """
        tournament = self._recorder.tournaments.get(login.join or "")
        if tournament is None or tournament.invite is None:
            return Invitation()
        player = self._recorder.players.get(login.name)
        if player is not None and player.name in tournament.field:
            return Invitation(tournament.id if self._door.guesses.knows(address, login.name) else None)
        if login.invite is None:
            return Invitation()
        try:
            self.check(tournament, login.invite, address)
        except TournamentError:
            return Invitation(refused=True)
        return Invitation(tournament.id if tournament.admits(login.invite) else None)

    def check(self, tournament: Tournament, invite: str | None, address: str) -> None:
        """Count a wrong invitation. Raises TournamentError if there were too many, whatever this one is."""
        if invite is None or tournament.invite is None:
            return
        now_ms = self._recorder.clock.now_ms()
        if not self._door.guesses.may_invite(address, tournament.id, invite, now_ms):
            raise too_many()
        if not tournament.admits(invite):
            self._door.guesses.wrong_invite(address, tournament.id, invite, now_ms)


def too_many() -> TournamentError:
    """Make the refusal of an invitation that is not looked at."""
    return TournamentError(ErrorCode.TOO_MANY_MESSAGES, "too many wrong invitations; try again in a minute")
