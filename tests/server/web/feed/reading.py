"""Reading a feed in tests."""

import asyncio
from typing import Any

import pytest
from rumble_server.tournament.tournament import Tournament

from tests.server.web.memory_server import Event, MemoryServer, Watcher
from tests.server.world import Bot

PAIR = ("alice", "bob")


async def watched_from_lobby(
    server: MemoryServer, *names: str, think_ms: int = 10, **config: Any
) -> tuple[Tournament, Watcher, list[Bot]]:
    """Return a new tournament that starts with these bots, a reader that came before the bots, and the bots."""
    tournament = server.world.create(start_at_bots=len(names), **config)
    watcher = await server.watched(tournament)
    return tournament, watcher, server.bots(*names, think_ms=think_ms, join=tournament.id)


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def unrated(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return standings without ratings and movement, which have separate tests."""
    beside = ("rating", "interval", "gained")
    return [{key: value for key, value in line.items() if key not in beside} for line in lines]


def standings(server: MemoryServer, tournament: str) -> list[dict[str, Any]]:
    return [line.model_dump(exclude_unset=True) for line in server.world.tournament(tournament).standings.lines()]


def final_board(watcher: Watcher, over: Event) -> Event:
    """Return the event before the result `over` that is about the same match."""
    return [event for event in watcher.events if event.data.get("match") == over.data["match"]][-2]


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
