"""The clubs of a node of several, in one process; `tests/e2e/test_three_nodes.py` has real nodes."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rumble_protocol.clubs import MAIN
from rumble_protocol.codes import CloseCode
from rumble_server.arena.clubs import ClubDirectory
from rumble_server.arena.organiser import Organiser
from rumble_server.bounds import Bounds
from rumble_server.club import Club
from rumble_server.clubs import Clubs
from rumble_server.cluster.edge import Edge
from rumble_server.gateway.loop_clock import LoopClock
from rumble_server.store.errors import StoreError
from rumble_server.store.lease_statements import Answer, HandOver, Statement
from rumble_server.store.reader import LogReader
from rumble_server.tournament.config import TournamentConfig
from rumble_server.web.errors import WebError
from rumble_server.web.needs import LEADER, NOTHING

from tests.needs import need_module
from tests.server.gateway.served import until
from tests.server.world import Bot

need_module("psycopg", "postgres")
from rumble_server import cluster_clubs  # noqa: E402
from rumble_server.cluster import edge, handing_over, node  # noqa: E402
from rumble_server.cluster.forwarding import LostAnswer  # noqa: E402
from rumble_server.cluster_clubs import ClusterClubs  # noqa: E402

from tests.server.memory_nodes import LEASE_MS, MemoryCluster, MemoryNode, heard, memory_nodes  # noqa: E402


class Unled(ClusterClubs):
    """Clubs that nobody leads; counts the looks for a leader."""

    def __init__(self) -> None:
        clock = LoopClock(asyncio.get_running_loop(), 1.0)
        shared = SimpleNamespace(clock=clock, config=SimpleNamespace(bounds=Bounds()), directory=ClubDirectory())
        links = SimpleNamespace(ask=None)
        super().__init__(cast(Any, shared), cast(Any, None), cast(Any, links), cast(Any, None))
        self.looks = 0

    async def _look(self) -> None:
        self.looks += 1


@pytest.fixture
def gateways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_clubs, "make_gateway", lambda *_: SimpleNamespace(has_sessions=False))


def led(of: Edge) -> None:
    """Another node leads, and its link is up."""
    of.lead_by(of.epoch + 1)
    of._stream.up(0)
    of._stop_waiting()


@pytest.mark.usefixtures("gateways")
async def test_who_leads_is_looked_for_at_once_when_a_leader_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOOK_S", "SOON_S"):
        monkeypatch.setattr(cluster_clubs, name, 3600.0)
    clubs = Unled()
    door = clubs._door("main")
    led(door.edge)
    clubs._lacking.clear()
    following = asyncio.create_task(clubs._follow_leaders())
    await until(lambda: clubs.looks == 1)
    door.edge.down()
    await until(lambda: clubs.looks == 2)
    for club, looks in (("elsewhere", 2), ("main", 3)):
        for _ in range(5):
            await asyncio.sleep(0)
        clubs.leader_changed(club)
        await until(lambda looks=looks: clubs.looks == looks)  # type: ignore[misc]
    following.cancel()


@pytest.mark.usefixtures("gateways")
async def test_a_leader_whose_lease_is_over_shows_only_what_needs_nothing() -> None:
    clubs, site = Unled(), cast(Any, object())
    clubs._door("main")
    clubs._clubs["main"] = cast(Any, SimpleNamespace(is_suspended=True, site=site))
    assert not await clubs.passing("main", NOTHING, {}, cast(Any, None), cast(Any, None))
    assert await clubs.site("main", NOTHING) is site
    with pytest.raises(WebError, match="cannot be reached"):
        await clubs.site("main", LEADER)


async def test_so_does_one_that_others_stand_by_for() -> None:
    site = cast(Any, object())

    class Alone(Clubs):
        async def load(self, name: str) -> Any:
            return SimpleNamespace(is_suspended=True, site=site)

    alone = Alone(cast(Any, SimpleNamespace(config=SimpleNamespace(bounds=Bounds()))))
    assert await alone.site("main", NOTHING) is site
    with pytest.raises(WebError, match="lost the database"):
        await alone.site("main", LEADER)
    alone.let_go()


# --- whole nodes ---


async def led_by(cluster: MemoryCluster, node: MemoryNode, name: str = "one") -> Club:
    """Create a club, and have a node lead it."""
    await cluster.create(name)
    assert await node.clubs.load(name) is not None
    await until(lambda: name in node.leads())
    club = node.clubs.leading(name)
    assert club is not None
    return club


async def playing(club: Club, nodes: list[MemoryNode], cycles: int = 100) -> list[Bot]:
    """Begin a tournament in a club, with a bot at each node."""
    Organiser(club.arena).create(
        TournamentConfig(name="Friday", game="tictactoe", cycles=cycles, start_at_bots=len(nodes))
    )
    bots = [await node.bot(club.name, f"bot{number}", join="friday") for number, node in enumerate(nodes)]
    for bot in bots:
        bot.play(lambda turn: str(turn["legal"][0]))
    await until(lambda: all(heard(bot, "match_over") for bot in bots))
    return bots


def count(bot: Bot, kind: str) -> int:
    return sum(frame["type"] == kind for frame in bot.inbox.frames)


def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have what main says followed at once."""
    monkeypatch.setattr(cluster_clubs, "LOOK_S", 0.005)


