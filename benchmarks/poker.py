"""Strength of `heuristic` in poker, against `random` and OpenSpiel's bots, in thousandths of a big blind a hand.

python benchmarks/poker.py [--seconds 60] [--simulations 50]

Hands are played in pairs: both bots get the same cards, once in each seat. Printed is the gain of `heuristic` with a
95% interval, from the pairs, and the number of hands; each row takes `--seconds`. OpenSpiel's bots play the game
`universal_poker` with four actions: fold, call, raise by the pot, all in. Limit betting has the first three. `ismcts`
is information set Monte Carlo tree search, with random playouts and `--simulations` for a move; `uniform` takes a
random action.
"""

import time
from collections.abc import Callable
from random import Random
from statistics import mean, stdev
from typing import Any

import pyspiel
from options import options_of
from rumble_bots.reference import make_reference_bot
from rumble_engine.chance import BITS
from rumble_engine.games.poker import GAME
from rumble_engine.games.poker.cards import DECK, split
from rumble_engine.games.poker.hand import CALL
from rumble_engine.games.poker.state import PokerState

Player = Callable[[PokerState, Any], int]
"""Chooses an action of a state, given as Rumble's state and as OpenSpiel's."""
MOST_PAIRS = 20_000
RAISE, ALL_IN = 2, 3
"""OpenSpiel's actions for raises."""


def spiel_game(is_limit: bool) -> Any:
    betting = "limit,raiseSize=100 100 200 200,maxRaises=3 4 4 4" if is_limit else "nolimit"
    return pyspiel.load_game(
        f"universal_poker(betting={betting},bettingAbstraction=fcpa,numPlayers=2,blind=100 50,firstPlayer=2 1 1 1,"
        "numRounds=4,numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,stack=20000 20000)"
    )


def ours(name: str) -> Player:
    bot = make_reference_bot(name, seed=1)
    return lambda state, spiel: state.code_of(bot.choose(state).move)


def theirs(choose: Callable[[Any], int]) -> Player:
    """Play by a bot of OpenSpiel, with OpenSpiel's amount for a raise."""

    def player(state: PokerState, spiel: Any) -> int:
        action = choose(spiel)
        if action <= CALL:
            return action
        assert state.hand is not None
        lowest, highest = state.hand.raises
        after = spiel.child(action).to_struct()
        return int(min(max(lowest, after.player_contributions[spiel.current_player()]), highest))

    return player


def opponents(game: Any, simulations: int) -> dict[str, Player]:
    random = Random(1)
    search = pyspiel.ISMCTSBot(
        1, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, simulations, -1, pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
        False, False,
    )  # fmt: skip
    return {
        "random": ours("random"),
        "uniform": theirs(lambda state: random.choice(state.legal_actions())),
        "ismcts": theirs(search.step),
    }


def gain(players: list[Player], state: PokerState, game: Any, seed: int) -> int:
    """Play a hand; return the gain of seat 0. Both players see equal cards after the same seed."""
    random, spiel = Random(seed), game.new_initial_state()
    while state.outcome is None:
        if state.is_chance:
            code = state.draw(random.getrandbits(BITS))
            text = state.text_of(code)
            # Seat 0 has the button, so OpenSpiel deals to seat 1 first.
            cards = text if state.hand else "".join(text.split(" ")[::-1])
            for card in split(cards):
                if spiel is not None:
                    spiel.apply_action(len(DECK) - 1 - DECK.index(card))
        else:
            code = players[state.to_move](state, spiel)
            action = min(code, RAISE if state.rules.is_limit or code < state.rules.stack else ALL_IN)
            # OpenSpiel's four actions may end a round earlier than raises by any amounts.
            spiel = spiel.child(action) if spiel is not None and action in spiel.legal_actions() else None
        state = state.after(code)
    return state.gains[0]


def main() -> None:
    given = options_of(__doc__, seconds=60.0, simulations=50).parse_args()
    for betting in ("no_limit", "limit"):
        game, own = spiel_game(betting == "limit"), ours("heuristic")
        start = GAME.initial({"hands": 1, "betting": betting})
        for name, other in opponents(game, given.simulations).items():
            pairs: list[float] = []
            end = time.monotonic() + given.seconds
            while len(pairs) < MOST_PAIRS and (len(pairs) < 2 or time.monotonic() < end):
                seed = len(pairs)
                pairs.append((gain([own, other], start, game, seed) - gain([other, own], start, game, seed)) / 2)
            rates = [1000 * pair / start.rules.blinds[1] for pair in pairs]
            half = 1.96 * stdev(rates) / len(rates) ** 0.5
            print(f"{betting} | {name} | {mean(rates):+,.0f} ± {half:,.0f} | {2 * len(pairs):,}", flush=True)


if __name__ == "__main__":
    main()
