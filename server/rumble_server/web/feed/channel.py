"""The feed of a tournament: its changes, encoded once for all readers, and kept for readers that come back.

`feed.Feed` has a channel for each tournament that somebody reads, and flushes the channels on a timer. The id of an
event is the number of a fact in the log: a reader of the event has been sent all facts up to this number.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from rumble_protocol.feed_messages import FeedField, FeedMatchOver, FeedMatchStart, FeedMove, Snapshot
from rumble_protocol.fields import ServerMessageModel

from rumble_server.match import public_view
from rumble_server.match.progress import Progress
from rumble_server.tournament.changes import Changes
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.feed import crosstable, views
from rumble_server.web.feed.feed_reader import Chunk, FeedReader
from rumble_server.web.feed.flush import Encoded, Flush, encoded
from rumble_server.web.feed.kept_chunks import KeptChunks
from rumble_server.web.feed.ranker import Ranker
from rumble_server.web.ports import ClubPlay, DurableLog

PACE_MS, SLOWEST_PACE_MS = 250, 500
"""Shortest and longest time in ms for which changes are gathered before they are sent. The time grows with the number
of bots and readers."""
SNAPSHOT_MS = 1_000
"""Time in ms for which new readers share a snapshot. Each reader also gets the changes sent after the snapshot."""
MOST_DRAWINGS = 3
"""Maximum number of times that the boards of a snapshot are drawn. They are drawn again if a match ends meanwhile."""
MOST_BOARDS = 50
"""Maximum number of boards of running matches in a flush. Making 50 boards takes 6 ms.

