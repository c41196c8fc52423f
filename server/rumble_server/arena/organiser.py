"""The host's commands: on tournaments that are there (`Arena.create` makes one), on their bots, and on names.

Each gives the number of the fact to wait for before it is answered.
"""

from dataclasses import dataclass

from rumble_engine import Termination
from rumble_protocol.codes import ErrorCode, NoticeCode

from rumble_server.arena import messages as telling
from rumble_server.arena.arena import Arena
from rumble_server.tournament.errors import TournamentError
from rumble_server.tournament.facts import NameReset


@dataclass(frozen=True, slots=True)
class Host:
    """What the host of a server may do in its arena."""

    arena: Arena

    def start(self, tournament_id: str) -> int:
        """The field is numbered, and the matches begin. Raises TournamentError."""
        number = self.arena.begin(self.arena.tournament(tournament_id))
        self.arena.settle()
        return number

    def pause(self, tournament_id: str, reason: str) -> int:
        """Running matches finish, none starts. Raises TournamentError."""
        arena = self.arena
        tournament = arena.tournament(tournament_id)
        number = arena.record(tournament, *tournament.pause(reason, arena.clock.now_ms()))
        arena.notify_field(tournament, NoticeCode.PAUSED, f"{tournament.id} is paused: {reason}", number)
        arena.settle()
        return number

    def unpause(self, tournament_id: str) -> int:
        """Matches start again. Raises TournamentError."""
        arena = self.arena
        tournament = arena.tournament(tournament_id)
        number = arena.record(tournament, tournament.unpause(arena.clock.now_ms()))
        arena.notify_field(tournament, NoticeCode.RESUMED, f"{tournament.id} goes on", number)
        arena.settle()
        return number

    def end(self, tournament_id: str, *, cancelled: bool) -> int:
        """The tournament ends early: cancelled, or with the standings as they are. Raises TournamentError."""
        what = "cancelled" if cancelled else "ended"
        tournament = self.arena.tournament(tournament_id)
        return self.arena.end(tournament, cancelled=cancelled, reason=f"the host {what} it")

    def remove(self, tournament_id: str, name: str) -> int:
        """A bot is taken out for good; what it still has to play there is lost. Raises TournamentError."""
        arena = self.arena
        tournament = arena.tournament(tournament_id)
        player = arena.player(name)
        if player is None or player.name not in tournament.field:
            raise TournamentError(ErrorCode.UNKNOWN_BOT, f"{tournament.id} has no bot {name!r}")
        number = arena.take_out(player, tournament, removed=True)
        message = f"the host removed {player.name} from {tournament.id}"
        player.send(telling.notice(NoticeCode.REMOVED, message, tournament=tournament.id), number)
        arena.forfeit_in(player, tournament, Termination.ADJUDICATION, message)
        return number

    def unbench(self, tournament_id: str, name: str) -> int:
        """A benched bot may play again. Raises TournamentError."""
        arena = self.arena
        tournament = arena.tournament(tournament_id)
        player = arena.player(name)
        known = name if player is None else player.name
        number = arena.record(tournament, tournament.unbench(known, arena.clock.now_ms()))
        arena.settle()
        return number

    def invite(self, tournament_id: str, invite: str | None) -> int:
        """From now on bots join with this code, or (None) without any; who is in stays. Raises TournamentError."""
        arena = self.arena
        tournament = arena.tournament(tournament_id)
        return arena.record(tournament, tournament.change_invite(invite, arena.clock.now_ms()))

    def replay(self, match_id: str) -> int:
        """A match is played again, under its id as the next attempt. Raises TournamentError."""
        arena = self.arena
        tournament = arena.tournament(match_id.partition(".")[0])
        if match_id in arena.matches:
            arena.floor.abort(match_id, "the host has the match played again")
            return arena.log.last
        seats = tournament.results[match_id].seats if match_id in tournament.results else ()
        number = arena.record(tournament, tournament.void(match_id, arena.clock.now_ms()))
        message = f"the host has {match_id} played again: its result does not count any more"
        frame = telling.notice(NoticeCode.MATCH_VOIDED, message, tournament=tournament.id, match=match_id)
        for player in arena.players_of(seats):
            player.send(frame, number)
        arena.settle()
        return number

    def reset_key(self, name: str) -> int:
        """A name's key is forgotten: the next login of the name claims it anew. Raises TournamentError."""
        arena = self.arena
        claim = arena.names.get(name)
        if claim is None:
            raise TournamentError(ErrorCode.UNKNOWN_BOT, f"no bot was ever called {name!r}")
        fact = NameReset(claim.name, arena.clock.now_ms())
        arena.names.apply(fact)
        return arena.log.append(fact)
