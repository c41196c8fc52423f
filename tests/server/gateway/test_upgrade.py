"""The paths of clubs: each club has a path of its own, and a connection to an unloaded club waits for the club."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from random import Random
from weakref import ref

import pytest
from rumble_protocol.clubs import MAIN
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.http_connection import HttpConnection
from rumble_server.gateway.sessions import SessionRegistry
from rumble_server.limits.admission import Admission
from rumble_server.limits.bans import network_to_ban
from rumble_server.limits.bounds import Bounds
from rumble_server.store.errors import StoreError
from websockets.frames import Opcode

from tests.server.gateway.pages import GET, UPGRADE, answer, pages, upgraded
from tests.server.gateway.served import GatewayServer, OneClub, Raw, served, until
from tests.server.world import make_arena

pytestmark = pytest.mark.e2e

LOGIN = b'{"type": "login", "name": "ann"}'


class School:
    """Main, and a club `school` whose loading ends on the test's word; no other club exists."""

    def __init__(self, server: GatewayServer, *, is_open: bool = False) -> None:
        sessions, clock = SessionRegistry(), server.arena.clock
        self.arena = make_arena(log=server.log, clock=clock, sessions=sessions, run_number=1, random=Random(0))
        server.log.on_durable.append(self.arena.on_durable)
        given = self.arena, self.arena, sessions, clock, Admission(refusals=server.refusals)
        gateway = Gateway(*given, "test", club="school", identity="5c")
        self._clubs = {MAIN: OneClub(server.gateway)}
        self._school = OneClub(gateway)
        self.open = asyncio.Event()
        if is_open:
            self.open.set()
        self.loading = 0
        """The number of times it was asked to load."""
        self.elsewhere: set[str] = set()
        """Names of the clubs that another node leads."""
        server.shared = replace(server.shared, clubs=self)

    def get_loaded(self, name: str) -> OneClub | None:
        return self._clubs.get(name)

    async def load(self, name: str) -> OneClub | None:
        self.loading += 1
        await self.open.wait()
        if name == "damaged":
            raise StoreError("as told")
        if name == "broken":
            raise RuntimeError("a bug in the club")
        if name == "school" and name not in self.elsewhere:
            self._clubs[name] = self._school
        return self._clubs.get(name)

    refuses_bots = False

    def must_redirect(self, name: str) -> bool:
        return name in self.elsewhere

    def hand_over(self) -> None:
        """Let another node lead the club."""
        self._clubs.pop("school", None)
        self.elsewhere.add("school")

    def abandon(self) -> None:
        """Let no bot in, as a server does whose lease has been over for long."""
        self.refuses_bots = True

    def was_removed(self, name: str) -> bool:
        return name == "gone"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/c/school/bot", 101),
        ("/c/school/bot?x=1", 101),
        ("/c/main/bot", 101),
        ("/c/nowhere/bot", 404),
        ("/c/damaged/bot", 503),
        ("/c/broken/bot", 503),
        ("/c/school/", 404),
        ("/c/school/bot/", 404),
        ("/c/SCHOOL/bot", 404),
        ("/c//bot", 404),
    ],
)
async def test_each_club_has_its_path_and_other_paths_are_not_found(path: str, status: int) -> None:
    async with served() as server:
        School(server, is_open=True)
        async with server.raw() as client:
            assert await client.upgrade(path) == status


async def test_bots_of_a_club_that_was_removed_are_told_to_stay_away() -> None:
    """Close with a code: a 404 can come from a proxy whose server starts anew, so bots come back after a 404."""
    async with served() as server:
        School(server, is_open=True)
        async with server.raw() as client:
            assert await client.upgrade("/c/gone/bot") == 101
            client.send(Opcode.TEXT, LOGIN)
            opcode, data = await client.frame()
            assert (opcode, data) == (Opcode.CLOSE, b"\x0f\xa4this club was removed")
            client.send(Opcode.CLOSE, data[:2])
            await client.ended()
        async with server.raw() as client:
            assert await client.upgrade("/c/gone/bot", Host="evil.example") == 403
        await until(lambda: server.open_connections == 0)
        assert server.sessions == []
        assert server.made == []


async def test_the_welcome_names_the_club_and_its_own_identity_and_names_are_the_clubs() -> None:
    async with served() as server:
        school = School(server, is_open=True)
        async with server.raw() as main, server.raw() as pupil:
            for client, path, told in ((main, "/bot", (MAIN, "1d")), (pupil, "/c/school/bot", ("school", "5c"))):
                assert await client.upgrade(path) == 101
                welcome = await client.hear("welcome")
                assert (welcome["club"], welcome["identity"]) == told
                client.send(Opcode.TEXT, LOGIN)
                await client.hear("session")
            assert server.arena.is_playing("ann") is school.arena.is_playing("ann") is False


