import httpx
import pytest
from rumble_protocol.feed_messages import TournamentView
from rumble_server.tournament.exports.document import export
from rumble_server.web.api import library as libraries
from rumble_server.web.api.models import ExportDocument, MatchView

from tests.server.web.scene import Scene

PAIR = ("alice", "bob")


async def test_listed_tournaments_newest_first(scene: Scene, browser: httpx.AsyncClient) -> None:
    for name in ("Monday", "Tuesday"):
        scene.world.create(name=name)
        scene.pass_ms(10)
    scene.world.create(name="Secret", listed=False)
    listed = (await browser.get("/api/tournaments")).json()["tournaments"]
    assert [each["id"] for each in listed] == ["tuesday", "monday"]
    assert [each["id"] for each in (await browser.get("/api/tournaments?limit=1")).json()["tournaments"]] == ["tuesday"]
    assert (await browser.get("/api/tournaments/secret")).json()["name"] == "Secret"


async def test_a_tournament_with_all_that_its_page_shows(scene: Scene, browser: httpx.AsyncClient) -> None:
    tournament = scene.played(*PAIR, invite=None)
    answer = await browser.get(f"/api/tournaments/{tournament.id}")
    view = TournamentView.model_validate_json(answer.content)
    assert (view.id, view.status, view.matches_over, view.matches_total) == ("friday", "finished", 2, 2)
    standings = (await browser.get("/api/tournaments/friday/standings")).json()
    assert standings["status"] == "finished"
    beside = {"rating": None, "interval": None, "gained": None}
    told = [{**line, **beside} for line in standings["standings"]]
    assert told == [{**line.model_dump(exclude_unset=True), **beside} for line in tournament.table.standings()]


async def test_matches_of_all_of_one_and_of_two(scene: Scene, browser: httpx.AsyncClient) -> None:
    scene.played("alice", "bob", "carol")
    url = "/api/tournaments/friday/matches"
    everything = (await browser.get(url)).json()
    assert everything["total"] == len(everything["matches"]) == 6
    assert (await browser.get(url, params={"bot": "ALICE"})).json()["total"] == 4
    two = (await browser.get(url, params={"bot": "alice", "against": "carol"})).json()
    assert [sorted(match["seats"]) for match in two["matches"]] == [["alice", "carol"]] * 2
    assert (await browser.get(url, params={"bot": "nobody"})).json() == {"total": 0, "matches": []}
    assert (await browser.get(url, params={"offset": 4, "limit": 1})).json()["matches"] == everything["matches"][4:5]


async def test_the_export_is_the_design_s_document(scene: Scene, browser: httpx.AsyncClient) -> None:
    tournament = scene.played(*PAIR, cycles=2)
    answer = await browser.get("/api/tournaments/friday/export.json")
    assert answer.json() == export(tournament)
    assert len(ExportDocument.model_validate_json(answer.content).matches) == 4
    assert answer.headers["Content-Disposition"] == 'attachment; filename="friday.json"'


async def test_notes_are_public_only_after_the_match(scene: Scene, browser: httpx.AsyncClient) -> None:
    tournament = scene.world.create(start_at_bots=2, legs=1)
    logged_in = scene.world.logins(*PAIR, join=tournament.id)
    scene.pass_ms(100)
    bots = {bot.name: bot for bot in logged_in}
    match = next(iter(tournament.running))
    first, second = (bots[name] for name in tournament.running[match].seats)

    def move(bot_name: str, text: str, note: str | None) -> None:
        turn = bots[bot_name].last("turn")
        note_given = {} if note is None else {"note": note}
        bots[bot_name].say(type="move", match=match, turn_id=turn["turn_id"], move=text, **note_given)

    move(first.name, "0", "a corner <b>first</b>")
    running = (await browser.get(f"/api/matches/{match}")).json()
    MatchView.model_validate_json((await browser.get(f"/api/matches/{match}")).content)
    assert (running["status"], running["seat"], running["ply"], running["moves"]) == ("running", 1, 1, ["0"])
    assert running["notes"] == [None]
    assert running["seats_ms"][0] == 10_000
    assert 9_900 <= running["seats_ms"][1] <= 10_000
    assert running["scores"] is None
    for bot, text in ((second, "3"), (first, "1"), (second, "4"), (first, "2")):
        move(bot.name, text, None)
    over = (await browser.get(f"/api/matches/{match}")).json()
    assert (over["status"], over["scores"], over["winner"], over["termination"]) == ("over", [1.0, 0.0], 0, "normal")
    assert over["notes"] == ["a corner <b>first</b>", None, None, None, None]
    assert (over["seat"], over["seats_ms"]) == (None, None)
    assert over["state"] == {"board": "XXXOO...."}


