"""Links on real sockets of loopback: two nodes, and the way between them."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rumble_protocol.codes import CloseCode
from rumble_protocol.fields import TimeControl
from rumble_server.arena.arena import Arena
from rumble_server.arena.organiser import Organiser
from rumble_server.bounds import Bounds
from rumble_server.cluster.edge import PACKET_BYTES, Edge
from rumble_server.cluster.lead import Lead
from rumble_server.cluster.link import Packet, write_opening
from rumble_server.cluster.link_connection import (
    FULL_BYTES,
    LinkConnection,
    LinkError,
    binary_frame,
    client_protocol,
    dial,
    whole_frame,
)
from rumble_server.cluster.links import Links
from rumble_server.gateway.connection import MOST_UNSENT_BYTES
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.sessions import Sessions
from rumble_server.limits.strangers import Strangers
from rumble_server.tournament.config import TournamentConfig
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode, apply_mask  # type: ignore[attr-defined]  # in C, where it was built with it
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.uri import parse_uri

from tests.server.gateway.served import PATIENCE_S, GatewayServer, OneClub, Raw, served, until
from tests.server.world import MemoryLog, VirtualClock

pytestmark = pytest.mark.e2e

SECRET = "a secret of the whole cluster"


class Leader:
    """The node that leads main under epoch 1, behind the port of a server."""

    def __init__(self, server: GatewayServer, setup: str = "same") -> None:
        clock = server.arena.clock
        self.log = MemoryLog(clock)
        self.lead = Lead("main", 1, Sessions(), Bounds().link_bytes)
        self.arena = Arena(log=self.log, clock=clock, sessions=self.lead, run=1, random=Random(0))
        self.lead.attach(self.arena)
        self.log.on_durable += [self.lead.on_durable, self.arena.on_durable]
        self.links = Links("leader", setup, SECRET, 5.0)
        self.links.lead(self.lead)
        server.entrance = replace(server.entrance, nodes=self.links)
        self.address = f"http://127.0.0.1:{server.port}"


class EdgeNode:
    """A node whose bots are in a club that another leads, behind the port of a server."""

    def __init__(self, server: GatewayServer, node: str, bounds: Bounds | None = None) -> None:
        clock, sessions = server.arena.clock, Sessions()
        self.edge = Edge("main", sessions, clock, bounds or Bounds())
        strangers = Strangers(Bounds(), server.refusals)
        gateway = Gateway(self.edge, self.edge, sessions, clock, strangers, "test", identity="1d")
        server.entrance = replace(server.entrance, clubs=OneClub(gateway))
        self.links = Links(node, "same", SECRET, 5.0)
        self.server = server

    @contextlib.asynccontextmanager
    async def bot(self, name: str, **login: Any) -> AsyncIterator[Raw]:
        async with self.server.raw() as client:
            assert await client.upgrade() == 101
            client.say(type="login", name=name, **login)
            await client.hear("session")
            yield client


@contextlib.asynccontextmanager
async def cluster(bounds: Bounds | None = None) -> AsyncIterator[tuple[Leader, EdgeNode]]:
    async with served() as first, served() as second:
        leader, node = Leader(first), EdgeNode(second, "edge", bounds)
        node.links.follow(node.edge, leader.address, 1)
        try:
            yield leader, node
        finally:
            node.links.close()
            leader.links.close()


async def play(*bots: Raw) -> list[str]:
    """Have bots play until each has heard of the end of a match; how it ended."""

    async def one(bot: Raw) -> str:
        while True:
            frame = await bot.hear_any()
            if frame["type"] == "turn":
                bot.say(type="move", match=frame["match"], turn_id=frame["turn_id"], move=frame["legal"][0])
            elif frame["type"] == "match_over":
                return str(frame["termination"])
            else:
                assert frame["type"] not in ("error", "rejected"), frame

    async with asyncio.timeout(PATIENCE_S):
        return await asyncio.gather(*map(one, bots))


async def test_the_late_end_of_an_older_link_is_not_that_of_the_newer_one() -> None:
    """By TLS a link that was given up is lost some turns of the loop later, while the next one is being dialled."""
    address, told = "http://a", list[str]()
    older, newer = (cast(Any, SimpleNamespace(node=address, is_full=False, send=told.append)) for _ in range(2))
    dialled = SimpleNamespace(connection=newer, down=lambda: told.append("down"), end=lambda: None)
    links = Links("edge", "same", SECRET, 5.0, dial=lambda *_: cast(Any, dialled))
    edge = Edge("main", Sessions(), VirtualClock(), Bounds())
    links.follow(edge, address, 1)
    links.made(address, newer)
    links.down_as_edge(older)
    assert "down" not in told
    assert edge._link is not None
    links.down_as_edge(newer)
    assert "down" in told
    assert edge._link is None


async def test_a_link_that_is_lost_as_soon_as_it_is_up_is_no_link(monkeypatch: pytest.MonkeyPatch) -> None:
    made = LinkConnection(ServerProtocol(), 5.0, *(cast(Any, None) for _ in range(3)))

    async def connect(*_: Any, **__: Any) -> None:
        made.opened.set_result(None)

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", connect)
    with pytest.raises(LinkError, match="ended"):
        await dial(made, "a", 1, None, PATIENCE_S)


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 100_000])
@pytest.mark.parametrize("masked", [True, False])
def test_frames_are_those_of_the_library(size: int, masked: bool) -> None:
    payload = bytes(number % 251 for number in range(size))
    frame = binary_frame(payload, b"mask" if masked else b"")
    protocol = ServerProtocol(state=State.OPEN) if masked else ClientProtocol(parse_uri("ws://a/"), state=State.OPEN)
    protocol.receive_data(frame)
    (read,) = protocol.events_received()
    assert isinstance(read, Frame)
    assert (read.opcode, bytes(read.data)) == (Opcode.BINARY, payload)
    for data, start in ((frame, 0), (b"abc" + frame + frame, 3)):
        found = whole_frame(data, start)
        assert found is not None
        body, end, mask = found
        assert end == start + len(frame)
        assert (apply_mask(data[body:end], mask) if mask else data[body:end]) == payload
    for cut in {0, 1, 2, 5, 9, 13, len(frame) - 1} & set(range(len(frame))):
        assert whole_frame(frame[:cut], 0) is None


async def test_packets_that_come_in_pieces_are_put_together() -> None:
    async with served() as server:
        leader = Leader(server)
        links = Links("edge", "same", SECRET, 5.0)
        connection = await links.connect(leader.address)
        (other,) = leader.links._accepted.values()
        heard: list[bytes] = []
        other._on_packet = lambda _, packet: heard.append(packet)
        sent = [b"a" * 10, b"b" * 300_000, b"", b"c"]
        frames = b"".join(binary_frame(each, b"mask") for each in sent)
        for start in range(0, len(frames), 70_001):
            other.data_received(frames[start : start + 70_001])
        assert heard == sent
        connection.end()
        await until(lambda: leader.links._accepted == {})


async def play_friday(leader: Leader, node: EdgeNode) -> list[str]:
    """Have two bots of a node play a match in a club that another one leads; how it ended for each."""
    config = TournamentConfig(
        name="Friday", game="tictactoe", start_at_bots=2, time_control=TimeControl(move_ms=30_000)
    )
    Organiser(leader.arena).create(config)
    async with node.bot("ann", join="friday") as ann, node.bot("ben", join="friday") as ben:
        return await play(ann, ben)


async def test_a_match_is_played_on_a_node_that_does_not_lead_it() -> None:
    async with cluster() as (leader, node):
        assert await play_friday(leader, node) == ["normal", "normal"]


async def test_bots_notice_nothing_of_a_link_that_is_cut() -> None:
    async with cluster() as (leader, node), node.bot("ann") as ann:
        for _ in range(3):
            (link,) = leader.links._accepted.values()
            link.end()
            ann.say(type="join", tournament="nowhere")
            assert (await ann.hear("error"))["code"] == "unknown_tournament"
        assert leader.arena.is_connected("ann")


async def test_many_frames_both_ways_arrive_once_and_in_order() -> None:
    async with cluster() as (_, node), node.bot("ann") as ann:
        for number in range(100):
            ann.say(type="join", tournament=f"t{number}")
        told = [(await ann.hear("error"))["message"] for _ in range(100)]
        assert [f"t{number}" in message for number, message in enumerate(told)] == [True] * 100


async def test_a_leader_that_takes_nothing_stops_what_bots_say_at_their_sockets() -> None:
    """From the link to the socket: what waits at the edge is bounded, and so is what a bot can write."""
    async with cluster(Bounds(link_bytes=500_000)) as (leader, node), node.bot("ann") as ann, node.bot("ben") as ben:
        (link,) = leader.links._accepted.values()
        assert link._transport is not None
        link._transport.pause_reading()
        frame = json.dumps({"type": "move", "match": "nowhere", "turn_id": "9.1", "move": "x" * 3000}).encode()

        async def flood() -> None:
            while True:
                ann.send(Opcode.TEXT, frame)
                await ann.writer.drain()

        flooding = asyncio.create_task(flood())
        guest = next(each for each in node.edge.guests.by_id.values() if each.name == "ann")
        await until(lambda: guest.is_held and ann.writer.transport.get_write_buffer_size() > len(frame))
        flooding.cancel()
        assert node.edge._stream.out.bytes < 600_000
        dialled = next(iter(node.links._dialled.values())).connection
        assert dialled is not None
        assert dialled._transport is not None
        assert dialled._transport.get_write_buffer_size() <= FULL_BYTES + PACKET_BYTES
        link._transport.resume_reading()
        ben.say(type="join", tournament="nowhere")
        assert (await ben.hear("error"))["code"] == "unknown_tournament"
        for _ in range(20):
            assert (await ann.hear("rejected"))["turn_id"] == "9.1"
        await until(lambda: node.edge._stream.out.bytes < 250_000)


async def test_a_bot_that_reads_nothing_is_cut_at_its_edge_and_holds_nobody_up() -> None:
    async with cluster() as (leader, node), node.bot("ann") as ann, node.bot("ben") as ben:
        del ann
        (slow,) = [number for number, known in leader.arena._sessions.items() if known[0].name == "ann"]
        frame = b'{"type":"notice","code":"draining","message":"%s"}' % (b"x" * 10_000)
        sent = 0
        while leader.arena.is_connected("ann"):
            for _ in range(20):
                leader.lead.send(slow, frame)
            sent += 20 * len(frame)
            ben.say(type="join", tournament="nowhere")
            assert (await ben.hear("error"))["code"] == "unknown_tournament"
            assert sent < 100_000_000, "it is never cut"
        (peer,) = leader.lead._peers.values()
        assert peer.stream.out.bytes < MOST_UNSENT_BYTES
        assert leader.arena.is_connected("ben")


async def refused(leader: Leader, setup: str, secret: str) -> str:
    with pytest.raises(LinkError) as refusal:
        await Links("other", setup, secret, 5.0).connect(leader.address)
    return str(refusal.value)


async def test_a_node_without_the_secret_or_with_another_setup_is_refused() -> None:
    async with served() as server:
        leader = Leader(server)
        assert "secret" in await refused(leader, "same", "guessed")
        assert "upgrade all nodes" in await refused(leader, "other", SECRET)
        assert server.refusals.counts["link"] == 2


async def test_a_server_on_its_own_has_no_links() -> None:
    async with served() as server, server.raw() as client:
        assert await client.upgrade("/link", Authorization=f"Bearer {SECRET}") == 404


async def test_nobody_there_is_told_in_a_line() -> None:
    async with served() as server:
        port = server.port
    with pytest.raises(LinkError):
        await Links("other", "same", SECRET, 5.0).connect(f"http://127.0.0.1:{port}")


async def test_a_link_on_which_nothing_comes_is_ended() -> None:
    async with served() as server:
        leader = Leader(server)
        silent = Links("edge", "same", SECRET, 0.3)
        connection = await silent.connect(leader.address)
        (other,) = leader.links._accepted.values()
        assert other._transport is not None
        other._transport.pause_reading()  # it answers no ping
        ended: list[LinkConnection] = []
        connection._on_down = ended.append
        await until(lambda: ended == [connection])
        leader.links.close()


async def test_a_newer_link_of_a_node_takes_the_place_of_the_older() -> None:
    async with served() as server:
        leader = Leader(server)
        edge = Links("edge", "same", SECRET, 5.0)
        first = await edge.connect(leader.address)
        second = await edge.connect(leader.address)
        await until(lambda: first._transport is None)
        assert second._transport is not None
        second.end()
        await until(lambda: leader.links._accepted == {})


async def test_a_club_that_is_led_no_more_leaves_its_bots_without_a_leader() -> None:
    async with cluster() as (leader, node), node.bot("ann") as ann:
        leader.links.lead_no_more("main")
        await until(lambda: node.edge.is_leaderless)  # it is told, and the link is up
        assert list(leader.links._accepted) == ["edge"]
        node.links.follow(node.edge, None, 1)
        node.edge._give_up()
        assert await ann.close_code() == CloseCode.NO_LEADER


async def test_who_asked_for_a_club_before_it_was_loaded_is_answered_when_it_is() -> None:
    async with served() as server:
        leader = Leader(server)
        lead = leader.links._leads.pop("main")
        edge = Links("edge", "same", SECRET, 5.0)
        heard: list[Packet] = []
        edge.heard_as_edge = lambda _, data: heard.append(Packet(data[0]))  # type: ignore[assignment,method-assign]
        link = await edge.connect(leader.address)
        link.send(write_opening(Packet.OPEN, "main", 1, 7, is_new=True))
        await until(lambda: heard == [Packet.GONE])
        leader.links.lead(lead)
        await until(lambda: heard == [Packet.GONE, Packet.OPENED])
        leader.links.lead_no_more("main")
        await until(lambda: len(heard) == 3)
        link.send(write_opening(Packet.OPEN, "main", 1, 8, is_new=True))
        await until(lambda: len(leader.links._early) == 1)
        link.end()
        await until(lambda: not leader.links._early)


class Wire(asyncio.Transport):
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def abort(self) -> None:
        pass


async def test_an_answer_that_comes_when_the_dialling_was_given_up_is_dropped() -> None:
    protocol, *_ = client_protocol("http://127.0.0.1:1", {})
    connection = LinkConnection(protocol, 5.0, *[lambda *_: None] * 3)
    wire, server = Wire(), ServerProtocol()
    connection.connection_made(wire)
    server.receive_data(wire.written)
    (request,) = server.events_received()
    server.send_response(server.accept(request))  # type: ignore[arg-type]  # it is the request
    connection.opened.cancel()
    connection.data_received(b"".join(server.data_to_send()))
    assert not connection.is_up
