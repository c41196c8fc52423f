"""A hand of Texas hold'em, played by OpenSpiel's `universal_poker`.

OpenSpiel counts the seats from the left of the button; with two seats, the button posts the small blind. Limit betting
is played in OpenSpiel's no-limit game, with only one amount allowed for each raise. OpenSpiel's own limit games are not
used, because they crash the process with more than four seats.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import pyspiel

from rumble_engine.errors import BadPosition
from rumble_engine.game import SettingValue
from rumble_engine.games.poker.cards import DECK, HIDDEN, PLACES, split, without
from rumble_engine.texts import shown

FOLD, CALL = 0, 1
"""OpenSpiel's numbers for the actions fold and call. The number for a raise is the number of chips that the seat has in
the pot after the raise."""
BOARD = (3, 1, 1)
"""The numbers of cards dealt to the board at the beginning of the second, the third and the fourth round."""
DEEP = 48
"""Stack of each seat in limit games, in big blinds.

A seat bets at most 24 big blinds in a hand, so the stack never limits play.
"""
WORD = re.compile(r"[fc/]|r[1-9]\d{0,5}", re.ASCII)
BETTING = re.compile(f"(?:{WORD.pattern})*", re.ASCII)


class Rules:
    """The settings of a match and the number of seats, prepared for play."""

    __slots__ = ("blinds", "game", "hands", "is_limit", "seats", "settings", "stack")

    def __init__(self, seats: int, settings: Mapping[str, SettingValue]) -> None:
        self.seats = seats
        self.settings = dict(settings)
        small = int(settings["small_blind"])
        self.blinds = (small, 2 * small)
        self.hands = int(settings["hands"])
        self.is_limit = settings["betting"] == "limit"
        self.stack = DEEP * 2 * small if self.is_limit else int(settings["stack"])
        blinds = self.blinds[::-1] if seats == 2 else (*self.blinds, *[0] * (seats - 2))
        self.game = pyspiel.load_game(
            "universal_poker(betting=nolimit,bettingAbstraction=fullgame,"
            f"numPlayers={seats},numRounds=4,numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,"
            f"blind={' '.join(map(str, blinds))},firstPlayer={2 if seats == 2 else 3} 1 1 1,"
            f"stack={' '.join([str(self.stack)] * seats)})"
        )
        """OpenSpiel's game in which a single hand is played."""

    def __reduce__(self) -> tuple[object, ...]:
        return rules_of, (self.seats, tuple(self.settings.items()))

    def order(self, button: int) -> list[int]:
        """Return the seats in OpenSpiel's order, from the left of the button."""
        return [(button + 1 + place) % self.seats for place in range(self.seats)]


@lru_cache(64)
def rules_of(seats: int, settings: tuple[tuple[str, SettingValue], ...]) -> Rules:
    """Return the rules for these settings. Recent rules are cached."""
    return Rules(seats, dict(settings))


