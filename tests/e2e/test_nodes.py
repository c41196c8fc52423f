"""Servers on one database, while servers, database and the ways between them fail."""

import asyncio
import json
import random
import signal
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import httpx
import pytest
from rumble_protocol import SUBPROTOCOL
from rumble_protocol.codes import CloseCode
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.e2e.nodes import Node, Nodes, nodes
from tests.e2e.processes import ADMIN_TOKEN, PATIENCE_S, clean_environment, typed_here
from tests.e2e.raw_field import RawField
from tests.postgres.cluster import run
from tests.waiting import until

pytestmark = pytest.mark.e2e

LEASE_MS = 2_000
TAKEN_WITHIN_S = LEASE_MS / 1000 + 1
"""Maximum time in s from the death of a leader until another server leads, replay not included."""
BEYOND_S = 4.0
"""Time in s for which ways are broken: longer than a lease."""
FROZEN_S = 15.0
ON_S = 40.0
"""Maximum time in s after a failure until every bot is asked for a move, with both processors busy."""
OPTIONS = ("--lease-ms", str(LEASE_MS), "--excused-ms", "60000")
UNBROKEN = ("--lease-ms", "20000", "--excused-ms", "60000")
"""Options with a lease that a busy machine always renews in time."""
ADMINISTRATOR = {"Authorization": f"Bearer {ADMIN_TOKEN}"}


class Troubles:
    """Failures to cause, and the time in s that each took until another server led."""

    def __init__(self, at: Nodes) -> None:
        self.at = at
        self.took_s: list[float] = []

    async def leader(self) -> Node:
        return await asyncio.to_thread(self.at.leader)

    async def taken_over(self, before: int) -> None:
        self.took_s.append(await asyncio.to_thread(self.at.taken_over_s, before))

    async def kill_the_leader(self) -> None:
        leader, before = await self.leader(), self.at.epoch()
        leader.kill()
        await self.taken_over(before)

    async def kill_another(self) -> None:
        self.at.another(await self.leader()).kill()

    async def stop_the_leader(self) -> None:
        leader, before = await self.leader(), self.at.epoch()
        process = leader.process
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(self.at.taken_over_s, before)
        assert await asyncio.to_thread(process.wait, PATIENCE_S) == 0

    async def move_main(self) -> None:
        leader, before = await self.leader(), self.at.epoch()
        to = self.at.another(leader).server.url
        # A node that was killed just now may still be listed: then the club moves when the node is back.
        listed = "SELECT count(*) FROM nodes WHERE until > clock_timestamp() AND address = %s"
        await asyncio.to_thread(until, lambda: run(self.at.url, listed, [to]) == [(1,)])
        await asyncio.to_thread(typed, self.at, "club", "move", "main", to)
        await asyncio.to_thread(self.at.taken_over_s, before)

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

    async def part_another_from_the_database(self) -> None:
        other = self.at.another(await self.leader())
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


def typed(at: Nodes, *words: str) -> str:
    """Run a command about the nodes of the database, and return its output."""
    folder = at.each[0].server.folder
    done = typed_here([*words, "--db", at.url], clean_environment(folder), folder)
    assert done.code == 0, done.err
    return done.out


async def play(
    at: Nodes, bots: int, cycles: int, troubles: Sequence[Callable[[], Awaitable[None]]], most_s: float
) -> None:
    """Play a tournament with troubles, and judge it."""
    leader = await asyncio.to_thread(at.leader)
    field = RawField.of_cup(leader.server, bots, cycles, at.bot_urls)
    await field.play_through([(trouble.__name__, trouble) for trouble in troubles], most_s, ON_S)
    leader = await asyncio.to_thread(at.leader)
    field.judge_all(at.facts(), cycles * bots * (bots - 1), leader.server.url)


@pytest.mark.slow
async def test_bots_come_back_to_the_new_leader_when_the_leader_is_killed_moved_and_stopped(tmp_path: Path) -> None:
    with nodes(tmp_path, 2, *OPTIONS) as at:
        may = Troubles(at)
        await play(at, 4, 5, [may.move_main, may.kill_the_leader, may.stop_the_leader], 90)


@pytest.mark.slow
def test_a_drained_leader_ends_and_the_server_that_stood_by_leads(tmp_path: Path) -> None:
    def wait_for_two() -> None:
        until(lambda: run(at.url, "SELECT count(*) FROM nodes WHERE until > clock_timestamp()") == [(2,)])

    with nodes(tmp_path, 2, *UNBROKEN, several=False) as at:
        first, before = at.leader(), at.epoch()
        drained, other = first.process, at.another(first)
        created = first.server.tournament("create", "Friday", "--game", "tictactoe")
        wait_for_two()
        ((id_,),) = run(at.url, "SELECT node FROM clubs WHERE club = 'main'")
        typed(at, "node", "drain", str(id_))
        assert drained.wait(PATIENCE_S) == 0
        assert at.leader() is other
        assert at.epoch() > before
        assert [each["id"] for each in other.server.tournament("list")["tournaments"]] == [created["id"]]
        until(lambda: first.process is not drained)
        wait_for_two()
        stands_by = first.process
        stands_by.terminate()
        assert stands_by.wait(PATIENCE_S) == 0


