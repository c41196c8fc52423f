import re

import httpx
import pytest
from rumble_server.arena.commands.administrator import Administrator
from rumble_server.limits.quotas import NO_QUOTAS
from rumble_server.tournament.club_facts import NameUsed

from tests.server.gateway.served import until
from tests.server.store.disk import HeldCommits
from tests.server.web.memory_server import HOST, METRICS_TOKEN, MemoryServer
from tests.server.whole_server import running

FIGURE = re.compile(r'^rumble_(\w+(?:\{\w+="[^"]+"\})?) (\S+)$', re.MULTILINE)


async def read(browser: httpx.AsyncClient) -> dict[str, float]:
    return {name: float(value) for name, value in FIGURE.findall((await browser.get("/metrics")).text)}


async def test_figures_for_prometheus(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played("alice", "bob")
    server.world.login("carol")
    server.world.create(name="Open")
    server.world.arena.tournaments.damaged.add("set-aside")
    server.pass_ms()
    answer = await browser.get("/metrics")
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    figures = {name: float(value) for name, value in FIGURE.findall(answer.text)}
    moves = sum(len(over.moves) for over in tournament.results.values())
    assert (figures["moves_total"], figures["results_total"]) == (moves, 2)
    assert (figures["bots_connected"], figures["matches_running"], figures["spectators"]) == (1, 0, 0)
    assert figures["log_facts"] == figures["log_facts_durable"] == server.world.log.last
    assert figures["log_trouble"] == 0
    assert figures["loop_lag_seconds"] >= 0
    assert (figures['tournaments{status="finished"}'], figures['tournaments{status="lobby"}']) == (1, 1)
    assert figures['tournaments{status="damaged"}'] == 1
    for name in figures:
        bare = re.sub(r"(_bucket|_sum|_count)?(\{.*)?$", "", name)
        assert f"# TYPE rumble_{bare} " in answer.text
        assert f"# HELP rumble_{bare} " in answer.text


async def test_histograms_queues_and_refusals(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    operation = server.operation
    operation.turn_latency.observe(0.002)
    operation.beat_delays.observe(0.3)
    operation.commits.observe(99.0)
    for _ in range(3):
        operation.refusals.count("names", "10.0.0.1")
    server.world.create(name="Not on disk yet")
    figures = await read(browser)
    assert figures['turn_latency_seconds_bucket{le="0.001"}'] == 0
    assert figures['turn_latency_seconds_bucket{le="0.0025"}'] == figures["turn_latency_seconds_count"] == 1
    assert figures['loop_late_seconds_bucket{le="0.5"}'] == 1
    assert (figures['commit_seconds_bucket{le="10.0"}'], figures['commit_seconds_bucket{le="+Inf"}']) == (0, 1)
    assert figures["commit_seconds_sum"] == 99
    assert figures['refusals_total{reason="names"}'] == 3
    assert figures['queue_length{queue="facts"}'] == server.log.last - server.log.durable > 0


@pytest.mark.parametrize(
    ("is_local", "headers", "status"),
    [
        (True, {}, 200),
        (False, {}, 401),
        (False, {"Authorization": "Bearer something-else"}, 401),
        (False, HOST, 200),
        (False, {"Authorization": f"Bearer {METRICS_TOKEN}"}, 200),
    ],
)
async def test_metrics_are_open_to_this_machine_and_to_tokens(
    server: MemoryServer, is_local: bool, headers: dict[str, str], status: int
) -> None:
    async with server.browser(is_local=is_local) as browser:
        answer = await browser.get("/metrics", headers=headers)
    assert answer.status_code == status
    assert ("rumble_" in answer.text) == (status == 200)
    assert server.operation.refusals.counts["wrong_token"] == (status == 401)


async def test_the_metrics_token_opens_nothing_else(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/api/host", headers={"Authorization": f"Bearer {METRICS_TOKEN}"})
    assert answer.status_code == 401


@pytest.mark.e2e
async def test_facts_of_all_clubs_wait_although_each_club_has_its_own_numbers(postgres_url: str) -> None:
    async with running(postgres_url) as server:
        Administrator(server.arena).create("chess", "", NO_QUOTAS)
        for each in range(20):  # so that the numbers of main are above the numbers of chess
            await server.log.wait(server.log.append(NameUsed(f"bot-{each}", None, None, 0)))
        chess = await server.clubs.load("chess")
        assert chess is not None
        held = HeldCommits(server.store.group)
        written = chess.log.append(NameUsed("anna", None, None, 0))
        await until(lambda: bool(held.commits))
        last = chess.log.append(NameUsed("ben", None, None, 0))
        async with httpx.AsyncClient(base_url=server.url) as browser:
            figures = await read(browser)
            assert figures['queue_length{queue="facts"}'] == last - written + 1 == 2
            assert figures["log_facts"] - figures["log_facts_durable"] == 2
            held.go_on.set()
            await chess.log.wait(last)
            assert (await read(browser))['queue_length{queue="facts"}'] == 0


async def test_a_node_that_leads_nothing_has_figures(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.sites = list  # type: ignore[method-assign]
    figures = await read(browser)
    assert figures["clubs"] == figures["log_facts"] == figures["log_facts_durable"] == figures["matches_running"] == 0
