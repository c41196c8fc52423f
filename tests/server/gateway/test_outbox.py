"""The outbox: connections write at the end of an iteration of the loop, and long waits of frames are noted.

Times are multiples of 1/1024 s, so that sums and differences are exact.
"""

from collections.abc import Callable

import pytest
from rumble_server.gateway import outbox as outbox_module
from rumble_server.gateway.outbox import MOST_NOTED, MOST_WAITING_CONNECTIONS, NOTICED_S, Outbox

from tests.server.failing import fail


class Writer:
    """A connection that counts its writes."""

    def __init__(self, on_write: Callable[[], None] = lambda: None) -> None:
        self.writes = 0
        self.is_shed = False
        self._on_write = on_write

    def write_out(self) -> None:
        self.writes += 1
        self._on_write()

    def abort(self) -> None:
        self.is_shed = True


class Iteration:
    """An outbox with a clock and a loop of the test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 1.0
        self._due: list[Callable[[], None]] = []
        self.outbox = Outbox(self._due.append)
        monkeypatch.setattr(outbox_module, "perf_counter", lambda: self.now_s)

    def end(self) -> None:
        due, self._due[:] = self._due[:], []
        for call in due:
            call()

    def note(self, wait_s: float) -> None:
        """Let a frame wait for `wait_s`."""
        self.outbox.add(Writer())
        self.now_s += wait_s
        self.end()

    def waited_ms(self, sent_s: float) -> int:
        """Return the wait in ms of a frame sent at `sent_s`, as the outbox tells it 500 s later."""
        self.now_s = sent_s + 500
        return self.outbox.waited_ms(500_000)


@pytest.fixture
def iteration(monkeypatch: pytest.MonkeyPatch) -> Iteration:
    return Iteration(monkeypatch)


def test_a_connection_that_cannot_write_is_ended_and_the_others_write(
    iteration: Iteration, caplog: pytest.LogCaptureFixture
) -> None:
    broken, whole = Writer(fail), Writer()
    for writer in (broken, whole):
        iteration.outbox.add(writer)
    iteration.end()
    assert (broken.is_shed, whole.is_shed, whole.writes) == (True, False, 1)
    assert "its frames could not be written" in caplog.text


def test_full_outbox_writes_before_the_end_of_the_iteration_and_measures_each_frame_once(iteration: Iteration) -> None:
    writers = [Writer() for _ in range(MOST_WAITING_CONNECTIONS + 1)]
    for writer in writers:
        iteration.outbox.add(writer)
    assert (writers[-1].writes, sum(iteration.outbox.latency.counts)) == (0, 1)
    iteration.end()
    assert all(writer.writes == 1 for writer in writers)
    assert sum(iteration.outbox.latency.counts) == 2


def test_frame_behind_a_slow_match_waited_for_the_rest_of_the_iteration(iteration: Iteration) -> None:
    iteration.outbox.add(Writer())
    iteration.now_s = 1.25  # the work of a slow match
    iteration.outbox.add(Writer())
    iteration.now_s = 1.5
    iteration.end()
    assert [iteration.waited_ms(sent_s) for sent_s in (1.0, 1.25, 1.5)] == [500, 250, 0]


def test_slow_write_is_no_wait_of_the_frames_written_before(iteration: Iteration) -> None:
    def stall() -> None:
        iteration.now_s += 1

    iteration.outbox.add(Writer(stall))
    iteration.now_s = 1.5
    iteration.end()
    assert iteration.waited_ms(1.0) == 500


@pytest.mark.parametrize(("wait_s", "waited_ms"), [(NOTICED_S, 0), (2 / 1024, 1)])
def test_wait_is_noted_above_its_bound(iteration: Iteration, wait_s: float, waited_ms: int) -> None:
    iteration.now_s = 0.0
    iteration.note(wait_s)
    assert iteration.waited_ms(0.0) == waited_ms


@pytest.mark.parametrize(("early_s", "waited_ms"), [(1 / 1024, 500), (2 / 1024, 0)])
def test_frame_belongs_to_a_wait_that_seems_to_begin_up_to_a_ms_later(
    iteration: Iteration, early_s: float, waited_ms: int
) -> None:
    iteration.note(0.5)
    assert iteration.waited_ms(1.0 - early_s) == waited_ms


def test_frame_between_two_waits_waited_for_neither(iteration: Iteration) -> None:
    iteration.note(0.5)
    iteration.now_s = 2.0
    iteration.note(0.25)
    assert [iteration.waited_ms(sent_s) for sent_s in (1.0, 1.75, 2.0, 3.0)] == [500, 0, 250, 0]


def test_oldest_wait_is_forgotten(iteration: Iteration) -> None:
    for _ in range(MOST_NOTED + 1):
        iteration.note(0.5)
        iteration.now_s += 0.5
    assert [iteration.waited_ms(sent_s) for sent_s in (1.0, 2.0)] == [0, 500]
