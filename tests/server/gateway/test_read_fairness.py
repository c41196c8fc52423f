"""No connection, and no number of connections, holds up the loop for long in an iteration."""

from itertools import pairwise
from typing import Any

import pytest
from rumble_server.gateway.read_fairness import MOST_OVER_BUDGET, MOST_REREAD, ReadFairness

from tests.server.failing import fail
from tests.server.gateway.iterating_loop import Loop


class Reader:
    """A connection with pieces to read."""

    def __init__(self, fairness: ReadFairness, pieces: int, address: str = "ann") -> None:
        self.address = address
        self.pieces = pieces
        self.is_shed = False
        self._fairness = fairness
        self.on_scheduled()

    def on_scheduled(self) -> None:
        while self.pieces and self._fairness.claim_time():
            self.pieces -= 1
        if self.pieces:
            self._fairness.enqueue(self)

    def abort(self) -> None:
        self.is_shed = True


def test_all_together_have_no_more_than_the_time_of_an_iteration() -> None:
    loop = Loop()
    fairness = loop.fairness(5)
    readers = [Reader(fairness, 6) for _ in range(3)]
    told = [sum(reader.pieces for reader in readers)]
    while loop.due:
        loop.iterate()
        told.append(sum(reader.pieces for reader in readers))
    assert told[0] == 18 - 5
    assert told[-1] == 0
    assert max(before - after for before, after in pairwise(told)) <= 5


def test_waiting_readers_are_served_address_by_address() -> None:
    loop = Loop()
    fairness = loop.fairness(2)
    crowd = [Reader(fairness, 4, "crowd") for _ in range(50)]
    alone = Reader(fairness, 1, "alone")
    for _ in range(3):
        loop.iterate()
    assert alone.pieces == 0
    assert sum(reader.pieces for reader in crowd) > 190


def test_nothing_is_called_when_nobody_waits() -> None:
    loop = Loop()
    fairness = loop.fairness(1)
    assert fairness.claim_time()
    assert not fairness.claim_time()
    loop.iterate()
    assert loop.due == []
    assert fairness.claim_time()


class Socket:
    """A connection whose socket may be left unread, and the transport of the socket."""

    is_read = True

    @property
    def transport(self) -> Any:
        return self

    def is_reading(self) -> bool:
        return self.is_read

    def pause_reading(self) -> None:
        self.is_read = False

    def resume_socket(self) -> None:
        self.is_read = True


def test_when_many_are_late_sockets_are_left_unread_and_some_are_read_again_in_each_iteration() -> None:
    loop = Loop()
    fairness = loop.fairness(1)
    sockets = [Socket() for _ in range(2 * MOST_REREAD)]
    fairness.sockets.update(sockets)
    assert [fairness.claim_time() for _ in range(MOST_OVER_BUDGET)] == [True] + [False] * (MOST_OVER_BUDGET - 1)
    assert all(socket.is_read for socket in sockets)
    assert not fairness.claim_time()
    assert not any(socket.is_read for socket in sockets)
    assert not fairness.sockets
    loop.iterate()
    assert sum(socket.is_read for socket in sockets) == MOST_REREAD
    loop.iterate()
    assert all(socket.is_read for socket in sockets)
    assert fairness.sockets == set(sockets)


def test_a_socket_that_is_not_read_now_or_forgotten_is_neither_stopped_nor_read_again() -> None:
    loop = Loop()
    fairness = loop.fairness(1)
    paused, ended, known = Socket(), Socket(), Socket()
    paused.is_read = False
    fairness.sockets.update({paused, ended, known})
    fairness.forget_socket(known)
    for _ in range(MOST_OVER_BUDGET + 1):
        fairness.claim_time()
    assert (list(fairness.unread), known.is_read) == ([ended], True)
    fairness.forget_socket(ended)
    loop.iterate()
    assert (paused.is_read, ended.is_read) == (False, False)
    assert (fairness.sockets, loop.due) == ({paused}, [])


def test_a_reader_that_is_queued_already_keeps_its_place() -> None:
    loop = Loop()
    fairness = loop.fairness(10)
    served: list[str] = []

    class Named(Reader):
        def on_scheduled(self) -> None:
            served.append(self.address)

    one, two = Named(fairness, 0, "one"), Named(fairness, 0, "two")
    served.clear()
    for reader in (one, two, one):
        fairness.enqueue(reader)
    loop.iterate()
    assert served == ["one", "two"]
    fairness.enqueue(one)
    loop.iterate()
    assert served == ["one", "two", "one"]


def test_a_socket_that_is_read_again_is_not_stopped_in_the_same_iteration() -> None:
    loop = Loop()
    fairness = loop.fairness(1)
    stopped, new = Socket(), Socket()
    fairness.sockets.add(stopped)
    for _ in range(MOST_OVER_BUDGET + 1):
        fairness.claim_time()
    loop.iterate()
    fairness.sockets.add(new)
    for _ in range(MOST_OVER_BUDGET + 1):
        fairness.claim_time()
    assert (stopped.is_read, new.is_read) == (True, False)
    while loop.due:
        loop.iterate()
    assert new.is_read


def test_each_iteration_has_a_budget_while_sockets_are_read_again_or_readers_wait() -> None:
    loop = Loop()
    fairness = loop.fairness(1)
    fairness.sockets.update(Socket() for _ in range(2 * MOST_REREAD))
    for _ in range(MOST_OVER_BUDGET + 1):
        fairness.claim_time()
    loop.iterate()
    assert fairness.claim_time()
    while loop.due:
        loop.iterate()
    fairness.enqueue(Reader(fairness, 0))
    assert fairness.claim_time()


def test_a_reader_that_fails_is_ended_and_the_others_go_on(caplog: pytest.LogCaptureFixture) -> None:
    loop = Loop()
    fairness = loop.fairness(10)
    broken, whole = Reader(fairness, 0), Reader(fairness, 0, "ben")
    whole.pieces = 1

    broken.on_scheduled = fail  # type: ignore[method-assign]
    for reader in (broken, whole):
        fairness.enqueue(reader)
    loop.iterate()
    assert (broken.is_shed, whole.is_shed, whole.pieces) == (True, False, 0)
    assert "its bytes could not be handled" in caplog.text
