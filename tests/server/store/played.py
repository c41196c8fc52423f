"""Databases of played tournaments, and ways to damage them."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from rumble_server.store.log.batch import Batch
from rumble_server.store.sqlite.schema import open_database
from rumble_server.store.sqlite.writer import write as commit
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import (
    ConfigChanged,
    LogFact,
    TournamentCreated,
    TournamentEnded,
    TournamentFact,
    tournament_of,
)
from rumble_server.tournament.rebuild import rebuild_tournament

from tests.server.arena.playing import first_legal
from tests.server.world import World


def played(*names: str, end: bool = True) -> list[LogFact]:
    """Return the log of tournaments of ann and ben, played to the end or, without `end`, for the first moves."""
    world = World()
    for name in names:
        world.create(name=name, start_at_bots=2)
    for bot_name in ("ann", "ben"):
        bot = world.player(bot_name, first_legal, key=bot_name * 8, join=names[0].lower(), max_matches=4)
        for name in names[1:]:
            bot.say(type="join", tournament=name.lower())
    if end:
        world.run()
    else:
        for _ in range(30):
            world.clock.step()
    return list(world.log.facts)


FACTS = played("Friday", "Monday")


def as_challenges(facts: Iterable[LogFact]) -> list[LogFact]:
    """Return the facts as those of challenges: unlisted tournaments that a bot asked for."""
    return [
        replace(each, challenger="ann", config=each.config.model_copy(update={"listed": False}))
        if isinstance(each, TournamentCreated)
        else each
        for each in facts
    ]


def unlisted(facts: Iterable[LogFact], tournament: str) -> LogFact:
    """Return the fact that the host made a tournament unlisted."""
    (config,) = [each.config for each in facts if isinstance(each, TournamentCreated) and each.tournament == tournament]
    return ConfigChanged(tournament, config.model_copy(update={"listed": False}), 0)


def save(path: Path, facts: Sequence[LogFact], size: int = 5, start: int = 1) -> None:
    """Write facts to a database, in batches of `size`, the first as fact `start`."""
    with closing(open_database(str(path))) as database:
        for first in range(0, len(facts), size):
            batch = Batch()
            for number, fact in enumerate(facts[first : first + size], first + start):
                batch.facts.append((number, fact))
                if isinstance(fact, TournamentEnded):
                    batch.add_record(record(facts_of(facts, fact.tournament)))
            commit(database, [batch.content()], index=True)


def record(facts: Iterable[LogFact]) -> EndedTournament:
    """Return the record of a tournament that is over."""
    rebuilt = rebuild_tournament(facts)
    assert rebuilt is not None
    return EndedTournament.of(rebuilt)


def facts_of(facts: Sequence[LogFact], tournament: str) -> list[LogFact]:
    return [fact for fact in facts if isinstance(fact, TournamentFact) and tournament_of(fact) == tournament]


def tournament_ids(facts: Sequence[LogFact]) -> list[str]:
    return [fact.tournament for fact in facts if isinstance(fact, TournamentCreated)]


def execute(path: Path, statement: str, *values: object) -> int:
    """Run a statement, and return the number of changed rows."""
    with closing(sqlite3.connect(path)) as database:
        changed = database.execute(statement, values).rowcount
        database.commit()
    return changed


def change(path: Path, how: Callable[[bytes], bytes], number: int) -> None:
    """Change the content of a row of the log."""
    with closing(sqlite3.connect(path)) as database:
        database.create_function("change", 1, how)
        database.execute("UPDATE log SET facts = CAST(change(CAST(facts AS BLOB)) AS TEXT) WHERE number = ?", (number,))
        database.commit()


def digit(content: bytes) -> bytes:
    """Change a digit, so that a row stays as readable as before."""
    return re.sub(rb"\d", lambda found: b"%d" % ((int(found[0]) + 1) % 10), content, count=1)


def bit(content: bytes) -> bytes:
    """Damage a row so that its text is not UTF-8."""
    return content[:-3] + b"\xff" + content[-2:]


def cut(content: bytes) -> bytes:
    return content[:20]


def tear(path: Path, what: bytes) -> None:
    """Overwrite each page with these bytes, as a bad disk would."""
    execute(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    content = path.read_bytes()
    size = int.from_bytes(content[16:18])
    pages = [content[at : at + size] for at in range(0, len(content), size)]
    torn = [b"\xaa" * size if what in page and number > 0 else page for number, page in enumerate(pages)]
    assert torn != pages
    path.write_bytes(b"".join(torn))


def overwrite(path: Path, name: str, make: Callable[[bytes], bytes]) -> None:
    """Replace the first page of a table or an index by what `make` makes of the page."""
    execute(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    with closing(sqlite3.connect(path)) as database:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        size = int(database.execute("PRAGMA page_size").fetchone()[0])
        root = (int(database.execute(query, (name,)).fetchone()[0]) - 1) * size
    content = path.read_bytes()
    path.write_bytes(content[:root] + make(content[root : root + size]) + content[root + size :])
