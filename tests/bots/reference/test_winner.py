from rumble_bots.reference import Winner

from tests.bots.reference.positions import at, moves


def test_winner_does_not_block() -> None:
    state = at("XX..O....")
    assert moves(state, Winner.candidates(state, state.to_move)) == ["2", "3", "5", "6", "7", "8"]
