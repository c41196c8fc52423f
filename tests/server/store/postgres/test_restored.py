"""A database restored from an older copy: turn ids asked since the copy are never asked again, and nodes end."""

import asyncio
import subprocess
from pathlib import Path

import pytest
from rumble_server.app import Server
from rumble_server.config import ServerConfig
from rumble_server.store.errors import StoreError

from tests.needs import need_module
from tests.postgres.cluster import PATIENCE_S, Cluster, programs, run
from tests.server.gateway.served import until

need_module("psycopg", "postgres")
from tests.server.store.care.test_copying import begun, come, move, play_to_the_end, running, turn_of  # noqa: E402

pytestmark = pytest.mark.e2e


async def program(name: str, *words: str) -> None:
    """Run a program of PostgreSQL."""
    command = [str(programs() / name), *words]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
async def test_a_tournament_goes_on_from_a_dump_and_a_turn_of_since_then_is_stale(
    tmp_path: Path, postgres: Cluster, postgres_url: str
) -> None:
    dump = str(tmp_path / "rumble.dump")
    async with running(postgres_url) as server:
        bots = begun(server)
        for _ in range(2):
            bot, turn = await turn_of(bots)
            bot.say(**move(turn))
        _, dumped = await turn_of(bots)
        await server.store.wait_all()
        await program("pg_dump", "--format=custom", f"--file={dump}", postgres_url)
    async with running(postgres_url) as server:  # another epoch, which is not in the dump
        _, since = await turn_of(come(server))
        epoch = server.store.run_number_of()
    assert since["ply"] == dumped["ply"]
    restored = postgres.database()
    await program("pg_restore", f"--dbname={restored}", dump)
    assert run(restored, "SELECT epoch FROM clubs")[0][0] < epoch
    async with running(restored) as server:
        assert server.store.run_number_of() > epoch
        await play_to_the_end(server, dumped, since)


async def test_a_server_on_standby_whose_row_is_gone_ends_so_that_it_is_started_again(postgres_url: str) -> None:
    async with running(postgres_url):
        second = Server(ServerConfig(port=0, db=postgres_url))
        starting = asyncio.create_task(second.start())
        await until(lambda: second._node is not None)
        assert second._node is not None
        run(postgres_url, "DELETE FROM nodes WHERE id = %s", [second._node.id])
        with pytest.raises(StoreError, match="the database no longer has this node's row"):
            await starting
