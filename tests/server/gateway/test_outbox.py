"""The outbox: connections write at the end of an iteration of the loop."""

from collections.abc import Callable

import pytest
from rumble_server.gateway.outbox import Outbox


class Writer:
    """A connection that counts its writes, and may fail."""

    def __init__(self, *, fails: bool = False) -> None:
        self.writes = 0
        self.is_shed = False
        self._fails = fails

    def write_out(self) -> None:
        if self._fails:
            raise RuntimeError("a bug of the test")
        self.writes += 1

    def abort(self) -> None:
        self.is_shed = True


def test_a_connection_that_cannot_write_is_ended_and_the_others_write(caplog: pytest.LogCaptureFixture) -> None:
    due: list[Callable[[], None]] = []
    outbox, broken, whole = Outbox(due.append), Writer(fails=True), Writer()
    for writer in (broken, whole):
        outbox.add(writer)
    (write,) = due
    write()
    assert (broken.is_shed, whole.is_shed, whole.writes) == (True, False, 1)
    assert "its frames could not be written" in caplog.text
