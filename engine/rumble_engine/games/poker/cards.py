"""Cards as text of rank and suit (`As`, `Td`), and a number for each possible deal of cards."""

from collections.abc import Sequence
from math import comb, prod

from rumble_engine.errors import UnreadableMove
from rumble_engine.texts import shown

DECK = tuple(rank + suit for rank in "AKQJT98765432" for suit in "shdc")
"""The cards from the highest down. Cards in texts stand in this order, too."""
PLACES = {card: place for place, card in enumerate(DECK)}
HIDDEN = "??"
"""The text that replaces a seat's two cards while they are hidden."""


def without(cards: str) -> list[str]:
    """Return the deck without the cards of a text such as `2c7dJs`."""
    gone = {*split(cards)}
    return [card for card in DECK if card not in gone]


def split(cards: str) -> list[str]:
    """Split a text such as `2c7dJs` into a list of cards."""
    return [cards[at : at + 2] for at in range(0, len(cards), 2)]


def joined(cards: Sequence[str]) -> str:
    """Return cards as one text, from the highest card down."""
    return "".join(sorted(cards, key=PLACES.__getitem__))


def ways(deck: int, counts: Sequence[int]) -> int:
    """Return the number of ways to deal sets of cards from a deck of `deck` cards. `counts` has each set's size."""
    return prod(comb(deck - sum(counts[:dealt]), count) for dealt, count in enumerate(counts))


def dealt(way: int, deck: Sequence[str], counts: Sequence[int]) -> list[str]:
    """Return the sets of cards of a deal. `way` is the number of the deal, counted from 0 among all possible deals."""
    sets, left = [], list(deck)
    for count in counts:
        way, place = divmod(way, comb(len(left), count))
        chosen = _set_at(place, left, count)
        left = [card for card in left if card not in chosen]
        sets.append("".join(chosen))
    return sets


def way_of(text: str, deck: Sequence[str], counts: Sequence[int]) -> int:
    """Return the number of a deal (see `dealt`) from its text. Raises UnreadableMove.

    `text` has a space between two sets.
    """
    sets = text.split(" ")
    way, factor, left = 0, 1, list(deck)
    if [len(each) for each in sets] != [2 * count for count in counts]:
        raise UnreadableMove(f"{shown(text)} is not the cards that are dealt here, such as AsKd")
    for cards, count in zip(map(split, sets), counts, strict=True):
        if not set(cards) <= set(left) or cards != sorted(set(cards), key=PLACES.__getitem__):
            raise UnreadableMove(f"{shown(text)} is not cards of the deck, each set from the highest card down")
        way += factor * _place_of(cards, left)
        factor *= comb(len(left), count)
        left = [card for card in left if card not in cards]
    return way


def _set_at(place: int, deck: Sequence[str], count: int) -> list[str]:
    """Return the set with the index `place` among all sets of `count` cards, in the order of the deck."""
    chosen: list[str] = []
    for at, card in enumerate(deck):
        if len(chosen) == count:
            break
        with_card = comb(len(deck) - at - 1, count - len(chosen) - 1)
        if place < with_card:
            chosen.append(card)
        else:
            place -= with_card
    return chosen


def _place_of(cards: Sequence[str], deck: Sequence[str]) -> int:
    place, found = 0, 0
    for at, card in enumerate(deck):
        if found == len(cards):
            break
        if card == cards[found]:
            found += 1
        else:
            place += comb(len(deck) - at - 1, len(cards) - found - 1)
    return place