async def test_a_club_is_led_where_it_is_asked_for_first_and_played_from_all_nodes(tmp_path: Path) -> None:
    async with memory_nodes(tmp_path, 3) as cluster:
        first, second, third = cluster.nodes
        club = await led_by(cluster, second)
        bots = await playing(club, [first, second, third], cycles=2)
        await until(lambda: all(heard(bot, "tournament_over") for bot in bots))
        assert [node.leads() for node in cluster.nodes] == [[MAIN], ["one"], []]
        assert first.links.count() == {"dialled": 1, "accepted": 2}
        assert await third.clubs.load("two") is None


async def test_a_club_that_is_handed_over_goes_on_from_what_was_read_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    facts_after = LogReader.facts_after

    def counted(self: LogReader, tournament: str, number: int) -> Any:
        read.append(number)
        return facts_after(self, tournament, number)

    async with memory_nodes(tmp_path, 2) as cluster:
        first, second = cluster.nodes
        club = await led_by(cluster, first)
        bots = await playing(club, [first, second])
        monkeypatch.setattr(LogReader, "facts_after", counted)
        monkeypatch.setattr(cluster_clubs, "AHEAD_S", 3600.0)
        cluster.leases.move("one", second.id)
        await until(lambda: second.leads() == ["one"])
        assert first.leads() == [MAIN]
        assert len(read) == 2, "ahead, and when it was led"
        assert 0 == read[0] < read[1]
        assert second.clubs._ahead == {}
        over = [count(bot, "match_over") for bot in bots]
        await until(lambda: all(count(bot, "match_over") > known for bot, known in zip(bots, over, strict=True)))
        assert [count(bot, "session") for bot in bots] == [1, 1]
        assert [bot.link.closed for bot in bots] == [None, None]


async def test_a_club_that_was_read_ahead_and_not_handed_over_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_clubs, "AHEAD_S", 0.0)
    async with memory_nodes(tmp_path, 2) as cluster:
        first, second = cluster.nodes
        await led_by(cluster, first)
        await second.clubs.read_ahead("one")
        await until(lambda: not second.clubs._ahead)
        await second.clubs.read_ahead("nobody's")
        await first.clubs.read_ahead("one")
        assert first.clubs._ahead == second.clubs._ahead == {}, "it is led here, and there is none"

        def fail(*_: Any) -> Any:
            raise StoreError("no database")

        monkeypatch.setattr(cluster.store, "reader", fail)
        with pytest.raises(WebError, match="no database"):
            await second.clubs.read_ahead("one")


async def test_a_newer_reading_ahead_outlives_the_time_of_an_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with memory_nodes(tmp_path, 2) as cluster:
        first, second = cluster.nodes
        await led_by(cluster, first)
        loop, over = asyncio.get_running_loop(), []
        call_later = loop.call_later

        def note(delay: float, call: Any, *given: Any, **context: Any) -> Any:
            if delay == cluster_clubs.AHEAD_S:
                over.append(partial(call, *given))
            return call_later(delay, call, *given, **context)

        with monkeypatch.context() as patch:
            patch.setattr(loop, "call_later", note)
            await second.clubs.read_ahead("one")
            await second.clubs.read_ahead("one")
        newer = second.clubs._ahead["one"]
        older_is_over, newer_is_over = over
        older_is_over()
        assert second.clubs._ahead == {"one": newer}
        newer_is_over()
        assert second.clubs._ahead == {}


