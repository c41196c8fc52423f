"""A whole server on the database of an earlier run: what stays, what is damaged, and what is not read again."""

import asyncio
import json
from pathlib import Path

import pytest
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.limits.bounds import Bounds
from rumble_server.store.care.copies import backup, restore
from rumble_server.store.log.async_reader import AsyncReader
from rumble_server.store.log.reader import LogReader
from rumble_server.store.sqlite.pruning import prune
from rumble_server.tournament.config import TournamentConfig
from websockets.asyncio.client import connect

from tests.server.failing import note_calls
from tests.server.store.played import execute
from tests.server.whole_server import Bot, get, running

TIMES = 100


async def play(path: Path) -> None:
    """Play an earlier run of the server, in which a tournament of ann and ben ends."""
    async with running(path) as server:
        Organiser(server.arena).create(TournamentConfig(name="Friday", game="tictactoe", start_at_bots=2))
        bots = [Bot(server, name) for name in ("ann", "ben")]
        for bot in bots:
            bot.say(type="join", tournament="friday")
        Organiser(server.arena).end("friday", cancelled=False)
        for bot in bots:
            await bot.hears("tournament_over")


@pytest.mark.e2e
async def test_nothing_is_rebuilt_however_often_bots_join_and_leave_an_ended_tournament(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rumble.db"
    await play(path)
    async with running(path, bounds=Bounds(unsolicited_per_minute=10 * TIMES)) as server:
        made = note_calls(monkeypatch, AsyncReader, "of_tournament")
        read_here = note_calls(monkeypatch, LogReader, "facts_after")
        ann, zoe = Bot(server, "ann"), Bot(server, "zoe")
        for _ in range(TIMES):
            ann.say(type="join", tournament="friday")
            ann.say(type="leave", tournament="friday")
            zoe.say(type="join", tournament="friday")
            zoe.say(type="leave", tournament="friday")
        for _ in range(TIMES):
            _, over, _ = await ann.hears("joined", "tournament_over", "error")
            assert (over["rank"], over["bots"], over["status"]) == (1, 2, "finished")
            error, _ = await zoe.hears("error", "left")
            assert error["code"] == "tournament_closed"
    assert made == read_here == []


async def test_a_token_is_made_once_and_replaced_by_a_given_token(tmp_path: Path) -> None:
    path = tmp_path / "rumble.db"
    async with running(path) as server:
        made = server.made_token
        assert made is not None
        Organiser(server.arena).set_token("ada", "the-token-of-ada")
    async with running(path) as server:
        assert server.made_token is None
        assert server.arena.host_tokens.holder(made) == "default"
    async with running(path, host_token="another-token") as server:
        tokens = server.arena.host_tokens
        assert [tokens.holder(each) for each in (made, "another-token", "the-token-of-ada")] == [None, "default", "ada"]


@pytest.mark.e2e
async def test_the_identity_stays_over_restarts_and_goes_with_a_backup(tmp_path: Path) -> None:
    async def identity_of(path: Path) -> str:
        async with running(path) as server, connect(f"ws{server.url.removeprefix('http')}/bot", proxy=None) as bot:
            return str(json.loads(await bot.recv())["identity"])

    first = await identity_of(tmp_path / "a.db")
    assert len(first) == 32
    assert await identity_of(tmp_path / "a.db") == first
    backup(str(tmp_path / "a.db"), str(tmp_path / "copy.db"))
    restore(str(tmp_path / "b.db"), str(tmp_path / "copy.db"), replace=False)
    assert await identity_of(tmp_path / "b.db") == first
    assert await identity_of(tmp_path / "c.db") != first


def damage(path: Path, which: str) -> None:
    """Change a byte of every row that matches the SQL condition."""
    assert execute(path, f"UPDATE log SET facts = replace(facts, '\"facts\"', '\"fakts\"') WHERE {which}") > 0


@pytest.mark.e2e
@pytest.mark.usefixtures("reading_here")
@pytest.mark.parametrize(
    "which", ["tournament = 'main/friday' AND kind = 0", "tournament = 'main/friday' AND kind = 1"]
)
async def test_a_tournament_that_is_damaged_is_shown_so_and_the_server_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, which: str
) -> None:
    path = tmp_path / "rumble.db"
    async with running(path) as server:
        organiser = Organiser(server.arena)
        for name in ("Friday", "Monday"):
            organiser.create(TournamentConfig(name=name, game="tictactoe", start_at_bots=2))
        for name in ("ann", "ben"):
            bot = Bot(server, name)
            bot.say(type="join", tournament="friday")
            await bot.hears("joined")
        await server.store.wait_all()
    damage(path, which)
    async with running(path) as server:
        assert list(server.arena.tournaments) == ["monday"]
        assert caplog.text.count("tournament friday cannot be read: ") == 1
        listed = (await get(server, "/api/tournaments"))[1]["tournaments"]
        assert [(each["id"], each["damaged"]) for each in listed] == [("monday", False), ("friday", True)]
        status, answer = await get(server, "/api/tournaments/friday")
        assert (status, answer["error"]["code"]) == (500, "damaged")
        assert '<span class="status damaged">damaged</span>' in (await get(server, "/"))[1]
        late = Bot(server, "cid")
        late.say(type="join", tournament="friday")
        (refused,) = await late.hears("error")
        assert (refused["code"], refused["message"]) == (
            "tournament_closed",
            "friday is damaged; the server's log says more",
        )
        for name in ("ann", "ben"):
            bot = Bot(server, name)
            bot.say(type="join", tournament="monday")
            await bot.hears("joined")
        await bot.hears("match_start")


