"""The feeds of tournaments as a node passes them on: one subscription at the club's leader for all its visitors.

It outlives the leader: the next one is asked to go on from the last id, and visitors keep their streams meanwhile.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import orjson
from rumble_protocol.clubs import web_path
from starlette.types import Receive, Scope, Send

from rumble_server.arena.ports import Clock, TimerHandle
from rumble_server.cluster.asking import OwnRequest, own_request
from rumble_server.cluster.told import Event, EventReader, Told
from rumble_server.web.errors import WebError
from rumble_server.web.feed.channel import PACE_MS, SLOWEST_PACE_MS, SNAPSHOT_MS
from rumble_server.web.feed.feed import KEEP_ALIVE, KEEP_ALIVE_MS, RETRY, STUCK_MS, UNWATCHED_MS
from rumble_server.web.feed.spectator import Chunk, Spectator
from rumble_server.web.feed.waker import Waker

log = logging.getLogger(__name__)

ANSWER_S = 5.0
"""How long a visitor who comes waits for the leader; then it is answered with 503."""
AGAIN_S = (0.1, 1.0)
"""The least and the greatest time until a leader is asked again."""
NO_ANSWER = "the node that leads this club does not answer; try again soon"

Ask = Callable[[str, Scope, Receive, Send], Coroutine[Any, Any, None]]
"""Has the leader of a club answer a request. Raises WebError where there is none, ConnectionError where it is lost."""


class Feeds:
    """The feeds of all clubs on a node."""

    def __init__(self, ask: Ask, clock: Clock) -> None:
        self._ask, self._clock = ask, clock
        self._waker = Waker(clock)
        self._feeds: dict[tuple[str, str], _Feed] = {}
        """By club and tournament."""
        self._timer: TimerHandle | None = None

    async def open(
        self, club: str, tournament_id: str, last_event_id: int | None = None, *, packed: bool = False
    ) -> AsyncIterator[bytes]:
        """Return the encoded events of a tournament for a visitor; as a gzip stream if `packed`. Raises WebError."""
        key = club, tournament_id
        feed = self._feeds.get(key)
        if feed is None:
            feed = self._feeds[key] = _Feed(self._ask, club, tournament_id, self._clock, self._waker)
            if self._timer is None:
                self._arm()
        await feed.ready(last_event_id)
        return feed.stream(last_event_id, packed=packed)

    def renew(self, club: str) -> None:
        """Subscribe anew to what goes on in a club: another node may lead it."""
        for key, feed in self._feeds.items():
            if key[0] == club:
                feed.renew()

    def forget(self, club: str) -> None:
        """A club is gone: end its streams."""
        for key in [key for key in self._feeds if key[0] == club]:
            self._feeds.pop(key).close()

    @property
    def spectators(self) -> int:
        return sum(len(feed.spectators) for feed in self._feeds.values())

    def close(self) -> None:
        """End all streams and subscriptions."""
        if self._timer is not None:
            self._timer.cancel()
        for feed in self._feeds.values():
            feed.close()
        self._feeds.clear()

    def _arm(self) -> None:
        self._timer = self._clock.call_at(self._clock.now_ms() + PACE_MS, self._beat)

    def _beat(self) -> None:
        self._timer = None
        now_ms = self._clock.now_ms()
        for key, feed in list(self._feeds.items()):
            feed.beat(now_ms)
            if feed.is_over or now_ms - feed.wanted_at_ms >= UNWATCHED_MS:
                feed.close()
                del self._feeds[key]
        if self._feeds:
            self._arm()


class _Feed:
    """The feed of one tournament."""

    def __init__(self, ask: Ask, club: str, tournament_id: str, clock: Clock, waker: Waker) -> None:
        self.spectators: set[Spectator] = set()
        self.is_over = False
        """Whether the leader has said that there is no such feed."""
        self.wanted_at_ms = clock.now_ms()
        """When a visitor was last there, or came."""
        self._quiet_since_ms = clock.now_ms()
        self._told = Told()
        self._held: list[Event] = []
        """What came and is still to be passed on."""
        self._passed_on_at_ms = clock.now_ms()
        self._ask, self._club, self._clock, self._waker = ask, club, clock, waker
        self._name = f"{club}/{tournament_id}"
        self._path = f"{web_path(club)}/api/tournaments/{tournament_id}/events"
        self._snapshot: tuple[int, Event] | None = None
        """The newest snapshot, and when it came."""
        self._making: asyncio.Task[Event] | None = None
        self._asking: asyncio.Task[None] | None = None
        """The subscription."""
        self._trying: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when this try to subscribe has brought the first event; WebError if it has failed."""
        self._task = asyncio.create_task(self._follow())

    def close(self) -> None:
        self._task.cancel()
        if self._making is not None:
            self._making.cancel()
        self._fail(WebError.unavailable(NO_ANSWER))
        self._end_streams()

    def _end_streams(self) -> None:
        for spectator in list(self.spectators):
            spectator.close()

    # --- visitors ---

    async def ready(self, last_event_id: int | None) -> None:
        """Return when there is something to be told to a visitor who comes. Raises WebError."""
        self.wanted_at_ms = self._clock.now_ms()
        try:
            async with asyncio.timeout(ANSWER_S):
                await asyncio.shield(self._trying)
                await self._first(last_event_id)
        except TimeoutError:
            raise WebError.unavailable(NO_ANSWER) from None

    async def stream(self, last_event_id: int | None, *, packed: bool) -> AsyncIterator[bytes]:
        """Yield what a visitor is sent, until it or the node stops, or it falls behind while nobody leads."""
        with suppress(WebError):
            first = await self._first(last_event_id)
            spectator = Spectator(
                [RETRY, *first], self._first, _is_on_disk, self._clock.now_ms, self._waker.wake, packed=packed
            )
            self.spectators.add(spectator)
            try:
                async for data in spectator.chunks():
                    yield data
            finally:
                self.spectators.discard(spectator)

    async def _first(self, last_event_id: int | None = None) -> list[Chunk]:
        """Return what a visitor is sent first: what it missed, or a snapshot and what was told since. Raises WebError.

        It is all that was told until now: what follows must be offered to the visitor from this turn of the loop on.
        """
        missed = None if last_event_id is None else self._told.resumed(last_event_id)
        while missed is None:
            snapshot = await self._recent_snapshot()
            if self._held:  # the snapshot tells of these, too
                self._pass_on()
            since = self._told.since(snapshot.number)
            if since is None:  # more was told meanwhile than is kept
                self._snapshot = None
            else:
                missed = [Chunk(snapshot.number, snapshot.data), *since]
        return missed

    def beat(self, now_ms: int) -> None:
        """Show that the streams are alive, and end those of visitors who take nothing."""
        if self.spectators:
            self.wanted_at_ms = now_ms
        if self._is_due(now_ms - self._passed_on_at_ms):
            self._pass_on()
        if now_ms - self._quiet_since_ms >= KEEP_ALIVE_MS:
            self._send(KEEP_ALIVE)
        for spectator in self.spectators:
            if spectator.stuck_ms() >= STUCK_MS:
                log.warning("a spectator of %s: cut off, it read nothing for %d ms", self._name, spectator.stuck_ms())
                spectator.close()

    def _is_due(self, since_ms: int) -> bool:
        """Whether something may be passed on `since_ms` after the last time: a leader slows down for many as well."""
        return since_ms + PACE_MS // 2 >= min(len(self.spectators), SLOWEST_PACE_MS)  # 1 ms for each

    def _pass_on(self) -> None:
        """Send what is held, in one piece."""
        held, self._held = self._held, []
        self._passed_on_at_ms = self._clock.now_ms()
        chunks = self._told.take(held)
        if len(chunks) > 1:
            chunks = [Chunk(chunks[-1].number, b"".join(chunk.data for chunk in chunks))]
        for chunk in chunks:
            self._send(chunk)

    def _send(self, chunk: Chunk) -> None:
        self._quiet_since_ms = self._clock.now_ms()
        for spectator in self.spectators:
            spectator.offer(chunk)

    # --- the subscription ---

    def renew(self) -> None:
        """Subscribe anew: another node may lead the club."""
        if self._asking is not None:
            self._asking.cancel()

    async def _follow(self) -> None:
        """Subscribe, again and again while somebody watches."""
        wait_s = AGAIN_S[0]
        while not self.is_over:
            reading = _Reading(self._heard)
            self._pass_on()
            self._asking = self._begin_to_ask(reading, self._told.last)
            try:
                await asyncio.wait([self._asking])
            finally:
                self._asking.cancel()
            if reading.has_events:
                wait_s = AGAIN_S[0]
            error = self._why(self._asking, reading)
            self.is_over = error.status < HTTPStatus.INTERNAL_SERVER_ERROR
            self._fail(error)
            await asyncio.sleep(0 if self.is_over else wait_s)
            wait_s = min(2 * wait_s, AGAIN_S[1])
        self._end_streams()

    def _begin_to_ask(self, reading: "_Reading", last_event_id: int) -> asyncio.Task[None]:
        resumed = [(b"last-event-id", b"%d" % last_event_id)] if last_event_id else []
        return asyncio.create_task(
            self._ask(self._club, own_request(self._path, resumed), reading.receive, reading.send)
        )

    def _why(self, asked: asyncio.Task[None], reading: "_Reading") -> WebError:
        """Return why a stream has ended."""
        error = None if asked.cancelled() else asked.exception()
        if isinstance(error, WebError):
            return error
        if error is not None and not isinstance(error, ConnectionError):
            log.error("the feed of %s failed", self._name, exc_info=error)
        return reading.refusal or WebError.unavailable(NO_ANSWER)

    def _heard(self, events: list[Event]) -> None:
        for event in events:
            if event.kind == b"snapshot":
                self._snapshot = self._clock.now_ms(), event
        self._held += events
        if self._is_due(PACE_MS):  # it would be at each beat
            self._pass_on()
        if not self._trying.done():
            self._trying.set_result(None)

    def _fail(self, error: WebError) -> None:
        """This try is over; visitors who come wait for the next one."""
        if not self._trying.done():
            self._trying.set_exception(error)
            self._trying.exception()  # it need not be asked for
        if not self.is_over:
            self._trying = asyncio.get_running_loop().create_future()

    # --- snapshots for those who come ---

    async def _recent_snapshot(self) -> Event:
        """Return a snapshot that is not old, asked for once for all who come meanwhile. Raises WebError."""
        if self._snapshot is not None and self._clock.now_ms() - self._snapshot[0] < SNAPSHOT_MS:
            return self._snapshot[1]
        if self._making is None:
            self._making = asyncio.create_task(self._ask_for_snapshot())
            self._making.add_done_callback(self._made)
        return await asyncio.shield(self._making)

    def _made(self, making: asyncio.Task[Event]) -> None:
        self._making = None
        if not making.cancelled() and making.exception() is None:
            self._snapshot = self._clock.now_ms(), making.result()

    async def _ask_for_snapshot(self) -> Event:
        """Open a second stream for its first event. Raises WebError."""
        came: asyncio.Future[Event] = asyncio.get_running_loop().create_future()

        def heard(events: list[Event]) -> None:
            if events and not came.done():
                came.set_result(events[0])

        reading = _Reading(heard)
        asking = self._begin_to_ask(reading, 0)
        try:
            waiting: list[asyncio.Future[Any]] = [came, asking]
            await asyncio.wait(waiting, timeout=ANSWER_S, return_when=asyncio.FIRST_COMPLETED)
            if came.done():
                return came.result()
            raise self._why(asking, reading) if asking.done() else WebError.unavailable(NO_ANSWER)
        finally:
            asking.cancel()


class _Reading(OwnRequest):
    """A request for a feed; what is no feed is kept as the refusal."""

    def __init__(self, heard: Callable[[list[Event]], None]) -> None:
        super().__init__()
        self.has_events = False
        self._heard = heard
        self._events = EventReader()

    def take(self, piece: bytes) -> None:
        if self.status != HTTPStatus.OK:
            super().take(piece)
        elif events := self._events.read(piece):
            self.has_events = True
            self._heard(events)

    @property
    def refusal(self) -> WebError | None:
        """Why there is no stream, as the leader says it."""
        if self.status in (0, HTTPStatus.OK):
            return None
        try:
            error = orjson.loads(self.body)["error"]
            return WebError(self.status, str(error["code"]), str(error["message"]))
        except (ValueError, LookupError, TypeError):
            return WebError(self.status, "unavailable", NO_ANSWER)


def _is_on_disk(_spectator: Spectator, _chunk: Chunk) -> bool:
    """The leader told it."""
    return True
