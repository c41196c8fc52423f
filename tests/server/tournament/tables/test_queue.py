"""The queue of tables: no table starves."""

import heapq
from collections.abc import Iterable
from random import Random

import pytest
from rumble_server.match.match_id import MatchId
from rumble_server.tournament.slot import Slot
from rumble_server.tournament.tables.audit import AuditedTable
from rumble_server.tournament.tables.queue import TableQueue

from tests.server.tournament.tables.audited import flags_of

LONGEST_MS = 5_000
"""Longest match of the simulation."""
SEATS, LEAST = 4, 2


class Simulation:
    """Bots that play tables on virtual time. New tables keep coming, some bots are slow, and others come and go."""

    def __init__(self, seed: int) -> None:
        self.random, self.now_ms = Random(seed), 0
        self.room = {f"bot{number}": 3 if number < 2 else 1 for number in range(12)}
        self.queue = TableQueue(self.room, LEAST)
        self.free, self.gone = dict(self.room), set[str]()
        self.ready_ms = dict.fromkeys(self.room, 0)
        """Times in ms since which each bot has had room, or was gone."""
        self.put_ms: dict[str, int] = {}
        self.oldest_ms: dict[str, int] = {}
        """Times in ms since which a table is the oldest waiting table, by table, in order."""
        self.waiting: dict[str, Slot] = {}
        self.events: list[tuple[int, int, tuple[str, ...]]] = []
        self.tables: list[AuditedTable] = []
        self.longest_wait_ms = 0
        """Longest wait of a table from the time when it was the oldest."""

    def run(self, tables: int) -> None:
        for _ in range(tables):
            while len(self.waiting) < 10:
                self.put()
            if self.random.random() < 0.2:
                self.come_or_go()
            if self.events:
                self.now_ms, _, bots = heapq.heappop(self.events)
                for bot in bots:
                    self.free[bot] += 1
                    if self.free[bot] == 1 and bot not in self.gone:
                        self.ready_ms[bot] = self.now_ms
                self.begin_due(bots)
        self.note_oldest()

    def put(self) -> None:
        match_id = f"t.1.{len(self.put_ms) + 1}.1.1"
        slot = slot_of(match_id, self.random.sample(sorted(self.room), SEATS))
        self.waiting[match_id], self.put_ms[match_id] = slot, self.now_ms
        self.queue.add(slot)
        self.begin_due(slot.seats)

    def come_or_go(self) -> None:
        bot = self.random.choice(sorted(self.room if len(self.gone) < 4 else self.gone))
        self.gone ^= {bot}
        self.ready_ms[bot] = self.now_ms if self.free[bot] or bot in self.gone else self.ready_ms[bot]
        self.begin_due([bot])

    def begin_due(self, bots: Iterable[str]) -> None:
        left = list(bots)
        while left:
            self.note_oldest()
            due = self.queue.oldest(left[-1], set(), self.gone, self.room_of)
            if due is None:
                left.pop()
            else:
                self.begin(due)
                left += due.seats
        self.note_oldest()

    def room_of(self, bot: str) -> int:
        return 0 if bot in self.gone else self.free[bot]

    def note_oldest(self) -> None:
        oldest = next(iter(self.waiting), None)
        if oldest is not None:
            since_ms = self.oldest_ms.setdefault(oldest, self.now_ms)
            self.longest_wait_ms = max(self.longest_wait_ms, self.now_ms - since_ms)

    def begin(self, due: Slot) -> None:
        self.queue.remove(due)
        del self.waiting[due.match_id]
        bots, there = due.seats, tuple(bot for bot in due.seats if bot not in self.gone)
        lost = len(there) < LEAST
        ready_ms = {} if lost else {bot: self.ready_ms[bot] for bot in bots}
        self.tables.append(AuditedTable(due.match_id, bots, self.now_ms, ready_ms, self.put_ms[due.match_id]))
        if not lost:
            for bot in there:
                self.free[bot] -= 1
                assert self.free[bot] >= 0
            slow = any(bot.endswith(("3", "4")) for bot in there)
            ends_ms = self.now_ms + self.random.randint(1, LONGEST_MS if slow else LONGEST_MS // 10)
            heapq.heappush(self.events, (ends_ms, len(self.tables), there))


@pytest.mark.parametrize("seed", range(20))
def test_no_table_starves_and_the_audit_is_silent(seed: int) -> None:
    found = Simulation(seed)
    found.run(400)
    assert len(found.tables) > 300
    assert {len(table.free_since_ms) for table in found.tables} <= {0, SEATS}
    assert found.longest_wait_ms <= LONGEST_MS
    assert flags_of(found.tables) == ()


def slot_of(match_id: str, bots: Iterable[str]) -> Slot:
    return Slot(match_id, MatchId.parse(match_id).key, tuple(bots))


def queue_of(*tables: str) -> TableQueue:
    queue = TableQueue("abcdex", LEAST)
    for number, bots in enumerate(tables, 1):
        queue.add(slot_of(f"t.1.{number}.1.1", bots))
    return queue


def oldest(queue: TableQueue, bot: str, room: dict[str, int], gone: str = "") -> str | None:
    found = queue.oldest(bot, set(), set(gone), lambda name: room.get(name, 0))
    return None if found is None else "".join(found.seats)


def test_a_bot_with_one_place_holds_the_place_for_its_oldest_table() -> None:
    queue = queue_of("abc", "ade")
    free = dict.fromkeys("abde", 1)
    assert oldest(queue, "a", free) is None
    assert oldest(queue, "d", free) is None
    assert oldest(queue, "a", {**free, "a": 2}) == "ade"
    assert oldest(queue, "c", {**free, "c": 1}) == "abc"


def test_gone_bots_do_not_block_their_table_and_too_few_bots_lose_it() -> None:
    queue = queue_of("abc", "bcd")
    free = {"b": 1, "c": 1}
    assert oldest(queue, "a", free, gone="a") == "abc"
    assert oldest(queue, "b", {"b": 0}, gone="ac") is None, "a bot that is there and busy has its turn later"
    assert oldest(queue, "a", {"b": 0}, gone="ac") == "abc"
    queue.remove(queue.waiting("a")[0])
    assert ["".join(slot.seats) for slot in queue.waiting("b")] == ["bcd"]
    assert oldest(queue, "d", free, gone="d") == "bcd"
    assert oldest(queue, "x", free, gone="x") is None
