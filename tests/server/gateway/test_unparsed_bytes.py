"""Received bytes in pieces, within the bounds of an iteration of the loop."""

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st
from rumble_server.gateway.unparsed_bytes import UnparsedBytes
from rumble_server.limits.bounds import Bounds

from tests.server.gateway.iterating_loop import Loop

BOUNDS = Bounds(pipelined_requests=2, bytes_per_iteration=100)
"""Bounds with pieces of 32 bytes, and 4 pieces in an iteration."""


def never() -> bool:
    return False


def unparsed(pieces: int = 1_000) -> tuple[UnparsedBytes, Loop]:
    """Make bytes that have time for so many pieces in an iteration."""
    loop = Loop()
    return UnparsedBytes(BOUNDS, loop.fairness(pieces)), loop


@given(st.lists(st.tuples(st.binary(min_size=1, max_size=300), st.integers(0, 9))))
def test_every_byte_comes_once_and_in_order(added: list[tuple[bytes, int]]) -> None:
    waiting, _ = unparsed(1_000_000)
    parsed: list[bytes] = []
    for data, pieces in added:
        waiting.add(data)
        parsed += islice(waiting.pieces(never), pieces)
    left = waiting.take()
    assert b"".join([*parsed, left]) == b"".join(data for data, _ in added)
    assert all(0 < len(piece) <= 32 for piece in parsed)
    assert not waiting


def test_the_bytes_of_an_iteration_are_bounded() -> None:
    waiting, _ = unparsed()
    waiting.add(b"x" * 300)
    assert [sum(map(len, waiting.pieces(never))) for _ in range(4)] == [128, 128, 44, 0]
    assert len(waiting) == 0


def test_the_time_of_an_iteration_is_bounded() -> None:
    waiting, loop = unparsed(2)
    waiting.add(b"x" * 100)
    assert [len(list(waiting.pieces(never))) for _ in range(2)] == [2, 0]
    assert len(waiting) == 36
    loop.iterate()
    assert [len(piece) for piece in waiting.pieces(never)] == [32, 4]


def test_no_time_is_claimed_for_bytes_that_are_held() -> None:
    waiting, loop = unparsed()
    waiting.add(b"x" * 100)
    assert list(waiting.pieces(lambda: True)) == []
    assert (len(waiting), loop.due) == (100, [])
    assert [len(piece) for piece in waiting.pieces(lambda: len(waiting) < 50)] == [32, 32]


def test_bytes_may_be_taken_or_dropped_after_any_piece() -> None:
    waiting, _ = unparsed()
    waiting.add(b"x" * 32 + b"rest")
    assert [(piece, waiting.take()) for piece in waiting.pieces(never)] == [(b"x" * 32, b"rest")]
    waiting.add(b"x" * 64)
    for _ in waiting.pieces(never):
        waiting.clear()
    assert not waiting
    assert list(waiting.pieces(never)) == []
