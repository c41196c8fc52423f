from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest
from rumble_server.app import Server
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.config import ServerConfig
from rumble_server.store.log.ended_count import EndedCount
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import TournamentEnded

from tests.server.store.played import execute


def ended(status: Literal["finished", "cancelled"] = "finished") -> TournamentEnded:
    return TournamentEnded("friday", status, "", 0)


def counted(path: str) -> Counter[str]:
    with closing(read_sqlite(path)) as reader:
        return reader.ended_by_club()["main"][1]


def test_a_tournament_that_ends_while_old_ones_are_counted_is_counted_once() -> None:
    count = EndedCount()
    count.count("main", [(11, ended()), (12, ended("cancelled"))])
    count.count("go", [(1, ended("cancelled"))])
    assert count.by_status() == {"finished": 1, "cancelled": 2}
    count.add({"main": (11, Counter(finished=7)), "other": (90, Counter(finished=1))})
    assert count.by_status() == {"finished": 8, "cancelled": 2}
    count.count("main", [(13, ended())])
    count.count("other", [(91, ended())])
    assert count.by_status() == {"finished": 10, "cancelled": 2}


@pytest.mark.e2e
async def test_a_server_counts_the_ended_tournaments_of_earlier_runs(tmp_path: Path) -> None:
    config = ServerConfig(port=0, db=str(tmp_path / "rumble.db"), drain_ms=0)
    for run in (1, 2):
        server = Server(config)
        await server.start()
        organiser = Organiser(server.arena)
        for _ in range(3):
            tournament = organiser.create(TournamentConfig(name="Friday", game="tictactoe"))
            await server.log.wait(server.log.last)
            organiser.end(tournament.id, cancelled=True)
        await server.stop()
        assert server.ended.by_status() == counted(config.db) == {"cancelled": 3 * run}
    execute(Path(config.db), "DELETE FROM ended")
    execute(Path(config.db), "INSERT INTO ended VALUES ('main/friday', 'damaged', 0)")
    assert counted(config.db) == {"finished": 6}, "without a record nobody knows"
