"""The peer of a connection, as limits see the peer, without sockets."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from rumble_server.gateway.peer import Peer
from rumble_server.limits import permits
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.permits import Permit, Permits
from rumble_server.limits.refusals import Refusals
from rumble_server.limits.source import Sources

from tests.server.gateway.transport import Transport

ADDRESS, CLIENT, PROXY = "203.0.113.7", "203.0.113.8", "192.0.2.1"
FORWARDED = [(b"x-forwarded-for", CLIENT.encode()), (b"x-forwarded-proto", b"https")]


class Server:
    """The parts of a server with room for one stranger and one known connection of an address, and its peers."""

    def __init__(self) -> None:
        bounds = Bounds(strangers_per_address=1, connections_per_address=1, requests_per_minute=60)
        self.now_ms = 0
        self.permits, self.refusals = Permits(bounds), Refusals()
        self.bans: dict[str, object] = {}
        bots = SimpleNamespace(ban_of=self.bans.get)
        clubs = {"main": SimpleNamespace(gateway=SimpleNamespace(bots=bots))}
        self.shared: Any = SimpleNamespace(
            permits=self.permits,
            refusals=self.refusals,
            sources=Sources([PROXY]),
            clock=SimpleNamespace(now_ms=lambda: self.now_ms),
            clubs=SimpleNamespace(get_loaded=clubs.get),
        )
        self.heard: list[str] = []
        self.bots: list[Permit] = []

    def peer(self, host: str) -> tuple[Peer, Transport]:
        transport = Transport()
        return Peer(self.shared, cast(Any, transport), host), transport

    def entered(self, host: str) -> tuple[Peer, Transport]:
        peer, transport = self.peer(host)
        peer.acquire_permit(lambda: self.heard.append("granted"), lambda: self.heard.append("refused"))
        return peer, transport

    def as_bot(self, peer: Peer) -> None:
        peer.acquire_bot_permit(self.bots.append, lambda: self.heard.append("refused"))


async def test_a_permit_is_held_from_the_entry_until_the_peer_leaves() -> None:
    server = Server()
    peer, _ = server.entered(ADDRESS)
    assert (server.heard, server.permits.counts) == (["granted"], {("stranger", ADDRESS): 1})
    peer.mark_known()
    assert server.permits.counts == {("known", ADDRESS): 1}
    peer.release()
    assert server.permits.counts == {}


async def test_a_stranger_is_beyond_if_its_address_has_all_its_known_connections() -> None:
    server = Server()
    known, _ = server.entered(ADDRESS)
    known.mark_known()
    stranger, _ = server.entered(ADDRESS)
    assert (known.lacks_room, stranger.lacks_room) == (False, True)
    known.release()
    assert not stranger.lacks_room


async def test_an_old_stranger_gives_way_to_a_new_one() -> None:
    server = Server()
    _, transport = server.entered(ADDRESS)
    server.now_ms = permits.PERMIT_WAIT_MS
    server.entered(ADDRESS)
    assert transport.is_aborted
    assert (server.heard, server.refusals.counts) == (["granted", "granted"], {"strangers": 1})


async def test_a_bot_keeps_the_permit_of_its_connection_and_is_a_stranger_anew() -> None:
    server = Server()
    peer, transport = server.entered(ADDRESS)
    peer.identify("http", [])
    server.now_ms = permits.PERMIT_WAIT_MS
    server.as_bot(peer)
    assert server.permits.counts == {("stranger", ADDRESS): 1}
    server.permits.make_room(ADDRESS, server.now_ms)
    assert not transport.is_aborted
    server.permits.make_room(ADDRESS, 2 * server.now_ms)
    assert transport.is_aborted


async def test_a_proxy_needs_no_permit_but_the_bot_behind_the_proxy_does() -> None:
    server = Server()
    peer, _ = server.entered(PROXY)
    assert (server.heard, server.permits.counts) == (["granted"], {})
    peer.identify("http", FORWARDED)
    server.as_bot(peer)
    assert server.permits.counts == {("stranger", CLIENT): 1}
    peer.release()
    assert (len(server.bots), server.permits.counts) == (1, {})


def test_peers_that_wait_for_a_refusal_are_bounded() -> None:
    server = Server()
    assert [server.peer(ADDRESS)[0].acquire_refusal_permit() for _ in range(2)] == [True, False]
    assert server.permits.counts == {("refused", ADDRESS): 1}


def test_requests_and_refusals_count_for_the_source_once_it_is_known() -> None:
    server = Server()
    peer, _ = server.entered(PROXY)
    assert peer.take_requests(0)
    assert peer.take_requests(60)
    assert not peer.take_requests(60)
    assert peer.identify("http", FORWARDED).scheme == "https"
    assert peer.take_requests(60), "the client has made no request before"
    assert not peer.take_requests(60)


@pytest.mark.parametrize(("club", "banned"), [("main", True), ("other", False)])
def test_the_source_may_be_banned_in_a_loaded_club(club: str, banned: bool) -> None:
    server = Server()
    server.bans[CLIENT] = object()
    peer, _ = server.entered(PROXY)
    assert peer.ban(club) is None
    peer.identify("http", FORWARDED)
    assert (peer.ban(club) is not None) is banned
