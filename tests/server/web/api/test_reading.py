import asyncio
from typing import Any

import httpx
import pytest
from rumble_protocol.feed_messages import TournamentView
from rumble_server.web.api import from_log, reading

from tests.server.failing import note_calls
from tests.server.web.memory_server import MemoryServer

PAIR = ("alice", "bob")
FIELD = ("alice", "bob", "carol")


async def test_listed_tournaments_newest_first(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    for name in ("Monday", "Tuesday"):
        server.world.create(name=name)
        server.pass_ms(10)
    server.world.create(name="Secret", listed=False)
    listed = (await browser.get("/api/tournaments")).json()["tournaments"]
    assert [each["id"] for each in listed] == ["tuesday", "monday"]
    assert [each["id"] for each in (await browser.get("/api/tournaments?limit=1")).json()["tournaments"]] == ["tuesday"]
    assert (await browser.get("/api/tournaments/secret")).json()["name"] == "Secret"


async def test_a_tournament_with_all_that_its_page_shows(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played(*PAIR, invite=None)
    answer = await browser.get(f"/api/tournaments/{tournament.id}")
    view = TournamentView.model_validate_json(answer.content)
    assert (view.id, view.status, view.matches_over, view.matches_total) == ("friday", "finished", 2, 2)
    standings = (await browser.get("/api/tournaments/friday/standings")).json()
    assert standings["status"] == "finished"
    beside = {"rating": None, "interval": None, "gained": None}
    shown = [{**line, **beside} for line in standings["standings"]]
    assert shown == [{**line.model_dump(exclude_unset=True), **beside} for line in tournament.standings.lines()]


async def test_matches_are_listed_of_all_bots_of_one_or_of_two(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.played("alice", "bob", "carol")
    url = "/api/tournaments/friday/matches"
    everything = (await browser.get(url)).json()
    assert everything["total"] == len(everything["matches"]) == 6
    assert (await browser.get(url, params={"bot": "ALICE"})).json()["total"] == 4
    two = (await browser.get(url, params={"bot": "alice", "against": "carol"})).json()
    assert [sorted(match["seats"]) for match in two["matches"]] == [["alice", "carol"]] * 2
    assert (await browser.get(url, params={"bot": "nobody"})).json() == {"total": 0, "matches": []}
    assert (await browser.get(url, params={"offset": 4, "limit": 1})).json()["matches"] == everything["matches"][4:5]


async def test_notes_and_infos_are_public_only_after_the_match(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    tournament, logged_in = server.world.begun(*PAIR, legs=1)
    server.pass_ms(100)
    bots = {bot.name: bot for bot in logged_in}
    match = next(iter(tournament.running))
    first, second = (bots[name] for name in tournament.running[match].seats)

    def move(bot_name: str, text: str, **said: Any) -> None:
        turn = bots[bot_name].last("turn")
        bots[bot_name].say(type="move", match=match, turn_id=turn["turn_id"], move=text, **said)

    info = {"score": 0.5, "depth": 3, "nodes": 12, "time_ms": 4, "pv": ["0", "4"]}
    move(first.name, "0", note="a corner <b>first</b>", info=info)
    running = (await browser.get(f"/api/matches/{match}")).json()
    assert (running["status"], running["seat"], running["ply"], running["moves"]) == ("running", 1, 1, ["0"])
    assert (running["notes"], running["infos"]) == ([None], [None])
    assert all("info" not in frame and "infos" not in frame for bot in bots.values() for frame in bot.inbox.frames)
    assert running["seats_ms"][0] == 10_000
    assert 9_900 <= running["seats_ms"][1] <= 10_000
    assert running["scores"] is None
    for bot, text in ((second, "3"), (first, "1"), (second, "4"), (first, "2")):
        move(bot.name, text)
    over = (await browser.get(f"/api/matches/{match}")).json()
    assert (over["status"], over["scores"], over["winner"], over["termination"]) == ("over", [1.0, 0.0], 0, "normal")
    assert over["notes"] == ["a corner <b>first</b>", None, None, None, None]
    assert over["infos"] == [info, None, None, None, None]
    exported = (await browser.get(f"/api/tournaments/{tournament.id}/export.json")).json()["matches"]
    assert exported[0]["infos"] == over["infos"]
    assert (over["seat"], over["seats_ms"]) == (None, None)
    assert over["state"] == {"board": "XXXOO...."}


async def test_a_match_that_was_lost_before_it_began(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament, (alice, bob) = server.begun(*PAIR, think_ms=5_000, absent_ms=1_000)
    bob.drop()
    server.world.run()
    alice.drop()
    assert tournament.status == "finished"
    lost = [over for over in tournament.results.values() if over.termination == "no_show"]
    view = (await browser.get(f"/api/matches/{lost[0].match}")).json()
    assert (view["termination"], view["moves"], view["state"]) == ("no_show", [], {"board": "." * 9})
    listed = (await browser.get("/api/tournaments/friday/matches")).json()["matches"]
    exported = (await browser.get("/api/tournaments/friday/export.json")).json()["matches"]
    times = [[(match["started_at_ms"], match["ended_at_ms"]) for match in each] for each in (listed, exported)]
    assert times[0] == times[1] == [(over.started_at_ms, over.at_ms) for over in tournament.results.values()]
    begun = [times for times in times[0] if times[0] is not None]
    assert len(begun) == len(listed) - len(lost) > 0
    assert all(tournament.started_at_ms <= began < ended for began, ended in begun)


async def test_a_tournament_hidden_in_its_lobby_is_in_no_list_after_its_end(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    tournament = server.world.create()
    server.world.organiser.change_config("friday", tournament.config.model_copy(update={"listed": False}))
    server.world.organiser.end("friday", cancelled=True)
    assert (await browser.get("/api/tournaments")).json()["tournaments"] == []
    assert [each.id for each in await server.reader.unlisted()] == ["friday"]


async def test_tournaments_that_are_over_are_found_after_a_restart() -> None:
    before = MemoryServer()
    for name in ("Monday", "Tuesday"):
        before.played(*PAIR, name=name)
        before.pass_ms(10)
    before.played("dora", "emil", name="Secret", listed=False)
    before.world.create(name="Wednesday")
    before.pass_ms()
    async with before.browser() as browser:
        view = (await browser.get("/api/tournaments/monday")).json()
        match = (await browser.get("/api/matches/monday.1.1.1.1")).json()
        listed = (await browser.get("/api/tournaments")).json()
    server = MemoryServer(before.world.after_crash())
    assert list(server.world.arena.tournaments) == ["wednesday"]
    async with server.browser() as browser:
        assert (await browser.get("/api/tournaments")).json() == listed
        assert (await browser.get("/api/tournaments/monday")).json() == view
        assert (await browser.get("/api/tournaments/monday/standings")).json()["standings"] == view["standings"]
        assert (await browser.get("/api/matches/monday.1.1.1.1")).json() == match
        assert (await browser.get("/api/tournaments/tuesday")).json()["status"] == "finished"
        assert (await browser.get("/api/tournaments/monday/export.json")).json()["tournament"]["id"] == "monday"
        assert (await browser.get("/tournaments/secret")).status_code == 200


async def test_standings_carry_the_same_ratings(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played(*FIELD, cycles=2)
    document = (await browser.get(f"/api/tournaments/{tournament.id}/ratings")).json()
    rated = {line["name"]: (line["rating"], line["interval"]) for line in document["ratings"]}
    standings = (await browser.get(f"/api/tournaments/{tournament.id}/standings")).json()["standings"]
    assert {line["name"]: (line["rating"], line["interval"]) for line in standings} == rated
    snapshot = (await server.watch(tournament).read("snapshot")).data
    assert snapshot["standings"] == standings
    assert snapshot["rating_model"] == document["model"]
    assert set(document["superiority"]["alice"]) == {"bob", "carol"}


async def test_a_tournament_without_matches_says_why_it_has_no_ratings(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    tournament = server.world.create()
    document = (await browser.get(f"/api/tournaments/{tournament.id}/ratings")).json()
    assert document["ratings"] == []
    assert document["notes"] == ["There are no ratings: no match was played."]


async def test_an_unrated_tournament_has_no_ratings(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played("alice", "bob", rated=False)
    answer = await browser.get(f"/api/tournaments/{tournament.id}/ratings")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
    standings = (await browser.get(f"/api/tournaments/{tournament.id}/standings")).json()["standings"]
    assert [line["rating"] for line in standings] == [None, None]
    page = (await browser.get(f"/tournaments/{tournament.id}")).text
    assert 'class="number rating"' not in page


async def test_the_audit(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played(*FIELD, cycles=2)
    document = (await browser.get(f"/api/tournaments/{tournament.id}/audit")).json()
    assert document["matches"] == len(tournament.results)
    assert set(document["bots"]) == set(FIELD)
    assert all(bot["seats"] == [4, 4] for bot in document["bots"].values())
    assert all(bot["longest_wait_ms"] > 0 for bot in document["bots"].values()), "with three, one waits"
    assert all((bot["excused_ms"], bot["drops"]) == (0, 0) for bot in document["bots"].values())
    assert document["fair"], document["flags"]
    page = (await browser.get(f"/tournaments/{tournament.id}")).text
    assert "Nothing to complain of" in page
    assert "<details>" in page


async def test_the_audit_tells_excused_time_and_drops(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament, bots = server.world.begun("alice", "bob", legs=1)
    server.pass_ms(100)
    thinker = next(bot for bot in bots if bot.inbox.all("turn"))
    server.world.clock.stall(4000)
    thinker.drop()
    server.pass_ms(60_000)
    document = (await browser.get(f"/api/tournaments/{tournament.id}/audit")).json()
    counts = {name: (bot["excused_ms"], bot["drops"]) for name, bot in document["bots"].items()}
    assert sorted(counts.values()) == [(0, 0), (4000, 1)]
    assert counts[thinker.name] == (4000, 1)
    page = (await browser.get(f"/tournaments/{tournament.id}")).text
    assert '<td class="number">4 s</td>' in page


async def test_the_audit_of_a_running_tournament_tells_who_waits_for_whom(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    tournament = server.world.create(start_at_bots=3)
    server.bots("alice", "bob", join=tournament.id, think_ms=100_000)
    (carol,) = server.world.logins("carol", join=tournament.id)
    server.pass_ms(5_000)
    document = (await browser.get(f"/api/tournaments/{tournament.id}/audit")).json()
    waiting = [bot for bot in document["bots"].values() if bot["waits_since_ms"] is not None]
    assert len(waiting) == 1
    assert set(waiting[0]["waits_for"].values()) == {"playing"}
    assert document["matches"] == 1
    carol.drop()


async def test_large_tournament_is_encoded_once_in_a_quarter_of_a_second(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = note_calls(monkeypatch, reading, "tournament_view")
    tournament, _ = server.begun("alice", "bob", think_ms=1_000, legs=2)
    url = f"/api/tournaments/{tournament.id}"
    for _ in range(2):
        await asyncio.gather(*(browser.get(url) for _ in range(4)))
    assert len(made) == 8, "a small one is shown as it stands"
    monkeypatch.setattr(reading, "MANY_RESULTS", 0)
    server.pass_ms(1_000)
    made.clear()
    answers = await asyncio.gather(*(browser.get(url) for _ in range(4)))
    assert len(made) == 1
    assert len({answer.text for answer in answers}) == 1
    server.pass_ms(250)
    assert (await browser.get(url)).json()["id"] == tournament.id
    assert len(made) == 2


async def test_without_a_limit_all_matches_are_sent_in_pieces(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.played("alice", "bob", "carol", cycles=2)
    url = "/api/tournaments/friday/matches"
    whole = (await browser.get(url)).json()
    monkeypatch.setattr(from_log, "PIECE_MATCHES", 5)
    monkeypatch.setattr(from_log, "PIECE_GAMES", 5)
    server.forget_tournaments()
    reads = server.reader.reads
    assert (await browser.get(url)).json() == whole
    assert server.reader.reads == reads + 1 + 3, "the count, and three pieces for twelve matches"
    assert (await browser.get(url, params={"offset": 6})).json()["matches"] == whole["matches"][6:]
    assert (await browser.get(url, params={"offset": 3, "limit": 7})).json()["matches"] == whole["matches"][3:10]
    assert (await browser.get(url, params={"offset": 99})).json()["matches"] == []
    for kind in ("json", "csv", "pgn"):
        export = f"/api/tournaments/friday/export.{kind}"
        pieces = (await browser.get(export)).content
        with monkeypatch.context() as patch:
            patch.setattr(from_log, "PIECE_MATCHES", 1000)
            patch.setattr(from_log, "PIECE_GAMES", 1000)
            server.world.arena.tournaments.taken_ids.add("friday")
            assert (await MemoryServer(server.world.after_crash()).browser().get(export)).content == pieces


@pytest.mark.parametrize("address", ["matches", "matches?bot=alice&against=bob", "export.json"])
async def test_a_result_that_is_voided_between_two_pieces_is_in_the_answer_that_has_begun(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    server.begun("alice", "bob", "carol", cycles=99)
    server.pass_ms(1_000)
    server.world.organiser.pause("friday", "lunch")
    server.pass_ms()
    monkeypatch.setattr(from_log, "PIECE_MATCHES", 1)
    monkeypatch.setattr(from_log, "PIECE_GAMES", 1)
    url = f"/api/tournaments/friday/{address}"
    before = (await browser.get(url)).json()["matches"]
    pieces, read = 0, server.reader.of_tournament

    async def of_tournament(*asked: Any) -> Any:
        nonlocal pieces
        pieces += asked[1] in (from_log.matches, from_log.export_matches)
        if pieces == 2:
            for over in (before[-1], before[0]):
                server.world.organiser.play_again(over["id"])
            server.pass_ms()
            pieces += 1
        return await read(*asked)

    monkeypatch.setattr(server.reader, "of_tournament", of_tournament)
    assert (await browser.get(url)).json()["matches"] == before
    assert len((await browser.get(url)).json()["matches"]) == len(before) - 2