The other boards follow with the next flush, before newer changes.
"""

Attempt = tuple[str, int]
"""The id of a match, and the number of the attempt."""


@dataclass(slots=True, eq=False)
class _SharedSnapshot:
    """A snapshot, made in several iterations of the event loop, and the changes sent since the first iteration."""

    at_ms: int
    chunk: "asyncio.Future[Chunk]"
    later_chunks: list[Chunk] = field(default_factory=list)
    waiting_readers: int = 0
    """Number of readers that wait for the snapshot."""


class Channel:
    """The feed of a tournament. `flush` sends the current state of everything in `changes` to the readers."""

    def __init__(self, tournament: Tournament, play: ClubPlay, log: DurableLog, ranker: Ranker, up_to: int) -> None:
        """Make a channel whose first flush has the facts after the number `up_to`."""
        self.tournament = tournament
        self.changes = Changes(tournament)
        """The changes that have not been sent to readers."""
        self.readers: set[FeedReader] = set()
        self._ranker = ranker
        self._rankings = ranker.refresh(tournament)
        self._flushed_ranking = self._rankings.background
        """The newest ranking from a background computation at the last flush."""
        self.quiet_since_ms = play.clock.now_ms()
        """Time in ms of the last event."""
        self._flushed_at_ms = self.quiet_since_ms
        """Time in ms of the last flush."""
        self._play = play
        self._log = log
        self._sent_up_to = up_to
        """Number of the newest fact whose changes are sent."""
        self._flush: Flush | None = None
        self._kept = KeptChunks(up_to + 1)  # gives a reader of an earlier channel a snapshot: no boards are sent yet
        self._snapshot: _SharedSnapshot | None = None
        self._presence = views.presence(tournament, play)
        """The presence that was sent last: the connected bots, and the bots with matches in other tournaments."""
        self._pairing = tournament.is_pairing_slow
        """True if the status that was sent last says that the next round is being paired."""
        self._progress: dict[Attempt, Progress] = {}
        """The progress of each match that readers may have seen, keyed by attempt, until the match's end is sent."""
        self._delayed_plies = self._all_delayed_plies()
        """The matches whose newest position spectators do not see yet. The value for a match is the number of plies
        on the board that was sent last; -1 before the first board is sent."""

    @property
    def has_readers(self) -> bool:
        """True if the channel has open streams, or a reader waits for a snapshot."""
        return bool(self.readers or (self._snapshot and self._snapshot.waiting_readers))

    def flush(self, up_to: int) -> None:
        """Send the changes. Do nothing if the last flush began too recently, or is still in progress.

        `changes` has all unsent facts up to the number `up_to`.
        """
        now_ms = self._play.clock.now_ms()
        pace_ms = len(self.readers) + len(self.tournament.field)  # 1 ms for each reader and each bot
        waited_ms = now_ms - self._flushed_at_ms + PACE_MS // 2  # the timer is not exact
        if waited_ms < min(pace_ms, SLOWEST_PACE_MS) or self._flush is not None:
            return
        self._flushed_at_ms = now_ms
        if self.readers:
            self._ranker.refresh(self.tournament)
        changes, self.changes = self.changes, Changes(self.tournament)
        played, ends = self._progress, {(over.match, over.attempt) for over in changes.over}
        # The end of a match is sent once it is on disk; until then `_progress` keeps its progress for a later flush.
        going_on = self._live_progress()
        self._progress = {
            attempt: each
            for attempt, each in played.items()
            if attempt not in ends and (each.over or attempt in going_on)
        }
        self._flush = Flush(self._events(changes, played), up_to)
        self._continue_flush(self._flush)

    def _continue_flush(self, flush: Flush) -> None:
        """Make some events of the flush in this iteration of the event loop, and the others in later iterations."""
        try:
            together = flush.make_events()
        except Exception:
            self._begin_anew(flush.up_to)
            raise
        if flush.is_made:
            self._flush = None
        else:
            self._play.clock.after_input(partial(self._continue_flush, flush))
        if together:
            last_id = flush.up_to if flush.is_made else self._sent_up_to
            chunk = self._chunk(together, last_id)
            self._kept.keep(self._sent_up_to, chunk)
            if self._snapshot is not None:
                self._snapshot.later_chunks.append(chunk)
                if self._is_old(self._snapshot, self._flushed_at_ms):
                    self._snapshot = None
            self._sent_up_to = last_id
            self.send(chunk)

    def _begin_anew(self, up_to: int) -> None:
        """Give all readers a new snapshot, because an error has lost the changes up to the number `up_to`."""
        self._flush = self._snapshot = None
        self._sent_up_to, self._kept = up_to, KeptChunks(up_to + 1)
        self._delayed_plies = self._all_delayed_plies()
        for reader in self.readers:
            reader.begin_anew()

    def send(self, chunk: Chunk) -> None:
        self.quiet_since_ms = self._play.clock.now_ms()
        for reader in self.readers:
            reader.queue(chunk)

    async def catch_up(self, last_event_id: int | None = None) -> list[Chunk]:
        """Return the first chunks for a reader: the events after `last_event_id` if all are kept, else a snapshot.

        The chunks hold everything sent until now. So the caller must begin to queue later chunks for the reader before
        the next `await`; else the reader could miss a chunk.
        """
        if last_event_id is not None and self._kept.first_id <= last_event_id <= self._log.last:
            missed = self._kept.missed(last_event_id)
            return [*missed, self._chunk([encoded(self._field())], self._sent_up_to)]
        kept, now_ms = self._snapshot, self._play.clock.now_ms()
        if kept is None or self._is_old(kept, now_ms):
            kept = self._snapshot = _SharedSnapshot(
                now_ms, asyncio.ensure_future(self._make_snapshot(self._sent_up_to))
            )
        kept.waiting_readers += 1
        try:
            first = [await asyncio.shield(kept.chunk), *kept.later_chunks]
        finally:
            kept.waiting_readers -= 1
        return first if kept is self._snapshot else await self.catch_up()

    def _is_old(self, kept: _SharedSnapshot, now_ms: int) -> bool:
        """Return true if no reader waits for the snapshot, and the snapshot is too old for new readers."""
        return not kept.waiting_readers and now_ms - kept.at_ms >= SNAPSHOT_MS

    async def _make_snapshot(self, began: int) -> Chunk:
        """Make a snapshot of the tournament, in several iterations of the event loop.

        The event's id is `began`: all changes up to this number had been sent when the snapshot was asked for. The
        snapshot may lack changes of later flushes, so its readers get these changes after the snapshot
        (`_SharedSnapshot.later_chunks`).

        A match may end after the ended boards are drawn, and before the running boards are drawn. The snapshot would
        then have the match's result (in `latest`) without a board. If a match ends meanwhile, all boards are therefore
        drawn again. A single repetition is usually enough.
        """
        for _ in range(MOST_DRAWINGS):
            over = len(self.tournament.results)
            ended = await views.ended_in_pieces(self.tournament, self._play.clock.now_ms())
            self._progress |= self._live_progress()
            live = await views.live_in_pieces(self.tournament, self._play)
            self._progress |= self._live_progress()  # a match may have been voided and begun again meanwhile
            if len(self.tournament.results) == over:
                break
        ranking, number = self._ranker.ranking(self.tournament), self._log.last
        snapshot = views.tournament_view(Snapshot, self.tournament, ranking, live, ended=ended)
        await asyncio.sleep(0)  # lets other tasks run: encoding takes as long as making the model
        return Chunk(number, _written(encoded(snapshot), began))

    # --- the events ---

    def _all_delayed_plies(self) -> dict[str, int]:
        """Return the value of `_delayed_plies` if no board was sent."""
        return dict.fromkeys(self.tournament.running, -1) if self.tournament.config.spectator_delay_ms else {}

    def _live_progress(self) -> dict[Attempt, Progress]:
        running = map(self._play.live_progress, self.tournament.running)
        return {(each.terms.match, each.terms.attempt): each for each in running if each is not None}

    def _events(self, changes: Changes, played: Mapping[Attempt, Progress]) -> Iterator[ServerMessageModel | None]:
        """Yield the events of a flush. A match's final board precedes the match's result.

        An event is made only when the caller asks for the event. Yield None before the last events. So the standings,
        which may take long, get a new iteration of the event loop.
        """
        names = self._play.display_names
        for over in changes.over:
            progress = played.get((over.match, over.attempt))
            if progress is not None and progress.over is over:
                board = views.board_view(FeedMove, progress, self._play.clock.now_ms(), names)
                if board is not None:
                    yield board
            yield views.result_view(FeedMatchOver, over)
        yield from self.board_events(changes)
        yield None
        yield from self._other_events(changes)

    def board_events(self, changes: Changes) -> Iterator[ServerMessageModel]:
        """Yield a new board for each match whose board has changed, if the match is not over by now.

        At most `MOST_BOARDS` boards are made. The other boards come first in the next flush.
        """
        behind, self._delayed_plies = self._delayed_plies, {}
        put_off, made = dict[str, bool](), 0
        for match in [*changes.boards, *(match for match in behind if match not in changes.boards)]:
            progress, has_begun = self._play.live_progress(match), changes.boards.get(match, False)
            if progress is None:
                continue
            now_ms = self._play.clock.now_ms()
            public = public_view.position(progress, now_ms)
            is_sent = not public.is_newest and behind.get(match) == len(public.moves)
            if made == MOST_BOARDS and not is_sent:
                put_off[match] = has_begun
                continue
            if not public.is_newest:  # spectators see the newest position only after their delay
                self._delayed_plies[match] = len(public.moves)
            if not is_sent:
                made += 1
                self._progress[(match, progress.terms.attempt)] = progress
                kind = FeedMatchStart if has_begun else FeedMove
                board = views.board_view(kind, progress, now_ms, self._play.display_names)
                if board is not None:
                    yield board
        self.changes.put_first(put_off)

    def _other_events(self, changes: Changes) -> Iterator[ServerMessageModel]:
        now_ms, has_new_ranking = self._play.clock.now_ms(), self._rankings.background is not self._flushed_ranking
        self._flushed_ranking = self._rankings.background
        presence = views.presence(self.tournament, self._play)
        if changes.has_changed_field or presence != self._presence:
            yield self._field()
        self._presence = presence
        # In a large field, results between two rankings change nothing but the progress, which `status` has, too.
        is_large = len(self.tournament.field) > crosstable.MOST_IN_CROSSTABLE
        has_news = changes.has_changed_field or has_new_ranking or (changes.changed_pairs and not is_large)
        if has_news:
            yield views.standings_event(
                self.tournament, now_ms, self._ranker.ranking(self.tournament), changes.changed_pairs
            )
        has_progress = changes.changed_pairs and not has_news
        shows_status = not self.tournament.is_over or changes.has_ended  # the last results come before the end
        if shows_status and (
            has_progress or changes.has_changed_status or self._pairing != self.tournament.is_pairing_slow
        ):
            self._pairing = self.tournament.is_pairing_slow
            yield views.status_event(self.tournament, now_ms, self._ranker.ranking(self.tournament))

    def _field(self) -> FeedField:
        ranking = self._ranker.ranking(self.tournament)
        entrants = views.entrants_view(self.tournament, *views.presence(self.tournament, self._play), ranking)
        return FeedField(tournament=self.tournament.id, entrants=entrants)

    # --- encoding ---

    def _chunk(self, events: Sequence[Encoded], last_id: int) -> Chunk:
        """Make a chunk of encoded events of a flush. The last event gets the id `last_id`.

        The other events have the id of the previous flush. So a reader that is cut off in the middle of a flush comes
        back with the previous id, and gets the whole flush.
        Boards may show moves that are not on disk yet. So the chunk waits until the log's newest fact is on disk.
        """
        *others, last = events
        data = b"".join(_written(event, self._sent_up_to) for event in others)
        return Chunk(self._log.last, data + _written(last, last_id))


def snapshot_chunk(snapshot: bytes, number: int) -> Chunk:
    """Make a chunk of `snapshot`, which is JSON and contains all facts up to `number`."""
    return Chunk(number, _written((b"snapshot", snapshot), number))


def _written(event: Encoded, number: int) -> bytes:
    """Write an event in the format of Server-Sent Events, with `number` as its id."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, *event)
