"""The command of a bot's owner: save a version of the bot's source."""

from collections.abc import Sequence

from rumble_server.arena.arena import Arena
from rumble_server.arena.recorder import transactional
from rumble_server.arena.state.names_and_keys import Claim
from rumble_server.tournament.club_facts import SourceLanguage
from rumble_server.tournament.versions import StoredVersion, next_version


class Versions:
    """The commands of the owners of bots on versions of their bots' sources."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena

    @transactional
    def add(self, claim: Claim, stored: Sequence[StoredVersion], language: SourceLanguage, source: str) -> int:
        """Save a version of the bot of `claim`, and return the version's number. `stored` are the versions on disk.

        If the bot is benched for its faults, the new version lets the bot play again. Raises CommandRefused if the club
        has used up its quota of bytes.
        """
        arena = self.arena
        arena.allowance.check_creation()
        saved = next_version(stored, claim.since_ms, claim.name, language, source, arena.clock.now_ms())
        arena.recorder.append(saved)
        player = arena.players.get(claim.name)
        if player is not None:
            arena.lifecycle.unbench_changed(player, str(saved.number))
        return saved.number
