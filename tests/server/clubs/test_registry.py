"""Several clubs in one process: separate, loaded at first use, and kept in step with main's facts about them."""

import asyncio
import gc
import json
import tracemalloc
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from ssl import SSLContext
from typing import Any

import httpx
import pytest
from rumble_protocol.clubs import MAIN, web_path
from rumble_protocol.codes import CloseCode
from rumble_server.app import Server
from rumble_server.arena.commands.administrator import Administrator
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.arena.ports import HouseBot
from rumble_server.clubs.club import Club
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.quotas import NO_QUOTAS, Quotas
from rumble_server.tournament.config import TournamentConfig
from websockets.asyncio.client import ClientConnection, connect

from tests.needs import long_or
from tests.server import whole_server
from tests.server.arena.fake_house import FakeHouse
from tests.server.failing import fail, fail_if
from tests.server.gateway.served import until
from tests.server.whole_server import PATIENCE_S

pytestmark = pytest.mark.e2e

ADMIN = "the-administrator's"
THREE = (MAIN, "chess", "go")
MOST_BYTES_OF_IDLE = 50_000
"""Maximum memory in bytes of a loaded idle club: half of the promised limit, since only Python's memory is counted."""


MOST_BYTES_OF_UNLOADED = 500
"""Maximum memory in bytes that an unloaded club may leave behind."""


class Houses(FakeHouse):
    """The house bots kept in each club."""

    def __init__(self) -> None:
        super().__init__()
        self.of_club: dict[str, list[str]] = {}

    def set_bots(self, club: str, bots: Any) -> None:
        kept: list[HouseBot] = list(bots)
        self.of_club[club] = [each.name for each in kept]


def running(path: Path | str, runner: FakeHouse | None = None, **given: Any) -> AbstractAsyncContextManager[Server]:
    make_house = None if runner is None else lambda *_: runner
    return whole_server.running(path, make_house, **{"admin_token": ADMIN, **given})


async def create(server: Server, *names: str, quotas: Quotas = NO_QUOTAS) -> list[Club]:
    for name in names:
        Administrator(server.arena).create(name, "", quotas)
    await server.log.wait(server.log.last)
    for name in names:
        await server.clubs.load(name)
    return [club_of(server, name) for name in names]


def club_of(server: Server, name: str) -> Club:
    club = server.clubs.get_loaded(name)
    assert club is not None
    return club


