from typing import Any

import pytest
from rumble_bots.reference import CannotPlay, Perfect, ReferenceBotError, make_reference_bot
from rumble_bots.reference.battle import battle
from rumble_engine import get_game

from tests.bots.reference.positions import CONNECT4, TICTACTOE


def test_perfect_looks_up_and_nothing_else() -> None:
    assert make_reference_bot("perfect").choose(TICTACTOE.initial()).nodes == 0
    with pytest.raises(CannotPlay) as caught:
        make_reference_bot("perfect").choose(CONNECT4.initial())
    assert str(caught.value) == (
        "perfect plays only Tic-tac-toe, Connect four on at most 16 cells, Minichess where an arrived pawn wins"
    )
    assert isinstance(caught.value, ReferenceBotError)


@pytest.mark.parametrize(
    ("game", "settings"), [("connect4", {"columns": 4, "rows": 4, "connect": 3}), ("minichess", {"promotion": "win"})]
)
def test_perfect_plays_only_games_small_enough_to_solve(game: str, settings: dict[str, Any]) -> None:
    start = get_game(game).initial(settings)
    assert Perfect.can_play(start)
    assert not Perfect.can_play(get_game(game).initial())
    assert make_reference_bot("perfect").choose(start).score == 1
    assert battle("perfect", "heuristic", get_game(game), 1, settings=settings).wins == 1, "it moves first"
