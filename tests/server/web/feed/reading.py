"""Reading a feed in tests."""

from typing import Any

from tests.server.web.memory_server import Event, MemoryServer, Watcher


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def unrated(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return standings without ratings and movement, which have separate tests."""
    beside = ("rating", "interval", "gained")
    return [{key: value for key, value in line.items() if key not in beside} for line in told]


def standings(server: MemoryServer, tournament: str) -> list[dict[str, Any]]:
    return [line.model_dump(exclude_unset=True) for line in server.world.tournament(tournament).table.standings()]


async def read_to_the_end(watcher: Watcher) -> None:
    while (await watcher.read("status")).data["status"] != "finished":
        pass
