"""The live feed: Server-Sent Events for all viewers of a tournament. An unwatched tournament costs nothing."""

import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

from rumble_server.arena.ports import TimerHandle
from rumble_server.tournament.facts import LogFact, tournament_of
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.feed.channel import PACE_MS, Channel, snapshot_chunk
from rumble_server.web.feed.crosstable import prepare_pairs
from rumble_server.web.feed.feed_reader import CatchUp, Chunk, FeedReader
from rumble_server.web.feed.ranker import Ranker
from rumble_server.web.feed.waker import Waker
from rumble_server.web.ports import ClubPlay, DurableLog

log = logging.getLogger(__name__)

KEEP_ALIVE_MS = 5_000
"""Maximum time in ms without an event on a stream. An empty event then shows the reader that the server is alive."""
STUCK_MS = 60_000
"""Time in ms after which a reader is cut off if it reads nothing."""
UNWATCHED_MS = 60_000
"""Time in ms for which the changes of an unwatched tournament are kept for returning readers."""

KEEP_ALIVE = Chunk(0, b": keep-alive\nevent: alive\ndata: {}\n\n")
RETRY = Chunk(0, b"retry: 1000\n\n")


class Feed:
    """The live feed of a club, with a channel for each tournament that is watched. The feed runs on the event loop."""

    def __init__(self, play: ClubPlay, log: DurableLog, ranker: Ranker, counts: Counter[type]) -> None:
        """Make the feed of a club. `publish` adds to `counts` the number of published facts of each type."""
        self.ranker = ranker
        self._fact_counts = counts
        self._play = play
        self._log = log
        self._published = log.durable
        """Number of the newest published fact."""
        self._channels: dict[str, Channel] = {}
        self._watched_at_ms: dict[str, int] = {}
        self._readers_of_ended: dict[FeedReader, str] = {}
        """The readers of tournaments that are over and not in memory, each with the id of its tournament."""
        self._kept_alive_at_ms = 0
        """Time in ms at which readers of ended tournaments were last sent an event."""
        self._waiting: set[FeedReader] = set()
        self._waker = Waker(play.clock)
        self._timer: TimerHandle | None = None
        self.is_closed = False
        """True if the server is about to stop."""
        self.ending_count = 0
        """Number of times that all open streams were ended."""

    def publish(self, batch: Sequence[tuple[int, LogFact]], kinds: Mapping[type, int]) -> None:
        """Take in facts that have reached the disk since the last call, and wake the readers that waited for the disk.

        `kinds` has the number of facts of each type.
        """
        self._fact_counts.update(kinds)
        self._published = batch[-1][0]
        if not self._channels:
            return
        for _, fact in batch:
            channel = self._channels.get(tournament_of(fact))
            if channel is not None:
                channel.changes.add_fact(fact)
        waiting, self._waiting = self._waiting, set()
        for reader in waiting:
            self._waker.wake(reader.resume)

    async def stream(
        self, tournament: Tournament, last_event_id: int | None = None, *, endings: int, gzipped: bool = False
    ) -> AsyncIterator[bytes]:
        """Yield the encoded events of a tournament until the reader or the server stops. With `gzipped`, use gzip.

        `endings` is the value of `Feed.ending_count` when the reader asked. If streams ended since, yield nothing.
        """
        await self.ranker.fresh_ranking(tournament)
        await prepare_pairs(tournament)
        channel = self._channel(tournament)
        first = [RETRY, *await channel.catch_up(last_event_id)]
        if endings != self.ending_count:
            return
        reader = self._reader(first, channel.catch_up, gzipped=gzipped)
        channel.readers.add(reader)
        try:
            async for data in reader.chunks():
                yield data
        finally:
            channel.readers.discard(reader)
            self._waiting.discard(reader)
            self._watched_at_ms[tournament.id] = self._play.clock.now_ms()

    async def stream_of_ended(
        self, tournament_id: str, snapshot: bytes, *, endings: int, gzipped: bool = False
    ) -> AsyncIterator[bytes]:
        """Yield the snapshot of a tournament that is over and not in memory, then empty events as signs of life.

        `endings` is the value of `Feed.ending_count` before the snapshot was made. Yield nothing if the server
        began to stop, or all streams were ended, while the snapshot was made.
        """
        if endings != self.ending_count:
            return
        first = [RETRY, snapshot_chunk(snapshot, self._log.durable)]

        async def catch_up() -> list[Chunk]:
            return first

        reader = self._reader(first, catch_up, gzipped=gzipped)
        self._readers_of_ended[reader] = tournament_id
        if self._timer is None:
            self._arm()
        try:
            async for data in reader.chunks():
                yield data
        finally:
            self._readers_of_ended.pop(reader, None)

    def _reader(self, first: list[Chunk], catch_up: CatchUp, *, gzipped: bool) -> FeedReader:
        now_ms = self._play.clock.now_ms
        return FeedReader(first, catch_up, self._must_wait_for_disk, now_ms, self._waker.wake, gzipped=gzipped)

    def close(self) -> None:
        """End every stream, because the server is about to stop."""
        self.is_closed = True
        self._disarm()
        self.end_streams()

    def end_streams(self) -> None:
        """End all open streams, and the streams that are being prepared. A reader may open another stream."""
        self.ending_count += 1
        for reader in [
            *self._readers_of_ended,
            *(each for one in self._channels.values() for each in one.readers),
        ]:
            reader.close()

    @property
    def waiting_count(self) -> int:
        """Number of streams that wait for the disk."""
        return len(self._waiting)

    @property
    def reader_count(self) -> int:
        return len(self._readers_of_ended) + sum(len(channel.readers) for channel in self._channels.values())

    def _channel(self, tournament: Tournament) -> Channel:
        channel = self._channels.get(tournament.id)
        if channel is None:
            channel = self._channels[tournament.id] = Channel(
                tournament, self._play, self._log, self.ranker, self._published
            )
            if self._timer is None and not self.is_closed:
                self._arm()
        self._watched_at_ms[tournament.id] = self._play.clock.now_ms()
        return channel

    def _must_wait_for_disk(self, reader: FeedReader, chunk: Chunk) -> bool:
        if chunk.number <= self._log.durable:
            return False
        self._waiting.add(reader)
        self._log.flush_soon()
        return True

    # --- what is done at every beat of the timer ---

    def _arm(self) -> None:
        self._timer = self._play.clock.call_at(self._play.clock.now_ms() + PACE_MS, self._on_timer)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_timer(self) -> None:
        self._arm()  # first, so that the feed goes on after an error
        now_ms = self._play.clock.now_ms()
        for channel in list(self._channels.values()):
            try:
                channel.flush(self._published)
            except Exception:
                log.exception("the feed of %s failed", channel.tournament.id)
            if now_ms - channel.quiet_since_ms >= KEEP_ALIVE_MS:
                channel.send(KEEP_ALIVE)
            self._close_stuck(channel.readers, channel.tournament.id)
            if not channel.has_readers and now_ms - self._watched_at_ms[channel.tournament.id] >= UNWATCHED_MS:
                del self._channels[channel.tournament.id], self._watched_at_ms[channel.tournament.id]
        if now_ms - self._kept_alive_at_ms >= KEEP_ALIVE_MS:
            self._kept_alive_at_ms = now_ms
            for reader, tournament_id in self._readers_of_ended.items():
                self._close_stuck([reader], tournament_id)
                reader.queue(KEEP_ALIVE)
        if not self._channels and not self._readers_of_ended:
            self._disarm()

    def _close_stuck(self, readers: Iterable[FeedReader], tournament_id: str) -> None:
        for reader in readers:
            stuck_ms = reader.stuck_ms()
            if stuck_ms >= STUCK_MS:
                log.warning("a spectator of %s: cut off, it read nothing for %d ms", tournament_id, stuck_ms)
                reader.close()
