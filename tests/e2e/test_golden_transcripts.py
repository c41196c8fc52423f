"""A real server speaks the golden transcripts: both bots' sides are played against it."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.processes import PATIENCE_S, Server
from tests.protocol.golden_transcript import EXAMPLES, Frame, play_transcript
from tests.server.cli.server_thread import TOKEN, server_on_thread

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """Serve on a thread. Each test has its own server, which does not know the bots' names yet."""
    with server_on_thread(tmp_path / "rumble.db") as url:
        yield Server(int(url.rpartition(":")[2]), tmp_path, TOKEN)


class Seen(dict[str, asyncio.Event]):
    """An event for each type of frame, set when the first frame of the type comes."""

    def __missing__(self, kind: str) -> asyncio.Event:
        return self.setdefault(kind, asyncio.Event())

    def __call__(self, frame: Frame) -> None:
        self[frame["type"]].set()


def standings(server: Server, tournament: str) -> list[tuple[int, str, float]]:
    """Return the final standings."""
    told = server.tournament("standings", tournament)
    assert told["status"] == "finished"
    return [(row["rank"], row["name"], row["points"]) for row in told["standings"]]


async def play(server: Server, name: str, seen: Callable[[Frame], None]) -> None:
    await play_transcript(EXAMPLES / f"{name}.jsonl", server.bot_url, seen)


async def test_friday(server: Server) -> None:
    assert server.tournament("create", "friday", "--game", "tictactoe", "--start-at-bots", "2")["id"] == "friday"
    alice, bob = Seen(), Seen()
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as bots:
        bots.create_task(play(server, "friday-alice", alice))
        await alice["joined"].wait()
        bots.create_task(play(server, "friday-bob", bob))
    assert standings(server, "friday") == [(1, "alice", 2.0), (2, "bob", 0.0)]


async def test_saturday(server: Server) -> None:
    bank = ("--bank-ms", "60000", "--increment-ms", "1000")
    server.tournament("create", "saturday", "--game", "connect4", "--legs", "1", *bank, "--start-at-bots", "2")
    alice, bob = Seen(), Seen()
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as bots:
        first = bots.create_task(play(server, "saturday-alice-1", alice))
        await alice["joined"].wait()
        bots.create_task(play(server, "saturday-bob", bob))
        await first
        await bob["notice"].wait()
        bots.create_task(play(server, "saturday-alice-2", alice))
    assert standings(server, "saturday") == [(1, "alice", 1.0), (2, "bob", 0.0)]
