"""The peer of a connection, as limits see the peer, without sockets: permits, waits for a permit, requests and bans."""

import asyncio
from functools import partial
from types import SimpleNamespace
from typing import Any, cast
from weakref import ref

import pytest
from rumble_server.gateway import peer as module
from rumble_server.gateway.peer import Peer
from rumble_server.limits import permits
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.permits import Permits
from rumble_server.limits.refusals import Refusals
from rumble_server.limits.source import Sources

from tests.server.gateway.transport import Transport

ADDRESS, CLIENT, PROXY = "203.0.113.7", "203.0.113.8", "192.0.2.1"
FORWARDED = [(b"x-forwarded-for", CLIENT.encode()), (b"x-forwarded-proto", b"https")]


class Newcomer:
    """A connection of a peer. `heard` has the answers to its requests for a permit."""

    def __init__(self, shared: Any, host: str) -> None:
        self.heard: list[str] = []
        self._answered = asyncio.Event()
        self.transport = Transport()
        self.peer = Peer(shared, cast(Any, self.transport), host)

    def acquire(self) -> None:
        self.peer.acquire_permit(partial(self._note, "granted"), partial(self._note, "refused"))

    def acquire_as_bot(self) -> None:
        self.peer.acquire_bot_permit(lambda _: self._note("granted as a bot"), partial(self._note, "refused"))

    async def over(self) -> None:
        """Wait until the permit is granted or refused."""
        async with asyncio.timeout(5):
            await self._answered.wait()

    def lose(self) -> None:
        self.transport.is_closed = True
        if not self.peer.is_waiting:
            self.peer.release()

    def _note(self, answer: str) -> None:
        assert not self.peer.is_waiting
        self.heard.append(answer)
        self._answered.set()


class Server:
    """The parts of a server with one permit of each kind for an address, and room for two that wait 10 ms."""

    def __init__(self) -> None:
        bounds = Bounds(
            strangers_per_address=1,
            connections_per_address=1,
            invited_connections_per_address=1,
            requests_per_minute=60,
        )
        self.now_ms = 0
        self.permits, self.refusals = Permits(bounds), Refusals()
        self.bans: dict[str, object] = {}
        bots = SimpleNamespace(ban_of=self.bans.get)
        clubs = {"main": SimpleNamespace(gateway=SimpleNamespace(bots=bots))}
        self._shared: Any = SimpleNamespace(
            permits=self.permits,
            refusals=self.refusals,
            sources=Sources([PROXY]),
            clock=SimpleNamespace(now_ms=lambda: self.now_ms),
            clubs=SimpleNamespace(get_loaded=clubs.get),
        )

    def newcomers(self, count: int, host: str = ADDRESS) -> list[Newcomer]:
        """Return connections that acquire permits, in this order."""
        made = [Newcomer(self._shared, host) for _ in range(count)]
        for each in made:
            each.acquire()
        return made


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setattr(module, "PERMIT_WAIT_MS", 10)
    return Server()


# --- the permit ---


async def test_a_permit_is_held_from_the_entry_until_the_peer_leaves(server: Server) -> None:
    (newcomer,) = server.newcomers(1)
    assert (newcomer.heard, newcomer.transport.is_paused) == (["granted"], False)
    assert server.permits.counts == {("stranger", ADDRESS): 1}
    newcomer.peer.mark_known()
    assert server.permits.counts == {("known", ADDRESS): 1}
    newcomer.peer.release()
    assert server.permits.counts == {}


async def test_a_bot_keeps_the_permit_of_its_connection_and_is_a_stranger_anew(server: Server) -> None:
    (newcomer,) = server.newcomers(1)
    newcomer.peer.identify("http", [])
    server.now_ms = permits.PERMIT_WAIT_MS
    newcomer.acquire_as_bot()
    assert server.permits.counts == {("stranger", ADDRESS): 1}
    server.permits.make_room(ADDRESS, server.now_ms)
    assert not newcomer.transport.is_aborted
    server.permits.make_room(ADDRESS, 2 * server.now_ms)
    assert newcomer.transport.is_aborted


