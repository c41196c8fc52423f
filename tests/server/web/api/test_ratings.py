"""Ratings, tie-breaks and the audit as the API, the feed and the page tell them."""

import httpx
from rumble_server.results.tiebreaks import TIEBREAKS

from tests.server.web.scene import Scene

FIELD = ("alice", "bob", "carol")


async def test_the_ratings_document(scene: Scene, browser: httpx.AsyncClient) -> None:
    tournament = scene.played(*FIELD, cycles=2)
    answer = await browser.get(f"/api/tournaments/{tournament.id}/ratings")
    document = answer.json()
    assert answer.status_code == 200
    assert document["model"].startswith("Bradley-Terry")
    assert {line["name"] for line in document["ratings"]} == set(FIELD)
    assert set(document["superiority"]["alice"]) == {"bob", "carol"}


async def test_standings_carry_the_same_ratings(scene: Scene, browser: httpx.AsyncClient) -> None:
    tournament = scene.played(*FIELD, cycles=2)
    document = (await browser.get(f"/api/tournaments/{tournament.id}/ratings")).json()
    rated = {line["name"]: (line["rating"], line["interval"]) for line in document["ratings"]}
    told = (await browser.get(f"/api/tournaments/{tournament.id}/standings")).json()["standings"]
    assert {line["name"]: (line["rating"], line["interval"]) for line in told} == rated
    snapshot = (await scene.watch(tournament).read("snapshot")).data
    assert snapshot["standings"] == told
    assert snapshot["rating_model"] == document["model"]


async def test_ratings_are_told_when_they_are_computed(scene: Scene) -> None:
    tournament = scene.world.create(start_at_bots=2, cycles=50)
    watcher = scene.watch(tournament)
    await watcher.read("snapshot")
    scene.players("alice", "bob", join=tournament.id)
    scene.pass_ms(3_000)
    told = await watcher.read("standings")
    while not told.data["rating_model"]:
        told = await watcher.read("standings")
    assert all(line["rating"] is not None for line in told.data["standings"])


async def test_an_unrated_tournament_has_none(scene: Scene, browser: httpx.AsyncClient) -> None:
    tournament = scene.played("alice", "bob", rated=False)
    answer = await browser.get(f"/api/tournaments/{tournament.id}/ratings")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
    told = (await browser.get(f"/api/tournaments/{tournament.id}/standings")).json()["standings"]
    assert [line["rating"] for line in told] == [None, None]
    page = (await browser.get(f"/tournaments/{tournament.id}")).text
    assert 'class="number rating"' not in page


async def test_a_tournament_without_matches_says_why_it_has_no_ratings(
    scene: Scene, browser: httpx.AsyncClient
) -> None:
    tournament = scene.world.create()
    document = (await browser.get(f"/api/tournaments/{tournament.id}/ratings")).json()
    assert document["ratings"] == []
    assert document["notes"] == ["There are no ratings: no match was played."]


async def test_the_page_shows_tie_breaks_in_the_host_s_order(scene: Scene, browser: httpx.AsyncClient) -> None:
    tournament = scene.played(*FIELD, tiebreaks=["sb", "bwg", "de"])
    page = (await browser.get(f"/tournaments/{tournament.id}")).text
    places = [page.index(f'<abbr title="{TIEBREAKS[name]}">{name.upper()}</abbr>') for name in ("sb", "bwg", "de")]
    assert places == sorted(places)
    assert "Koya" not in page
    assert "Model: <span>Bradley-Terry" in page
    lines = (await browser.get(f"/api/tournaments/{tournament.id}/standings")).json()["standings"]
    assert list(lines[0]["tiebreaks"]) == ["sb", "bwg", "de"]
    assert "decided_by" in lines[0]


async def test_the_audit(scene: Scene, browser: httpx.AsyncClient) -> None:
    tournament = scene.played(*FIELD, cycles=2)
    document = (await browser.get(f"/api/tournaments/{tournament.id}/audit")).json()
    assert document["matches"] == len(tournament.results)
    assert set(document["bots"]) == set(FIELD)
    assert all(bot["seats"] == [4, 4] for bot in document["bots"].values())
    assert all(bot["longest_wait_ms"] > 0 for bot in document["bots"].values()), "with three, one waits"
    assert document["fair"], document["flags"]
    page = (await browser.get(f"/tournaments/{tournament.id}")).text
    assert "Nothing to complain of" in page
    assert "<details>" in page


async def test_the_audit_of_a_running_tournament_tells_who_waits_for_whom(
    scene: Scene, browser: httpx.AsyncClient
) -> None:
    tournament = scene.world.create(start_at_bots=3)
    scene.players("alice", "bob", join=tournament.id, think_ms=100_000)
    (carol,) = scene.world.logins("carol", join=tournament.id)
    scene.pass_ms(5_000)
    document = (await browser.get(f"/api/tournaments/{tournament.id}/audit")).json()
    waiting = [bot for bot in document["bots"].values() if bot["waits_since_ms"] is not None]
    assert len(waiting) == 1
    assert set(waiting[0]["waits_for"].values()) == {"playing"}
    assert document["matches"] == 1
    carol.drop()


async def test_the_audit_is_made_once_for_all_who_ask(scene: Scene, browser: httpx.AsyncClient) -> None:
    tournament = scene.played("alice", "bob")
    await browser.get(f"/api/tournaments/{tournament.id}/audit")
    reads = scene.archive.reads
    await browser.get(f"/api/tournaments/{tournament.id}/audit")
    assert scene.archive.reads == reads


async def test_the_lobby_has_no_audit_on_its_page(scene: Scene, browser: httpx.AsyncClient) -> None:
    tournament = scene.world.create()
    assert "Fairness" not in (await browser.get(f"/tournaments/{tournament.id}")).text
    assert (await browser.get(f"/api/tournaments/{tournament.id}/audit")).json()["matches"] == 0
