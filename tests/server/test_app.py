"""A whole server in this process: it stops promptly, and rebuilds nothing on its loop for what bots ask."""

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from rumble_protocol.server_messages import Limits
from rumble_server.app import Server, StartError
from rumble_server.arena.organiser import Organiser
from rumble_server.config import ServerConfig
from rumble_server.store.archive import Archive
from rumble_server.store.reader import LogReader
from rumble_server.tournament.config import TournamentConfig

from tests.server.frames import Frame
from tests.server.world import MemoryLink

PATIENCE_S = 20.0
TIMES = 100


async def ask(server: Server, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = server.address
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    await writer.drain()
    return reader, writer


@pytest.mark.e2e
async def test_the_server_stops_while_streams_are_open(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    server = Server(ServerConfig(port=0, db=str(tmp_path / "x.db"), drain_ms=0))
    await server.start()
    tournament = Organiser(server.arena).create(TournamentConfig(name="Friday", game="tictactoe"))
    await server.log.wait(server.log.last)
    reader, writer = await ask(server, f"/api/tournaments/{tournament.id}/events")
    async with asyncio.timeout(PATIENCE_S):
        head = await reader.readuntil(b"event: snapshot")
        assert head.startswith(b"HTTP/1.1 200")
        assert server.feed.spectators == 1
        await server.stop()
        rest = await reader.read()
    assert rest.endswith(b"0\r\n\r\n"), "the stream has a proper end"
    assert [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []
    writer.close()


@pytest.mark.e2e
async def test_a_server_that_cannot_listen_lets_go_of_its_database(tmp_path: Path) -> None:
    path = tmp_path / "rumble.db"
    async with running(path) as other:
        port = other.address[1]
        refused = Server(ServerConfig(port=port, db=str(tmp_path / "refused.db")))
        with pytest.raises(StartError, match="is in use"):
            await refused.start()
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            refused.log.get("runs")
        async with running(tmp_path / "refused.db"):
            pass


@contextlib.asynccontextmanager
async def running(path: Path) -> AsyncIterator[Server]:
    limits = Limits(unsolicited_per_minute=10 * TIMES)
    server = Server(ServerConfig(port=0, db=str(path), drain_ms=0, limits=limits))
    async with asyncio.timeout(PATIENCE_S):
        await server.start()
        try:
            yield server
        finally:
            await server.stop()


class Bot:
    """A bot on a session without a socket."""

    def __init__(self, server: Server, name: str) -> None:
        self._frames: asyncio.Queue[Frame] = asyncio.Queue()
        link = MemoryLink()
        link.on_frame.append(self._frames.put_nowait)
        self._session = server.gateway.connect(link)
        self.say(type="login", name=name)

    def say(self, **message: Any) -> None:
        self._session.received(json.dumps(message))

    async def hears(self, *kinds: str) -> list[Frame]:
        """Wait for frames of these types, the others dropped."""
        frames: list[Frame] = []
        while len(frames) < len(kinds):
            frame = await self._frames.get()
            if frame["type"] == kinds[len(frames)]:
                frames.append(frame)
        return frames


async def play(path: Path) -> None:
    """An earlier run: a tournament of ann and ben is over."""
    async with running(path) as server:
        Organiser(server.arena).create(TournamentConfig(name="Friday", game="tictactoe", start_at_bots=2))
        bots = [Bot(server, name) for name in ("ann", "ben")]
        for bot in bots:
            bot.say(type="join", tournament="friday")
        Organiser(server.arena).end("friday", cancelled=False)
        for bot in bots:
            await bot.hears("tournament_over")


@pytest.mark.e2e
@pytest.mark.parametrize("recorded", [True, False])
async def test_nothing_is_rebuilt_on_the_loop_however_often_bots_join_and_leave_what_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recorded: bool
) -> None:
    path = tmp_path / "rumble.db"
    await play(path)
    if not recorded:
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("DELETE FROM ended")
            database.commit()
    async with running(path) as server:
        made: list[str] = []
        make = Archive.of_tournament

        async def counted(self: Archive, tournament_id: str, *given: Any) -> Any:
            made.append(tournament_id)
            return await make(self, tournament_id, *given)

        def forbidden(*_: object) -> None:
            pytest.fail("it was read in the server's own process")

        monkeypatch.setattr(Archive, "of_tournament", counted)
        monkeypatch.setattr(LogReader, "facts_after", forbidden)
        ann, zoe = Bot(server, "ann"), Bot(server, "zoe")
        for _ in range(TIMES):
            ann.say(type="join", tournament="friday")
            ann.say(type="leave", tournament="friday")
            zoe.say(type="join", tournament="friday")
            zoe.say(type="leave", tournament="friday")
        for _ in range(TIMES):
            _, over, _ = await ann.hears("joined", "tournament_over", "error")
            assert (over["rank"], over["bots"], over["status"]) == (1, 2, "finished")
            error, _ = await zoe.hears("error", "left")
            assert error["code"] == "tournament_closed"
    assert made == ([] if recorded else ["friday"]), "read and rebuilt once where there was no record"
