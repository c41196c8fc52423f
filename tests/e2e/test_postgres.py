"""A server on PostgreSQL while server, database and the way between them fail: no result is lost or counts twice."""

import asyncio
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
import pytest

from tests.e2e.raw_field import RawField, Trouble
from tests.e2e.restartable_server import RestartableServer, restartable_server
from tests.postgres.cluster import Cluster, cluster, through
from tests.postgres.proxy import Fate, Proxy, proxy

pytestmark = pytest.mark.e2e

LEASE_MS = 1_000
BEYOND_S = 2.5
"""Time in s for which a process is frozen: longer than a lease."""
ON_S = 30.0
"""Maximum time in s after a failure until every bot is asked for a move."""
OPTIONS = ("--excused-ms", "60000")


@dataclass(frozen=True, slots=True)
class Place:
    """A database, a way to it that breaks, and a server."""

    database: Cluster
    way: Proxy
    server: RestartableServer

    def troubles(self) -> dict[str, Trouble]:
        """Return all troubles by name."""
        return {
            "the server is killed": self.kill,
            "the server is frozen beyond its lease": self.freeze,
            "the database is restarted": partial(asyncio.to_thread, self.database.restart),
            "the database's machine dies": self.power_off,
            "the database is frozen": self.freeze_database,
            "connections are cut": self.cut,
            "the way is silent": self.hold,
            "the way loses bytes": self.swallow,
            **{f"a commit is {fate.name.lower()}": partial(self.cut_commit, fate) for fate in Fate},
        }

    async def kill(self) -> None:
        await asyncio.to_thread(self.server.kill)
        await asyncio.to_thread(self.server.start)

    async def freeze(self) -> None:
        with self.server.frozen():
            await asyncio.sleep(BEYOND_S)

    async def power_off(self) -> None:
        await asyncio.to_thread(self.database.kill)
        await asyncio.to_thread(self.database.start)

    async def freeze_database(self) -> None:
        with self.database.frozen():
            await asyncio.sleep(BEYOND_S)

    async def cut(self) -> None:
        assert self.way.cut() > 0

    async def hold(self) -> None:
        self.way.hold()
        await asyncio.sleep(BEYOND_S)
        self.way.flow()

    async def swallow(self) -> None:
        self.way.swallow()
        await asyncio.sleep(BEYOND_S)
        self.way.cut()
        self.way.flow()

    async def cut_commit(self, fate: Fate) -> None:
        """Cut the connection at a commit that contains the end of a match."""
        cut = self.way.cut_by(lambda sent: b"match_over" in sent, fate)
        await asyncio.to_thread(cut.wait)
        await asyncio.sleep(0.5)
        cut.release()


@contextmanager
def place(folder: Path, *, fsync: bool) -> Iterator[Place]:
    with cluster(fsync=fsync) as database, proxy(database.port) as way:
        url = database.database()
        given = {"RUMBLE_DB": through(url, way.port)}
        with restartable_server(folder, postgres=url, options=OPTIONS, variables=given) as server:
            yield Place(database, way, server)
            running = psutil.Process(server.process.pid)
            words = [word for each in (running, *running.children(recursive=True)) for word in each.cmdline()]
            assert "rumble_server.store.postgres.writer" in words
            assert database.password not in "".join(words)
            log = (folder / "serve.log").read_text()
            assert "Traceback" not in log, log[log.index("Traceback") :][:3000]
            assert database.password not in log + server.announced
            assert "postgresql://127.0.0.1/test_1\n" in server.announced


async def play(at: Place, bots: int, cycles: int, troubles: list[tuple[str, Trouble]], within_s: float) -> None:
    """Play a tournament with troubles, and judge it."""
    server = at.server.server
    field = RawField.of_cup(server, bots, cycles, [server.bot_url])
    await field.play_through(troubles, within_s, ON_S)
    field.judge_all(at.server.facts(), cycles * bots * (bots - 1), server.url)


@pytest.mark.slow
async def test_a_commit_without_an_answer_and_a_database_that_goes(tmp_path: Path) -> None:
    with place(tmp_path, fsync=False) as at:
        every = at.troubles()
        few = ("a commit is late", "the database is restarted")
        await play(at, 4, 6, [(name, every[name]) for name in few], 60)


@pytest.mark.long
async def test_results_survive_each_failure_once_and_at_random(tmp_path: Path) -> None:
    chance = random.Random(23)
    with place(tmp_path, fsync=True) as at:
        every = list(at.troubles().items())
        await play(at, 12, 6, [*every, *chance.choices(every, k=18)], 300)
