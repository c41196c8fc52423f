"""Texas hold'em for two to six seats, played by the rules of OpenSpiel's `universal_poker`.

A match is a session of `hands` hands. The button begins at seat 0, and moves to the next seat after each hand. Each
hand is played with full stacks, as in the Annual Computer Poker Competition (ACPC), and the chips won add up. The small
blind is `small_blind`, and the big blind is twice as much. With two seats, the button posts the small blind, and is the
first to act before the flop. With `betting` "limit", a raise adds a big blind in the first two rounds, and two big
blinds later. A round has at most four bets. In the first round, the big blind counts as a bet. After a showdown, the
cards of all seats that have not folded are shown.

Chance deals the cards. The first ply of a hand has two cards for each seat, by seat: `AsKd 7h7c`. Later plies have the
cards for the board: `Jh7d2c`, `Qh`, `3s`. The cards of a seat, and the cards dealt to the board in one ply, are
sorted, the highest first. A seat sees its own cards, and `??` in place of the cards of each other seat.

Moves: as in the protocol of the ACPC, `f` (fold), `c` (check or call), and `r300` (bet or raise: the seat then has 300
chips in the pot, counted over the rounds of the hand). A fold is allowed only after a bet.

After a fall, a seat folds at each turn, or checks if a fold is not allowed. In a match of two seats, the fallen seat
loses its chips in the pot and the blinds of the remaining hands, and the match is over.

View: `seat` (the owner of the view; null for a spectator), `hand` (the number of finished hands), `gains` (the chips
won, by seat), `button`, `cards` (two cards by seat, `??` if hidden; empty before the deal), `board`, `moves` (the moves
of the hand, with `/` for cards on the board: `cr300c/`), `spent` (the chips in the pot by seat), `folded` (seats),
`to_call` (the cost of a call in chips), `min_raise` and `max_raise` (the amounts of `r`; 0 if no raise is allowed),
`to_move`, `last_hand` (null, or `button`, `cards`, `board`, `moves` and `gains` of the hand before, with `??` for cards
not shown), and the settings.

The text of a position has the number of finished hands, and the gains. Then come the cards, moves and board of the
present hand, and the cards, moves and board of the hand before: `1 150,-150 AsKd,7h7c cr300 - ??,?? r300f -`.
"""

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from rumble_engine.drawing import Drawing
from rumble_engine.errors import BadPosition, BadSettings, MissingExtra
from rumble_engine.game import Game, Setting, SettingValue, State
from rumble_engine.texts import shown
from rumble_engine.views import settings_in

try:
    import pyspiel  # noqa: F401
except ModuleNotFoundError as error:
    raise MissingExtra("poker needs an extra; in a checkout of Rumble: pip install '.[openspiel]'") from error

from rumble_engine.games.poker import drawing
from rumble_engine.games.poker.cards import HIDDEN, joined, split, without
from rumble_engine.games.poker.hand import CALL, FOLD, Hand, Rules, action_of, replayed, rules_of
from rumble_engine.games.poker.state import PokerState

MOST_SEATS = 6
TEXT = re.compile(r"(0|[1-9]\d{0,2}) (-?\d{1,9}(?:,-?\d{1,9}){1,5}) (\S+) (\S+) (\S+) (\S+) (\S+) (\S+)", re.ASCII)