async def test_a_match_that_was_lost_before_it_began(scene: Scene, browser: httpx.AsyncClient) -> None:
    tournament = scene.world.create(start_at_bots=2, absent_ms=1_000)
    alice, bob = scene.players(*PAIR, think_ms=5_000, join=tournament.id)
    bob.drop()
    scene.world.run()
    alice.drop()
    assert tournament.status == "finished"
    lost = [over for over in tournament.results.values() if over.termination == "no_show"]
    told = (await browser.get(f"/api/matches/{lost[0].match}")).json()
    assert (told["termination"], told["moves"], told["state"]) == ("no_show", [], {"board": "." * 9})


async def test_what_is_over_is_found_after_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "MOST_LOADED", 1)
    before = Scene()
    for name in ("Monday", "Tuesday"):
        before.played(*PAIR, name=name)
        before.pass_ms(10)
    before.played("dora", "emil", name="Secret", listed=False)
    before.world.create(name="Wednesday")
    before.pass_ms()
    async with before.browser() as browser:
        told = (await browser.get("/api/tournaments/monday")).json()
        match = (await browser.get("/api/matches/monday.1.1.1.1")).json()
        listed = (await browser.get("/api/tournaments")).json()
    scene = Scene(before.world.after_crash())
    assert list(scene.world.arena.tournaments) == ["wednesday"]
    async with scene.browser() as browser:
        assert (await browser.get("/api/tournaments")).json() == listed
        assert (await browser.get("/api/tournaments/monday")).json() == told
        reads = scene.archive.reads
        assert (await browser.get("/api/tournaments/monday/standings")).json()["standings"] == told["standings"]
        assert scene.archive.reads == reads, "it was kept"
        assert (await browser.get("/api/matches/monday.1.1.1.1")).json() == match
        assert (await browser.get("/api/tournaments/tuesday")).json()["status"] == "finished"
        assert (await browser.get("/api/tournaments/monday/export.json")).json()["tournament"]["id"] == "monday"
        assert (await browser.get("/tournaments/secret")).status_code == 200


async def test_nothing_is_told_before_it_is_on_disk(scene: Scene, browser: httpx.AsyncClient) -> None:
    scene.played(*PAIR)
    scene.log.trouble = "disk full"
    assert (await browser.get("/api/tournaments/friday")).status_code == 200
    scene.world.log.stuck = True
    scene.world.create(name="Unwritten")
    for path in ("/api/tournaments/unwritten", "/api/tournaments", "/api/tournaments/friday/standings"):
        answer = await browser.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
        assert "disk full" in answer.json()["error"]["message"]


async def test_nobody_waits_long_for_the_disk(
    scene: Scene, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rumble_server.web.site.DISK_S", 0.01)
    scene.world.log.stuck = True
    scene.world.create()
    answer = await browser.get("/api/tournaments/friday")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/tournaments/nope", 404, "unknown_tournament"),
        ("/api/tournaments/nope/events", 404, "unknown_tournament"),
        ("/api/matches/nope.1.1.1.1", 404, "unknown_tournament"),
        ("/api/matches/friday.9.9.9.9", 404, "not_found"),
        ("/api/nope", 404, "not_found"),
        ("/api/tournaments/", 404, "not_found"),
        ("/api/tournaments?limit=0", 422, "bad_message"),
        ("/api/tournaments?limit=many", 422, "bad_message"),
    ],
)
async def test_errors_have_one_shape(
    scene: Scene, browser: httpx.AsyncClient, path: str, status: int, code: str
) -> None:
    scene.played(*PAIR)
    answer = await browser.get(path)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert set(error) == {"code", "message", "detail"}
    assert error["message"]
    assert [each["field"] for each in error["detail"]] == (["limit"] if status == 422 else [])


async def test_a_wrong_method_is_told(browser: httpx.AsyncClient) -> None:
    answer = await browser.delete("/api/tournaments")
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")


async def test_a_mistake_of_ours_is_told_without_its_details(
    scene: Scene, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(limit: int) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(scene.archive, "outlines", broken)
    answer = await browser.get("/api/tournaments")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal")
    assert "secret detail" not in answer.text
    assert "secret detail" in caplog.text
    assert "text/html" in (await browser.get("/")).headers["Content-Type"]
