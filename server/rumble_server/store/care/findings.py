"""The findings of `rumble db verify`, and the checks that are the same for SQLite and PostgreSQL."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rumble_server.store.log.batch import Configured
from rumble_server.store.log.codec import Numbered, read_ended, read_facts
from rumble_server.store.log.reader import LogReader
from rumble_server.store.row_keys import MAIN, prefix_of, readable, split
from rumble_server.tournament.facts import VERSIONS, TournamentEnded
from rumble_server.tournament.rebuild import rebuild_tournament

Flags = dict[str, tuple[bool | None, bool]]
"""Two flags of each tournament, by the tournament's key.

The first flag is true if the tournament is listed, and None if no fact with its configuration was read. The second flag
is true if the tournament is over.
"""


@dataclass(slots=True)
class Findings:
    """Results of a check.

    `rows` is the number of rows read. `lost` is the number of rows that `rumble db repair` left empty. `problems` has
    lines about damage. `damaged` has the keys of the tournaments with lost or damaged rows.
    """

    rows: int = 0
    lost: int = 0
    problems: list[str] = field(default_factory=list)
    damaged: set[str] = field(default_factory=set)

    def note_lost(self, key: str) -> None:
        """Count a row that `rumble db repair` left empty. `key` is the key of the row's tournament."""
        self.lost += 1
        self.damaged.add(key)

    def note_damage(self, number: int, key: str, error: ValueError) -> None:
        """Add a line about the row `number`, which is damaged. `key` is the key of the row's tournament."""
        what = f"row {number} of the log ({about(*split(key))}) is damaged"
        self.problems.append(f"{what}: {line_of(error)}")
        self.damaged.add(key)


def facts_in(text: str | None) -> list[Numbered]:
    """Return the facts in the text of a row. `text` is None if the checksum of the row is wrong.

    Raises ValueError with a line about the damage if `text` is None, or cannot be read.
    """
    if text is None:
        raise ValueError("it is not what was written")
    return read_facts(text)


def is_record(text: str | None, tournament_id: str) -> bool:
    """Return true if `text` is a readable record of the tournament.

    `text` is None if the checksum of the record is wrong.
    """
    try:
        return text is not None and read_ended(text).id == tournament_id
    except ValueError:
        return False


def contradictions(any_club: LogReader, keys: Iterable[str], damaged: Container[str]) -> Iterator[str]:
    """Yield a line for each tournament of `keys` that has no damaged row, but cannot be rebuilt from its rows."""
    for club, tournament_id in (split(key) for key in keys if key not in damaged):
        what = about(club, tournament_id)
        try:
            if rebuild_tournament(any_club.of(club).tournament_facts(tournament_id)) is None:
                yield f"{what} cannot be rebuilt: its creation is not in the log"
        except Exception as error:  # noqa: BLE001  # contradicting facts raise anything
            yield f"{what} cannot be rebuilt: {line_of(error)}"


def update_flags(flags: Flags, key: str, facts: Iterable[Numbered]) -> None:
    """Update `flags` from the facts of a row. `key` is the key of the row's tournament.

    Rows with versions of a bot belong to no tournament, and change nothing.
    """
    if split(key)[1].startswith(VERSIONS):
        return
    listed, over = flags.get(key, (None, False))
    for _, fact in facts:
        if isinstance(fact, Configured):
            listed = fact.config.listed
        over = over or isinstance(fact, TournamentEnded)
    flags[key] = (listed, over)


def differences(flags: Flags, index: Mapping[str, tuple[bool, bool]], unsure: Container[str]) -> Iterator[str]:
    """Yield a line for each difference between the index of tournaments and the log.

    Some rows of the tournaments in `unsure` were not read, so the flags of these tournaments are not compared.
    """
    for key, (listed, over) in flags.items():
        if key not in index:
            yield f"tournament {readable(key)} is not in the index of tournaments"
        elif key not in unsure and index[key] != (index[key][0] if listed is None else listed, over):
            yield f"tournament {readable(key)} is in the index of tournaments with another status than in the log"


def about(club: str, tournament: str) -> str:
    """Return a text that names the owner of a row of the log.

    The owner is a tournament, a bot or the club. A row with versions of a bot's program belongs to the bot.
    `tournament` is the key of the row, also if the owner is a bot or the club.
    """
    if tournament.startswith(VERSIONS):
        return f"versions of the bot {readable(prefix_of(club))}{tournament.removeprefix(VERSIONS)}"
    if tournament:
        return f"tournament {readable(prefix_of(club))}{tournament}"
    return "names, hosts and bans" + ("" if club == MAIN else f" of the club {club}")


def line_of(error: object) -> str:
    """Return the first line of an error's text, or its `repr` if the text is empty."""
    text = " ".join(str(error).partition("\n")[0].split())
    return text or repr(error)
