import re

import httpx

from tests.server.web.memory_server import MemoryServer

FIGURE = re.compile(r'^rumble_(\w+(?:\{status="\w+"\})?) (\S+)$', re.MULTILINE)


async def test_it_lives_also_while_it_is_not_ready(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    assert (await browser.get("/readyz")).json() == {"status": "ok", "reason": ""}
    server.log.trouble = "disk full"
    answer = await browser.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "unavailable", "reason": "disk full"})
    server.log.trouble = None
    server.world.arena.drain()
    answer = await browser.get("/readyz")
    assert (answer.status_code, answer.json()["reason"]) == (503, "draining")
    assert (await browser.get("/healthz")).status_code == 200


async def test_figures_for_prometheus(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played("alice", "bob")
    server.world.login("carol")
    server.world.create(name="Open")
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
    for name in figures:
        bare = name.partition("{")[0]
        assert f"# TYPE rumble_{bare} " in answer.text
        assert f"# HELP rumble_{bare} " in answer.text
