"""Logins: who may log in, and the effects of a bot's coming and going on its matches and tournaments."""

from dataclasses import dataclass

from rumble_protocol import server_messages as say
from rumble_protocol.bot_messages import Login
from rumble_protocol.codec import write_message
from rumble_protocol.codes import CloseCode, ErrorCode, NoticeCode

from rumble_server.arena.bots import messages
from rumble_server.arena.bots.frame_sender import Outgoing
from rumble_server.arena.bots.player import Player
from rumble_server.arena.bots.session import BotSession
from rumble_server.arena.logins.claims import Claims
from rumble_server.arena.matches import Matches
from rumble_server.arena.ports import Caller
from rumble_server.arena.recorder import Recorder
from rumble_server.arena.tournaments.lifecycle import Lifecycle
from rumble_server.arena.tournaments.scheduler import Scheduler
from rumble_server.limits.admission import Admission
from rumble_server.tournament.errors import CommandRefused


@dataclass(eq=False)
class Logins:
    """Accepts or refuses the logins of a club, and handles the ends of sessions."""

    _recorder: Recorder
    _matches: Matches
    _lifecycle: Lifecycle
    _scheduler: Scheduler
    _claims: Claims
    _admission: Admission

    def check_room(self, login: Login, caller: Caller, invited_to: str | None) -> None:
        """Raise CommandRefused with the code `too_many_messages` if there is no room for a login's connection."""
        has_room = caller.has_room or (invited_to is not None and caller.has_invited_room)
        if not has_room and not self._may_add_own_session(login, caller.address):
            self._admission.refusals.count("connections", caller.address, login.name)
            raise CommandRefused(ErrorCode.TOO_MANY_MESSAGES, "too many connections from your address")

    def is_unproven(self, login: Login, address: str, invited_to: str | None) -> bool:
        """Return true if a login has no valid invitation, and the right key of the name never came from `address`."""
        return invited_to is None and not self._admission.guesses.knows(address, login.name)

    def _may_add_own_session(self, login: Login, address: str) -> bool:
        """Return true if a login shows the right key of its name, and the bot may have a further session of its own.

        Sessions of a bot's own do not count toward the bounds of an address. A bot in a tournament has a session for
        each of its workers; any other bot has a single session. A wrong key is counted.
        """
        player, key, now_ms = self._recorder.players.get(login.name), login.key, self._recorder.clock.now_ms()
        claim = self._recorder.names.get(login.name)
        if key is None or claim is None or claim.is_open:
            return False
        if player is not None and all(each.challenger is not None for each in player.tournaments.values()):
            others = player.sessions.keys() - {(login.worker or "").casefold()}  # without the older login
            if others:
                return False
        if not self._admission.guesses.allows_try(address, login.name, key, now_ms):
            return False
        is_right = self._recorder.names.owns(login.name, key)
        if not is_right:
            self._admission.guesses.count_wrong(address, login.name, key, now_ms)
        return is_right

    def log_in(self, login: Login, caller: Caller, invited_to: str | None, *, is_unproven: bool) -> Player:
        """Log a bot in, and return the player.

        `invited_to` is the tournament of the login's valid invitation. Raises CommandRefused as `use_name` does, or
        with the code `banned` or `too_many_messages`. If the bot already has as many workers as allowed, the code is
        `unavailable`.
        """
        admission, name, address, now_ms = self._admission, login.name, caller.address, self._recorder.clock.now_ms()
        if is_unproven and not caller.has_stranger_messages_left and not self._may_add_own_session(login, address):
            admission.refusals.count("messages", address, name)
            message = "too many messages from your address; try again in a minute"
            raise CommandRefused(ErrorCode.TOO_MANY_MESSAGES, message)
        ban = admission.bans.of(name, address, now_ms)
        if ban is not None:
            admission.refusals.count("banned", address, name)
            raise CommandRefused(ErrorCode.BANNED, ban.message)
        key = login.key or ""
        is_tried = bool(key) and not self._claims.is_open(name)
        if is_tried and not admission.guesses.allows_try(address, name, key, now_ms):
            message = "too many wrong keys from your address; try again in a minute"
            raise CommandRefused(ErrorCode.TOO_MANY_MESSAGES, message)
        try:
            player = self._claims.use_name(
                name, login.key, address, invited_to, keyless_allowed=caller.keyless_allowed, may_free=True
            )
        except CommandRefused as error:
            if error.code is ErrorCode.BAD_KEY or (is_tried and error.code is ErrorCode.BAD_NAME):
                admission.guesses.count_wrong(address, name, key, now_ms)
            elif error.code is ErrorCode.TOO_MANY_MESSAGES:
                admission.refusals.count("names", address, name)
            raise
        if not self._claims.is_open(name):
            admission.guesses.note_right(address, name, now_ms)
        most = admission.bounds.sessions_per_bot
        if len(player.sessions) >= most and (login.worker or "").casefold() not in player.sessions:
            raise CommandRefused(ErrorCode.UNAVAILABLE, f"{player.name} has {most} workers here, as many as it may")
        return player

    def attach(self, player: Player, session: BotSession, login: Login) -> None:
        """Answer an accepted login, and let the session take up matches. An older session of the same worker ends."""
        older = player.connect(session)
        if older is not None:
            older.sender.close(CloseCode.REPLACED)
        taken = player.assign_waiting_matches(session)
        tournaments, key, made_key = player.tournaments.values(), login.key, None
        name_is_open = self._claims.is_open(player.name)
        if login.exchange_key and key is not None:
            made_key = self._recorder.names.made_key(player.name, key)
        answer = say.Session(
            name=player.name,
            open=name_is_open,
            max_matches=session.max_matches,
            matches=list(session.matches),
            tournaments=[messages.summary(tournament) for tournament in tournaments],
            made_key=made_key,
        )
        after = max([player.name_fact_number, *map(self._recorder.newest_number_of, tournaments)])
        session.sender.post(Outgoing(write_message(answer), after, waits_for_all=True))
        while player.unsent_match_overs:
            session.sender.post(player.unsent_match_overs.popleft()._replace(frees_room=False))
        if name_is_open and key is not None:
            message = f"no key protects the name {player.name}, yours neither: ask the host to give it your key"
            session.sender.send(messages.notice(NoticeCode.NAME_OPEN, message))
        player.version = login.version
        if login.version is not None:
            self._lifecycle.unbench_changed(player, login.version)
        self._matches.sync_connections(player, taken)
        self._record_presence(player)
        self._scheduler.recheck(player)

    def detach(self, player: Player, session: BotSession) -> None:
        """Handle the end of a session.

        Do nothing if a newer session took over, or the server no longer judges matches.
        """
        if not player.disconnect(session) or self._recorder.is_stopped:
            return
        self._matches.sync_connections(player, player.assign_waiting_matches())
        self._record_presence(player)
        self._scheduler.recheck(player)

    def _record_presence(self, player: Player) -> None:
        """Record in each of the player's tournaments whether the player is absent.

        A player is absent if none of its sessions can play the tournament's game.
        """
        for tournament in player.tournaments.values():
            if player.eligible_sessions(tournament.config.game):
                fact = tournament.on_connected(player.name, self._recorder.clock.now_ms())
                if fact is not None:
                    self._recorder.record(fact)
            else:
                tournament.on_disconnected(player.name, self._lifecycle.absent_from_ms())
