from rumble_bots.reference import Choice, make_reference_bot

from tests.bots.reference.positions import at


def test_random_plays_every_legal_move() -> None:
    bot, state = make_reference_bot("random", seed=1), at("X...O....")
    seen = {bot.choose(state) for _ in range(200)}
    assert seen == {Choice(move) for move in state.legal_moves}
