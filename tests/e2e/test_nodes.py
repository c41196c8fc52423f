"""Three servers on one database, while they, the database and the ways between all of them fail."""

import asyncio
import json
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.nodes import Node, Nodes, nodes
from tests.e2e.processes import TOKEN
from tests.e2e.raw_field import RawField

pytestmark = [pytest.mark.e2e, pytest.mark.long]

LEASE_MS = 2_000
TAKEN_WITHIN_S = LEASE_MS / 1000 + 1
"""Within which time in s another server leads after the death of a leader, not counting its replay."""
BEYOND_S = 4.0
"""How long ways are broken, in s: longer than a lease."""
FROZEN_S = 15.0
ON_S = 40.0
"""Time in s in which every bot is asked for a move again after a failure, also with both processors busy."""
OPTIONS = ("--lease-ms", str(LEASE_MS), "--excused-ms", "60000")


class Troubles:
    """What may fail, and how long it took each time until another server led, in s."""

    def __init__(self, at: Nodes) -> None:
        self.at = at
        self.took_s: list[float] = []

    async def leader(self) -> Node:
        return await asyncio.to_thread(self.at.leader, ON_S)

    async def taken_over(self, before: int) -> None:
        self.took_s.append(await asyncio.to_thread(self.at.taken_over_s, before, ON_S))

    async def kill_the_leader(self) -> None:
        leader, before = await self.leader(), self.at.epoch()
        leader.kill()
        await self.taken_over(before)

    async def kill_another(self) -> None:
        leader = await self.leader()
        next(node for node in self.at.each if node is not leader).kill()

    async def freeze_the_leader(self) -> None:
        leader, before = await self.leader(), self.at.epoch()
        began_s = time.monotonic()
        with leader.frozen():
            await self.taken_over(before)
            await asyncio.sleep(FROZEN_S - (time.monotonic() - began_s))

    async def silence_between_the_leader_and_the_database(self) -> None:
        leader, before = await self.leader(), self.at.epoch()
        leader.way.hold()
        await self.taken_over(before)
        await asyncio.sleep(BEYOND_S)
        leader.way.flow()

    async def part_the_leader_from_the_database(self) -> None:
        leader, before = await self.leader(), self.at.epoch()
        leader.way.refuse()
        await self.taken_over(before)
        await asyncio.sleep(BEYOND_S)
        leader.way.accept()

    async def part_the_nodes(self) -> None:
        for node in self.at.each:
            node.from_others.refuse()
        await asyncio.sleep(BEYOND_S)
        for node in self.at.each:
            node.from_others.accept()

    async def silence_between_the_nodes(self) -> None:
        """What was under way comes late, also after a new link was made."""
        for node in self.at.each:
            node.from_others.hold()
        await asyncio.sleep(BEYOND_S)
        for node in self.at.each:
            node.from_others.flow()

    async def part_the_leader_from_all(self) -> None:
        leader, before = await self.leader(), self.at.epoch()
        leader.way.refuse()
        leader.from_others.refuse()
        await self.taken_over(before)
        await asyncio.sleep(BEYOND_S)
        leader.way.accept()
        leader.from_others.accept()

    async def part_another_from_the_database(self) -> None:
        leader = await self.leader()
        other = next(node for node in self.at.each if node is not leader)
        other.way.refuse()
        await asyncio.sleep(BEYOND_S)
        other.way.accept()

    async def part_all_from_the_database(self) -> None:
        for node in self.at.each:
            node.way.refuse()
        await asyncio.sleep(BEYOND_S)
        for node in self.at.each:
            node.way.accept()

    async def restart_the_database(self) -> None:
        await asyncio.to_thread(self.at.database.restart)

    async def freeze_the_database(self) -> None:
        with self.at.database.frozen():
            await asyncio.sleep(BEYOND_S)


async def play(
    at: Nodes, bots: int, cycles: int, troubles: Sequence[Callable[[], Awaitable[None]]], most_s: float
) -> None:
    """Play a tournament, have troubles in it, and judge it."""
    names = [f"bot{number:02}" for number in range(1, bots + 1)]
    leader = await asyncio.to_thread(at.leader, ON_S)
    create = ("--game", "tictactoe", "--start-at-bots", str(bots), "--cycles", str(cycles), "--legs", "2")
    leader.server.tournament("create", "cup", *create)
    field = RawField("cup", names, at.bot_urls)
    async with field.playing(most_s):
        await field.turns_of_all(ON_S)
        for trouble in troubles:
            began_s = time.monotonic()
            await trouble()
            try:
                await field.turns_of_all(ON_S)
            except TimeoutError as error:
                raise AssertionError(f"after {trouble.__name__} play did not go on") from error
            print(f"{trouble.__name__}: on after {time.monotonic() - began_s:.1f} s", flush=True)
        assert field.count("tournament_over") == 0, "it was over before all had failed"
    facts = at.facts()
    field.judge(facts, results=cycles * bots * (bots - 1))
    leader = await asyncio.to_thread(at.leader, ON_S)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=leader.server.url, headers=headers, timeout=60) as host:

        def transcript(match: str) -> list[dict[str, Any]]:
            answer = host.get(f"/api/matches/{match}/transcript").raise_for_status()
            return [json.loads(line) for line in answer.text.splitlines()]

        field.judge_transcripts(facts, transcript)


async def test_one_leads_and_others_stand_by(tmp_path: Path) -> None:
    with nodes(tmp_path, 3, *OPTIONS, secret=None) as at:
        may = Troubles(at)
        every = [
            may.kill_the_leader,
            may.kill_another,
            may.silence_between_the_leader_and_the_database,
            may.part_the_leader_from_the_database,
            may.part_all_from_the_database,
            may.restart_the_database,
            may.freeze_the_database,
        ]
        await play(at, 8, 8, every, 200)


async def test_24_bots_ten_kills_and_three_long_freezes(tmp_path: Path) -> None:
    with nodes(tmp_path, 3, *OPTIONS, fsync=True) as at:
        may = Troubles(at)
        every = [
            *[may.kill_the_leader] * 10,
            *[may.freeze_the_leader] * 3,
            *[may.silence_between_the_leader_and_the_database, may.part_the_leader_from_the_database] * 2,
            *[may.part_all_from_the_database, may.restart_the_database, may.freeze_the_database],
            *[may.part_the_nodes, may.silence_between_the_nodes, may.part_the_leader_from_all],
            *[may.kill_another, may.part_another_from_the_database],
        ]
        random.Random(31).shuffle(every)
        await play(at, 24, 6, every, 500)
        print("taken over after", sorted(round(each, 2) for each in may.took_s))
        assert statistics.median(may.took_s) <= TAKEN_WITHIN_S
