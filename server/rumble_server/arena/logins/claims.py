"""Claims on names: who may have a name, how a claim is recorded, and which name is freed if a club is full."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from rumble_protocol.codes import ErrorCode

from rumble_server.arena.bots.player import Player
from rumble_server.arena.recorder import Recorder
from rumble_server.arena.state.names_and_keys import Claim, is_house_name
from rumble_server.arena.tournaments.lifecycle import Lifecycle
from rumble_server.limits.admission import Admission
from rumble_server.tournament.club_facts import NameReset, NameUsed
from rumble_server.tournament.errors import CommandRefused

UNPLAYED_MS = 60_000
"""Minimum time in ms of a bot's absence before its name can be freed to make room for a new name. Bots with a match in
this run keep their names."""
MayClaim = Callable[[str, str | None], bool]
"""Function that returns true if a key may claim an unclaimed name."""


@dataclass(eq=False)
class Claims:
    """Checks and records the claims on a club's names."""

    _recorder: Recorder
    _lifecycle: Lifecycle
    _random: Random
    _may_claim: MayClaim
    _admission: Admission
    _claimed: dict[str, dict[str, Claim | None]] = field(default_factory=dict)
    """Claims made by logins in this run, by address and by name; the newest claim comes last. Entries are not removed
    when the bot plays, or when the name is claimed anew; `_free_name` removes such entries."""

    def is_open(self, name: str) -> bool:
        """Return true if no key protects a name, or if the name is new and anybody may claim it."""
        claim = self._recorder.names.get(name)
        return self._may_claim(name, None) if claim is None else claim.is_open

    def use_name(
        self,
        name: str,
        key: str | None,
        address: str,
        invited_to: str | None,
        *,
        keyless_allowed: bool = False,
        may_free: bool = False,
    ) -> Player:
        """Return the player of a name, after a check of the name's key. A new name is recorded.

        With `may_free`, free a name if there is no room otherwise; the new name can be freed later, too. A new name is
        counted for `address`. When the address is at its bound, the name is counted for the tournament `invited_to`.
        Raises CommandRefused with a code of `judge` or `check_quota`, or with the code `too_many_messages` if the
        address has claimed too many names.
        """
        claim, used = self.judge(name, key, keyless_allowed=keyless_allowed)
        if used is not None:
            self._take_name(name, address, invited_to, may_free=may_free)
        player = self.record_claim(claim, used)
        if used is not None and may_free:
            self._claimed.setdefault(address, {})[player.name] = self._recorder.names.get(name)
        return player

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
        if not claimed:
            self._claimed.pop(owner, None)
        return False
