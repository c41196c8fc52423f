"""Slips of paper with a one-time code, by which a pupil goes on under the same name on another computer."""

from dataclasses import dataclass
from hmac import compare_digest

from rumble_protocol.codes import ErrorCode
from rumble_protocol.secret import RANDOM_BYTES, make_secret

from rumble_server.arena.arena import Arena
from rumble_server.arena.commands.join_codes import new_code, read_code
from rumble_server.arena.recorder import transactional
from rumble_server.arena.state.join_refused import refuse_code
from rumble_server.arena.state.names_and_keys import digest_of
from rumble_server.tournament.club_facts import NameUsed, SlipMade, SlipVoided
from rumble_server.tournament.errors import CommandRefused

LENGTH = 8
"""Number of characters of a slip's code."""
LIFETIME_MS = 14 * 86_400_000
"""Time in ms for which a slip is valid. A pupil who misses the next week's lesson can use the slip in the week after.
An older slip is of no use to a finder."""


@dataclass(frozen=True, slots=True)
class Redeemed:
    """A pupil's name, display name and new key."""

    name: str
    display: str
    key: str


class SlipDesk:
    """The commands that make, void and redeem a club's slips. The server shows a slip's code once, after `make`."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena

    @transactional
    def make(self, tournament_id: str, name: str) -> str:
        """Make a slip for a pupil of a tournament, in place of the pupil's older slip. Return the new slip's code.

        The tournament may be over. Raises CommandRefused for a name without a key.
        """
        arena, claim = self.arena, self.arena.names.get(name)
        if claim is None or claim.is_open:
            raise CommandRefused(ErrorCode.UNKNOWN_BOT, f"there is no pupil {name!r}")
        code = new_code(arena.random, (), LENGTH)
        # Slips share a salt, so that a guess costs the server the same for one slip and for a thousand.
        salt = next((each.salt for each in arena.slips.values()), None) or arena.claims.new_salt()
        slip = SlipMade(claim.name, tournament_id, salt, digest_of(code, salt), arena.clock.now_ms())
        arena.recorder.record(slip)
        return code

    @transactional
    def void(self, name: str) -> None:
        """Make a pupil's slip invalid. Raises CommandRefused for a pupil without a slip."""
        slip = self.arena.slips.get(name.casefold())
        if slip is None:
            raise CommandRefused(ErrorCode.UNAVAILABLE, f"{name} has no slip")
        self.arena.recorder.record(SlipVoided(slip.name, self.arena.clock.now_ms()))

    def find(self, code: str, address: str) -> SlipMade:
        """Return the valid slip with a code.

        Raises JoinRefused with `unknown_code`, or with `too_many_requests` after too many wrong codes.
        """
        arena, meant, now_ms = self.arena, read_code(code), self.arena.clock.now_ms()
        slips = [each for each in arena.slips.values() if now_ms < each.at_ms + LIFETIME_MS]
        digests = {salt: digest_of(meant, salt) for salt in {each.salt for each in slips}}
        slip = next((each for each in slips if compare_digest(each.digest, digests[each.salt])), None)
        if slip is None:
            unknown = "no slip has this code; each can be used once, within two weeks"
            refuse_code(arena.guesses, address, "slip", meant, now_ms, unknown)
        return slip

    @transactional
    def redeem(self, code: str, address: str) -> Redeemed:
        """Give the pupil of a slip a new key, and sign out the programs and browsers with the old key.

        Raises JoinRefused as `find` does.
        """
        arena, slip, now_ms = self.arena, self.find(code, address), self.arena.clock.now_ms()
        key, salt = make_secret(arena.random.randbytes(RANDOM_BYTES)), arena.claims.new_salt()
        arena.recorder.record(SlipVoided(slip.name, now_ms))
        arena.recorder.record(NameUsed(slip.name, salt, digest_of(key, salt), now_ms))
        arena.sign_out(slip.name, f"a slip took {slip.name} to another computer: this one is signed out")
        return Redeemed(slip.name, arena.display_names.shown_name(slip.name), key)