@dataclass(eq=False, repr=False)
class Hand:
    """A hand of poker after the deal of the private cards. It is immutable."""

    # No slots, because they exclude cached properties.

    rules: Rules
    button: int
    cards: tuple[str, ...]
    """The two private cards of each seat."""
    plies: tuple[str, ...]
    """The moves and the cards of the board, in order."""
    spent: tuple[int, ...]
    """The chips that each seat has in the pot."""
    folded: tuple[int, ...]
    """The seats out of the hand, in the order of folding."""
    _spiel: Any
    """OpenSpiel's state of the hand."""

    @classmethod
    def dealt(cls, rules: Rules, button: int, cards: Sequence[str]) -> "Hand":
        """Return the hand after the deal of `cards`: the private cards of each seat."""
        order = rules.order(button)
        spiel = rules.game.new_initial_state()
        for seat in order:
            _deal(spiel, cards[seat])
        spent = [0] * rules.seats
        for seat, blind in zip(order, rules.blinds[::-1] if rules.seats == 2 else rules.blinds, strict=False):
            spent[seat] = blind
        return cls(rules, button, tuple(cards), (), tuple(spent), (), spiel)

    def __reduce__(self) -> tuple[object, ...]:
        # A copy of OpenSpiel's state would copy the whole game, too.
        return replayed, (self.rules, self.button, self.cards, self.betting, self.board)

    # --- Facts ---

    @property
    def is_over(self) -> bool:
        """True if the hand is over: all seats but one have folded, or there was a showdown."""
        return bool(self._spiel.is_terminal())

    @property
    def is_chance(self) -> bool:
        """True if cards are dealt next."""
        return bool(self._spiel.is_chance_node())

    @property
    def mover(self) -> int:
        """The seat to act. Use this property only while the hand waits for a seat."""
        place: int = self._spiel.current_player()
        return self.rules.order(self.button)[place]

    @property
    def betting(self) -> str:
        """The moves of the hand, with `/` for each deal on the board, as in the ACPC protocol: `cr300c/`."""
        return "".join([ply if WORD.fullmatch(ply) else "/" for ply in self.plies])

    @property
    def board(self) -> list[str]:
        """The cards on the board, in the order dealt."""
        return split("".join([ply for ply in self.plies if not WORD.fullmatch(ply)]))

    @property
    def deck(self) -> list[str]:
        """The cards that are not dealt yet."""
        return without("".join(self.cards) + "".join(self.board))

    @property
    def next_count(self) -> int:
        """The number of cards in the next deal on the board."""
        return BOARD[self.betting.count("/")]

    @cached_property
    def actions(self) -> Sequence[int]:
        """The legal actions of the mover: `FOLD`, `CALL`, and raises.

        A raise is written as the number of chips that the seat has in the pot after the raise.
        """
        legal: list[int] = self._spiel.legal_actions()
        if not self.rules.is_limit:
            return legal
        round_ = self.betting.rpartition("/")[2]
        number = self.betting.count("/")
        amount = max(self.spent) + self.rules.blinds[1] * (1 if number < 2 else 2)
        is_capped = round_.count("r") == (4 if number else 3)  # the big blind is a bet, too
        return [action for action in legal if action <= CALL or (action == amount and not is_capped)]

    @property
    def raises(self) -> tuple[int, int]:
        """The lowest and the highest raise; (0, 0) if no raise is allowed.

        A raise is given as the number of chips that the seat has in the pot after the raise.
        """
        actions = self.actions
        first = next((place for place in range(len(actions)) if actions[place] > CALL), None)
        return (0, 0) if first is None else (actions[first], actions[-1])

    @property
    def to_call(self) -> int:
        """The chips that a call costs the mover."""
        return max(self.spent) - self.spent[self.mover]

    @property
    def is_open(self) -> bool:
        """True if no seat has bet in this round, so that the next bet is not a raise."""
        number, _, round_ = self.betting.rpartition("/")
        return bool(number) and "r" not in round_

    @cached_property
    def gains(self) -> tuple[int, ...]:
        """The chips won by each seat, after the end of the hand; below 0 for a loss.

        OpenSpiel divides a pot into fractions of chips. Here each winner gets whole chips. As at a poker table, chips
        left over go to the winners, a chip to each, beginning with the first winner to the left of the button.
        The stacks are equal, so the hand has a single pot.
        """
        order, returns = self.rules.order(self.button), self._spiel.returns()
        gains = [0] * self.rules.seats
        for seat, gain in zip(order, returns, strict=True):
            gains[seat] = int(gain // 1)
        winners = [seat for seat, gain in zip(order, returns, strict=True) if gain % 1]
        for seat in winners[: -sum(gains)]:
            gains[seat] += 1
        return tuple(gains)

    def shown(self) -> tuple[str, ...]:
        """Return the cards of each seat; `HIDDEN` for a seat that did not show its cards at a showdown."""
        is_showdown = len(self.folded) < self.rules.seats - 1
        return tuple(
            [cards if is_showdown and seat not in self.folded else HIDDEN for seat, cards in enumerate(self.cards)]
        )

    # --- Play ---

    def after_action(self, action: int) -> "Hand":
        """Return the hand after a legal action of the mover."""
        mover, spent, folded = self.mover, list(self.spent), self.folded
        if action == FOLD:
            folded = (*folded, mover)
        else:
            spent[mover] = max(spent) if action == CALL else action
        return self._next(word_of(action), tuple(spent), folded, self._spiel.child(action))

    def after_board(self, cards: str) -> "Hand":
        """Return the hand after cards were dealt to the board."""
        spiel = self._spiel.clone()
        _deal(spiel, cards)
        return self._next(cards, self.spent, self.folded, spiel)

    def _next(self, ply: str, spent: tuple[int, ...], folded: tuple[int, ...], spiel: Any) -> "Hand":
        return Hand(self.rules, self.button, self.cards, (*self.plies, ply), spent, folded, spiel)


def word_of(action: int) -> str:
    """Return an action in the notation of the ACPC protocol: `f`, `c`, `r300`."""
    return "fc"[action] if action <= CALL else f"r{action}"


def action_of(word: str) -> int:
    """Return the action of a word that matches `WORD`; -1 if the word is no action, such as `/`."""
    amount = int(word[1:] or 0)
    return amount if amount > CALL else "fc".find(word)


def replayed(rules: Rules, button: int, cards: Sequence[str], betting: str, board: Sequence[str]) -> Hand:
    """Return the hand that has these private cards, this betting and this board. Raises BadPosition."""
    if not BETTING.fullmatch(betting):
        raise BadPosition(f"{shown(betting)} is not the betting of a hand: cr300c/")
    every = [card for pair in cards for card in split(pair)] + list(board)
    if not set(every) <= set(DECK) or len(set(every)) < len(every) or any(len(pair) != 4 for pair in cards):
        raise BadPosition(f"{shown(' '.join(every))} is not cards that are dealt together")
    hand, left = Hand.dealt(rules, button, cards), list(board)
    for word in WORD.findall(betting):
        action = action_of(word)
        if word == "/" and hand.is_chance and len(left) >= hand.next_count:
            count = hand.next_count
            hand = hand.after_board("".join(left[:count]))
            del left[:count]
        elif word != "/" and not (hand.is_chance or hand.is_over) and action in hand.actions:
            hand = hand.after_action(action)
        else:
            raise BadPosition(f"{shown(betting)} is not the betting of a hand with this board")
    if left:
        raise BadPosition(f"{shown(''.join(board))} is not the board after {shown(betting)}")
    return hand


def _deal(spiel: Any, cards: str) -> None:
    """Deal `cards` in the state `spiel` of OpenSpiel. OpenSpiel numbers the cards from the lowest up."""
    for card in split(cards):
        spiel.apply_action(len(DECK) - 1 - PLACES[card])
