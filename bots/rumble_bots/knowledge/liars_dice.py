"""Rules of thumb for liar's dice: make bids that are probably true, and call bids that are probably false.

Hidden dice are independent, so the number of dice with a face has a binomial distribution. After a bid of a face, the
bidder is assumed to have more dice with the face than by chance. A bid is the right move if the bid is true. A call is
the right move if the called bid is false.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import comb

from rumble_engine.games.liars_dice import LIAR, LiarsDiceState, loser_of, quantity_and_face, showing

from rumble_bots.knowledge.worths import scores

TRUST = 1.7
"""Factor for the probability that a die shows a face, if the owner of the die has bid the face.

The value was found by playing matches.
"""
REMEMBERED = 32_768
"""Maximum number of situations with cached moves."""


def best(state: LiarsDiceState, seat: int) -> Sequence[int]:
    """Return a sequence with a single move: the move that is most probably right."""
    return tries(state, seat)[:1]


def tries(state: LiarsDiceState, seat: int) -> Sequence[int]:
    """Return the legal moves. The move that is most probably right comes first."""
    trusted = [0] * 6
    for face in range(1, 7):
        bidders = {bidder for bidder, bid in state.bids if bidder != seat and quantity_and_face(bid)[1] == face}
        trusted[face - 1] = sum(state.counts[bidder] for bidder in bidders)
    last, dice = state.bids[-1][1] if state.bids else LIAR, sum(state.counts)
    return _ordered(state.hands[seat], tuple(trusted), dice, last, state.ones_wild)


@lru_cache(REMEMBERED)
def _ordered(hand: str, trusted: tuple[int, ...], dice: int, last: int, ones_wild: bool) -> Sequence[int]:
    """Return the moves after the bid `last` (0 at the beginning of a round). The move that is most probably right comes
    first.

    For each face, `trusted` has the number of all dice of the opponents who have bid the face, whatever these dice
    show. `dice` is the number of dice of all seats.
    """
    worths = {LIAR: 1 - truth(last, hand, trusted, dice, ones_wild)} if last else {}
    worths |= {code: truth(code, hand, trusted, dice, ones_wild) for code in range(last + 1, 6 * dice + 1)}
    return sorted(worths, key=worths.__getitem__, reverse=True)


def truth(bid: int, hand: str, trusted: Sequence[int], dice: int, ones_wild: bool) -> float:
    """Return the probability that a bid is true, for a seat with the dice `hand`. See `_ordered` for the arguments."""
    quantity, face = quantity_and_face(bid)
    probability = 1 / 3 if ones_wild and face != 1 else 1 / 6
    need, likely = quantity - showing(hand, face, ones_wild), trusted[face - 1]
    unseen = dice - len(hand) - likely
    if need <= 0:
        return 1.0
    return sum(
        _binomial(hits, likely, probability * TRUST) * _binomial(more, unseen, probability)
        for hits in range(likely + 1)
        for more in range(max(0, need - hits), unseen + 1)
    )


@lru_cache(REMEMBERED)
def _binomial(hits: int, dice: int, probability: float) -> float:
    """Return the probability of exactly `hits` hits among `dice` dice. `probability` is the probability of a hit."""
    return comb(dice, hits) * probability**hits * (1 - probability) ** (dice - hits)


def judge(state: LiarsDiceState) -> Sequence[float]:
    """Return the estimated score of each seat, computed from the numbers of dice.

    If there is a bid, one seat counts half a die less: the seat that would lose a die if the mover called the bid.
    """
    dice = [float(count) for count in state.counts]
    if state.bids:
        dice[loser_of(state.hands, state.bids, state.to_move, state.ones_wild)] -= 0.5
    places = {seat: place - state.seats for place, seat in enumerate(state.out)}
    worths = [float(places[seat]) if seat in places else own for seat, own in enumerate(dice)]
    return scores(worths)
