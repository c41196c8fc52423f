"""A database restored from an older copy: turn ids asked since the copy are never asked again, and nodes end."""

import asyncio
import subprocess
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from rumble_server.app import Server
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.config import ServerConfig
from rumble_server.limits.bounds import Bounds
from rumble_server.store.errors import StoreError
from rumble_server.tournament.config import TournamentConfig

from tests.needs import need_module
from tests.postgres.cluster import PATIENCE_S, Cluster, programs, run
from tests.server import whole_server
from tests.server.gateway.served import until
from tests.server.whole_server import Bot

need_module("psycopg", "postgres")
pytestmark = pytest.mark.e2e
LEASE_MS = 1_000


def running(url: str) -> AbstractAsyncContextManager[Server]:
    return whole_server.running(url, bounds=Bounds(lease_ms=LEASE_MS))


def begun(server: Server) -> list[Bot]:
    """Begin a tournament of two bots, and return the bots."""
    Organiser(server.arena).create(TournamentConfig(name="Friday", game="tictactoe", legs=1, start_at_bots=2))
    bots = come(server)
    for bot in bots:
        bot.say(type="join", tournament="friday")
    return bots


def come(server: Server) -> list[Bot]:
    return [Bot(server, name) for name in ("ann", "ben")]


async def play_to_the_end(server: Server, *old: dict[str, Any]) -> None:
    """Assert that the match goes on from the turn of the last of the old turns, which are all stale."""
    bots = come(server)
    bot, turn = await turn_of(bots)
    assert (turn["match"], turn["ply"]) == (old[-1]["match"], old[-1]["ply"])
    for each in old:
        assert turn["turn_id"] != each["turn_id"]
        bot.say(**move(each))
        assert (await bot.hears("rejected"))[0]["code"] == "stale_turn"
    bot.say(**move(turn))
    await asyncio.gather(*(play_on(each) for each in bots))


async def turn_of(bots: list[Bot]) -> tuple[Bot, dict[str, Any]]:
    """Wait until it is the turn of one of the bots; return the bot and the turn."""
    waiting = {asyncio.create_task(bot.hears("turn")): bot for bot in bots}
    done, others = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for each in others:
        each.cancel()
    task = done.pop()
    return waiting[task], dict(task.result()[0])


def move(turn: dict[str, Any]) -> dict[str, str]:
    return {"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": turn["legal"][0]}


async def play_on(bot: Bot) -> None:
    """Answer every turn until the tournament is over."""
    while (frame := await bot.frames.get())["type"] != "tournament_over":
        if frame["type"] == "turn":
            bot.say(**move(dict(frame)))


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
