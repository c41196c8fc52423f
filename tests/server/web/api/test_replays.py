"""Every game is shown ply by ply, to spectators of a running match and after the match, with chance and with a fall."""

from random import Random

import pytest
from rumble_engine import ALL, Game
from rumble_protocol.fields import TimeControl
from rumble_server.match.facts import MatchStarted
from rumble_server.web.api.replays import replay

from tests.engine.shipped import EXTRA, GAMES

MOST = 40
CONTROL = TimeControl(move_ms=1000)


def random_plies(game: Game, random: Random) -> list[str]:
    """Play at random; where the rules say what a fall does, the movers of ply 9 fall out."""
    state, plies = game.initial(), list[str]()
    while state.outcome is None and len(plies) < MOST:
        if state.is_chance:
            plies.append(state.text_of(state.draw(random.getrandbits(256))))
        else:
            falls = state.can_fall and len(plies) == 9
            moves = {} if falls else {seat: random.choice(state.codes_for(seat)) for seat in state.movers}
            plies.append(state.joint_text(moves))
        state = state.play(plies[-1])
    return plies


@pytest.mark.parametrize("seat", [None, ALL])
@pytest.mark.parametrize("game", [*GAMES, *EXTRA], ids=lambda game: game.name)
def test_every_game_is_shown(game: Game, seat: int | None) -> None:
    plies = random_plies(game, Random(game.name))
    seats = tuple(f"bot{number}" for number in range(game.seats))
    terms = MatchStarted("t.1.1.1.1", 1, game.name, game.complete(), 0, seats, (), CONTROL, 0, 0, 0, "stands")
    shown = replay(terms, plies, seat, 0, 2 * MOST, [None] * len(plies))
    assert len(shown.boards) == shown.plies + 1 == len(plies) + 1
    assert len(shown.written or ()) == len(plies)
    assert all(shown.written or ())
    assert all((board.position == "") is (game.hides and seat is None) for board in shown.boards)
