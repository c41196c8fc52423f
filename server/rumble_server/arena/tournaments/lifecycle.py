"""The life of tournaments: creation, joining, leaving, start and end, and the messages to bots about these events."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal

from rumble_engine import Termination
from rumble_protocol.codes import NoticeCode

from rumble_server.arena.bots import messages
from rumble_server.arena.bots.frame_sender import Outgoing
from rumble_server.arena.bots.player import Player
from rumble_server.arena.bots.session import BotSession
from rumble_server.arena.matches import Matches
from rumble_server.arena.recorder import Recorder
from rumble_server.arena.tournaments.followers import Followers
from rumble_server.tournament import commands
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.ended import EndedTournament, FinalResult
from rumble_server.tournament.facts import BotJoined, TournamentCreated
from rumble_server.tournament.ids import tournament_id
from rumble_server.tournament.tournament import Tournament


class Lifecycle:
    """The life of a club's tournaments."""

    def __init__(self, recorder: Recorder, matches: Matches) -> None:
        self.followers = Followers(recorder.clock)
        self._recorder = recorder
        self._matches = matches
        self._ended: deque[Tournament] = deque()

    # --- bots ---

    def join(
        self, player: Player, tournament: Tournament, invite: str | None = None, asker: BotSession | None = None
    ) -> None:
        """Enter a bot in a tournament, and tell all sessions of the bot. Raises CommandRefused.

        If the bot is in the tournament already, tell only the `asker`.
        """
        fact = commands.join(tournament, player.name, self._recorder.clock.now_ms(), invite)
        if fact is not None:
            self.record_entry(player, tournament, fact)
        recipients = player.sessions.values() if fact is not None or asker is None else [asker]
        frame, after = messages.joined(tournament), self._recorder.newest_number_of(tournament)
        for session in recipients:
            session.sender.send(frame, after)
        if tournament.is_over:
            self._send_tournament_over(EndedTournament.of(tournament), {player.name: recipients}, after)

    def record_entry(self, player: Player, tournament: Tournament, joined: BotJoined) -> None:
        """Record that a bot, connected or not, is in a tournament. The display name of the bot is recorded, too.

        A bot with a display name belongs to a pupil. In a classroom's tournament, a pupil's bot is
        recorded with `by_code` true, even if the bot shows no join code now. So a pupil who was away at the
        tournament's start can still join as a pupil.
        """
        display = self._recorder.display_names.get(player.name)
        by_code = joined.by_code or (display is not None and tournament.config.classroom)
        self._recorder.record(replace(joined, display_name=display, by_code=by_code))
        player.tournaments[tournament.id] = tournament
        if not player.eligible_sessions(tournament.config.game):
            tournament.on_disconnected(player.name, self.absent_from_ms())

    def absent_from_ms(self) -> int:
        """Return the time in ms at which the absent budget of a bot begins to run if the bot disconnects now."""
        return max(self._recorder.clock.now_ms(), self._matches.grace_until_ms)

    def leave(self, player: Player, tournament: Tournament, asker: BotSession) -> None:
        """Let a bot leave for good. The bot loses its remaining matches. If the bot left before, tell only the `asker`.

        Raises CommandRefused.
        """
        recipient = player if self._record_leaving(player, tournament, removed=False) else asker.sender
        recipient.send(messages.left(tournament), self._recorder.newest_number_of(tournament))
        self._forfeit_matches(player, tournament, Termination.RESIGNATION, f"{player.name} left the tournament")

    def remove(self, player: Player, tournament: Tournament) -> None:
        """Take a bot out of a tournament for good. The bot loses its remaining matches.

        The host has removed the bot, or its name is freed for another. Do nothing if the bot is out already. Raises
        CommandRefused.
        """
        if not self._record_leaving(player, tournament, removed=True):
            return
        message = f"the host removed {player.name} from {tournament.id}"
        self.notify(tournament, NoticeCode.REMOVED, message, [player])
        self._forfeit_matches(player, tournament, Termination.ADJUDICATION, message)

    def _record_leaving(self, player: Player, tournament: Tournament, *, removed: bool) -> bool:
        """Record that a bot is out of a tournament for good. Return false if the bot was out before."""
        fact = commands.leave(tournament, player.name, self._recorder.clock.now_ms(), removed=removed)
        player.tournaments.pop(tournament.id, None)
        if fact is not None:
            self._recorder.record(fact)
            self.recheck_challenges([player])
        return fact is not None

    def _forfeit_matches(self, player: Player, tournament: Tournament, termination: Termination, reason: str) -> None:
        for match_id in [match_id for match_id in player.matches() if match_id in tournament.running]:
            self._matches.forfeit(match_id, player, termination, reason)

    def unbench_changed(self, player: Player, version: str) -> None:
        """Let a changed bot play again in each tournament that has benched an earlier version of the bot for faults."""
        for tournament in player.tournaments.values():
            entrant = tournament.field[player.name]
            if entrant.benched and entrant.benched_version != version:
                reason = f"{player.name} has changed: it is version {version} now"
                self._recorder.record(commands.unbench(tournament, player.name, self._recorder.clock.now_ms(), reason))

    # --- tournaments ---

    def create(
        self,
        config: TournamentConfig,
        challenger: str | None = None,
        made_invite: str | None = None,
        follows: str | None = None,
    ) -> Tournament:
        """Create a tournament. Raises CommandRefused with the code `quota`.

        `challenger` is the bot that sent the challenge, if the tournament is a challenge. `made_invite` is a secret
        that admits bots just like the host's invitation code. `follows` is the id of the ended tournament
        whose pupils are moved to the new tournament.
        """
        self._recorder.allowance.check_creation()
        if challenger is None:
            self._recorder.allowance.check_tournament(self._recorder.tournaments.count_open())
        now_ms = self._recorder.clock.now_ms()
        named = tournament_id(config.name, self._recorder.tournaments.taken_ids)
        created = TournamentCreated(named, config, now_ms, challenger, made_invite, follows)
        self._recorder.record(created)
        return self._recorder.tournaments[created.tournament]

    def begin(self, tournament: Tournament, order: tuple[str, ...] | None = None) -> None:
        """Give the entrants their numbers, and begin the tournament. Raises CommandRefused.

        Matches start when the transaction settles.
        """
        commands.check_round_size(tournament.config, len(tournament.field))
        self._recorder.record(commands.start(tournament, self._recorder.clock.now_ms(), order))

    def end(self, tournament: Tournament, *, cancelled: bool, reason: str) -> None:
        """End a tournament, complete or not, and tell its field. Raises CommandRefused."""
        now_ms = self._recorder.clock.now_ms()
        self._recorder.record(commands.end(tournament, now_ms, cancelled=cancelled, reason=reason))
        ended = EndedTournament.of(tournament)
        self._recorder.log.add_record(ended)
        for match_id in list(tournament.running):
            self._matches.abort(match_id, f"{tournament.id}: {reason}")
        if cancelled:
            self.notify(tournament, NoticeCode.CANCELLED, f"{tournament.id}: {reason}")
        field = self._recorder.players.of(tournament.field)
        recipients = {player.name: player.sessions.values() for player in field}
        self._send_tournament_over(ended, recipients, self._recorder.newest_number_of(tournament))
        for player in field:
            player.tournaments.pop(tournament.id, None)
        self.recheck_challenges(field)
        self._ended.append(tournament)

    def pause(self, tournament: Tournament, reason: str, *, by: Literal["host", "disk"] = "host") -> None:
        """Pause a tournament: running matches finish, and no match starts. Raises CommandRefused.

        Tell the bots of the tournament, unless the disk fails: such a notice would wait for the disk.
        """
        for fact in commands.pause(tournament, reason, self._recorder.clock.now_ms(), by=by):
            self._recorder.record(fact)
        if by != "disk":
            self.notify(tournament, NoticeCode.PAUSED, f"{tournament.id} is paused: {reason}")
        self.recheck_challenges(self._recorder.players.of(tournament.field))

    def recheck_challenges(self, players: Iterable[Player]) -> None:
        """Look at the players' challenges again, because a tournament may no longer need room of the players.

        When a match ends, the scheduler looks at all tournaments of its players; no call is needed then.
        """
        for player in players:
            for tournament in player.tournaments.values():
                if tournament.challenger is not None:
                    tournament.mark_for_check(player.name)
                    self._recorder.unsettled[tournament.id] = None

    def forget_ended(self) -> None:
        """Forget the tournaments whose end is on disk. Facts of a forgotten tournament are read from the disk."""
        while self._ended and self._recorder.is_durable(self._ended[0]):
            self._recorder.forget(self._ended.popleft())

    # --- what bots are told ---

    def _send_tournament_over(
        self, ended: EndedTournament, recipients: Mapping[str, Iterable[BotSession]], after: int
    ) -> None:
        """Tell sessions that the tournament is over. `recipients` has each bot's sessions, by the bot's name."""
        for result in ended.lines:
            for session in recipients.get(result.name, ()):
                self.send_tournament_over(ended, result, session, after)

    def send_tournament_over(
        self, ended: EndedTournament, result: FinalResult, session: BotSession, after: int = 0
    ) -> None:
        """Send `tournament_over` to `session`, once the fact with the number `after` is on disk.

        `result` is the result of the bot to which the session belongs.

        If the session is a follower, hold back `tournament_over`, and send the notice `waiting` instead. Hold nothing
        back if the host's next tournament is open, or if the tournament ended too long ago.
        """
        frame = messages.tournament_over(ended, result)
        follows = result.by_code and session.follow and not self._has_next(ended.id)
        if follows and self.followers.hold(ended.id, ended.ended_at_ms or 0, session, frame, after):
            session.sender.send(messages.waiting(ended, result), after)
        else:
            session.sender.post(Outgoing(frame, after, waits_for_all=True))

    def _has_next(self, tournament_id: str) -> bool:
        """Return true if the pupils of an ended tournament were moved to a tournament that is not over."""
        return any(each.follows == tournament_id and not each.is_over for each in self._recorder.tournaments.values())

    def notify(
        self, tournament: Tournament, code: NoticeCode, message: str, players: Iterable[Player] | None = None
    ) -> None:
        """Send a notice to `players`, by default the whole field, once the tournament's newest fact is on disk."""
        frame = messages.notice(code, message, tournament_id=tournament.id)
        for player in self._recorder.players.of(tournament.field) if players is None else players:
            player.send(frame, self._recorder.newest_number_of(tournament))

    def notify_now(self, tournament: Tournament, code: NoticeCode, message: str) -> None:
        """Send a notice to the whole field at once, even if the tournament's newest fact is not on disk."""
        frame = messages.notice(code, message, tournament_id=tournament.id)
        for player in self._recorder.players.of(tournament.field):
            for session in player.sessions.values():
                session.sender.send_now(frame)
