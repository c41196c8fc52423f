"""Rules of thumb for poker: the equity of a seat's cards against random hands, and the odds of the pot.

The equity is the expected share of the pot at a showdown, estimated by random deals. The estimate uses only the seat's
own cards and the open cards of a state.
"""

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from rumble_engine.games.poker.cards import PLACES, split, without
from rumble_engine.games.poker.hand import CALL, FOLD, Hand
from rumble_engine.games.poker.state import PokerState

DEALS = 200
"""Number of random deals from which an equity is estimated."""
STRONG = 1.4
"""Minimum equity for a raise, as a multiple of an equal share of the pot."""
CAUTION = 0.1
"""Equity that a call of a whole stack needs in addition to the odds of the pot. A smaller call needs less."""
REMEMBERED = 16_384
"""Maximum number of cached equities."""
Strength = tuple[int, ...]
"""The category of a hand, from 0 (high card) to 8 (straight flush), then the ranks that decide within a category."""


def best(state: PokerState, seat: int) -> Sequence[int]:
    """Return a single move: a pot-sized raise with strong cards, a call at good odds or without cost, else a fold."""
    hand = _hand(state)
    others = state.seats - len(hand.folded) - 1
    own = equity(hand.cards[seat], "".join(hand.board), others)
    pot, cost = sum(hand.spent), hand.to_call
    if hand.raises[1] and own * (others + 1) >= STRONG:
        return [_raise_by_pot(hand)]
    odds = cost / (pot + cost)
    return [CALL if not cost or own >= odds + CAUTION * cost / state.rules.stack else FOLD]


def tries(state: PokerState, seat: int) -> Sequence[int]:
    """Return the moves to try: the move of `best`, fold, call, the lowest and highest raise, and a pot-sized raise."""
    hand = _hand(state)
    calm = [action for action in hand.actions[:2] if action <= CALL]
    raises = [*hand.raises, _raise_by_pot(hand)] if hand.raises[1] else []
    return list(dict.fromkeys([*best(state, seat), *calm, *raises]))


def judge(state: PokerState) -> Sequence[float]:
    """Return an estimated score for each seat, from the chips won so far and the seat's expected share of the pot."""
    chips = [float(gain) for gain in state.gains]
    hand = state.hand
    if hand is not None:
        others = state.seats - len(hand.folded) - 1
        shares = [
            0.0 if seat in hand.folded else equity(cards, "".join(hand.board), others)
            for seat, cards in enumerate(hand.cards)
        ]
        whole, pot = sum(shares) or 1.0, sum(hand.spent)
        chips = [own + pot * share / whole - spent for own, share, spent in zip(chips, shares, hand.spent, strict=True)]
    return [
        sum(0.5 + (own - other) / (4 * (abs(own) + abs(other)) or 1.0) for other in chips) / len(chips) for own in chips
    ]


def _hand(state: PokerState) -> Hand:
    if state.hand is None:
        raise ValueError("no seat moves between two hands")
    return state.hand


def _raise_by_pot(hand: Hand) -> int:
    """Return the legal raise nearest to a raise by the size of the pot."""
    lowest, highest = hand.raises
    return min(max(lowest, max(hand.spent) + sum(hand.spent) + hand.to_call), highest)


@lru_cache(REMEMBERED)
def equity(own: str, board: str, others: int) -> float:
    """Return the estimated share of the pot for two cards against `others` random hands.

    Calls with the same arguments return the same estimate.
    """
    random = Random(f"{own} {board} {others}")
    left = [PLACES[card] for card in without(own + board)]
    mine, known = [PLACES[card] for card in split(own)], [PLACES[card] for card in split(board)]
    missing, total = 5 - len(known), 0.0
    for _ in range(DEALS):
        dealt = random.sample(left, missing + 2 * others)
        full_board = known + dealt[:missing]
        held = strength(mine + full_board)
        rivals = [strength(dealt[at : at + 2] + full_board) for at in range(missing, len(dealt), 2)]
        if held >= max(rivals):
            total += 1 / (1 + rivals.count(held))
    return total / DEALS


def strength(cards: Sequence[int]) -> Strength:
    """Return the strength of the best five of `cards`. A card is given by its index in the deck."""
    suits, counts = [0] * 4, [0] * 13
    for place in cards:
        rank = 12 - (place >> 2)
        counts[rank] += 1
        suits[place & 3] |= 1 << rank
    flush = next((mask for mask in suits if mask.bit_count() >= 5), 0)
    if flush and (high := _straight(flush)):
        return 8, high
    # Higher counts first, and higher ranks first among equal counts.
    groups = sorted([(count, rank) for rank, count in enumerate(counts) if count], reverse=True)
    (most, first), (more, second) = groups[:2]
    if most == 4:
        return 7, first, max(rank for _, rank in groups[1:])
    if most == 3 and more >= 2:
        return 6, first, second
    if flush:
        return 5, *_highest(flush)
    if high := _straight(suits[0] | suits[1] | suits[2] | suits[3]):
        return 4, high
    if most == 3:
        return 3, *[rank for _, rank in groups[:3]]
    if most == 2 and more == 2:
        return 2, first, second, max(rank for _, rank in groups[2:])
    return most - 1, *[rank for _, rank in groups[: 6 - most]]


def _straight(mask: int) -> int:
    """Return the height of the highest straight: 1 for a five-high straight, 2 for a six-high, and so on; 0 for none.

    `mask` has a bit for each rank.
    """
    with_low_ace = mask << 1 | mask >> 12
    runs = with_low_ace & with_low_ace >> 1 & with_low_ace >> 2 & with_low_ace >> 3 & with_low_ace >> 4
    return runs.bit_length()


def _highest(mask: int) -> list[int]:
    return [rank for rank in range(12, -1, -1) if mask >> rank & 1][:5]
