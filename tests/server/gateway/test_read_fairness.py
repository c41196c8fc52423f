"""No connection, and no number of connections, holds up the loop for long in a turn."""

from itertools import pairwise

from rumble_server.gateway.read_fairness import MOST_AGAIN, MOST_LATE, ReadFairness

from tests.server.gateway.turning_loop import Loop


class Reader:
    """A connection with pieces to read."""

    def __init__(self, turns: ReadFairness, pieces: int, address: str = "ann") -> None:
        self.address = address
        self.pieces = pieces
        self._turns = turns
        self.read_on()

    def read_on(self) -> None:
        while self.pieces and self._turns.claim_time():
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
    assert turns.claim_time()
    assert not turns.claim_time()
    loop.turn()
    assert loop.due == []
    assert turns.claim_time()


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
    assert [turns.claim_time() for _ in range(MOST_LATE)] == [True] + [False] * (MOST_LATE - 1)
    assert all(socket.is_read for socket in sockets)
    assert not turns.claim_time()
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
        turns.claim_time()
    loop.turn()
    turns.sockets.add(new)
    for _ in range(MOST_LATE + 1):
        turns.claim_time()
    assert (stopped.is_read, new.is_read) == (True, False)
    while loop.due:
        loop.turn()
    assert new.is_read


def test_a_turn_in_which_sockets_are_read_again_or_somebody_begins_to_wait_has_its_time() -> None:
    loop = Loop()
    turns = loop.turns(1)
    turns.sockets.update(Socket() for _ in range(2 * MOST_AGAIN))
    for _ in range(MOST_LATE + 1):
        turns.claim_time()
    loop.turn()
    assert turns.claim_time()
    while loop.due:
        loop.turn()
    turns.wait(Reader(turns, 0))
    assert turns.claim_time()
