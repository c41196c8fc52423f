from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.store.log.ended_count import EndedCount
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import TournamentEnded

from tests.server.gateway.served import until
from tests.server.store.played import execute
from tests.server.whole_server import running


def ended(status: Literal["finished", "cancelled"] = "finished") -> TournamentEnded:
    return TournamentEnded("friday", status, "", 0)


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
@pytest.mark.usefixtures("saved")
async def test_a_server_counts_the_ended_tournaments_of_all_runs(path: Path) -> None:
    async with running(path) as server:
        organiser = Organiser(server.arena)
        tournament = organiser.create(TournamentConfig(name="Sunday", game="tictactoe"))
        await server.log.wait(server.log.last)
        organiser.end(tournament.id, cancelled=True)
        await until(lambda: server.ended.by_status() == {"finished": 2, "cancelled": 1})
    execute(path, "UPDATE ended SET record = 'damaged' WHERE id = 'main/sunday'")
    with closing(read_sqlite(str(path))) as reader:
        assert reader.ended_by_club()["main"][1] == {"finished": 3}, "without a record nobody knows"
