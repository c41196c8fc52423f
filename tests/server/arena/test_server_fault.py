"""When the server itself fails at a match, nobody is blamed, it is played again, and the others go on."""

import pytest
from rumble_engine import Termination
from rumble_engine.games.tictactoe import TicTacToeState

from tests.server.world import World


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A game whose code fails at the moves in this list, once each."""
    moves: list[str] = []
    right = TicTacToeState.code_of

    def code_of(state: TicTacToeState, text: str) -> int:
        if text in moves:
            moves.remove(text)
            raise RuntimeError("a bug in the game")
        return right(state, text)

    monkeypatch.setattr(TicTacToeState, "code_of", code_of)
    return moves


def test_a_match_at_which_the_server_fails_is_void_and_played_again_under_its_id(
    failing: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    world = World()
    tournament = world.create(legs=1)
    for bot in world.logins("ann", "ben", join=tournament.id):
        bot.play(lambda turn: turn["legal"][0])
    failing.append("2")
    world.organiser.start(tournament.id)
    world.run()
    assert [(over.termination, over.scores, over.at_fault) for over in tournament.voided] == [
        (Termination.ABORTED, None, ())
    ]
    assert [over.attempt for over in tournament.results.values()] == [2]
    assert tournament.status == "finished"
    assert "the referee failed at ply 2" in caplog.text


def test_a_match_that_is_void_again_and_again_pauses_its_tournament(failing: list[str]) -> None:
    world = World()
    tournament = world.create(legs=1)
    for bot in world.logins("ann", "ben", join=tournament.id):
        bot.play(lambda turn: turn["legal"][0])
    failing.extend(["0"] * 50)
    world.organiser.start(tournament.id)
    world.run()
    assert tournament.status == "paused"
    assert "was void 5 times" in tournament.reason
    assert len(tournament.voided) == 5
