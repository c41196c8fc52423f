"""The organiser's commands on tournaments, bots, names, bans and host tokens.

The web's host API calls the commands. Each command is a transaction. A refused command raises CommandRefused, or the
error that its docstring names.
"""

from rumble_protocol.codes import ErrorCode, NoticeCode
from rumble_protocol.secret import RANDOM_BYTES, is_made, make_secret

from rumble_server.arena.arena import Arena
from rumble_server.arena.bots import messages
from rumble_server.arena.commands.join_codes import new_code
from rumble_server.arena.recorder import transactional
from rumble_server.arena.state.names_and_keys import digest_of
from rumble_server.limits.bans import MOST_BANS
from rumble_server.match.match_id import tournament_id_of
from rumble_server.tournament import club_facts, commands, facts
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.tournament import Tournament


class Organiser:
    """The commands of a club's host on its arena."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena

    @transactional
    def create(self, config: TournamentConfig) -> Tournament:
        tournament = self._create(config)
        if config.classroom:
            self.open_door(tournament.id)
        return tournament

    @transactional
    def change_config(self, tournament_id: str, config: TournamentConfig) -> None:
        """Change the configuration. Before the start, tell the bots. After the start, only `listed` can be changed."""
        tournament, recorder = self._tournament(tournament_id), self.arena.recorder
        recorder.record(commands.change_config(tournament, config, self.arena.clock.now_ms()))
        if tournament.status == "lobby":
            for player in self.arena.players.of(tournament.field):
                player.send(messages.joined(tournament), recorder.newest_number_of(tournament))

    @transactional
    def change_roster(self, tournament_id: str, names: tuple[str, ...]) -> None:
        """Record the names of the pupils whom the host expects in a tournament."""
        tournament, now_ms = self._tournament(tournament_id), self.arena.clock.now_ms()
        self.arena.recorder.record(commands.change_roster(tournament, names, now_ms))

    @transactional
    def create_next(self, ended: EndedTournament, config: TournamentConfig, *, top: int | None = None) -> Tournament:
        """Create a tournament to follow an ended one, whose pupils move to the new one.

        With `top`, only the best `top` pupils are moved. Pupils who left, and bots whose login excludes the game, are
        not moved. A moved pupil who waits for the next tournament (see `followers`) gets `joined` first, and then the
        `tournament_over` that was held back.
        """
        arena, tournament = self.arena, self._create(config, follows=ended.id)
        now_ms = arena.clock.now_ms()
        pupils = [arena.players.get_or_add(line.name) for line in ended.lines if line.by_code and not line.withdrawn]
        playing = [each for each in pupils if not each.is_connected or each.accepts_game(config.game)]
        for player in playing[:top]:
            arena.lifecycle.record_entry(
                player, tournament, facts.BotJoined(tournament.id, player.name, now_ms, by_code=True)
            )
            player.send(messages.joined(tournament), arena.recorder.newest_number_of(tournament))
        if config.classroom and top is None:
            self.open_door(tournament.id)
        arena.lifecycle.followers.release(ended.id)
        return tournament

    def _create(self, config: TournamentConfig, follows: str | None = None) -> Tournament:
        if config.start_at_bots is not None:
            commands.check_rounds(config, config.start_at_bots)
        made_invite = self._made_beside(config.invite)
        return self.arena.lifecycle.create(config, made_invite=made_invite, follows=follows)

    @transactional
    def start(self, tournament_id: str, *, without_absent: bool = False) -> None:
        """Give the entrants their numbers, and begin the tournament.

        Raises CommandRefused if the field has too few bots for the rounds of a Swiss, or does not fit the tables.

        With `without_absent`, first take out the bots that are not connected; house bots stay.
        """
        tournament = self._tournament(tournament_id)
        absent = commands.absentees(tournament) if without_absent else []
        commands.check_rounds(tournament.config, len(tournament.field) - len(absent))
        for player in self.arena.players.of(absent):
            self.arena.lifecycle.remove(player, tournament)
        self.arena.lifecycle.begin(tournament)

    @transactional
    def pause(self, tournament_id: str, reason: str) -> None:
        """Pause a tournament: running matches finish, and no match starts."""
        self.arena.lifecycle.pause(self._tournament(tournament_id), reason)

    @transactional
    def resume(self, tournament_id: str) -> None:
        """Let matches start again."""
        arena, tournament = self.arena, self._tournament(tournament_id)
        arena.recorder.record(commands.resume(tournament, arena.clock.now_ms()))
        arena.lifecycle.notify(tournament, NoticeCode.RESUMED, f"{tournament.id} goes on")

    @transactional
    def send_notice(self, tournament_id: str, message: str) -> None:
        """Send a message of the host to every bot of an open tournament."""
        self.arena.lifecycle.notify(self._tournament(tournament_id), NoticeCode.HOST, message)

    @transactional
    def end(self, tournament_id: str, *, cancelled: bool) -> None:
        """End the tournament early: cancel it if `cancelled` is true, or else finish it with the present standings."""
        what = "cancelled" if cancelled else "ended"
        self.arena.lifecycle.end(self._tournament(tournament_id), cancelled=cancelled, reason=f"the host {what} it")

    @transactional
    def remove(self, tournament_id: str, name: str) -> None:
        """Take a bot out for good; the bot loses its remaining matches."""
        tournament, player = self._tournament(tournament_id), self.arena.players.get(name)
        if player is None or player.name not in tournament.field:
            raise CommandRefused(ErrorCode.UNKNOWN_BOT, f"{tournament.id} has no bot {name!r}")
        self.arena.lifecycle.remove(player, tournament)

    @transactional
    def unbench(self, tournament_id: str, name: str) -> None:
        """Let a benched bot play again."""
        tournament, now_ms = self._tournament(tournament_id), self.arena.clock.now_ms()
        self.arena.recorder.record(commands.unbench(tournament, self._own_spelling(name), now_ms))

    @transactional
    def give_half_bye(self, tournament_id: str, name: str, number: int) -> None:
        """Give a bot a half-point bye in a round of a Swiss, and tell the bot."""
        arena, tournament, bot = self.arena, self._tournament(tournament_id), self._own_spelling(name)
        fact = commands.give_half_bye(tournament, bot, number, arena.clock.now_ms())
        if fact is not None:
            arena.recorder.record(fact)
            message = f"the host gives {bot} a half-point bye in round {number} of {tournament.id}"
            arena.lifecycle.notify(tournament, NoticeCode.BYE, message, [arena.players[bot]])

    @transactional
    def take_half_bye(self, tournament_id: str, name: str, number: int) -> None:
        """Take back a bot's half-point bye in a round of a Swiss, before the round is paired. Tell the bot."""
        arena, tournament, bot = self.arena, self._tournament(tournament_id), self._own_spelling(name)
        arena.recorder.record(commands.take_half_bye(tournament, bot, number, arena.clock.now_ms()))
        message = f"the host takes back the half-point bye of {bot} in round {number} of {tournament.id}"
        arena.lifecycle.notify(tournament, NoticeCode.BYE, message, [arena.players[bot]])

    @transactional
    def change_invite(self, tournament_id: str, invite: str | None) -> None:
        """Let bots join only with the code `invite` from now on; with None, bots need no code. Entrants stay."""
        tournament, now_ms = self._tournament(tournament_id), self.arena.clock.now_ms()
        made_invite = self._made_beside(invite)
        self.arena.recorder.record(commands.change_invite(tournament, invite, now_ms, made_invite))

    @transactional
    def open_door(self, tournament_id: str) -> None:
        """Make a new join code, with which pupils join in a browser. An older code is no longer valid."""
        tournament, arena = self._tournament(tournament_id), self.arena
        code = new_code(arena.random, (each.join_code for each in arena.tournaments.values()))
        arena.recorder.record(commands.change_join_code(tournament, code, arena.clock.now_ms()))

    @transactional
    def close_door(self, tournament_id: str) -> None:
        """Make the join code invalid. Pupils that have joined stay."""
        tournament = self._tournament(tournament_id)
        self.arena.recorder.record(commands.change_join_code(tournament, None, self.arena.clock.now_ms()))

    def _made_beside(self, invite: str | None) -> str | None:
        """Return a new secret that is to admit bots in the same way as the invitation code `invite`.

        Return None if `invite` is None, or if `invite` itself is a secret made by the server.
        """
        if invite is None or is_made(invite):
            return None
        return make_secret(self.arena.random.randbytes(RANDOM_BYTES))

    @transactional
    def play_again(self, match_id: str) -> None:
        """Have a match played again: the next attempt has the same match id."""
        arena, tournament = self.arena, self._tournament(tournament_id_of(match_id))
        if match_id in arena.matches.live:
            arena.matches.abort(match_id, commands.PLAYED_AGAIN)
            return
        over = tournament.results.get(match_id)
        arena.recorder.record(commands.void(tournament, match_id, arena.clock.now_ms()))
        message = f"the host has {match_id} played again: its result does not count any more"
        notice = messages.notice(NoticeCode.MATCH_VOIDED, message, tournament_id=tournament.id, match_id=match_id)
        for player in arena.players.of(over.seats + over.absent if over is not None else ()):
            player.send(notice, arena.recorder.newest_number_of(tournament), match_id)

    @transactional
    def reset_key(self, name: str, key: str | None = None) -> None:
        """Set the key of a name. If `key` is None, forget the old key: the next login claims the name anew.

        A pupil's slip becomes invalid, because whoever redeems a slip gets a new key.
        Sessions that logged in with an older key are signed out. An open name, which needs no key so far, can also get
        a key. The sessions of an open name stay logged in, because their logins needed no key.
        """
        arena, claim = self.arena, self.arena.names.get(name)
        if claim is None:
            raise CommandRefused(ErrorCode.UNKNOWN_BOT, f"no bot was ever called {name!r}")
        now_ms = arena.clock.now_ms()
        if key is None:
            arena.recorder.record(club_facts.NameReset(claim.name, now_ms))
        else:
            if claim.name.casefold() in arena.slips:
                arena.recorder.record(club_facts.SlipVoided(claim.name, now_ms))
            salt = arena.claims.new_salt()
            arena.recorder.record(club_facts.NameUsed(claim.name, salt, digest_of(key, salt), now_ms))
        if not claim.is_open:
            arena.sign_out(claim.name, f"the host has changed the key of {claim.name}: log in with the new one")

    @transactional
    def ban(self, what: str, *, by_name: bool, until_ms: int | None, reason: str) -> None:
        """Ban a name or a network, and close the connections that the ban affects.

        `what` is the name, or the network as text from `network_to_ban`.
        Raises CommandRefused if the maximum number of bans is in force.
        """
        arena = self.arena
        bans, now_ms = arena.bans, arena.clock.now_ms()
        if bans.is_full(now_ms) and not bans.has(what, now_ms, by_name=by_name):
            raise CommandRefused(ErrorCode.UNAVAILABLE, f"{MOST_BANS} bans are in force: lift one first")
        arena.recorder.record(club_facts.Banned(what, by_name, until_ms, reason, now_ms))
        arena.close_banned()

    @transactional
    def lift_ban(self, what: str, *, by_name: bool) -> None:
        """Lift the ban of a network or a name."""
        arena = self.arena
        now_ms = arena.clock.now_ms()
        if not arena.bans.has(what, now_ms, by_name=by_name):
            raise CommandRefused(ErrorCode.UNAVAILABLE, f"{what} is not banned")
        arena.recorder.record(club_facts.BanLifted(what, by_name, now_ms))

    @transactional
    def add_token(self, name: str, token: str) -> None:
        """Make a host token with a new name valid. Raises TokenRefused."""
        self.arena.host_tokens.check_new(name)
        self.set_token(name, token)

    @transactional
    def set_token(self, name: str, token: str) -> None:
        """Make a host token valid, in place of any older token of the name."""
        salt, now_ms = self.arena.claims.new_salt(), self.arena.clock.now_ms()
        self.arena.recorder.record(club_facts.HostTokenSet(name, salt, digest_of(token, salt), now_ms))

    @transactional
    def remove_token(self, name: str) -> None:
        """Make the host token of this name invalid. Raises TokenRefused."""
        self.arena.host_tokens.check_removal(name)
        self.arena.recorder.record(club_facts.HostTokenRemoved(name, self.arena.clock.now_ms()))

    def _own_spelling(self, name: str) -> str:
        """Return a bot's name in the spelling of the bot itself; `name` for an unknown bot."""
        player = self.arena.players.get(name)
        return name if player is None else player.name

    def _tournament(self, tournament_id: str) -> Tournament:
        return self.arena.tournaments.find(tournament_id)
