"""A database with many matches: a tournament, played for real, whose facts are written again under other ids."""

import asyncio
import dataclasses
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from load import Tally, connect_all
from rumble_server.store.log.codec import read_facts
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.store.sqlite.schema import open_reader
from rumble_server.store.sqlite.store import SqliteStore
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact, TournamentEnded
from servers import serving
from throughput import Load, login

LARGEST = 32
"""Number of bots in the copied tournament; fewer if fewer matches are wanted."""
GATHERED = 2000
"""Number of facts written at a time."""


async def copy_matches(database: Path, count: int) -> str:
    """Write at least `count` matches of ended tournaments, and return the id of the last tournament."""
    bots = next((bots for bots in range(LARGEST, 2, -1) if bots * (bots - 1) <= count), 2)
    with tempfile.TemporaryDirectory(prefix="rumble-") as folder:
        played = Path(folder, "played.db")
        facts, ended, names = await _play(played, bots)
    store = SqliteStore(str(database))
    store.attach(asyncio.get_running_loop())
    log = store.open_log()
    for fact in names:
        log.append(fact)
    copies = -(-count // (bots * (bots - 1)))
    for number in range(1, copies + 1):
        tournament = f"copy{number}"
        for at in range(0, len(facts), GATHERED):
            for fact in facts[at : at + GATHERED]:
                last = log.append(_renamed(fact, ended.id, tournament))
                if isinstance(fact, TournamentEnded):
                    log.add_record(dataclasses.replace(ended, id=tournament))
            await log.wait(last)
    await store.close()
    return tournament


async def _play(database: Path, bots: int) -> tuple[list[LogFact], EndedTournament, list[LogFact]]:
    """Play a double round-robin; return its facts in order, its record, and the facts of its bots' names."""
    tally = Tally(until=bots)
    async with serving(database) as running:
        tournament = await running.create(start_at_bots=bots)
        load = Load("tictactoe", bots=bots)
        await connect_all(running, tally, (login(f"bot{each}", load, tournament) for each in range(bots)))
        await tally.ended()
    with closing(open_reader(str(database))) as log:
        rows = log.execute("SELECT facts FROM log WHERE tournament = ?", (f"main/{tournament}",)).fetchall()
    numbered = sorted((each for (text,) in rows for each in read_facts(text)), key=lambda each: each[0])
    with closing(read_sqlite(str(database))) as reader:
        return [fact for _, fact in numbered], reader.ended([tournament])[tournament], reader.club_facts()[0]


def _renamed(fact: LogFact, before: str, after: str) -> LogFact:
    """Return the fact with the ids of another tournament."""
    match: str | None = getattr(fact, "match", None)
    place: dict[str, Any] = {"tournament": after} if match is None else {"match": after + match[len(before) :]}
    return dataclasses.replace(fact, **place)
