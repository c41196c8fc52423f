"""The plies of a match from turns that tell only what is new."""

from random import Random
from typing import Any

from playwright.async_api import Page
from rumble_engine.games.snakes import GAME

PLIES = """async (cases) => {
  const { pliesAfter } = await import("/static/play/plies.js");
  return cases.map(([known, since, ply, seats]) => pliesAfter(known, since, ply, seats));
}"""


def told_of_snakes(random: Random) -> tuple[list[Any], list[str]]:
    """Play snakes at random; return the case of a turn somewhere in the match, and the plies before the turn."""
    seats = random.randint(2, 8)
    state, plies, parts = GAME.initial_for(seats, seed=random.randrange(99)), [], []
    for _ in range(random.randint(1, 30)):
        if state.outcome is not None:
            break
        if state.movers:
            text = state.joint_text({seat: random.choice(state.codes_for(seat)) for seat in state.movers})
        else:
            text = random.choice(list(state.legal_moves))
        plies.append(text)
        parts.append(state.parts(text))
        state = state.play(text)
    known = random.randint(0, len(plies))
    return [plies[:known], [each for ply in parts[known:] for each in ply], len(plies), seats], plies


async def test_words_of_joint_moves_become_plies_again(home: Page) -> None:
    cases, plies = zip(*(told_of_snakes(Random(seed)) for seed in range(60)), strict=True)
    assert await home.evaluate(PLIES, list(cases)) == list(plies)


async def test_moves_in_turn_are_plies_of_their_own_and_known_plies_come_once(home: Page) -> None:
    in_turn = [["a"], [[1, "b"], [2, "c"], [0, "d"]], 4, 3]
    rolls = [["31"], [[0, "8/5 6/5"], [None, "66"], [1, "pass"], [None, "21"]], 5, 2]
    resumed = [["a", "b", "c"], [[1, "b"], [0, "c"]], 3, 2]
    found = await home.evaluate(PLIES, [in_turn, rolls, resumed])
    assert found == [["a", "b", "c", "d"], ["31", "8/5 6/5", "66", "pass", "21"], ["a", "b", "c"]]
