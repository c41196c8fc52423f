"""No connection, no request, and no number of them holds up the loop for long in a turn."""

import asyncio
from collections.abc import Callable
from itertools import count, pairwise
from typing import Any

from rumble_server.gateway.read_fairness import MOST_AGAIN, MOST_LATE, ReadFairness
from rumble_server.gateway.request_turns import RequestTurns


class Loop:
    """A loop that keeps callbacks for the next turn, with a clock that advances by a second at each reading."""

    def __init__(self) -> None:
        self.due: list[Callable[[], None]] = []
        self._ticks = count()

    def turns(self, looks: int) -> ReadFairness:
        """Make turns with time for `looks` pieces of work."""
        return ReadFairness(looks * 1000, lambda callback: self.due.append(callback), lambda: next(self._ticks))

    def turn(self) -> None:
        due, self.due = self.due, []
        for each in due:
            each()


class Reader:
    """A connection with pieces to read."""

    def __init__(self, turns: ReadFairness, pieces: int, address: str = "ann") -> None:
        self.address = address
        self.pieces = pieces
        self._turns = turns
        self.read_on()

    def read_on(self) -> None:
        while self.pieces and self._turns.has_time():
            self.pieces -= 1
        if self.pieces:
            self._turns.wait(self)


def test_all_together_have_no_more_than_the_time_of_a_turn() -> None:
    loop = Loop()
    turns = loop.turns(5)
    readers = [Reader(turns, 6) for _ in range(3)]
    told = [sum(reader.pieces for reader in readers)]
    while loop.due:
        loop.turn()
        told.append(sum(reader.pieces for reader in readers))
    assert told[0] == 18 - 5
    assert told[-1] == 0
    assert max(before - after for before, after in pairwise(told)) <= 5


def test_who_waits_is_served_address_by_address() -> None:
    loop = Loop()
    turns = loop.turns(2)
    crowd = [Reader(turns, 4, "crowd") for _ in range(50)]
    alone = Reader(turns, 1, "alone")
    for _ in range(3):
        loop.turn()
    assert alone.pieces == 0
    assert sum(reader.pieces for reader in crowd) > 190


def test_nothing_is_called_when_nobody_waits() -> None:
    loop = Loop()
    turns = loop.turns(1)
    assert turns.has_time()
    assert not turns.has_time()
    loop.turn()
    assert loop.due == []
    assert turns.has_time()


class Socket:
    """A connection whose socket may be left unread."""

    is_read = True

    def stop_reading(self) -> bool:
        self.is_read = False
        return True

    def read_again(self) -> bool:
        self.is_read = True
        return True


def test_when_many_are_late_sockets_are_left_unread_and_some_are_read_again_in_each_turn() -> None:
    loop = Loop()
    turns = loop.turns(1)
    sockets = [Socket() for _ in range(2 * MOST_AGAIN)]
    turns.sockets.update(sockets)
    assert [turns.has_time() for _ in range(MOST_LATE)] == [True] + [False] * (MOST_LATE - 1)
    assert all(socket.is_read for socket in sockets)
    assert not turns.has_time()
    assert not any(socket.is_read for socket in sockets)
    assert not turns.sockets
    loop.turn()
    assert sum(socket.is_read for socket in sockets) == MOST_AGAIN
    loop.turn()
    assert all(socket.is_read for socket in sockets)
    assert turns.sockets == set(sockets)


def test_a_socket_that_is_read_again_is_not_stopped_in_the_same_turn() -> None:
    loop = Loop()
    turns = loop.turns(1)
    stopped, new = Socket(), Socket()
    turns.sockets.add(stopped)
    for _ in range(MOST_LATE + 1):
        turns.has_time()
    loop.turn()
    turns.sockets.add(new)
    for _ in range(MOST_LATE + 1):
        turns.has_time()
    assert (stopped.is_read, new.is_read) == (True, False)
    while loop.due:
        loop.turn()
    assert new.is_read


async def test_requests_beyond_the_time_of_a_turn_wait_and_go_on_one_in_a_turn() -> None:
    loop, answered = Loop(), list[str]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        answered.append(f"{scope['client'][0]} {(await receive())['body']}")

    async def receive() -> Any:
        return {"body": "read"}

    async def send(_message: Any) -> None:
        """Drop the answer."""

    web = RequestTurns(app, loop.turns(2))
    requests = [{"type": "http", "client": (address, 1)} for address in ("ann", "ann", "ann", "ben")]
    tasks = [asyncio.create_task(web(scope, receive, send)) for scope in requests]
    tasks[1].cancel()
    told = []
    while not all(task.done() for task in tasks):
        for _ in range(3):
            await asyncio.sleep(0)
        told.append(len(answered))
        loop.turn()
    assert sorted(answered) == ["ann read", "ann read", "ben read"]
    assert max(after - before for before, after in pairwise([0, *told])) == 1


async def test_requests_that_waited_for_the_same_go_on_within_the_time_of_a_turn() -> None:
    loop, ready, answered, cancelled = Loop(), asyncio.Event(), list[int](), list[int]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        try:
            await ready.wait()
        except asyncio.CancelledError:
            cancelled.append(scope["number"])
            raise
        answered.append(scope["number"])
        await send({"type": "http.response.start"})
        await asyncio.sleep(0)
        await send({"type": "http.response.body"})

    async def receive() -> Any:
        return {}

    async def send(_message: Any) -> None:
        """Drop the answer."""

    web = RequestTurns(app, loop.turns(3))
    scopes = [{"type": "http", "client": ("ann", 1), "number": number} for number in range(8)]
    tasks = [asyncio.create_task(web(scope, receive, send)) for scope in scopes]
    for _ in range(20):
        await asyncio.sleep(0)
        loop.turn()
    tasks[0].cancel()
    ready.set()
    told = [0]
    while not all(task.done() for task in tasks[1:]):
        for _ in range(4):
            await asyncio.sleep(0)
        told.append(len(answered))
        loop.turn()
    assert sorted(answered) == list(range(1, 8))
    assert max(after - before for before, after in pairwise(told)) <= 3
    assert cancelled == [0]
