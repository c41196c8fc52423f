"""Hex: exactly one winner, the swap, small boards solved, texts and errors."""

import heapq
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine import BadPosition, BadSettings, IllegalMove, UnreadableMove
from rumble_engine.games.hex import GAME, HexState, distance

from .counting import ended, perft, played, value

NEIGHBOURS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))


def openings(size: int) -> set[str]:
    start, known = GAME.initial({"size": size, "swap": False}), dict[object, int]()
    return {move for move in start.legal_moves if value(start.play(move), known) == -1}


def test_small_boards_by_full_search() -> None:
    """The first player wins without the swap (Nash, by strategy stealing), the second player with the swap."""
    assert openings(2) == {"b1", "a2"}
    assert openings(3) == {"c1", "a2", "b2", "c2", "a3"}
    for size in (2, 3):
        assert value(GAME.initial({"size": size}), {}) == -1


def test_counts_are_those_of_free_cells_and_the_swap() -> None:
    assert [perft(GAME.initial({"swap": False}), depth) for depth in (1, 2)] == [121, 121 * 120]
    assert [perft(GAME.initial(), depth) for depth in (1, 2)] == [121, 121 * 121]
    assert perft(GAME.initial(), 3) == 121 * (120 * 119 + 120)


def test_the_swap_takes_the_stone_over_mirrored() -> None:
    state = GAME.initial({"size": 5}).play("b5")
    assert state.legal_moves[-1] == "swap"
    swapped = state.play("swap")
    assert swapped.text() == "...../....O/...../...../..... X"
    assert swapped.to_move == 0
    with pytest.raises(IllegalMove, match="swap is allowed only as the answer to the first stone"):
        swapped.play("swap")
    with pytest.raises(IllegalMove, match="e2 is taken"):
        swapped.play("e2")
    for refusing in (GAME.initial(), GAME.initial({"swap": False}).play("a1")):
        with pytest.raises(IllegalMove, match="swap is allowed only"):
            refusing.play("swap")


def test_two_matches() -> None:
    state = played(GAME.initial({"size": 3}), "b2 c3 c1 a1 a3")
    assert ended(state) == (0, "connected top and bottom")
    assert state.diagram() == "1 O . X\n 2 . X .\n  3 X . O\n     a b c"
    state = played(GAME.initial({"size": 3, "swap": False}), "a1 a3 a2 b2 b3 c1")
    assert ended(state) == (1, "connected left and right")


def test_half_a_turn_has_one_canonical() -> None:
    one, other = GAME.initial(), GAME.initial()
    for move, turned in (("a1", "k11"), ("b3", "j9"), ("f6", "f6"), ("k2", "a10")):
        one, other = one.play(move), other.play(turned)
        assert one.canonical() == other.canonical()
        assert one.estimate() == other.estimate()
    assert one.canonical() != GAME.parse(one.text(), {"swap": False}).canonical()


def test_view() -> None:
    state: HexState = GAME.initial({"size": 2}).play("a2")
    assert state.view(1) == {"board": "..X.", "size": 2, "swap": True, "to_move": 1}


@pytest.mark.parametrize(
    ("text", "settings", "problem"),
    [
        ("X./.. X", {}, "do not fit the mark to move"),
        ("O./.. X", {"swap": False}, "do not fit the mark to move"),
        ("XX/.. O", {}, "do not fit the mark to move"),
        ("X./X. X", {}, "do not fit the mark to move"),
        ("XX./XX./XXO/ O", {}, "is not 4 rows"),
        ("XOXO/XOXO/XOXO/XOX. O", {}, "play went on"),
        ("X.O/X.O/X.O X", {}, "play went on"),
        (".. O", {}, "size must be from 2 to 19"),
        ("../.. .", {}, "the mark to move"),
    ],
)
def test_positions_that_cannot_occur(text: str, settings: dict[str, Any], problem: str) -> None:
    with pytest.raises((BadPosition, BadSettings), match=problem):
        GAME.parse(text, settings)


def test_refusals() -> None:
    with pytest.raises(UnreadableMove, match="'l1' is not a move: cells are a1 to k11, or \"swap\""):
        GAME.initial().play("l1")
    with pytest.raises(BadSettings, match="swap must be true or false"):
        GAME.initial({"swap": "yes"})


def shortest(mine: set[tuple[int, int]], theirs: set[tuple[int, int]], size: int, seat: int) -> tuple[int, int]:
    """Return the fewest stones that connect, and the number of cells on shortest paths, by walking cell by cell."""

    def from_edge(edge: int) -> dict[tuple[int, int], int]:
        needed: dict[tuple[int, int], int] = {}
        heap = [(int((row, column) not in mine), row, column) for row in range(size) for column in range(size)]
        heap = [each for each in heap if each[1 + seat] == edge and each[1:] not in theirs]
        heapq.heapify(heap)
        while heap:
            stones, row, column = heapq.heappop(heap)
            if (row, column) in needed:
                continue
            needed[row, column] = stones
            for down, across in NEIGHBOURS:
                cell = (row + down, column + across)
                if 0 <= min(cell) <= max(cell) < size and cell not in theirs:
                    heapq.heappush(heap, (stones + (cell not in mine), *cell))
        return needed

    there, back = from_edge(0), from_edge(size - 1)
    least = min((stones for cell, stones in there.items() if cell[seat] == size - 1), default=size * size)
    ways = [cell for cell in there if cell in back and cell not in mine and there[cell] + back[cell] == least + 1]
    return least, len(ways)


@given(st.permutations([(row, column) for row in range(6) for column in range(6)]), st.integers(0, 24))
def test_every_board_has_a_winner_and_the_estimate_knows_the_shortest_paths(
    cells: list[tuple[int, int]], plies: int
) -> None:
    """Fill boards: by the Hex theorem each has exactly one winner.

    The theorem: D. Gale, "The Game of Hex and the Brouwer Fixed-Point Theorem", 1979.
    """
    state: HexState = GAME.initial({"size": 6, "swap": False})
    stones: tuple[set[tuple[int, int]], set[tuple[int, int]]] = (set(), set())
    for ply, (row, column) in enumerate(cells):
        if ply == plies:
            for seat, masks in enumerate([(state.x, state.o), (state.o, state.x)]):
                expected = shortest(stones[seat], stones[1 - seat], 6, seat)
                assert distance(state.board, *masks, seat) == expected
            assert -1 < state.estimate() < 1
        assert state.outcome is None
        state = state.play(f"{'abcdef'[column]}{row + 1}")
        stones[ply % 2].add((row, column))
        if shortest(stones[ply % 2], set(), 6, ply % 2)[0] == 0:
            assert ended(state)[0] == ply % 2
            return
    pytest.fail("a full board has a winner")


def test_a_nearly_connected_side_is_judged_better() -> None:
    ahead = played(GAME.initial({"size": 5, "swap": False}), "c3 a1 c2 a2 c4")
    assert ahead.to_move == 1
    assert ahead.estimate() < -0.1
