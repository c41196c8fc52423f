"""Reading a feed in tests."""

import asyncio
from typing import Any

import pytest
from rumble_server.tournament.tournament import Tournament

from tests.server.web.memory_server import Event, MemoryServer, Watcher


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def unrated(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return standings without ratings and movement, which have separate tests."""
    beside = ("rating", "interval", "gained")
    return [{key: value for key, value in line.items() if key not in beside} for line in told]


def standings(server: MemoryServer, tournament: str) -> list[dict[str, Any]]:
    return [line.model_dump(exclude_unset=True) for line in server.world.tournament(tournament).standings.lines()]


async def read_to_the_end(watcher: Watcher) -> None:
    while (await watcher.read("status")).data["status"] != "finished":
        pass


async def read_nothing(server: MemoryServer, tournament: Tournament) -> "asyncio.Task[None]":
    """Return a reader of a feed, sent its first piece, who reads nothing more."""
    sent = asyncio.Event()

    async def send_to_nobody() -> None:
        async for _ in server.feed.stream(tournament, endings=server.feed.ending_count):
            sent.set()
            await asyncio.Event().wait()

    stuck = asyncio.create_task(send_to_nobody())
    await asyncio.wait_for(sent.wait(), 5)
    return stuck


def held_up(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> tuple[asyncio.Event, asyncio.Event]:
    """Hold up a coroutine function of `owner`. Return two events: a call sets the first, the second ends the hold."""
    right, called, goes_on = getattr(owner, name), asyncio.Event(), asyncio.Event()

    async def held(*given: Any) -> Any:
        called.set()
        await goes_on.wait()
        return await right(*given)

    monkeypatch.setattr(owner, name, held)
    return called, goes_on