class PokerGame(Game):
    """Texas hold'em."""

    name = "poker"
    title = "Poker"
    seats = 2
    least_seats = 2
    most_seats = MOST_SEATS
    in_turn = False
    hides = True
    pays = True
    seat_marks = ("A", "B", "C", "D", "E", "F")
    seat_names = drawing.NAMES
    settings = (
        Setting("betting", "no_limit", "bets of any size, or of fixed sizes", choices=("no_limit", "limit")),
        Setting("hands", 10, "hands of a match", 1, 100),
        Setting("stack", 20_000, "chips of each seat in each hand of no-limit betting", 4, 20_000),
        Setting("small_blind", 50, "chips of the small blind; the big blind is twice as much", 1, 1_000),
    )

    def check(self, settings: Mapping[str, SettingValue]) -> None:
        """Check that a stack has more than the big blind. Raises BadSettings."""
        if int(settings["stack"]) < 4 * int(settings["small_blind"]):
            raise BadSettings("stack must be at least 4 times small_blind")

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> PokerState:
        return self.initial_for(self.seats, settings, seed)

    def initial_for(self, seats: int, settings: Mapping[str, Any] | None = None, seed: int = 0) -> PokerState:
        self.check_seats(seats)
        return PokerState(rules_of(seats, tuple(self.complete(settings).items())), 0, (0,) * seats, None, None)

    def load(self, view: Mapping[str, Any]) -> PokerState:
        """Refuse every view: some private cards are hidden. Raises BadPosition."""
        raise BadPosition("a view of poker is not the whole state: other seats have hidden cards")

    def sample(self, view: Mapping[str, Any], random: Random) -> PokerState:
        """Return a state with random cards in place of the hidden cards of the present hand."""
        settings, seat = settings_in(self, view), view.get("seat")
        try:
            last, cards, board = view["last_hand"], view["cards"], view["board"]
            left = without("".join([*cards, *board]).replace(HIDDEN, ""))
            random.shuffle(left)
            hand = _words(_filled(cards, left), view["moves"], board)
            over = "- - -" if last is None else _words(last["cards"], last["moves"], last["board"])
            state = self.parse(f"{view['hand']} {','.join(map(str, view['gains']))} {hand} {over}", settings)
        except (KeyError, TypeError, ValueError) as error:
            raise BadPosition(f"not a view of poker: {error}") from error
        if state.view(seat) != view:
            raise BadPosition("not a view of poker: its fields do not fit together")
        return state

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> PokerState:
        full = self.complete(settings)
        match = TEXT.fullmatch(text)
        if match is None:
            raise BadPosition(f"{shown(text)} is not a position: 1 150,-150 AsKd,7h7c cr300 - ??,?? r300f -")
        number, gains = int(match[1]), tuple([int(gain) for gain in match[2].split(",")])
        rules = rules_of(len(gains), tuple(full.items()))
        hand = _read(rules, number, match[3], match[4], match[5])
        last = _read(rules, number - 1, match[6], match[7], match[8], hides=True)
        state = PokerState(rules, number, gains, hand, last)
        if state.text() != text:
            raise BadPosition(f"{shown(text)} is not written as {shown(state.text())}")
        most = number * rules.stack
        if (
            number > rules.hands
            or sum(gains) != 0
            or not all(-most <= gain <= (rules.seats - 1) * most for gain in gains)
            or (hand is not None and (hand.is_over or number == rules.hands))
            or (last is not None and not (last.is_over and number))
            or (last is None and 0 < number < rules.hands)  # a fall of one of two seats leaves no last hand
        ):
            raise BadPosition("no play of poker leads to this position")
        return state

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        return drawing.drawing(view, last)

    def diagram(self, view: Mapping[str, Any]) -> str:
        return drawing.diagram(view)

    def written(self, state: State, move: str) -> str:
        """Return a move in words: `fold`, `check`, `call`, `bet 300`, `raise 300`."""
        return self.spellings(state, move)[0]

    def spellings(self, state: State, move: str) -> Sequence[str]:
        """Return the texts of a move: in words, in the notation of bots, and `all-in` if the whole stack is bet."""
        assert isinstance(state, PokerState)
        hand, action = state.hand, action_of(move)
        assert hand is not None
        if action == FOLD:
            return ["fold", move]
        if action == CALL:
            return ["call" if hand.to_call else "check", move]
        verbs = ("bet", "raise") if hand.is_open else ("raise", "bet")
        all_in = ["all-in"] if action == state.rules.stack else []
        return [*(f"{verb} {action}" for verb in verbs), move, *all_in]


def _words(cards: Sequence[str], betting: str, board: Sequence[str]) -> str:
    return f"{','.join(cards) or '-'} {betting or '-'} {''.join(board) or '-'}"


def _read(rules: Rules, number: int, cards: str, betting: str, board: str, hides: bool = False) -> Hand | None:
    """Read a hand from the words for its cards, betting and board. Return None if all three words are `-`.

    Raises BadPosition.

    If `hides` is true, the hand is finished, and the word for cards has `??` for a seat that did not show its cards. In
    the returned hand, such a seat has arbitrary cards from the rest of the deck.
    """
    if (cards, betting, board) == ("-", "-", "-"):
        return None
    pairs, dealt = cards.split(","), split(board.replace("-", ""))
    if len(pairs) != rules.seats:
        raise BadPosition(f"{shown(cards)} is not two cards for each of {rules.seats} seats")
    if hides:
        pairs = _filled(pairs, without("".join([*pairs, *dealt]).replace(HIDDEN, "")))
    return replayed(rules, number % rules.seats, pairs, betting.replace("-", ""), dealt)


def _filled(pairs: Sequence[str], cards: Sequence[str]) -> list[str]:
    """Return the pairs of cards, with each `??` replaced by the next two of `cards`."""
    left = iter(cards)
    return [joined([next(left), next(left)]) if pair == HIDDEN else pair for pair in pairs]


GAME = PokerGame()
