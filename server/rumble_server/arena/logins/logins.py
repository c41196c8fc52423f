"""Logins: the use of names, and the effects of a bot's coming and going on its matches and tournaments."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from rumble_protocol import server_messages as say
from rumble_protocol.bot_messages import Login
from rumble_protocol.codec import write_message
from rumble_protocol.codes import CloseCode, ErrorCode, NoticeCode

from rumble_server.arena.bots import messages
from rumble_server.arena.bots.player import Player
from rumble_server.arena.bots.session import BotSession
from rumble_server.arena.matches import Matches
from rumble_server.arena.ports import Caller
from rumble_server.arena.recorder import Recorder
from rumble_server.arena.state.names_and_keys import Claim, is_house_name
from rumble_server.arena.tournaments.lifecycle import Lifecycle
from rumble_server.arena.tournaments.scheduler import Scheduler
from rumble_server.limits.admission import Admission
from rumble_server.tournament.club_facts import NameReset, NameUsed
from rumble_server.tournament.errors import CommandRefused

UNPLAYED_MS = 60_000
"""Minimum time in ms of a bot's absence before its name can be freed to make room for a new name. Bots with a match in
this run keep their names."""
MayClaim = Callable[[str, str | None], bool]
"""Function that returns true if a key may claim an unclaimed name."""


@dataclass(eq=False)
class Logins:
    """Accepts or refuses the logins of a club, and handles the ends of sessions."""

    _recorder: Recorder
    _matches: Matches
    _lifecycle: Lifecycle
    _scheduler: Scheduler
    _random: Random
    _may_claim: MayClaim
    _admission: Admission
    _claimed: dict[str, dict[str, Claim | None]] = field(default_factory=dict)
    """Claims made in this run, by address and by name; the newest claim comes last. Entries are not removed when the
    bot plays, or when the name is claimed anew; `_free_name` removes such entries."""

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

    def log_in(self, login: Login, caller: Caller, invited_to: str | None, *, is_unproven: bool) -> tuple[Player, bool]:
        """Log a bot in. Return the player and a flag, which is true if no key protects the name.

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
        claim = self._recorder.names.get(name)
        takes_any_key = self._may_claim(name, None) if claim is None else claim.is_open
        key = login.key or ""
        is_tried = bool(key) and not takes_any_key
        if is_tried and not admission.guesses.allows_try(address, name, key, now_ms):
            message = "too many wrong keys from your address; try again in a minute"
            raise CommandRefused(ErrorCode.TOO_MANY_MESSAGES, message)
        try:
            player, is_open = self.use_name(
                name, login.key, address, invited_to, keyless_allowed=caller.keyless_allowed, may_free=True
            )
        except CommandRefused as error:
            if error.code is ErrorCode.BAD_KEY or (is_tried and error.code is ErrorCode.BAD_NAME):
                admission.guesses.count_wrong(address, name, key, now_ms)
            elif error.code is ErrorCode.TOO_MANY_MESSAGES:
                admission.refusals.count("names", address, name)
            raise
        if claim is None:
            self._claimed.setdefault(address, {})[player.name] = self._recorder.names.get(name)
        if not is_open:
            admission.guesses.note_right(address, name, now_ms)
        most = admission.bounds.sessions_per_bot
        if len(player.sessions) >= most and (login.worker or "").casefold() not in player.sessions:
            raise CommandRefused(ErrorCode.UNAVAILABLE, f"{player.name} has {most} workers here, as many as it may")
        return player, is_open

    def _rank_addresses(self, address: str) -> list[str]:
        """Return the addresses that may lose a name to `address`.

        First come the addresses with at least two names more than `address`, the most names first; then `address`.
        """
        counts = {each: len(names) for each, names in self._claimed.items()}
        own = counts.pop(address, 0)
        larger = [each for each in counts if counts[each] > own + 1]
        return [*sorted(larger, key=counts.__getitem__, reverse=True), address]

    def _free_name(self, owner: str, address: str, invited_to: str | None, now_ms: int) -> bool:
        """Free a name claimed by the address `owner`, so that idle bots do not keep out a new bot of `address`. Return
        whether a name was freed.

        The freed name is the newest name whose bot was never in a match, is in no tournament that has started, and has
        been away for `UNPLAYED_MS`. If too many names were freed for `address`, no name is freed.
        """
        claimed = self._claimed.get(owner, {})
        for name, claim in reversed(list(claimed.items())):
            player = self._recorder.players.get(name)
            if player is None or player.has_played or self._recorder.names.get(name) is not claim:
                del claimed[name]
                continue
            tournaments = list(player.tournaments.values())
            if any(each.status != "lobby" for each in tournaments):
                del claimed[name]
            elif not player.is_connected and now_ms - player.free_since_ms >= UNPLAYED_MS:
                if not self._admission.take_freed_name(address, invited_to, now_ms):
                    return False
                for tournament in tournaments:
                    self._lifecycle.remove(player, tournament)
                self._recorder.record(NameReset(name, now_ms))
                if not any(name in each.field for each in self._recorder.tournaments.values()):
                    self._recorder.players.forget(name)
                del claimed[name]
                return True
        return False

    def use_name(
        self,
        name: str,
        key: str | None,
        address: str,
        invited_to: str | None,
        *,
        keyless_allowed: bool = False,
        may_free: bool = False,
    ) -> tuple[Player, bool]:
        """Check a name and its key, and record a new name. With `may_free`, free a name if there is no room otherwise.

        Return the player and a flag, which is true if no key protects the name. A new name is counted for `address`.
        When the address is at its bound, the name is counted for the tournament `invited_to`. Raises CommandRefused
        with a code of `judge` or `check_quota`, or with the code `too_many_messages` if the address has claimed too
        many names.
        """
        claim, used = self.judge(name, key, keyless_allowed=keyless_allowed)
        if used is not None:
            self._take_name(name, address, invited_to, may_free=may_free)
        return self.record_claim(claim, used), claim.is_open

    def _take_name(self, name: str, address: str, invited_to: str | None, *, may_free: bool) -> None:
        """Count a new name in the quota and the bounds of `use_name`. Raises CommandRefused if there is no room."""
        now_ms = self._recorder.clock.now_ms()
        has_room = self._admission.allows_name(address, invited_to, now_ms)
        try:
            self.check_quota(name)
            if not has_room:
                message = "too many new names from your address; log in with one that is there, or try again later"
                raise CommandRefused(ErrorCode.TOO_MANY_MESSAGES, message)
        except CommandRefused:
            owners = self._rank_addresses(address) if has_room else [address]
            if not may_free or not any(self._free_name(each, address, invited_to, now_ms) for each in owners):
                raise
        if has_room:
            self._admission.take_name(address, invited_to, now_ms)

    def judge(self, name: str, key: str | None, *, keyless_allowed: bool = False) -> tuple[Claim, NameUsed | None]:
        """Check a name and its key. Return the claim on the name, and the fact to record if the name is new.

        Raises CommandRefused with the code `bad_name`, `key_required` or `bad_key`.
        """
        names = self._recorder.names
        if names.get(name) is None and not self._may_claim(name, key):
            raise CommandRefused(ErrorCode.BAD_NAME, f"{name} is kept for a bot of the house; choose another name")
        claim, used = names.check(
            name, key, keyless_allowed=keyless_allowed, salt=self.new_salt(), now_ms=self._recorder.clock.now_ms()
        )
        if used is not None and self._recorder.display_names.is_taken(name):
            raise CommandRefused(ErrorCode.BAD_NAME, f"people know another bot here as {name}; choose another name")
        return claim, used

    def check_quota(self, name: str, others: int = 0) -> None:
        """Raise CommandRefused with the code `quota` if the club has no room for a new name.

        `others` is the number of other new names that are to be recorded with this name.
        """
        if not is_house_name(name):
            self._recorder.allowance.check_name(self._recorder.names.of_bots + others)

    def record_claim(self, claim: Claim, used: NameUsed | None) -> Player:
        """Return the player of a name that `judge` allowed, and record the name if the name is new."""
        player = self._recorder.players.get_or_add(claim.name)
        if used is not None:
            self._recorder.record(used)
            player.name_fact_number = self._recorder.log.last
        return player

    def new_salt(self) -> str:
        """Return a new random salt for a key or a token, in hex."""
        return self._random.getrandbits(128).to_bytes(16).hex()

    def attach(self, player: Player, session: BotSession, login: Login, *, name_is_open: bool) -> None:
        """Answer an accepted login, and let the session take up matches. An older session of the same worker ends."""
        older = player.connect(session)
        if older is not None:
            older.sender.close(CloseCode.REPLACED)
        taken = player.assign_waiting_matches(session)
        tournaments, key, made_key = player.tournaments.values(), login.key, None
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
        session.sender.send_barrier(
            write_message(answer), max([player.name_fact_number, *map(self._recorder.number_of, tournaments)])
        )
        while player.unsent_match_overs:
            session.sender.send_match_over(*player.unsent_match_overs.popleft(), "roomless_over")
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
