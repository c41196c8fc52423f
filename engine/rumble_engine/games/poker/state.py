"""The state of a poker match: the present hand, the chips won so far, and the hand that ended last."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from rumble_engine.chance import BITS
from rumble_engine.errors import IllegalMove, NotListed, UnreadableMove
from rumble_engine.game import ALL, State
from rumble_engine.games.poker.cards import DECK, HIDDEN, dealt, way_of, ways
from rumble_engine.games.poker.drawing import diagram
from rumble_engine.games.poker.hand import FOLD, WORD, Hand, Rules, action_of, word_of
from rumble_engine.joint import IDLE
from rumble_engine.outcome import Outcome
from rumble_engine.texts import shown

CONCEDED = -1
"""The code of the ply `-` in a match of two seats: the mover fell out, and folds all remaining hands."""
MOST_LISTED = 52
"""Maximum number of deals that `chances` lists. Only the fourth and the fifth card on the board have so few."""


class PokerState(State):
    """The number of hands played, the chips won, the present hand (None before the deal), and the last ended hand."""

    # No slots, because they exclude cached properties.

    can_fall = True

    def __init__(self, rules: Rules, number: int, gains: tuple[int, ...], hand: Hand | None, last: Hand | None) -> None:
        self.rules = rules
        self.number = number
        self.gains = gains
        self.hand = hand
        self.last = last
        """The hand that ended last. Its private cards appear in texts and views only if they were shown."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PokerState) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[object, ...]:
        return self.text(), tuple(self.rules.settings.items())

    @property
    def seats(self) -> int:
        return self.rules.seats

    @property
    def button(self) -> int:
        """The seat with the button."""
        return self.number % self.rules.seats

    @property
    def outcome(self) -> Outcome | None:
        if self.number < self.rules.hands:
            return None
        return Outcome.paid(self.gains, f"{' to '.join(map(str, self.gains))} chips after {self.number} hands")

    @property
    def to_move(self) -> int:
        """The seat to act, or the one with the button if none has to act."""
        return self.button if self.hand is None or self.hand.is_chance else self.hand.mover

    # --- Chance ---

    @property
    def is_chance(self) -> bool:
        return self.number < self.rules.hands and (self.hand is None or self.hand.is_chance)

    @property
    def _deck(self) -> list[str]:
        return list(DECK) if self.hand is None else self.hand.deck

    @property
    def _counts(self) -> list[int]:
        """Sizes of the sets of cards that are dealt next: 2 for each seat, or the number of new cards on the board."""
        return [2] * self.seats if self.hand is None else [self.hand.next_count]

    def chances(self) -> Sequence[tuple[int, float]]:
        if not self.is_chance:
            return ()
        count = ways(len(self._deck), self._counts)
        if count > MOST_LISTED:
            raise NotListed(f"the cards can be dealt in {count} ways")
        return [(way, 1 / count) for way in range(count)]

    def draw(self, number: int) -> int:
        """Return the code of a deal chosen by the random `number`. All deals of the next cards are equally probable."""
        return number * ways(len(self._deck), self._counts) >> BITS

    # --- Plies ---

    def codes(self) -> Sequence[int]:
        if self.is_chance:
            return [code for code, _ in self.chances()]
        return () if self.hand is None else self.hand.actions

    def after(self, code: int) -> "PokerState":
        if code == CONCEDED:
            return self._conceded()
        if not self.is_chance:
            assert self.hand is not None
            hand = self.hand.after_action(code)
        elif self.hand is None:
            hand = Hand.dealt(self.rules, self.button, self.text_of(code).split(" "))
        else:
            hand = self.hand.after_board(self.text_of(code))
        if not hand.is_over:
            return PokerState(self.rules, self.number, self.gains, hand, self.last)
        gains = tuple([own + gain for own, gain in zip(self.gains, hand.gains, strict=True)])
        return PokerState(self.rules, self.number + 1, gains, None, hand)

    def _conceded(self) -> "PokerState":
        """Return the final state of a match of two seats in which the mover folds all remaining hands."""
        rules, seat = self.rules, self.to_move
        lost = 0 if self.hand is None else self.hand.spent[seat]
        # The button posts the small blind.
        lost += sum(rules.blinds[number % 2 != seat] for number in range(self.number + 1, rules.hands))
        gains = tuple([gain - lost if own == seat else gain + lost for own, gain in enumerate(self.gains)])
        return PokerState(rules, rules.hands, gains, None, None)

    def after_all(self, moves: Mapping[int, int]) -> "PokerState":
        """Return the state after the mover's move. If `moves` is empty, the mover has fallen out of the match."""
        return self.after(moves[self.to_move] if moves else self._fall)

    def joint_text(self, moves: Mapping[int, int]) -> str:
        """Return the text of the mover's move; without a move, the text of a fall."""
        return self.text_of(moves[self.to_move] if moves else self._fall)

    @property
    def _fall(self) -> int:
        """The code of the move that is made for a seat when the seat falls.

        With two seats, the code is `CONCEDED`. With more seats, the move is a fold if allowed, and otherwise a check.
        """
        return CONCEDED if self.seats == 2 else self.codes()[0]

    def text_of(self, code: int) -> str:
        if code == CONCEDED:
            return IDLE
        return " ".join(dealt(code, self._deck, self._counts)) if self.is_chance else word_of(code)

    def code_of(self, text: str) -> int:
        if text == IDLE and self.seats == 2 and self.movers:
            return CONCEDED
        return way_of(text, self._deck, self._counts) if self.is_chance else self._action_of(text)

    def code_for(self, seat: int, text: str) -> int:
        return self._action_of(text)

    def _action_of(self, text: str) -> int:
        if not WORD.fullmatch(text) or text == "/":
            raise UnreadableMove(f"{shown(text)} is not a move: f, c, or r300 to raise to 300 chips")
        self.refuse_after_end(text)
        assert self.hand is not None
        code = action_of(text)
        if code in self.hand.actions:
            return code
        if code == FOLD:
            raise IllegalMove("f is not allowed: there is nothing to call")
        lowest, highest = self.hand.raises
        allowed = f"a raise is from r{lowest} to r{highest}" if highest else "no raise is allowed here"
        raise IllegalMove(f"{text} is not allowed: {allowed}")

    def seen(self, text: str, seat: int | None) -> str:
        """Return a ply with `??` in place of cards that `seat` must not see."""
        if self.hand is not None or seat == ALL or not self.is_chance:
            return text
        return " ".join([cards if other == seat else HIDDEN for other, cards in enumerate(text.split(" "))])

    # --- Forms ---

    def view(self, seat: int | None = None) -> dict[str, Any]:
        hand, last = self.hand, self.last
        lowest, highest = (0, 0) if hand is None or hand.is_chance else hand.raises
        return {
            "seat": seat,
            "hand": self.number,
            "gains": list(self.gains),
            "button": self.button,
            "cards": [] if hand is None else [c if seat in (ALL, own) else HIDDEN for own, c in enumerate(hand.cards)],
            "board": [] if hand is None else hand.board,
            "moves": "" if hand is None else hand.betting,
            "spent": [0] * self.seats if hand is None else list(hand.spent),
            "folded": [] if hand is None else sorted(hand.folded),
            "to_call": 0 if hand is None or not self.movers else hand.to_call,
            "min_raise": lowest,
            "max_raise": highest,
            "to_move": self.to_move,
            "last_hand": None if last is None else _told(last),
            **self.rules.settings,
        }

    def text(self) -> str:
        """Return the number of hands played, the chips won, the present hand, and the hand that ended last.

        The text of a hand is its cards, betting and board.
        """
        return (
            f"{self.number} {','.join(map(str, self.gains))} {_written(self.hand)} {_written(self.last, is_over=True)}"
        )

    def diagram(self) -> str:
        return diagram(self.view(ALL))


def _told(hand: Hand) -> dict[str, Any]:
    """Return the field `last_hand` of a view."""
    return {
        "button": hand.button,
        "cards": list(hand.shown()),
        "board": hand.board,
        "moves": hand.betting,
        "gains": list(hand.gains),
    }


def _written(hand: Hand | None, is_over: bool = False) -> str:
    """Return the text of a hand in the text of a position: cards, betting and board, separated by blanks."""
    if hand is None:
        return "- - -"
    cards = hand.shown() if is_over else hand.cards
    return f"{','.join(cards)} {hand.betting or '-'} {''.join(hand.board) or '-'}"