async def asking(client: Raw, school: School, path: str = "/c/school/bot") -> "asyncio.Task[int]":
    """Ask for the club, and wait until the club is being loaded."""
    asked = asyncio.create_task(client.upgrade(path))
    await until(lambda: school.loading > 0)
    return asked


async def leave_while_loading(server: GatewayServer, school: School, path: str = "/c/school/bot") -> None:
    """Ask for the club, and lose the connection while the club is being loaded."""
    async with server.raw() as client:
        asked = await asking(client, school, path)
        server.http[0].abort()
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await asked


async def test_while_a_club_is_loaded_nothing_is_read_and_nothing_is_lost() -> None:
    async with served() as server:
        school = School(server)
        async with server.raw() as client:
            asked = await asking(client, school)
            (connection,) = server.http
            assert not connection.transport.is_reading()
            client.send(Opcode.TEXT, LOGIN)
            school.open.set()
            assert await asked == 101
            await client.hear("session")


async def test_a_request_that_is_answered_before_an_upgrade_starts_no_idle_time() -> None:
    async with pages(bounds={"idle_ms": 20}) as (server, app):
        school = School(server)
        async with server.raw() as client:
            app.may_answer.clear()
            client.writer.write(GET % 1 + UPGRADE.replace(b"/bot", b"/c/school/bot") + b"\r\n")
            await until(lambda: bool(app.scopes))
            app.may_answer.set()
            assert await answer(client) == (200, b'["/1", 0]')
            await until(lambda: school.loading > 0)
            await asyncio.sleep(0.1)
            school.open.set()
            await upgraded(client)
            await client.hear("welcome")


@pytest.mark.parametrize("change", [School.hand_over, School.abandon])
async def test_bot_is_sent_away_if_its_club_moves_during_the_loading(
    change: Callable[[School], None],
) -> None:
    async with served() as server:
        school = School(server)
        async with server.raw() as client:
            asked = await asking(client, school)
            change(school)
            school.open.set()
            assert await asked == 503


@pytest.mark.parametrize("change", [School.hand_over, School.abandon])
async def test_bot_is_sent_away_if_its_club_moves_during_the_wait_for_a_permit(
    change: Callable[[School], None],
) -> None:
    bounds = Bounds(strangers_per_address=1)
    async with served(proxies=["127.0.0.1"], bounds=bounds) as server:
        school = School(server, is_open=True)
        async with server.raw() as first, server.raw() as second:
            assert await first.upgrade("/c/school/bot", X_Forwarded_For="203.0.113.7") == 101
            asked = asyncio.create_task(second.upgrade("/c/school/bot", X_Forwarded_For="203.0.113.7"))
            await until(lambda: any(each.peer.is_waiting for each in server.http))
            change(school)
            first.writer.close()
            assert await asked == 503


async def test_a_client_that_leaves_while_a_club_is_loaded_gives_its_permit_back() -> None:
    async with served(bounds=Bounds(limit_loopback=True, strangers_per_address=1)) as server:
        school = School(server)
        await leave_while_loading(server, school)
        school.open.set()
        await until(lambda: server.open_connections == 0)
        async with server.raw() as other:
            assert await other.upgrade("/c/school/bot") == 101


async def test_a_client_that_leaves_while_a_club_fails_to_load_gets_no_answer(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """uvloop raises an error for an answer on a closed socket."""
    answered: list[object] = []
    monkeypatch.setattr(HttpConnection, "answer", lambda *given: answered.append(given))
    async with served() as server:
        school = School(server)
        await leave_while_loading(server, school, "/c/damaged/bot")
        school.open.set()
        await until(lambda: "club damaged cannot be loaded" in caplog.text)
    assert answered == []


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("path", ["/c/school/", "/c/nowhere/bot"])
async def test_a_connection_whose_upgrade_was_refused_is_freed_without_the_collector(path: str) -> None:
    async with served() as server:
        School(server, is_open=True)
        async with server.raw() as client:
            await client.upgrade(path)
            gone = ref(server.http.pop())
        await until(lambda: server.open_connections == 0)
        await until(lambda: gone() is None)


@pytest.mark.usefixtures("without_collector")
async def test_a_connection_that_is_lost_while_a_club_is_loaded_is_freed_without_the_collector() -> None:
    async with served() as server:
        school = School(server)
        await leave_while_loading(server, school)
        gone = ref(server.http.pop())
        await until(lambda: server.open_connections == 0)
        school.open.set()
        await until(lambda: gone() is None)


async def test_a_ban_holds_in_its_club() -> None:
    address = "203.0.113.7"
    async with served(proxies=["127.0.0.1"]) as server:
        school = School(server, is_open=True)
        async with server.raw() as first:
            await first.upgrade("/c/school/bot", X_Forwarded_For=address)
            Organiser(school.arena).ban(network_to_ban(address), by_name=False, until_ms=None, reason="noise")
        for path, status in (("/c/school/bot", 403), ("/bot", 101)):
            async with server.raw() as client:
                assert await client.upgrade(path, X_Forwarded_For=address) == status