async def test_a_node_that_is_drained_leads_nothing_and_its_bots_play_on_by_what_is_told_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it waits for the next time at which somebody looks: that comes in an hour."""
    for name in ("LOOK_S", "SOON_S"):
        monkeypatch.setattr(cluster_clubs, name, 3600.0)
    monkeypatch.setattr(handing_over, "LED_S", 3600.0)
    monkeypatch.setattr(edge, "RETRY_MS", 3_600_000)
    async with memory_nodes(tmp_path, 3) as cluster:
        first, second, third = cluster.nodes
        bots = []
        for club in (first.clubs.main, await led_by(cluster, first, "one"), await led_by(cluster, first, "two")):
            bots += await playing(club, [first, second, third])
        await first.node.hand_all_over()
        await until(lambda: sorted(second.leads() + third.leads()) == [MAIN, "one", "two"])
        assert first.leads() == []
        over = [count(bot, "match_over") for bot in bots]
        await until(lambda: all(count(bot, "match_over") > known for bot, known in zip(bots, over, strict=True)))


async def silence(_scope: Any, _receive: Any, _send: Any) -> None:
    await asyncio.Event().wait()


async def test_a_node_that_holds_its_lease_and_answers_nothing_is_passed_over_in_a_drain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handing_over, "SIGN_S", 0.02)
    names = [f"club-{number}" for number in range(8)]
    async with memory_nodes(tmp_path, 3) as cluster:
        first, second, third = cluster.nodes
        for name in names:
            await led_by(cluster, first, name)
        second.links.serving.app = silence
        async with asyncio.timeout(8):
            await first.node.hand_all_over()
        await until(lambda: third.leads() == sorted([*names, MAIN]))
        assert (first.leads(), second.leads()) == ([], [])


async def test_a_node_that_stops_hands_all_over_while_its_clubs_go_however_long_that_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead_ms = 0

    def now_ms() -> int:
        return real_now_ms() + ahead_ms

    real_now_ms = node.now_ms
    monkeypatch.setattr(node, "now_ms", now_ms)
    async with memory_nodes(tmp_path, 2) as cluster:
        first, run = cluster.nodes[0], cluster.leases.run
        for number in range(8):
            await led_by(cluster, first, f"club-{number}")

        async def slow(of: str, statement: Statement) -> Answer:
            nonlocal ahead_ms
            answer = await run(of, statement)
            if isinstance(statement, HandOver):
                ahead_ms += LEASE_MS // 5
            return answer

        monkeypatch.setattr(cluster.leases, "run", slow)
        await first.node.hand_all_over()
        assert first.node.lease.count_left == 0


async def test_a_node_that_stops_waits_no_longer_than_for_a_while_for_clubs_that_do_not_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node, "GOES_MS", 50)
    async with memory_nodes(tmp_path, 2) as cluster:
        first, second = cluster.nodes
        second.links.serving.app = silence
        async with asyncio.timeout(8):
            await first.node.hand_all_over()
        assert first.leads() == [MAIN]


@pytest.mark.parametrize("is_released", [False, True], ids=["led by another", "released"])
async def test_a_hand_over_that_waits_stops_no_newer_leadership_of_its_club(
    tmp_path: Path, *, is_released: bool
) -> None:
    async with memory_nodes(tmp_path, 2) as cluster:
        first, second = cluster.nodes
        older = await led_by(cluster, first)
        answer, asked, let, answered = second._answer, asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def late(scope: Any, receive: Any, send: Any) -> None:
            asked.set()
            await let.wait()
            await answer(scope, receive, send)
            answered.set()

        second.links.serving.app = late
        cluster.leases.move("one", second.id)
        await asked.wait()
        row = cluster.leases.table.clubs["one"]
        row.wanted = None
        if is_released:
            first.clubs._unload("one")
            await until(lambda: row.node is None)
            await first.clubs.load("one")
            first.node.want("one")
        else:
            row.epoch += 1
            cluster.leases.look()
        await until(lambda: first.clubs.leading("one") not in (None, older))
        newer = first.clubs.leading("one")
        let.set()
        await answered.wait()
        for _ in range(200):
            await asyncio.sleep(0)
        assert first.leads() == [MAIN, "one"]
        assert first.clubs.leading("one") is newer


IDLE_MS = 600_000


def look_twice(node: MemoryNode) -> None:
    """Let a node look for idle clubs, at two times that are far enough apart."""
    now_ms = node.clock.now_ms()
    for at_ms in (now_ms, now_ms + IDLE_MS):
        node.clubs.unload_idle(at_ms)


async def test_a_club_is_unloaded_when_nobody_is_in_it_and_led_by_who_needs_it_next(tmp_path: Path) -> None:
    async with memory_nodes(tmp_path, 2, idle_club_ms=IDLE_MS) as cluster:
        first, second = cluster.nodes
        await led_by(cluster, first)
        stranger = await first.bot("one")
        look_twice(first)
        assert first.leads() == ["main", "one"], "somebody is about to log in"
        stranger.drop()
        look_twice(first)
        assert first.leads() == ["main"]
        assert first.clubs.loaded("one") is None
        await until(lambda: cluster.leases.table.clubs["one"].node is None)
        bot = await second.bot("one", "ann")
        await until(lambda: heard(bot, "session"))
        assert second.leads() == ["one"]


@pytest.mark.parametrize("seen_empty", [False, True], ids=["known", "seen empty"])
async def test_a_login_that_comes_at_the_moment_at_which_its_club_is_unloaded_is_answered(
    tmp_path: Path, *, seen_empty: bool
) -> None:
    async with memory_nodes(tmp_path, 2, idle_club_ms=IDLE_MS) as cluster:
        first, second = cluster.nodes
        await led_by(cluster, first)
        before = await second.bot("one", "ann")
        await until(lambda: heard(before, "session"))
        before.drop()
        club = first.clubs.leading("one")
        assert club is not None
        await until(lambda: club.is_empty)
        if seen_empty:
            second.clubs.unload_idle(second.clock.now_ms())
        bot = await second.bot("one", "ann")
        look_twice(first)
        assert first.leads() == ["main"], "the login is on its way"
        await until(lambda: heard(bot, "session"))
        assert second.leads() == ["one"]
        assert count(bot, "session") == 1


async def test_a_login_at_the_leader_itself_while_it_gives_the_club_up_is_answered(tmp_path: Path) -> None:
    async with memory_nodes(tmp_path, 2, idle_club_ms=IDLE_MS) as cluster:
        first, _ = cluster.nodes
        await led_by(cluster, first)
        look_twice(first)
        bot = await first.bot("one", "ann")  # it is given up, and no statement has told the database yet
        await until(lambda: heard(bot, "session"))
        assert first.leads() == ["main", "one"]


async def test_a_club_is_removed_while_its_matches_are_played_from_several_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(monkeypatch)
    async with memory_nodes(tmp_path, 3) as cluster:
        first, second, third = cluster.nodes
        club = await led_by(cluster, second)
        bots = await playing(club, [first, second, third])
        stranger = await third.bot("one")
        await cluster.remove("one")
        everyone = [*bots, stranger]
        await until(lambda: all(bot.link.closed is not None for bot in everyone))
        assert [bot.link.closed for bot in everyone] == [CloseCode.CLUB_REMOVED] * 4
        for bot in everyone:
            bot.drop()
        await until(lambda: cluster.leases.table.clubs["one"].node is None)
        assert [node.leads() for node in cluster.nodes] == [[MAIN], [], []]
        assert [await node.clubs.load("one") for node in cluster.nodes] == [None, None, None]
        last = club.log.last
        for _ in range(20):
            await asyncio.sleep(0.005)
        assert cluster.leases.table.clubs["one"].node is None, "nobody leads it again"
        assert club.log.last == last, "nothing is judged any more"


async def test_a_club_that_was_removed_while_a_node_came_to_lead_it_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(monkeypatch)
    async with memory_nodes(tmp_path, 2) as cluster:
        first, second = cluster.nodes
        club = await led_by(cluster, first)
        bots = await playing(club, [first, first])
        await second.clubs.read_ahead("one")
        await cluster.remove("one")
        await until(lambda: all(bot.link.closed == CloseCode.CLUB_REMOVED for bot in bots))
        row = cluster.leases.table.clubs["one"]
        await until(lambda: row.node is None)
        given_up = row.epoch
        second.node.want("one")
        await until(lambda: row.epoch == given_up + 2)
        assert row.node is None
        assert second.leads() == []


async def test_what_the_clubs_use_is_asked_of_their_leaders_or_read(tmp_path: Path) -> None:
    async with memory_nodes(tmp_path, 2) as cluster:
        first, second = cluster.nodes
        await led_by(cluster, first)
        await cluster.create("two")
        assert sorted(await first.clubs.uses(stored=False)) == [MAIN, "one"]
        assert sorted(await first.clubs.uses(stored=True)) == [MAIN, "one", "two"]
        assert first.clubs.count_sessions() == (0, 0)
        bot = await second.bot("one", "ann")
        await until(lambda: heard(bot, "session"))
        assert (first.clubs.count_sessions(), second.clubs.count_sessions()) == ((0, 0), (1, 0))
        assert second.clubs.count_streams() == 0


async def test_a_page_is_its_leaders_or_passed_on_and_none_without_a_club(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with memory_nodes(tmp_path, 2) as cluster:
        first, second = cluster.nodes
        club = await led_by(cluster, first)
        assert await first.clubs.site("one", LEADER) is club.site
        assert await first.clubs.site("two", LEADER) is None
        await second.bot("one")
        with pytest.raises(WebError):
            await second.clubs.site("one", LEADER)
        metrics = await second.clubs.site("one", NOTHING)
        assert metrics is not None
        assert metrics is not club.site
        asked: list[str] = []

        async def forward(name: str, *_: Any) -> None:
            asked.append(name)

        monkeypatch.setattr(second.links, "forward", forward)
        scope: dict[str, Any] = {"method": "GET", "state": {}}
        nothing = cast(Any, None)
        await until(lambda: not second.clubs._doors["one"].edge.is_leaderless)
        assert not await first.clubs.passing("one", LEADER, scope, nothing, nothing)
        assert not await second.clubs.passing("two", LEADER, scope, nothing, nothing)
        assert await second.clubs.passing("one", LEADER, scope, nothing, nothing)
        assert asked == ["one"]
        passed_on: dict[str, Any] = {"method": "GET", "state": {"is_passed_on": True}}
        assert not await second.clubs.passing("one", LEADER, passed_on, nothing, nothing), "it goes on no further"


async def test_a_page_waits_until_its_club_is_led(tmp_path: Path) -> None:
    async with memory_nodes(tmp_path, 2, idle_club_ms=IDLE_MS) as cluster:
        first, second = cluster.nodes
        await led_by(cluster, first)
        look_twice(first)
        scope: dict[str, Any] = {"method": "POST", "state": {}}
        asking: list[Callable[[], Any]] = [
            lambda: second.clubs.passing("one", LEADER, scope, cast(Any, None), cast(Any, None)) for _ in range(2)
        ]
        assert await asyncio.gather(*(ask() for ask in asking)) == [False, False]
        assert second.leads() == ["one"]


@pytest.mark.parametrize(("method", "is_late"), [("GET", False), ("GET", True), ("POST", False)])
async def test_a_page_is_asked_for_once_more_if_its_leader_is_soon_lost_before_the_answer(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_late: bool
) -> None:
    monkeypatch.setattr(cluster_clubs, "LOST_S", -1.0 if is_late else 3600.0)
    async with memory_nodes(tmp_path, 2) as cluster:
        first, second = cluster.nodes
        await led_by(cluster, first)
        await second.bot("one")
        await until(lambda: not second.clubs._doors["one"].edge.is_leaderless)
        bodies: list[list[str]] = []

        async def forward(_name: str, _scope: Any, receive: Any, _send: Any) -> None:
            bodies.append([(await receive())["type"]])
            if len(bodies) == 1:
                raise LostAnswer.unavailable("lost")
            bodies[-1].append((await receive())["type"])

        monkeypatch.setattr(second.links, "forward", forward)
        messages = iter([{"type": "http.request"}, {"type": "http.request"}, {"type": "http.disconnect"}])

        async def receive() -> Any:
            return next(messages)

        scope: dict[str, Any] = {"method": method, "state": {}}
        asking = second.clubs.passing("one", LEADER, scope, receive, cast(Any, None))
        if method == "GET" and not is_late:
            assert await asking
            assert bodies == [["http.request"], ["http.request", "http.disconnect"]]
        else:
            with pytest.raises(LostAnswer):
                await asking


async def test_who_leads_is_asked_of_the_database_one_question_at_a_time() -> None:
    running, most = 0, 0

    async def leaders(_clubs: Any) -> dict[str, Any]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return {}

    asking = node.Node("postgresql://", LEASE_MS, "", "setup")
    asking._asking = cast(Any, SimpleNamespace(leaders=leaders))
    await asyncio.gather(*(asking.leaders([MAIN]) for _ in range(3)))
    assert most == 1


@pytest.mark.usefixtures("gateways")
async def test_a_database_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("READ_S", "STORED_S"):
        monkeypatch.setattr(cluster_clubs, name, 0.01)
    clubs = Unled()

    async def forever(*_: Any) -> Any:
        await asyncio.Event().wait()

    async def nobody(_clubs: Any) -> dict[str, Any]:
        return {}

    monkeypatch.setattr(clubs, "_follow_main", forever)
    monkeypatch.setattr(clubs, "_stored", forever)
    monkeypatch.setattr(clubs, "_at", SimpleNamespace(leaders=nobody))
    monkeypatch.setattr(clubs, "_elsewhere", SimpleNamespace(told=lambda: nobody(())))
    async with asyncio.timeout(10):
        with pytest.raises(WebError, match="cannot be read"):
            await clubs._has("one")
        assert await clubs.uses(stored=True) == {}