class Bot:
    """A bot on a real connection to a club."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    @classmethod
    async def of(cls, server: Server, club: str, tls: SSLContext | None = None, **login: Any) -> "Bot":
        url = server.url.replace("http", "ws", 1) + web_path(club) + "/bot"
        bot = cls(await connect(url, proxy=None, ssl=tls))
        welcome = await bot.hears("welcome")
        assert welcome["club"] == club
        await bot.say(type="login", **login)
        return bot

    async def say(self, **message: Any) -> None:
        await self.connection.send(json.dumps(message))

    async def hears(self, *kinds: str) -> dict[str, Any]:
        """Wait for a frame of one of these types, and drop other frames."""
        while True:
            frame: dict[str, Any] = json.loads(await self.connection.recv())
            if frame["type"] in kinds:
                return frame

    async def close(self) -> None:
        await self.connection.close()

    async def play(self) -> dict[str, Any]:
        """Answer turns with the first legal move until a tournament is over."""
        while (frame := await self.hears("turn", "tournament_over"))["type"] == "turn":
            await self.say(type="move", match=frame["match"], turn_id=frame["turn_id"], move=frame["legal"][0])
        return frame


@pytest.mark.slow
async def test_the_same_names_ids_and_keys_live_side_by_side(tmp_path: Path) -> None:
    async with running(tmp_path / "x.db") as server:
        await create(server, "chess", "go")
        games = dict(zip(THREE, ("tictactoe", "connect4", "tictactoe"), strict=True))
        for name, game in games.items():
            tournament = Organiser(club_of(server, name).arena).create(
                TournamentConfig(name="Cup", game=game, start_at_bots=2)
            )
            assert tournament.id == "cup"
        bots = [
            await Bot.of(server, club, name=name, key=f"the key of {name} in {club}", join="cup")
            for club in THREE
            for name in ("ada", "bob")
        ]
        over = await asyncio.gather(*(bot.play() for bot in bots))
        assert {frame["status"] for frame in over} == {"finished"}
        async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE_S) as browser:
            for name, game in games.items():
                view = (await browser.get(f"{web_path(name)}/api/tournaments/cup")).json()
                assert (view["id"], view["game"], view["status"]) == ("cup", game, "finished")
        for name in THREE:
            wrong = await Bot.of(server, name, name="ada", key="the key of ada in another")
            assert (await wrong.hears("error"))["code"] == "bad_key"
        identities = [json.loads(each.gateway.shared.welcome)["identity"] for each in server.clubs]
        assert len(set(identities)) == 3
    async with running(tmp_path / "x.db") as server:
        assert [each.name for each in server.clubs] == [MAIN], "what is over is loaded when it is used"
        for name in THREE:
            await server.clubs.load(name)
        assert [json.loads(each.gateway.shared.welcome)["identity"] for each in server.clubs] == identities
        assert all(each.arena.tournaments.is_only_on_disk("cup") for each in server.clubs)
        async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE_S) as browser:
            for name, game in games.items():
                view = (await browser.get(f"{web_path(name)}/api/tournaments/cup")).json()
                assert (view["game"], view["status"]) == (game, "finished")


@pytest.mark.slow
async def test_the_administrator_hosts_everywhere_and_a_host_in_one_club(tmp_path: Path) -> None:
    async with running(tmp_path / "x.db", host_token="the-token-of-main") as server:
        chess, _ = await create(server, "chess", "go")
        Organiser(chess.arena).set_token("teacher", "the-token-of-chess")
        tournament = {"name": "Cup", "game": "tictactoe"}
        async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE_S) as browser:
            made: dict[tuple[str, str], int] = {}
            for token in (ADMIN, "the-token-of-main", "the-token-of-chess"):
                for club in THREE:
                    headers = {"Authorization": f"Bearer {token}"}
                    path = f"{web_path(club)}/api/tournaments"
                    made[token, club] = (await browser.post(path, json=tournament, headers=headers)).status_code
        hosts = [place for place, status in made.items() if status == 201]
        assert hosts == [
            *((ADMIN, club) for club in THREE),
            ("the-token-of-main", MAIN),
            ("the-token-of-chess", "chess"),
        ]
        assert {status for place, status in made.items() if place not in hosts} == {401}


async def test_changes_that_main_makes_to_a_club_hold_once_they_are_on_disk(tmp_path: Path) -> None:
    house = Houses()
    async with running(tmp_path / "x.db", house, house=("random",), bounds=Bounds(club_bots=7)) as server:
        assert server.config.bounds.club_quotas.bots == 7
        (chess,) = await create(server, "chess", quotas=server.config.bounds.club_quotas)
        assert chess.arena.allowance.quotas.bots == 7
        assert server.arena.allowance.quotas == Quotas(bytes=Bounds().main_bytes)
        assert house.of_club == {MAIN: ["house-random"], "chess": []}
        administrator = Administrator(server.arena)
        administrator.change("chess", title="Chess club", house=True, quotas=Quotas(bots=1))
        administrator.change(MAIN, quotas=Quotas(bots=5))
        await server.log.wait(server.log.last)
        assert house.of_club["chess"] == ["house-random"]
        assert chess.arena.allowance.quotas == Quotas(bots=1)
        assert server.arena.allowance.quotas == Quotas(bots=5)
        known = server.clubs.directory.get("chess")
        assert known is not None
        assert known.title == "Chess club"
    async with running(tmp_path / "x.db", Houses(), house=("random",)) as server:
        assert server.arena.allowance.quotas == Quotas(bots=5)
        await server.clubs.load("chess")
        assert club_of(server, "chess").arena.allowance.quotas == Quotas(bots=1)


async def test_bytes_that_a_club_has_written_count_and_survive_a_restart(tmp_path: Path) -> None:
    async with running(tmp_path / "x.db") as server:
        chess, go = await create(server, "chess", "go")
        for number in range(5):
            Organiser(chess.arena).create(TournamentConfig(name=f"Cup {number}", game="tictactoe"))
        await chess.log.wait(chess.log.last)
        used = chess.arena.allowance.used_bytes
        assert used > 500
        assert go.arena.allowance.used_bytes == 0
    async with running(tmp_path / "x.db") as server:
        assert club_of(server, "chess").arena.allowance.used_bytes == used


async def test_a_removed_club_is_gone_with_its_connections_and_stays_gone(tmp_path: Path) -> None:
    async with running(tmp_path / "x.db") as server:
        await create(server, "chess")
        bot = await Bot.of(server, "chess", name="ada")
        await bot.hears("session")
        Administrator(server.arena).remove("chess")
        await bot.connection.wait_closed()
        assert (bot.connection.close_code, bot.connection.close_reason) == (4004, "this club was removed")
        assert [each.name for each in server.clubs] == [MAIN]
        assert await server.clubs.load("chess") is None
    async with running(tmp_path / "x.db") as server:
        assert await server.clubs.load("chess") is None
        assert server.clubs.directory.was_removed("chess")


@pytest.mark.parametrize(("where", "stay"), [(MAIN, []), ("chess", [MAIN, "go"])])
async def test_main_bans_addresses_everywhere_and_a_club_for_itself(
    tmp_path: Path, where: str, stay: list[str]
) -> None:
    async with running(tmp_path / "x.db") as server:
        await create(server, "chess", "go")
        bots = {club: await Bot.of(server, club, name="ada") for club in THREE}
        for bot in bots.values():
            await bot.hears("session")
        Organiser(club_of(server, where).arena).ban("127.0.0.0/8", by_name=False, until_ms=None, reason="")
        for name, bot in bots.items():
            if name not in stay:
                await bot.connection.wait_closed()
                assert bot.connection.close_code == 4011
        for name in stay:
            await bots[name].say(type="login", name="ada")
            assert (await bots[name].hears("error"))["code"] == "already_logged_in"


@pytest.mark.parametrize("broken", ["arena.close_banned", "house_bots.change_residents"])
async def test_a_club_that_fails_at_a_fact_of_main_keeps_no_later_fact_from_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    async with running(tmp_path / "x.db") as server:
        chess, _ = await create(server, "chess", "go")
        part, _, method = broken.partition(".")
        monkeypatch.setattr(getattr(chess, part), method, fail)
        Organiser(server.arena).ban("192.0.2.1", by_name=False, until_ms=None, reason="")
        Administrator(server.arena).change("chess", house=True)
        Administrator(server.arena).remove("go")
        await server.log.wait(server.log.last)
        assert loaded(server) == [MAIN, "chess"]


async def test_added_house_bots_of_all_clubs_share_the_bound_of_the_server(tmp_path: Path) -> None:
    async with running(tmp_path / "x.db", Houses()) as server:
        chess, go = await create(server, "chess", "go")
        room = go.house_bots.room
        Organiser(chess.arena).create(TournamentConfig(name="Cup", game="tictactoe"))
        chess.house_bots.add("cup", "random", count=3)
        assert go.house_bots.room == server.clubs.main.house_bots.room == room - 3


async def test_the_token_of_the_administrator_is_made_once(tmp_path: Path) -> None:
    made: list[str | None] = []
    for given in (None, None, "another-administrator", None):
        async with running(tmp_path / "x.db", admin_token=given) as server:
            made.append(server.made_admin_token)
            assert server.clubs.directory.is_administrator(given or made[0] or "") or len(made) == 4
    assert made[0] is not None
    assert made[1:] == [None, None, None]


async def test_an_idle_club_is_small(tmp_path: Path) -> None:
    count = long_or(50, 200)
    async with running(tmp_path / "x.db") as server:
        for club in await create(server, *(f"club-{number}" for number in range(count))):
            Organiser(club.arena).set_token("teacher", "the-token-of-the-teacher")
    async with running(tmp_path / "x.db") as server:
        await server.clubs.load("club-0")
        tracemalloc.start()
        try:
            for number in range(1, count):
                await server.clubs.load(f"club-{number}")
            assert tracemalloc.get_traced_memory()[0] < (count - 1) * MOST_BYTES_OF_IDLE
        finally:
            tracemalloc.stop()


def rest(server: Server) -> None:
    """Let the time pass after which an unused club is unloaded."""
    now_ms = server.arena.clock.now_ms()
    for at_ms in (now_ms, now_ms + server.config.bounds.idle_club_ms):
        server.clubs.unload_idle(at_ms)


def loaded(server: Server) -> list[str]:
    return [each.name for each in server.clubs]


@pytest.mark.slow
async def test_unused_club_is_unloaded_and_loaded_again_unchanged(tmp_path: Path) -> None:
    async with (
        running(tmp_path / "x.db") as server,
        httpx.AsyncClient(base_url=server.url, timeout=PATIENCE_S) as browser,
    ):
        chess, _ = await create(server, "chess", "go")
        Organiser(chess.arena).set_token("teacher", "the-token-of-chess")
        Organiser(chess.arena).create(TournamentConfig(name="Cup", game="tictactoe", start_at_bots=2))
        bots = [await Bot.of(server, "chess", name=name, key=f"the whole key of {name}", join="cup") for name in "ab"]
        await asyncio.gather(*(bot.play() for bot in bots))
        rest(server)
        assert loaded(server) == [MAIN, "chess"], "its bots are there"
        results = (await browser.get("/c/chess/api/tournaments/cup/matches")).json()
        figures = (await browser.get("/metrics")).text
        for bot in bots:
            await bot.close()
        await until(lambda: not chess.gateway.has_sessions)
        rest(server)
        assert loaded(server) == [MAIN]
        counts = [line for line in figures.splitlines() if line.startswith(("rumble_moves", "rumble_results"))]
        assert set(counts) <= set((await browser.get("/metrics")).text.splitlines()), "figures do not go back"
        bytes_used = chess.arena.allowance.used_bytes
        listed = (await browser.get("/api/clubs", headers={"Authorization": f"Bearer {ADMIN}"})).json()["clubs"]
        assert [each["used"] and each["used"]["bots"] for each in listed] == [0, 2, 0]
        assert listed[1]["used"]["bytes"] == bytes_used
        again = await Bot.of(server, "chess", name="a", key="the whole key of a", join="cup")
        assert (await again.hears("tournament_over"))["status"] == "finished"
        chess_again = club_of(server, "chess")
        assert chess_again is not chess
        assert chess_again.arena.allowance.used_bytes >= bytes_used
        assert (await browser.get("/c/chess/api/tournaments/cup/matches")).json() == results
        wrong = await Bot.of(server, "chess", name="b", key="the key of another bot")
        assert (await wrong.hears("error"))["code"] == "bad_key"
        headers = {"Authorization": "Bearer the-token-of-chess"}
        made = await browser.post("/c/chess/api/tournaments", json={"name": "Cup", "game": "hex"}, headers=headers)
        assert made.json()["id"] == "cup-2"
        await again.close()
        await wrong.close()
        await until(lambda: not chess_again.gateway.has_sessions)
        rest(server)
        assert loaded(server) == [MAIN, "chess"], "a tournament is not over"


async def test_a_club_is_not_unloaded_while_a_request_is_answered_or_a_fact_is_not_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path / "x.db") as server:
        (chess,) = await create(server, "chess")
        with server.clubs.keep_loaded("chess"):
            rest(server)
            assert loaded(server) == [MAIN, "chess"]
        Organiser(chess.arena).set_token("teacher", "the-token-of-chess")
        rest(server)
        assert loaded(server) == [MAIN, "chess"]
        await chess.log.wait(chess.log.last)
        server.clubs.unload_idle(0)
        assert await server.clubs.load("chess") is chess
        server.clubs.unload_idle(server.config.bounds.idle_club_ms)
        assert loaded(server) == [MAIN, "chess"], "somebody has just asked for it"
        rest(server)
        assert loaded(server) == [MAIN]


@pytest.mark.parametrize("broken", ["arena.stop", "gateway.close_all_after_frames", "house_bots.close"])
async def test_a_club_that_cannot_be_unloaded_in_order_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    async with running(tmp_path / "x.db") as server:
        (chess,) = await create(server, "chess")
        part, _, method = broken.partition(".")
        unloaded: list[str] = []
        server.clubs.on_unloaded.append(unloaded.append)
        monkeypatch.setattr(getattr(chess, part), method, fail)
        rest(server)
        assert loaded(server) == [MAIN]
        assert list(server.store.group.logs) == [MAIN]
        assert unloaded == ["chess"]
        assert "club chess could not be unloaded in order" in caplog.text


async def test_a_club_on_its_way_that_fails_keeps_no_other_connected_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path / "x.db") as server:
        chess, go = await create(server, "chess", "go")
        server.clubs.stopped_clubs.update(chess=chess, go=go)
        ended: list[object] = []
        monkeypatch.setattr(chess.gateway, "close_all_now", fail)
        monkeypatch.setattr(chess.gateway, "close_all_now", ended.append)
        server.clubs.close()
        assert ended == [CloseCode.NO_LEADER]
        assert server.clubs.stopped_clubs == {}


async def test_a_club_that_fails_when_it_is_opened_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path / "x.db") as server:
        await create(server, "chess")
        rest(server)
        monkeypatch.setattr(Club, "open_house", fail)
        with pytest.raises(RuntimeError, match="a bug"):
            await server.clubs.load("chess")
        assert loaded(server) == [MAIN]
        assert list(server.store.group.logs) == [MAIN]
        monkeypatch.undo()
        assert await server.clubs.load("chess") is not None


async def test_idle_clubs_are_looked_for_after_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(tmp_path / "x.db", bounds=Bounds(idle_club_ms=1)) as server:
        looked = fail_if(monkeypatch, server.clubs, "unload_idle", lambda _: True)
        await until(lambda: len(looked) > 1)


@pytest.mark.slow
async def test_memory_of_clubs_that_were_used_one_after_another_goes_back(tmp_path: Path) -> None:
    count = 100
    async with running(tmp_path / "x.db") as server:
        await create(server, *(f"club-{number}" for number in range(count)))
        rest(server)
        await server.clubs.load("club-0")
        rest(server)
        gc.collect()
        tracemalloc.start()
        try:
            for number in range(1, count):
                await server.clubs.load(f"club-{number}")
                rest(server)
            gc.collect()
            assert tracemalloc.get_traced_memory()[0] < (count - 1) * MOST_BYTES_OF_UNLOADED
        finally:
            tracemalloc.stop()


async def test_a_club_that_is_loaded_while_the_disk_is_full_knows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path / "x.db") as server:
        await create(server, "chess")
    async with running(tmp_path / "x.db") as server:
        monkeypatch.setattr(server.store.group, "trouble", "no space left on device")
        await server.clubs.load("chess")
        assert club_of(server, "chess").arena.scheduler.trouble == "no space left on device"
        monkeypatch.undo()


async def test_the_audit_log_tells_of_which_club_a_bot_is(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "rumble_server.audit")
    async with running(tmp_path / "x.db") as server:
        await create(server, "chess")
        for club in (MAIN, "chess"):
            await (await Bot.of(server, club, name="ada", key="correct-horse-battery")).hears("session")
            await (await Bot.of(server, club, name="ada", key="horse-battery-correct")).hears("error")
    entries = [(record.getMessage(), vars(record).get("bot") or vars(record).get("about")) for record in caplog.records]
    assert [each for each in entries if each[1] is not None] == [
        ("logged in", "ada"),
        ("refused", "ada"),
        ("logged in", "chess/ada"),
        ("refused", "chess/ada"),
    ]