@pytest.mark.long
async def test_one_node_leads_and_the_others_stand_by(tmp_path: Path) -> None:
    with nodes(tmp_path, 3, *OPTIONS, several=False) as at:
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


@pytest.mark.long
async def test_24_bots_ten_kills_and_three_long_freezes(tmp_path: Path) -> None:
    with nodes(tmp_path, 3, *OPTIONS, fsync=True) as at:
        may = Troubles(at)
        every = [
            *[may.kill_the_leader] * 10,
            *[may.freeze_the_leader] * 3,
            *[may.stop_the_leader, may.move_main] * 3,
            *[may.silence_between_the_leader_and_the_database, may.part_the_leader_from_the_database] * 2,
            *[may.part_all_from_the_database, may.restart_the_database, may.freeze_the_database],
            *[may.kill_another, may.part_another_from_the_database],
        ]
        random.Random(31).shuffle(every)
        await play(at, 24, 6, every, 500)
        print("taken over after", sorted(round(each, 2) for each in may.took_s))
        assert statistics.median(may.took_s) <= TAKEN_WITHIN_S


def handshake(node: Node, path: str) -> int:
    """Return the status with which a node answers a bot's handshake."""
    try:
        with connect(node.server.url.replace("http", "ws") + path):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


@pytest.mark.slow
def test_every_node_tells_who_leads_and_the_leader_alone_answers(tmp_path: Path) -> None:
    with nodes(tmp_path, 2, *UNBROKEN) as at:
        first = at.agree("/")
        other = at.another(first)
        until(lambda: other.server.url in typed(at, "node", "list"))
        with httpx.Client(base_url=first.server.url, headers=ADMINISTRATOR, timeout=PATIENCE_S) as administrator:
            for name in ("one", "two"):
                administrator.post("/api/clubs", json={"name": name}).raise_for_status()
            for name in ("one", "two"):
                at.agree(f"/c/{name}/")
            typed(at, "club", "move", "one", other.server.url)
            until(lambda: at.agree("/c/one/bot") is other)
            assert (handshake(other, "/c/one/bot"), handshake(first, "/c/one/bot")) == (101, 503)
            for path in ("/c/one/", "/c/one/api/tournaments", "/c/one/nothing"):
                statuses = (404, 421) if path.endswith("nothing") else (200, 421)
                assert (other.status(path), first.status(path)) == statuses
            for path in ("/docs", "/write", "/healthz", "/c/one/docs"):
                assert [node.status(path) for node in at.each] == [200, 200]
                assert [node.asked(path) for node in at.each] == [(204, node.server.url) for node in at.each]
            assert at.agree("/c/nobody/") is first, "who leads main knows that there is no such club"
            assert (first.status("/c/nobody/"), other.status("/c/nobody/")) == (404, 421)
            assert other.asked("/", **{"X-Forwarded-For": "192.0.2.1"}) == (404, "")

            made = httpx.post(
                f"{other.server.url}/api/clubs/one/tokens", json={"name": "ada"}, headers=ADMINISTRATOR, timeout=10
            )
            host = {"Authorization": f"Bearer {made.raise_for_status().json()['token']}"}
            assert httpx.get(f"{other.server.url}/c/one/api/host", headers=host, timeout=10).status_code == 200

            administrator.patch("/api/clubs/one", json={"title": "The first"}).raise_for_status()
            until(lambda: "The first" in httpx.get(f"{other.server.url}/c/one/", timeout=10).text)
            url = other.server.bot_url.replace("/bot", "/c/one/bot")
            with connect(url, subprotocols=[Subprotocol(SUBPROTOCOL)]) as bot:
                assert json.loads(bot.recv())["club"] == "one"
                administrator.delete("/api/clubs/one").raise_for_status()
                with pytest.raises(ConnectionClosed) as closed:
                    bot.recv(PATIENCE_S)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == CloseCode.CLUB_REMOVED
            until(lambda: at.agree("/c/one/") is first and first.status("/c/one/") == 404)

        ((id_,),) = run(at.url, "SELECT node FROM clubs WHERE club = 'main'")
        typed(at, "node", "drain", str(id_))
        until(lambda: {at.agree(path).server.url for path in ("/", "/c/two/")} == {other.server.url})
        assert (first.leads(), other.status("/"), first.status("/")) == ([], 200, 421)


@pytest.mark.long
def test_while_the_database_is_away_nobody_leads_and_all_is_refused_for_a_while(tmp_path: Path) -> None:
    with nodes(tmp_path, 2, *OPTIONS) as at:
        first = at.agree("/")
        with connect(first.server.bot_url, subprotocols=[Subprotocol(SUBPROTOCOL)]) as bot:
            bot.recv(PATIENCE_S)
            for node in at.each:
                node.way.refuse()
            until(lambda: [node.asked("/")[0] for node in at.each] == [502, 502])
            answer = httpx.get(f"{first.server.url}/api/tournaments", timeout=PATIENCE_S)
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
            assert [first.status(path) for path in ("/", "/readyz", "/healthz", "/docs")] == [503, 503, 200, 200]
            with pytest.raises(ConnectionClosed) as closed:
                bot.recv(PATIENCE_S)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == CloseCode.NO_LEADER
        assert [handshake(node, "/bot") for node in at.each] == [503, 503]
        for node in at.each:
            node.way.accept()
        assert handshake(at.agree("/"), "/bot") == 101
