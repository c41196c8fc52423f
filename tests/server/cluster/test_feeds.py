"""One subscription for all visitors of a node: a leader that tells what the test wants, on virtual time."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
import pytest_asyncio
from rumble_server.cluster import feeds as relayed
from rumble_server.cluster.feeds import Feeds
from rumble_server.cluster.told import Event
from rumble_server.web.errors import WebError
from rumble_server.web.feed import spectator as spectators
from rumble_server.web.feed.channel import PACE_MS, SLOWEST_PACE_MS, SNAPSHOT_MS
from rumble_server.web.feed.feed import KEEP_ALIVE_MS, STUCK_MS, UNWATCHED_MS

from tests.server.cluster.test_told import event
from tests.server.world import VirtualClock

PATIENCE_S = 5.0


class Stream:
    """A request that the leader was asked."""

    def __init__(self, scope: Any, send: Any) -> None:
        self.path = scope["path"]
        self.last_event_id = dict(scope["headers"]).get(b"last-event-id")
        self.over = asyncio.Event()
        self.is_cancelled = False
        self._send = send

    async def answer(self, status: int, body: bytes = b"") -> None:
        await self._send({"type": "http.response.start", "status": status, "headers": []})
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    async def tell(self, *events: Event) -> None:
        body = b"".join(each.data for each in events)
        await self._send({"type": "http.response.body", "body": body, "more_body": True})


class Leader:
    """The leader of a club."""

    def __init__(self) -> None:
        self.asked: list[Stream] = []
        self.error: Exception | None = None
        self.refusal: tuple[int, bytes] | None = None
        self.snapshot: Event | None = event(5, "snapshot", "S")

    async def ask(self, club: str, scope: Any, receive: Any, send: Any) -> None:
        assert club == "school"
        assert (await receive())["more_body"] is False
        if self.error is not None:
            raise self.error
        stream = Stream(scope, send)
        self.asked.append(stream)
        if self.refusal is not None:
            await stream.answer(*self.refusal)
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        if self.snapshot is not None and stream.last_event_id is None:
            await stream.tell(self.snapshot)
        try:
            await stream.over.wait()
        except asyncio.CancelledError:
            stream.is_cancelled = True
            raise


class Visitor:
    """Somebody who watches: `text` has what came."""

    def __init__(self, stream: AsyncIterator[bytes]) -> None:
        self.stream = stream
        self.text = ""
        self.pieces = 0
        self.is_over = False
        self._task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for piece in self.stream:
            self.text += piece.decode()
            self.pieces += 1
        self.is_over = True

    @property
    def told(self) -> str:
        """The texts of the events."""
        return "".join(line.split('"')[3] for line in self.text.splitlines() if line.startswith('data: {"'))

    async def leave(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])


class Node:
    """A node with visitors."""

    def __init__(self) -> None:
        self.clock, self.leader = VirtualClock(), Leader()
        self.feeds = Feeds(self.leader.ask, self.clock)

    async def visit(self, last_event_id: int | None = None) -> Visitor:
        visitor = Visitor(await self.feeds.open("school", "friday", last_event_id))
        await self.settle(0)
        return visitor

    async def settle(self, ms: int = 1) -> None:
        """Let time pass, and everything happen that can."""
        self.clock.advance(ms)
        for _ in range(20):
            await asyncio.sleep(0)
            self.clock.advance(0)


async def until(node: Node, what: Any) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not what():
            await node.settle(0)


@pytest_asyncio.fixture
async def node(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Node]:
    monkeypatch.setattr(relayed, "AGAIN_S", (0, 0))
    made = Node()
    yield made
    made.feeds.close()
    await made.settle()


async def test_the_leader_is_asked_once_for_all_visitors(node: Node) -> None:
    visitors = [await node.visit() for _ in range(50)]
    (subscription,) = node.leader.asked
    assert subscription.path == "/c/school/api/tournaments/friday/events"
    await subscription.tell(event(5, text="a"), event(10, text="b"))
    await node.settle()
    await subscription.tell(event(20, text="c"))
    await node.settle()
    assert {visitor.told for visitor in visitors} == {"Sabc"}
    assert all(visitor.text.startswith("retry: 1000\n\n") for visitor in visitors)
    assert len(node.leader.asked) == 1
    assert node.feeds.spectators == 50


@pytest.mark.parametrize(("many", "pace_ms"), [(20, PACE_MS), (400, SLOWEST_PACE_MS)])
async def test_to_many_visitors_it_is_passed_on_less_often(node: Node, many: int, pace_ms: int) -> None:
    await node.visit()
    visitors = [Visitor(await node.feeds.open("school", "friday")) for _ in range(many)]
    await node.settle()
    first = visitors[0].pieces
    (subscription,) = node.leader.asked
    for number in range(8):
        await subscription.tell(event(10 + number, text=str(number)))
        await node.settle(PACE_MS)
    assert {visitor.told for visitor in visitors} == {"S01234567"}
    assert {visitor.pieces - first for visitor in visitors} == {8 * PACE_MS // pace_ms}
    await subscription.tell(event(20, text="8"))
    subscription.over.set()
    await until(node, lambda: len(node.leader.asked) == 2)
    assert node.leader.asked[1].last_event_id == b"20", "what was held is not asked for again"
    await until(node, lambda: {visitor.told for visitor in visitors} == {"S012345678"})


async def test_who_comes_while_something_is_held_is_told_nothing_older_than_its_snapshot(node: Node) -> None:
    early = [await node.visit() for _ in range(400)]
    (subscription,) = node.leader.asked
    for number, text in ((10, "a"), (20, "b")):
        await subscription.tell(event(number, text=text))
        await node.settle()
    await node.settle(SNAPSHOT_MS)
    await subscription.tell(event(30, text="c"))
    node.leader.snapshot = event(30, "snapshot", "T")
    late = await node.visit()
    await node.settle(SLOWEST_PACE_MS)
    assert late.told == "T"
    assert {visitor.told for visitor in early} == {"Sabc"}


async def test_who_comes_later_gets_a_snapshot_of_its_own_time_and_what_was_told_since(node: Node) -> None:
    await node.visit()
    (subscription,) = node.leader.asked
    await subscription.tell(event(10, text="a"))
    soon = await node.visit()
    await node.settle(SNAPSHOT_MS)
    assert soon.told == "Sa"
    await subscription.tell(event(20, text="b"), event(20, text="c"))
    node.leader.snapshot = event(10, "snapshot", "T")
    later = [await node.visit() for _ in range(20)]
    await subscription.tell(event(30, text="d"))
    await node.settle()
    assert {visitor.told for visitor in later} == {"Tbcd"}, "it has all that was told after the snapshot, once"
    _, snapshots = node.leader.asked
    assert snapshots.is_cancelled, "only its first event was wanted"
    assert not subscription.is_cancelled


async def test_who_comes_back_is_told_what_it_missed(node: Node) -> None:
    first = await node.visit()
    (subscription,) = node.leader.asked
    await subscription.tell(event(10, "field", "F"), event(20, text="a"))
    await node.settle(SNAPSHOT_MS)
    back = await node.visit(10)
    await node.settle()
    assert (first.told, back.told) == ("SFa", "aF")
    assert len(node.leader.asked) == 1


async def test_the_next_leader_is_asked_to_go_on_and_visitors_stay(node: Node) -> None:
    visitor = await node.visit()
    (subscription,) = node.leader.asked
    await subscription.tell(event(10, text="a"), event(10, text="b"))
    node.leader.error = WebError.unavailable("nobody leads")
    subscription.over.set()
    await node.settle(KEEP_ALIVE_MS + 1_000)
    with pytest.raises(WebError, match="nobody leads"):
        await node.visit()
    assert not visitor.is_over
    assert ": keep-alive" in visitor.text
    node.leader.error = None
    await until(node, lambda: len(node.leader.asked) == 2)
    again = node.leader.asked[1]
    assert again.last_event_id == b"10"
    await again.tell(event(10, text="b"), event(20, text="c"))
    await node.settle()
    assert visitor.told == "Sabbc"


async def test_a_new_leader_that_has_not_kept_what_was_missed_sends_everyone_a_snapshot(node: Node) -> None:
    visitor = await node.visit()
    node.leader.asked[0].over.set()
    await until(node, lambda: len(node.leader.asked) == 2)
    await node.leader.asked[1].tell(event(40, "snapshot", "T"), event(50, text="a"))
    await node.settle()
    newcomer = await node.visit()
    await node.settle()
    assert (visitor.told, newcomer.told) == ("STa", "Ta")


async def test_where_another_node_leads_the_old_leader_is_not_listened_to(node: Node) -> None:
    await node.visit()
    node.feeds.renew("another")
    node.feeds.renew("school")
    await until(node, lambda: len(node.leader.asked) == 2)
    assert node.leader.asked[0].is_cancelled


async def test_a_leader_that_refuses_is_quoted_and_asked_no_more(node: Node) -> None:
    answer = {"error": {"code": "unknown_tournament", "message": "there is no tournament 'friday'", "detail": []}}
    node.leader.refusal = 404, orjson.dumps(answer)
    with pytest.raises(WebError, match="there is no tournament") as refused:
        await node.visit()
    assert (refused.value.status, refused.value.code) == (404, "unknown_tournament")
    await node.settle(1_000)
    assert len(node.leader.asked) == 1
    node.leader.refusal = None
    assert (await node.visit()).told == "S", "it is asked again for the next who comes"
    assert len(node.leader.asked) == 2


async def test_a_leader_that_says_nothing_is_waited_for_a_while(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relayed, "ANSWER_S", 0.01)
    node.leader.snapshot = None
    with pytest.raises(WebError, match="does not answer"):
        await node.visit()


async def test_a_visitor_who_is_slow_loses_what_waits_and_gets_a_snapshot(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spectators, "MOST_UNREAD_BYTES", 500)
    slow = await node.feeds.open("school", "friday")
    assert await anext(slow) == b"retry: 1000\n\n"
    quick = await node.visit()
    (subscription,) = node.leader.asked
    for number in range(10, 40):
        await subscription.tell(event(number, text="x"))
        await node.settle()
    await node.settle(SNAPSHOT_MS)
    node.leader.snapshot = event(39, "snapshot", "T")
    pieces = [await anext(slow)]
    assert pieces == [event(39, "snapshot", "T").data]
    assert quick.told == "S" + 30 * "x"


async def test_a_visitor_who_takes_nothing_is_cut_off(node: Node, caplog: pytest.LogCaptureFixture) -> None:
    sent = asyncio.Event()

    async def take_nothing() -> None:
        async for _ in await node.feeds.open("school", "friday"):
            sent.set()
            await asyncio.Event().wait()

    stuck = asyncio.create_task(take_nothing())
    await asyncio.wait_for(sent.wait(), PATIENCE_S)
    await node.settle(STUCK_MS + 1_000)
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(stuck, PATIENCE_S)
    assert "it read nothing" in caplog.text


async def test_what_nobody_watches_is_soon_not_asked_for(node: Node) -> None:
    visitor = await node.visit()
    await node.settle(UNWATCHED_MS + 1_000)
    assert [each.is_cancelled for each in node.leader.asked] == [False]
    await visitor.leave()
    assert node.feeds.spectators == 0
    await node.settle(UNWATCHED_MS + 1_000)
    assert [each.is_cancelled for each in node.leader.asked] == [True]
    assert not node.clock.step(), "a timer is left"


async def test_the_streams_of_a_club_that_is_gone_end(node: Node) -> None:
    visitor = await node.visit()
    node.feeds.forget("another")
    await node.settle()
    assert not visitor.is_over
    node.feeds.forget("school")
    await until(node, lambda: visitor.is_over)
    await until(node, lambda: node.leader.asked[0].is_cancelled)


async def test_a_failure_is_logged_and_tried_again(node: Node, caplog: pytest.LogCaptureFixture) -> None:
    node.leader.error = ValueError("as told")
    with pytest.raises(WebError):
        await node.visit()
    assert "the feed of school/friday failed" in caplog.text
    node.leader.error = None
    await until(node, lambda: bool(node.leader.asked))
    await node.settle()
    assert (await node.visit()).told == "S"