@pytest.mark.e2e
async def test_names_in_a_damaged_row_of_bots_that_play_are_kept_from_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "rumble.db"
    async with running(path) as server:
        Organiser(server.arena).create(TournamentConfig(name="Friday", game="tictactoe"))
        Bot(server, "ann").say(type="join", tournament="friday")
        await server.store.wait_all()
    damage(path, "tournament = 'main/'")
    async with running(path) as server:
        assert "names, hosts or bans are lost" in caplog.text
        assert (await Bot(server, "ann").hears("error"))[0]["code"] == "key_required"
        assert (await Bot(server, "zoe").hears("session"))[0]["name"] == "zoe"
    async with running(path) as server:
        assert (await Bot(server, "ann").hears("error"))[0]["code"] == "key_required"


@pytest.mark.e2e
async def test_where_facts_about_hosts_are_lost_every_token_is_taken_back_once(tmp_path: Path) -> None:
    """The lost row may have revoked a token. The next start but one knows that they are taken back."""
    path = tmp_path / "rumble.db"
    async with running(path) as server:
        Organiser(server.arena).set_token("ann", "token-of-ann")
        await server.store.wait_all()
        Organiser(server.arena).set_token("ben", "token-of-ben")
        await server.store.wait_all()
    damage(path, "number = (SELECT max(number) FROM log WHERE tournament = 'main/')")
    async with running(path) as server:
        tokens, new = server.arena.host_tokens, server.made_token
        assert [tokens.holder(f"token-of-{name}") for name in ("ann", "ben")] == [None, None]
        assert new is not None
        assert [each.name for each in tokens.listed()] == ["default"]
        assert server.made_admin_token is not None
    async with running(path) as server:
        assert (server.made_token, server.made_admin_token) == (None, None)
        assert server.arena.host_tokens.holder(new) == "default"


@pytest.mark.slow
@pytest.mark.e2e
@pytest.mark.usefixtures("reading_here")
async def test_the_moves_of_a_pruned_tournament_are_gone_and_its_standings_stay(tmp_path: Path) -> None:
    path = tmp_path / "rumble.db"
    await play(path)
    async with running(path) as server:
        standings = await get(server, "/api/tournaments/friday/standings")
        matches = await get(server, "/api/tournaments/friday/matches")
        assert (await get(server, "/api/matches/friday.1.1.1.1/boards"))[0] == 200
    async with running(path) as server:
        await asyncio.to_thread(prune, str(path), server.arena.clock.now_ms() + 1)
        Organiser(server.arena).set_token("ann", "the-token-of-ann")
        headers = {"Authorization": "Bearer the-token-of-ann"}
        for what in ("", "/boards", "/transcript"):
            status, answer = await get(server, f"/api/matches/friday.1.1.1.1{what}", headers)
            assert (status, answer["error"]["code"]) == (410, "pruned"), what
        assert (await get(server, "/api/matches/friday.7.7.7.7/boards"))[0] == 404
        status, page = await get(server, "/matches/friday.1.1.1.1")
        assert (status, "the moves of friday.1.1.1.1 were deleted to save space" in page) == (410, True)
        assert await get(server, "/api/tournaments/friday/standings") == standings
        assert await get(server, "/api/tournaments/friday/matches") == matches
        assert (standings[0], matches[0]) == (200, 200)
