import json
from typing import Any

import httpx
from rumble_server.tournament.tournament import Tournament

from tests.server.web.memory_server import HOST, MemoryServer

KEYS = {"anna": "the-key-of-anna-123", "berta": "the-key-of-berta-12"}


def owner(name: str) -> dict[str, str]:
    return {"Authorization": f"Bot {name}:{KEYS[name.casefold()]}"}


def meet(server: MemoryServer, version: str, *, broken: bool = False, **config: Any) -> Tournament:
    """Have berta play a match against anna, who moves first in the version; a `broken` anna makes no legal move."""
    tournament = server.world.create(start_at_bots=2, legs=1, **config)
    anna = server.world.login("anna", key=KEYS["anna"], version=version, join=tournament.id)
    berta = server.world.login("berta", key=KEYS["berta"], version="secret-of-berta", join=tournament.id)
    anna.play(lambda turn: "zz" if broken else str(turn["legal"][0]), lambda: 10)
    berta.play(lambda turn: str(turn["legal"][0]), lambda: 10)
    server.world.run()
    return tournament


async def me(browser: httpx.AsyncClient, name: str = "anna") -> dict[str, Any]:
    answer = await browser.get("/api/me", headers=owner(name))
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_scores_are_counted_by_version_and_opponent(browser: httpx.AsyncClient, server: MemoryServer) -> None:
    meet(server, "9")
    for version in ("9", "10"):
        meet(server, version, broken=True)
    results = await me(browser)
    assert [
        (each["version"], each["against"], each["won"], each["drawn"], each["lost"]) for each in results["scores"]
    ] == [("10", "berta", 0, 0, 1), ("9", "berta", 1, 0, 1)]
    assert "secret-of-berta" not in json.dumps(results)
    assert [each["version"] for each in (await me(browser, "berta"))["scores"]] == ["secret-of-berta"]


async def test_the_newest_loss_and_the_frames_of_a_fault(browser: httpx.AsyncClient, server: MemoryServer) -> None:
    meet(server, "1", broken=True)
    last = meet(server, "2", broken=True)
    results = await me(browser)
    assert results["last_loss"]["match"].startswith(f"{last.id}.")
    (fault,) = results["faults"]
    assert (fault["kind"], fault["count"], fault["newest"]) == ("illegal_move", 2, results["last_loss"])
    turn, answer = json.loads(fault["turn"]), json.loads(fault["answer"])
    assert (turn["type"], answer["type"], answer["move"]) == ("turn", "move", "zz")
    assert turn["turn_id"] == answer["turn_id"]
    winner = await me(browser, "berta")
    assert (winner["last_loss"], winner["faults"]) == (None, [])


async def test_even_the_host_sees_no_results_of_an_owner(browser: httpx.AsyncClient, server: MemoryServer) -> None:
    meet(server, "1", broken=True)
    answer = await browser.get("/api/me", headers=HOST)
    assert answer.status_code == 401
    assert "zz" not in answer.text


async def test_a_hidden_game_shows_only_the_own_frames(browser: httpx.AsyncClient, server: MemoryServer) -> None:
    tournament = meet(server, "1", broken=True, game="liars-dice")
    (match,) = tournament.results
    (fault,) = (await me(browser))["faults"]
    own = await browser.get(f"/api/matches/{match}/transcript", headers=owner("anna"))
    assert all(json.dumps(fault[each])[1:-1] in own.text for each in ("turn", "answer"))
    others = await browser.get(f"/api/matches/{match}/transcript", headers=owner("berta"))
    assert json.dumps(fault["turn"])[1:-1] not in others.text


async def test_an_unchanged_answer_rebuilds_nothing(browser: httpx.AsyncClient, server: MemoryServer) -> None:
    tournament = server.world.create(start_at_bots=2, legs=2)
    for name in KEYS:
        server.bots(name, key=KEYS[name], join=tournament.id)
    server.world.run(20)
    meet(server, "1")
    first = await me(browser)
    reads = server.reader.reads
    assert await me(browser) == first
    assert server.reader.reads == reads + 1, "the records of ended tournaments, and nothing in the other process"


async def test_a_transcript_tells_an_owner_no_version_of_another_bot(
    browser: httpx.AsyncClient, server: MemoryServer
) -> None:
    (match,) = meet(server, "1").results
    versions = []
    for headers in (HOST, owner("anna")):
        lines = (await browser.get(f"/api/matches/{match}/transcript", headers=headers)).text.splitlines()
        versions += [json.loads(line)["versions"] for line in lines if '"verdict"' in line]
    assert versions == [["1", "secret-of-berta"], ["1", ""]]
