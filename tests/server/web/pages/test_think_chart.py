"""The bars of thinking times."""

import itertools

from rumble_server.web.pages.think_chart import HALF, bars, view_box


def test_the_first_seat_goes_up_and_the_others_down() -> None:
    up, down = bars([None, 40, 2000], [1, 0, 1])
    assert (up.ply, up.x, up.y + up.height) == (2, 10, HALF)
    assert (down.ply, down.x, down.y, down.height) == (3, 20, HALF, HALF)
    assert 0 < up.height < down.height


def test_short_times_can_be_told_apart_beside_long_ones() -> None:
    heights = [bar.height for bar in bars([0, 10, 100, 1000, 10_000], [0] * 5)]
    assert all(later - earlier >= 3 for earlier, later in itertools.pairwise(heights))
    assert heights[-1] == HALF


def test_instant_moves_do_not_look_like_thought() -> None:
    assert max(bar.height for bar in bars([0, 1, 2], [0, 1, 0])) < HALF / 5
    assert bars([None], [0]) == []


def test_the_first_bars_are_not_broad() -> None:
    assert view_box(1) == view_box(24) == "0 0 240 100"
    assert view_box(80) == "0 0 800 100"
