"""The garbage collector of a server: passes are short, and no garbage is kept for good."""

import gc
import sys
from collections.abc import Iterator
from weakref import ref

import pytest
from rumble_server.host import gc_tuning
from rumble_server.host.gc_tuning import (
    LATEST_SWEEP_S,
    LEAST_COUNTED,
    LEAST_NEW,
    MOST_HELD,
    MOST_NEW,
    SWEEP_S,
    GcTuner,
)


class Knot:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.me = self


class Played:
    """A server's tuner; tests set the time, and whether matches are being played."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.is_playing = True
        self.tuner = GcTuner(lambda: self.is_playing, lambda: self.now_s, lambda: self.now_s)


@pytest.fixture
def played() -> Iterator[Played]:
    made, before = Played(), (gc.get_threshold(), sys.getswitchinterval(), list(gc.callbacks))
    with made.tuner.tuned():
        yield made
    assert (gc.get_threshold(), sys.getswitchinterval(), gc.callbacks) == before
    gc.freeze()


def test_objects_that_exist_at_the_start_are_set_aside() -> None:
    objects = [[each] for each in range(10_000)]
    with GcTuner(lambda: True).tuned():
        assert len(gc.get_objects(generation=2)) < len(objects)


def test_garbage_that_is_new_is_found_by_a_pass(played: Played) -> None:
    knot = Knot()
    found = ref(knot)
    del knot
    gc.collect()
    assert found() is None


@pytest.mark.parametrize(("is_playing", "after_s"), [(False, SWEEP_S), (True, LATEST_SWEEP_S)])
@pytest.mark.slow
def test_later_garbage_is_found_when_nothing_is_played_or_after_a_while(
    played: Played, is_playing: bool, after_s: float
) -> None:
    knot = Knot()
    found = ref(knot)
    gc.collect()
    del knot
    gc.collect()
    assert found() is not None, "it is set aside"
    played.is_playing = is_playing
    played.now_s = after_s - 1
    played.tuner.collect_if_due()
    assert found() is not None
    played.now_s = after_s
    played.tuner.collect_if_due()
    assert found() is None


@pytest.mark.usefixtures("without_collector")
def test_passes_come_the_rarer_the_more_of_the_time_they_take(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc, "freeze", lambda: None)
    on_pass = gc.callbacks[-1]

    def after(since_s: float, took_s: float) -> int:
        """Run a pass that begins `since_s` after the last pass and takes `took_s`; return the new threshold."""
        played.now_s += since_s
        on_pass("start", {"generation": 1})
        played.now_s += took_s
        on_pass("stop", {"generation": 1})
        return gc.get_threshold()[0]

    assert [after(0.05, 0.001) for _ in range(3)] == [2_500, MOST_NEW, MOST_NEW]
    assert after(0.2, 0.0025) == MOST_NEW, "it is not made longer, and takes not much too long"
    assert [after(10.0, 0.007) for _ in range(3)] == [1_250, LEAST_NEW, LEAST_NEW]
    assert [after(0.05, took_s) for took_s in (0.001, 0.009)] == [2_500, LEAST_NEW], "a single pass is short"


def test_a_look_makes_a_pass_over_new_objects(played: Played) -> None:
    before = gc.get_freeze_count()
    objects = [[each] for each in range(LEAST_COUNTED)]
    played.tuner.collect_if_due()
    assert gc.get_freeze_count() >= before + len(objects)


@pytest.mark.usefixtures("without_collector")
def test_looks_make_passes_the_rarer_the_longer_passes_take(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    passes, counted, on_pass = list[int](), [LEAST_COUNTED], gc.callbacks[-1]
    monkeypatch.setattr(gc, "collect", passes.append)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    monkeypatch.setattr(gc, "get_count", lambda: (counted[0], 0, 0))

    def looked(since_s: float) -> int:
        played.now_s += since_s
        played.tuner.collect_if_due()
        return len(passes)

    on_pass("start", {"generation": 1})
    played.now_s += 0.005
    on_pass("stop", {"generation": 1})
    assert [looked(0.4), looked(0.2)] == [0, 1], "5 ms are a hundredth of 0.5 s"
    counted[0] = LEAST_COUNTED - 1
    assert looked(60.0) == 1
    objects = [[each] for each in range(MOST_HELD)]
    assert looked(0.0) == 2, "the freed old objects hid the new ones"
    assert objects


def test_without_anything_new_nothing_is_looked_at(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    played.is_playing = False
    played.tuner._has_set_aside = False
    monkeypatch.setattr(gc, "collect", lambda: pytest.fail("a pass over everything"))
    played.now_s = 10 * LATEST_SWEEP_S
    played.tuner.collect_if_due()


def test_a_thread_that_computes_gives_way_soon(played: Played) -> None:
    assert sys.getswitchinterval() == pytest.approx(gc_tuning.SWITCH_S)
