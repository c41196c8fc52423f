"""The versions of a bot's source, as saved by the bot's owner."""

from collections.abc import Sequence
from typing import NamedTuple

from rumble_server.tournament.club_facts import SourceLanguage, VersionSaved

MOST_VERSIONS = 20
"""Maximum number of kept versions of a bot; older versions are deleted."""
MOST_SOURCE_BYTES = 1 << 16
"""Maximum size of a version's source in bytes of UTF-8."""


class StoredVersion(NamedTuple):
    """A version on disk, with the number of its row in the log and the size of the row in bytes."""

    row: int
    row_bytes: int
    saved: VersionSaved


def visible(stored: Sequence[StoredVersion], since_ms: int) -> list[VersionSaved]:
    """Return the versions that the present owner of a name saved, oldest first. The owner has had the name since the
    time `since_ms`.
    """
    return [each.saved for each in stored if each.saved.at_ms >= since_ms]


def next_version(
    stored: Sequence[StoredVersion], since_ms: int, bot: str, language: SourceLanguage, source: str, now_ms: int
) -> VersionSaved:
    """Return the fact of a further version after `stored`.

    The fact deletes the versions of earlier owners of the name, and the oldest versions beyond `MOST_VERSIONS`. If the
    clock was set back, the version has the time `since_ms`, so that its owner can see the version.
    """
    own = [each for each in stored if each.saved.at_ms >= since_ms]
    kept = own[1 - MOST_VERSIONS :]
    number = own[-1].saved.number + 1 if own else 1
    dropped = len(stored) - len(kept)
    # Without a version to keep, every stored row is deleted; the new version's own row has a greater number.
    oldest = stored[dropped].row if kept else max((each.row + 1 for each in stored), default=0)
    freed_bytes = sum(each.row_bytes for each in stored[:dropped])
    return VersionSaved(bot, number, language, source, max(now_ms, since_ms), oldest, freed_bytes)
