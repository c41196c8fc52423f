"""No connection, and no number of them, is read for long in one turn of the loop."""

from collections.abc import Callable

from rumble_server.gateway.turns import Turns


class Loop:
    """What is called in the next turn."""

    def __init__(self) -> None:
        self.due: list[Callable[[], None]] = []

    def turn(self) -> None:
        due, self.due = self.due, []
        for each in due:
            each()


class Reader:
    """A connection with frames to read, at most three in a turn."""

    def __init__(self, turns: Turns, frames: int) -> None:
        self.frames = frames
        self._turns = turns
        self.read_on()

    def read_on(self) -> None:
        taken = min(self.frames, 3, self._turns.left)
        self.frames -= taken
        self._turns.spend(taken)
        if self.frames:
            self._turns.wait(self)


def test_each_has_its_turn_and_all_together_no_more_than_the_bound() -> None:
    loop = Loop()
    turns = Turns(7, lambda callback: loop.due.append(callback))
    readers = [Reader(turns, 6) for _ in range(4)]
    told = []
    while loop.due:
        told.append([reader.frames for reader in readers])
        loop.turn()
    told.append([reader.frames for reader in readers])
    assert told[0] == [3, 3, 5, 6], "seven frames are read at once"
    assert told[1] == [0, 0, 4, 6], "who waited longest goes on first"
    assert told[2] == [0, 0, 1, 3]
    assert told[-1] == [0, 0, 0, 0]


def test_nothing_is_called_when_nobody_waits() -> None:
    loop = Loop()
    turns = Turns(7, lambda callback: loop.due.append(callback))
    turns.spend(7)
    assert turns.left == 0
    loop.turn()
    assert turns.left == 7
    assert loop.due == []
