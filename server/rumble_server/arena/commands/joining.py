"""Pupils: people who join a tournament by its join code in a browser, under a display name and with a made key."""

import itertools
from dataclasses import dataclass
from dataclasses import replace as changed

from rumble_protocol.codes import ErrorCode

from rumble_server.arena.arena import Arena
from rumble_server.arena.commands.join_codes import read_code
from rumble_server.arena.recorder import transactional
from rumble_server.arena.state.display_names import check
from rumble_server.arena.state.join_refused import JoinRefused, refuse_code
from rumble_server.arena.state.names_and_keys import is_house_name
from rumble_server.tournament import commands
from rumble_server.tournament.club_facts import DisplayNamed
from rumble_server.tournament.errors import CommandRefused, RequestRefused
from rumble_server.tournament.ids import slug
from rumble_server.tournament.tournament import Tournament

LONGEST_STEM = 24
"""Maximum number of characters of a name before its final number. The whole name has at most 32 characters."""
PREFIX = "pupil"
"""Name for a pupil whose display name has no ASCII letters or digits. Also the prefix of a name that would otherwise
begin like the name of a house bot."""

MOST_NOTED = 64
"""Maximum number of characters that hosts see of a refused name."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A pupil in the field of a tournament: name and display name."""

    name: str
    display: str
    tournament: Tournament


class Joining:
    """The entrance of a club for pupils."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena

    def try_code(self, code: str, address: str) -> Tournament:
        """Return the tournament of a join code. A wrong code is counted against `address`.

        For a wrong code, raises JoinRefused with `unknown_code`, or with `too_many_requests` after too many wrong
        codes. A right code is never refused.
        """
        meant = read_code(code)
        tournament = next((each for each in self.arena.tournaments.values() if each.join_code == meant), None)
        if tournament is None:
            unknown = "no tournament takes entries with this code; look at the code again"
            refuse_code(self.arena.guesses, address, "join code", meant, self.arena.clock.now_ms(), unknown)
        return tournament

    def join(self, code: str, display: str, key: str, address: str) -> Joined:
        """Enter a pupil in the tournament of a join code.

        If a name has the display name `display` and the key `key` already, the pupil keeps the name. Otherwise the
        pupil gets a new name. Raises JoinRefused for a bad code or display name. Raises CommandRefused if the pupil is
        banned or may not have a new name, or if the tournament is closed.
        """
        asked_for = None
        try:
            tournament = self.try_code(code, address)
            asked_for = tournament.id
            return self._join(tournament, display, key, address)
        except RequestRefused as error:
            self.arena.record_refusal(display[:MOST_NOTED], address, asked_for, error)
            raise

    @transactional
    def _join(self, tournament: Tournament, display: str, key: str, address: str) -> Joined:
        display = check(display)
        arena, holder = self.arena, self.arena.display_names.holder(display)
        if holder is not None and arena.names.get(holder) is not None and not arena.names.owns(holder, key):
            raise JoinRefused("name_taken", f"{display} is taken here: add a letter of your last name")
        now_ms, name = arena.clock.now_ms(), holder or self._new_name(display)
        if (owner := arena.players.get(name) or arena.names.get(name)) is not None:
            name = owner.name  # a reset name comes back in another spelling
        ban = arena.bans.of(name, address, now_ms)
        if ban is not None:
            raise CommandRefused(ErrorCode.BANNED, ban.message)
        joined = commands.join(tournament, name, now_ms, tournament.invite)
        player = arena.claims.use_name(name, key, address, tournament.id)
        if arena.display_names.get(name) is None:
            arena.recorder.record(DisplayNamed(name, display, now_ms))
        if joined is not None:
            arena.lifecycle.record_entry(player, tournament, changed(joined, by_code=True))
        arena.guesses.note_right(address, name, now_ms)
        return Joined(name, arena.display_names.shown_name(name), tournament)

    def _new_name(self, display: str) -> str:
        """Return an unused name in ASCII that reads like a display name: `anna`, then `anna-2`."""
        plain = slug(display.replace("\u00df", "ss").replace("'", ""), PREFIX)[:LONGEST_STEM].strip("-")
        stem = f"{PREFIX}-{plain}"[:LONGEST_STEM].strip("-") if is_house_name(f"{plain}-") else plain
        numbered = (stem if number == 1 else f"{stem}-{number}" for number in itertools.count(1))
        return next(name for name in numbered if self.arena.display_names.is_free(name))
