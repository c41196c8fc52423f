"""Logins: who may use a name, and what a bot that comes or goes means for its matches and tournaments."""

from collections.abc import Callable
from random import Random

from rumble_protocol import server_messages as say
from rumble_protocol.codec import write_message
from rumble_protocol.codes import CloseCode, ErrorCode

from rumble_server.arena import messages
from rumble_server.arena.lifecycle import Lifecycle
from rumble_server.arena.matches import Matches
from rumble_server.arena.player import Player
from rumble_server.arena.recorder import Recorder
from rumble_server.arena.scheduler import Scheduler
from rumble_server.arena.session import BotSession
from rumble_server.tournament.errors import TournamentError

MayClaim = Callable[[str, str | None], bool]
"""Whether a name that nobody has may be claimed with this key."""


class Logins:
    """Lets bots in by name and key, and lets them go."""

    def __init__(
        self,
        recorder: Recorder,
        matches: Matches,
        lifecycle: Lifecycle,
        scheduler: Scheduler,
        random: Random,
        may_claim: MayClaim,
    ) -> None:
        self._recorder = recorder
        self._matches = matches
        self._lifecycle = lifecycle
        self._scheduler = scheduler
        self._random = random
        self._may_claim = may_claim

    def admit(self, name: str, key: str | None, *, keyless_allowed: bool) -> tuple[Player, bool]:
        """Check a name and its key; record a name that is new. Return the player, and whether its name is open.

        Raises TournamentError with `bad_name`, `key_required` or `bad_key`.
        """
        names = self._recorder.names
        if names.get(name) is None and not self._may_claim(name, key):
            raise TournamentError(ErrorCode.BAD_NAME, f"{name} is kept for a bot of the house; choose another name")
        salt = self._random.getrandbits(128).to_bytes(16).hex()
        claim, used = names.admit(
            name, key, keyless_allowed=keyless_allowed, salt=salt, now_ms=self._recorder.clock.now_ms()
        )
        player = self._recorder.players.enter(claim.name)
        if used is not None:
            self._recorder.record(used)
            player.claimed = self._recorder.log.last
        return player, claim.open

    def attach(self, player: Player, session: BotSession, *, name_is_open: bool) -> None:
        """Answer a login that was admitted, and take up the bot's matches. An older session is told it was replaced."""
        if player.session is not None:
            player.session.close(CloseCode.REPLACED)
        player.connect(session)
        tournaments = player.tournaments.values()
        told = say.Session(
            name=player.name,
            open=name_is_open,
            max_matches=session.max_matches,
            matches=list(player.matches),
            tournaments=[messages.summary(tournament) for tournament in tournaments],
        )
        session.send_last(write_message(told), max([player.claimed, *map(self._recorder.number_of, tournaments)]))
        self._matches.connect(player)
        now_ms = self._recorder.clock.now_ms()
        for tournament in tournaments:
            fact = tournament.appear(player.name, now_ms)
            if fact is not None:
                self._recorder.record(fact)
        self._scheduler.look_at(player)

    def detach(self, player: Player, session: BotSession) -> None:
        """A session has ended. Nothing happens if a newer one took over, or the server has stopped judging."""
        if player.session is not session:
            return
        player.connect(None)
        if self._scheduler.stopped:
            return
        self._matches.disconnect(player)
        for tournament in player.tournaments.values():
            tournament.disappear(player.name, self._lifecycle.absent_from_ms())
        self._scheduler.look_at(player)
