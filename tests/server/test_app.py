"""The whole server on a real socket: it stops promptly, whoever is still watching."""

import asyncio
from pathlib import Path

import pytest
from rumble_server.app import Server
from rumble_server.config import ServerConfig
from rumble_server.tournament.config import TournamentConfig

PATIENCE_S = 10.0


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
    tournament, number = server.arena.create(TournamentConfig(name="Friday", game="tictactoe"))
    await server.log.wait(number)
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
