"""The feed of one tournament: its changes, encoded once for all readers, and kept for readers that come back."""

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from rumble_protocol.feed_messages import FeedField, FeedMatchOver, FeedMatchStart, FeedMove, Snapshot
from rumble_protocol.fields import ServerMessageModel

from rumble_server.arena.arena import Arena
from rumble_server.match.referee import Referee
from rumble_server.tournament.changes import Changes
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.feed import views
from rumble_server.web.feed.ranker import Ranker
from rumble_server.web.feed.spectator import Chunk, Spectator

PACE_MS, SLOWEST_PACE_MS = 250, 500
"""How long changes are gathered before they are sent, in ms; up to the second value where many watch or play."""
SNAPSHOT_MS = 1_000
"""Time in ms for which a snapshot is sent to all new readers, followed by what has changed since."""
MOST_KEPT_BYTES = 1 << 20
"""Bound of the changes kept for readers that come back. A reader that missed a dropped one is sent a snapshot."""

Attempt = tuple[str, int]
"""A match, and its attempt."""


@dataclass(slots=True, eq=False)
class _Kept:
    """A snapshot, which is made in several turns of the loop, and what was told since that began."""

    at_ms: int
    made: "asyncio.Future[Chunk]"
    since: list[Chunk] = field(default_factory=list)
    waiting: int = 0
    """How many readers wait until it is made."""


