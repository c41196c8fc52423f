"""The pictures of a view of poker: lines for a terminal, and a drawing for a page."""

from collections.abc import Mapping, Sequence
from string import ascii_letters
from typing import Any

from rumble_engine.drawing import EMPTY, SEAT_COLOURS, Drawing, Piece
from rumble_engine.games.poker.cards import DECK, HIDDEN, PLACES, split

NAMES = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth")
RANKS = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten"} | {rank: rank for rank in "98765432"}
SUITS = {"s": ("spades", "♠"), "h": ("hearts", "♥"), "d": ("diamonds", "♦"), "c": ("clubs", "♣")}
SEATS = "αβγδεζ"
"""The Greek letter of each seat in the drawing. Latin letters stand for the cards, in the order of the deck."""
BACK, BUTTON = "#", "*"
LIMIT = 48
"""With limit betting, the maximum value of a seat's chips in the pot, as a multiple of the small blind."""
CARDS = 5
"""Number of cells for the board's cards in the drawing. After these cells come an empty cell and the chips."""


def _card(card: str) -> Piece:
    rank, (suit, sign) = card[0], SUITS[card[1]]
    return Piece(f"{RANKS[rank]} of {suit}", None, "card", "fifth" if card[1] in "hd" else "dark", rank + sign)


PIECES = (
    {seat: Piece(NAMES[at], at, "disc", SEAT_COLOURS[at], "ABCDEF"[at]) for at, seat in enumerate(SEATS)}
    | {letter: _card(card) for letter, card in zip(ascii_letters, DECK, strict=True)}
    | {digit: Piece(digit, None, "tile", "light", digit) for digit in "0123456789"}
    | {BACK: Piece("card face down", None, "back", "sixth"), BUTTON: Piece("button", None, "disc", "light", "D")}
)


def drawing(view: Mapping[str, Any], last: str | None) -> Drawing:
    """Return the drawing of a view: the board with the pot, and a row for each seat.

    A row has the seat, the button, the seat's cards, and the seat's chips in the pot. Between two hands, the drawing
    shows the cards of the hand that ended.
    """
    seats = len(view["gains"])
    most = LIMIT * view["small_blind"] if view["betting"] == "limit" else view["stack"]
    width = len(str(seats * most))
    hand = view if view["cards"] or not view["last_hand"] else view["last_hand"]
    board = _letters(hand["board"])
    rows = [board.ljust(CARDS + 1, EMPTY) + str(sum(view["spent"])).rjust(width, EMPTY)]
    for seat in range(seats):
        cards = hand["cards"][seat] if hand["cards"] else ""
        if cards == HIDDEN:
            cards = EMPTY * 2 if seat in view["folded"] or hand is not view else BACK * 2
        else:
            cards = _letters(split(cards))
        signs = SEATS[seat] + (BUTTON if seat == hand["button"] else EMPTY)
        rows.append((signs + cards).ljust(CARDS + 1, EMPTY) + str(view["spent"][seat]).rjust(width, EMPTY))
    dealt = split(last) if last is not None else []
    is_board = bool(dealt) and hand["board"][-len(dealt) :] == dealt
    marked = range(len(board) - len(dealt), len(board)) if is_board else ()
    return Drawing("felt", CARDS + 1 + width, "".join(rows), PIECES, last=tuple(marked))


def _letters(cards: Sequence[str]) -> str:
    return "".join([ascii_letters[PLACES[card]] for card in cards])


def diagram(view: Mapping[str, Any]) -> str:
    """Return a view as lines: the hand, its board, a line for each seat, and the last hand."""
    number, hands, last = view["hand"], view["hands"], view["last_hand"]
    lines = [f"hand {min(number + 1, hands)} of {hands}"]
    lines.append(f"pot {sum(view['spent'])}  board {' '.join(view['board']) or '-'}  moves {view['moves'] or '-'}")
    for seat, gain in enumerate(view["gains"]):
        cards = view["cards"][seat] if view["cards"] else "-"
        signs = ("D" if seat == view["button"] else " ") + ("x" if seat in view["folded"] else " ")
        lines.append(f"{NAMES[seat]:6} {signs} {cards:4} {view['spent'][seat]:>6}  gains {gain:+}")
    if last is not None:
        shown = " ".join(last["cards"])
        lines.append(f"last hand: {shown}  board {' '.join(last['board']) or '-'}  moves {last['moves']}")
    return "\n".join(lines)