async def test_a_proxy_needs_no_permit_but_the_bot_behind_the_proxy_does(server: Server) -> None:
    (newcomer,) = server.newcomers(1, PROXY)
    assert (newcomer.heard, server.permits.counts) == (["granted"], {})
    newcomer.peer.identify("http", FORWARDED)
    newcomer.acquire_as_bot()
    assert newcomer.heard == ["granted", "granted as a bot"]
    assert server.permits.counts == {("stranger", CLIENT): 1}
    newcomer.peer.release()
    assert server.permits.counts == {}


async def test_peers_that_wait_for_a_refusal_are_bounded(server: Server) -> None:
    first, second = server.newcomers(2)
    assert [each.peer.acquire_refusal_permit() for each in (first, second)] == [True, False]
    second.peer.release()


# --- the wait for a permit ---


async def test_waiting_connection_gets_the_next_permit_in_a_callback_of_its_own(server: Server) -> None:
    first, second = server.newcomers(2)
    assert (second.heard, second.transport.is_paused, second.peer.is_waiting) == ([], True, True)
    first.lose()
    assert second.heard == []
    await second.over()
    assert second.heard == ["granted"]
    assert server.permits.counts == {("stranger", ADDRESS): 1}
    assert server.refusals.counts == {}


async def test_a_connection_that_has_waited_its_time_is_refused(server: Server) -> None:
    first, second = server.newcomers(2)
    await second.over()
    assert (first.heard, second.heard) == (["granted"], ["refused"])
    assert server.refusals.counts == {"strangers": 1}
    assert not server.permits.waiting


async def test_an_old_stranger_gives_way_to_a_connection_that_has_waited_its_time(server: Server) -> None:
    first, second = server.newcomers(2)
    server.now_ms = permits.PERMIT_WAIT_MS
    await second.over()
    assert first.transport.is_aborted
    assert (first.heard, second.heard, server.refusals.counts) == (["granted"], ["granted"], {"strangers": 1})
    (third,) = server.newcomers(1)
    assert third.heard == [], "the time of the second as a stranger began with its permit"
    third.peer.release()


async def test_when_too_many_wait_the_next_is_refused_at_once(server: Server) -> None:
    newcomers = server.newcomers(4)
    assert [newcomer.heard for newcomer in newcomers] == [["granted"], [], [], ["refused"]]
    assert server.refusals.counts == {"strangers": 1}
    for newcomer in newcomers:
        newcomer.peer.release()


async def test_a_connection_that_is_lost_while_it_waits_takes_no_permit(server: Server) -> None:
    first, lost = server.newcomers(2)
    lost.peer.release()
    late, last = server.newcomers(2)
    late.lose()
    first.lose()
    await last.over()
    assert (lost.heard, late.heard, last.heard) == ([], [], ["granted"])
    assert server.permits.counts == {("stranger", ADDRESS): 1}


async def test_a_connection_that_is_lost_is_not_refused_when_its_time_is_over(server: Server) -> None:
    """Under load, the clean-up of a lost connection, which stops the wait, comes later than the loss."""
    first, lost = server.newcomers(2)
    lost.lose()
    (last,) = server.newcomers(1)
    await last.over()
    assert (first.heard, lost.heard, last.heard) == (["granted"], [], ["refused"])
    assert server.refusals.counts == {"strangers": 1}
    lost.peer.release()
    assert not server.permits.waiting


@pytest.mark.usefixtures("without_collector")
async def test_a_connection_whose_wait_was_stopped_is_freed_without_the_collector(server: Server) -> None:
    _first, second = server.newcomers(2)
    second.peer.release()
    gone = ref(second)
    del second
    assert gone() is None


# --- requests and bans ---


async def test_requests_and_refusals_count_for_the_source_once_it_is_known(server: Server) -> None:
    (newcomer,) = server.newcomers(1, PROXY)
    peer = newcomer.peer
    assert peer.take_requests(0)
    assert peer.take_requests(60)
    assert not peer.take_requests(60)
    assert peer.identify("http", FORWARDED).scheme == "https"
    assert peer.take_requests(60), "the client has made no request before"
    assert not peer.take_requests(60)


@pytest.mark.parametrize(("club", "banned"), [("main", True), ("other", False)])
async def test_the_source_may_be_banned_in_a_loaded_club(server: Server, club: str, banned: bool) -> None:
    server.bans[CLIENT] = object()
    (newcomer,) = server.newcomers(1, PROXY)
    assert newcomer.peer.ban(club) is None
    newcomer.peer.identify("http", FORWARDED)
    assert (newcomer.peer.ban(club) is not None) is banned