class Channel:
    """One tournament's feed. `flush` tells the spectators how the things in `changes` stand now."""

    def __init__(self, tournament: Tournament, arena: Arena, ranker: Ranker) -> None:
        self.tournament = tournament
        self.changes = Changes(tournament)
        """What the spectators have not been told of yet."""
        self.has_new_ranking = False
        """Whether standings or ratings were computed since the last flush."""
        self.spectators: set[Spectator] = set()
        self._ranker = ranker
        self.quiet_since_ms = self._flushed_at_ms = arena.clock.now_ms()
        """When something was last sent."""
        self._arena = arena
        self._sent_up_to = self._kept_from = arena.log.last
        """A reader that was told all facts up to this number can be told the rest from `_kept`."""
        self._kept: deque[Chunk] = deque()
        self._kept_bytes = 0
        self._snapshot: _Kept | None = None
        self._presence = views.presence(tournament, arena)
        """Who spectators were told to be connected, and to have matches elsewhere."""
        self._pairing = tournament.pairs_long
        """Whether spectators were told that the next round is being paired."""
        self._telling: Iterator[ServerMessageModel] | None = None
        """What is still to be told of the last flush; None: nothing."""
        self._played = self._being_played()
        """The referees of the matches that readers may have seen, by attempt, until their ends were told."""

    def flush(self) -> None:
        """Send what has changed, unless the last flush was too recent."""
        now_ms = self._arena.clock.now_ms()
        pace_ms = len(self.spectators) + len(self.tournament.field)  # 1 ms for each
        if now_ms - self._flushed_at_ms + PACE_MS // 2 < min(pace_ms, SLOWEST_PACE_MS):  # the timer is not exact
            return
        if self._telling is not None:  # the last flush goes on
            return
        self._flushed_at_ms = now_ms
        if self.spectators:
            self._ranker.refresh(self.tournament)
        changes, self.changes = self.changes, Changes(self.tournament)
        played, ends = self._played, {(over.match, over.attempt) for over in changes.over}
        # A match that is over, but not on disk yet, is told of by a later flush.
        untold = {attempt: each for attempt, each in played.items() if each.over and attempt not in ends}
        self._played = untold | self._being_played()
        self._telling = self._events(changes, played)
        self._tell()

    def _tell(self) -> None:
        """Tell `BOARDS_AT_ONCE` events of a flush in this turn of the loop, and the others in the next ones."""
        assert self._telling is not None
        events = list(islice(self._telling, views.BOARDS_AT_ONCE))
        is_last = len(events) < views.BOARDS_AT_ONCE
        if is_last:
            self._telling = None
        else:
            self._arena.clock.after_input(self._tell)
        if events:
            chunk = self._chunk(events, is_last=is_last)
            self._keep(chunk, is_last=is_last)
            self.send(chunk)

    def send(self, chunk: Chunk) -> None:
        self.quiet_since_ms = self._arena.clock.now_ms()
        for spectator in self.spectators:
            spectator.offer(chunk)

    async def catch_up(self, last_event_id: int | None = None) -> list[Chunk]:
        """Return what a reader is sent first: what it missed since that event if all was kept, else a snapshot.

        It is all that was told until now: what follows must be offered to the reader from this turn of the loop on.
        """
        if last_event_id is not None and self._kept_from <= last_event_id <= self._arena.log.last:
            missed = [chunk for chunk in self._kept if chunk.number > last_event_id]
            return [*missed, self._chunk([self._field()])]
        kept, now_ms = self._snapshot, self._arena.clock.now_ms()
        if kept is None or self._is_old(kept, now_ms):
            kept = self._snapshot = _Kept(now_ms, asyncio.ensure_future(self._make_snapshot()))
        kept.waiting += 1
        try:
            return [await asyncio.shield(kept.made), *kept.since]
        finally:
            kept.waiting -= 1

    def _is_old(self, kept: _Kept, now_ms: int) -> bool:
        """Whether no reader is sent this snapshot any more."""
        return not kept.waiting and now_ms - kept.at_ms >= SNAPSHOT_MS

    async def _make_snapshot(self) -> Chunk:
        """Show everything. Whoever reads it knows all that was told when this began; what came later is told again."""
        began = self._sent_up_to
        ended = await views.ended_in_turns(self.tournament, self._arena.clock.now_ms())
        live = await views.live_in_turns(self.tournament, self._arena)
        seen, played = {(board.match, board.attempt) for board in live.boards}, self._being_played()
        self._played |= {attempt: played[attempt] for attempt in seen & played.keys()}
        ranking, number = self._ranker.ranking(self.tournament), self._arena.log.last
        snapshot = views.tournament_view(Snapshot, self.tournament, ranking, live, ended=ended)
        await asyncio.sleep(0)  # making it took as long as encoding it will
        return Chunk(number, _frame(snapshot, began))

    # --- what is told ---

    def _being_played(self) -> dict[Attempt, Referee]:
        live = self._arena.matches.live
        referees = [live[match].referee for match in self.tournament.running if match in live]
        return {(each.terms.match, each.terms.attempt): each for each in referees}

    def _events(self, changes: Changes, played: Mapping[Attempt, Referee]) -> Iterator[ServerMessageModel]:
        """Make the events of a flush, each when it is told. A result comes after its final position."""
        for over in changes.over:
            referee = played.get((over.match, over.attempt))
            if referee is not None and referee.over is over:
                yield views.board_view(FeedMove, referee, self._arena.clock.now_ms())
            yield views.result_view(FeedMatchOver, over)
        yield from self.board_events(changes)
        yield from self._other_events(changes)

    def board_events(self, changes: Changes) -> Iterator[ServerMessageModel]:
        """Show the matches that have begun or gone on, and are still played when they are told."""
        for match in changes.started | changes.moved:
            open_match = self._arena.matches.live.get(match)
            if open_match is not None:
                kind = FeedMatchStart if match in changes.started else FeedMove
                yield views.board_view(kind, open_match.referee, self._arena.clock.now_ms())

    def _other_events(self, changes: Changes) -> Iterator[ServerMessageModel]:
        now_ms, has_new_ranking = self._arena.clock.now_ms(), self.has_new_ranking
        self.has_new_ranking = False
        presence = views.presence(self.tournament, self._arena)
        if changes.field_changed or presence != self._presence:
            yield self._field()
        self._presence = presence
        if changes.met or changes.field_changed or has_new_ranking:
            yield views.standings_event(self.tournament, now_ms, self._ranker.ranking(self.tournament), changes.met)
        if changes.status_changed or self._pairing != self.tournament.pairs_long:
            self._pairing = self.tournament.pairs_long
            yield views.status_event(self.tournament, now_ms, self._ranker.ranking(self.tournament))

    def _field(self) -> FeedField:
        ranking = self._ranker.ranking(self.tournament)
        entrants = views.entrants_view(self.tournament, *views.presence(self.tournament, self._arena), ranking)
        return FeedField(tournament=self.tournament.id, entrants=entrants)

    # --- encoding and keeping ---

    def _chunk(self, events: Iterable[ServerMessageModel], *, is_last: bool = True) -> Chunk:
        """Encode events. The id of a flush's last one is the number up to which all is told, the others' that of the
        flush before: a reader that is cut off between them is sent all of them again."""
        *others, last = events
        number = self._arena.log.last
        data = b"".join(_frame(event, self._sent_up_to) for event in others)
        return Chunk(number, data + _frame(last, number if is_last else self._sent_up_to))

    def _keep(self, chunk: Chunk, *, is_last: bool) -> None:
        if is_last:
            self._sent_up_to = chunk.number
        self._kept.append(chunk)
        if self._snapshot is not None:
            self._snapshot.since.append(chunk)
        self._kept_bytes += len(chunk.data)
        while self._kept_bytes > MOST_KEPT_BYTES and len(self._kept) > 1:
            dropped = self._kept.popleft()
            self._kept_bytes -= len(dropped.data)
            self._kept_from = dropped.number
        if self._snapshot is not None and self._is_old(self._snapshot, self._flushed_at_ms):
            self._snapshot = None


def snapshot_chunk(snapshot: bytes, number: int) -> Chunk:
    """Make the chunk of a snapshot that is JSON already; it tells all up to this number."""
    return Chunk(number, _written(b"snapshot", snapshot, number))


def _frame(event: ServerMessageModel, number: int) -> bytes:
    """Encode an event."""
    kind: str = event.type  # type: ignore[attr-defined]  # every event of the feed has one
    return _written(kind.encode(), event.__pydantic_serializer__.to_json(event), number)


def _written(kind: bytes, data: bytes, number: int) -> bytes:
    """Write an event as Server-Sent Events do. The JSON has no line breaks."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, kind, data)
