"""Liar's dice: bids on the dice of the whole table; each seat sees only its own dice. The example of a hidden game.

The common-hand game (https://en.wikipedia.org/wiki/Liar%27s_dice#Common_hand). In each round every seat rolls its dice
under a cup. The seats bid in turn. A bid names a quantity and a face, and claims that at least so many dice show the
face. Each bid has a larger quantity than the bid before, or the same quantity and a higher face. With `ones_wild`, a
one counts as every face. Instead of bidding, a seat may call `liar`, and then all dice are shown. If the dice show less
than the bid, the bidder loses a die, otherwise the caller loses a die. The loser begins the next round; if the loser
has no die left, the next seat with dice begins. At the end one seat has dice and gets place 1. The seat that went out
last gets place 2, and so on.

Moves: a bid, `3x5` (three fives), or `liar`. Ply of chance: the dice of each seat as rolled, and `-` for a seat without
dice: `51 - 4`. A seat sees its own dice, and `?` in place of hidden dice.

A seat that falls out (ply `-`) loses its dice. The round ends without a further loss, because the bids counted dice
that are gone. The next seat with dice begins the next round. A fallen seat is behind every seat with dice.

View: `seat` (the owner of the view; null for a spectator), `counts` (the number of dice of each seat), `hands` (the
dice of each seat, in order, `1456`; `????` if hidden; empty while chance decides and after the end), `bids` (the bids
of the round, each as a seat and a text: `[0, "3x5"]`), `to_move`, `out` (the seats out, in the order of going out),
`last_hands`, `last_bids`, `last_call`, and the settings. The three fields `last_...` have the dice, the bids, and the
caller and loser of the last round that ended with the call `liar`. All three are empty before the first call. The text
of a state is the view with every die, as JSON.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Any, Final, NoReturn

from rumble_engine.chance import drawn_evenly
from rumble_engine.drawing import Drawing
from rumble_engine.errors import BadPosition, IllegalMove, NotListed, UnreadableMove
from rumble_engine.game import ALL, Game, Setting, State
from rumble_engine.games import liars_dice_drawing
from rumble_engine.games.liars_dice_drawing import FACES, HIDDEN, MARKS, NAMES
from rumble_engine.joint import IDLE
from rumble_engine.outcome import Outcome
from rumble_engine.texts import shown
from rumble_engine.views import count_in, settings_in, texts_in

LIAR, FALL = 0, -1
"""Codes of the call `liar` and of a fall.

A bid's code is 6 * (quantity - 1) + face, so higher bids have higher codes.
"""
MOST_SEATS, MOST_DICE = 6, 6
MOST_LISTED = 4
"""Maximum number of dice, of all seats together, for which `chances` lists the rolls."""
MOVE: Final = re.compile(r"liar|([1-9][0-9]?)x([1-6])", re.ASCII)
ROLL: Final = re.compile(r"[1-6]{1,6}|-", re.ASCII)

Hands = tuple[str, ...]
"""The dice of each seat as digits; empty for a seat without dice."""
Bids = tuple[tuple[int, int], ...]
"""The seat and the code of each bid of a round."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round that ended with the call `liar`."""

    hands: Hands
    bids: Bids
    challenger: int
    loser: int


def bid_text(code: int) -> str:
    """Return a bid as text: `3x5`."""
    quantity, face = quantity_and_face(code)
    return f"{quantity}x{face}"


def quantity_and_face(code: int) -> tuple[int, int]:
    """Return the quantity and the face of a bid."""
    return (code + 5) // 6, (code - 1) % 6 + 1


def showing(dice: str, face: int, ones_wild: bool) -> int:
    """Return the number of `dice` that count for a face."""
    wild = dice.count("1") if ones_wild and face != 1 else 0
    return dice.count(FACES[face - 1]) + wild


def loser_of(hands: Hands, bids: Bids, challenger: int, ones_wild: bool) -> int:
    """Return the seat that loses a die: the challenger if the last bid is true, otherwise the bidder."""
    bidder, bid = bids[-1]
    quantity, face = quantity_and_face(bid)
    return challenger if showing("".join(hands), face, ones_wild) >= quantity else bidder


def next_in(seat: int, counts: Sequence[int]) -> int:
    """Return the next seat with dice after `seat`."""
    later = [(seat + step) % len(counts) for step in range(1, len(counts) + 1)]
    return next(each for each in later if counts[each])


@dataclass(slots=True, unsafe_hash=True)
class LiarsDiceState(State):
    """The dice and bids of the round, the seat to move, the seats that are out, and the last round.

    Before a roll, the seat to move is the seat that bids first after the roll.
    """

    dice_each: int
    ones_wild: bool
    counts: tuple[int, ...]
    """The number of dice of each seat."""
    mover: int
    out: tuple[int, ...] = ()
    """The seats that are out, in the order in which they went out."""
    hands: Hands = ()
    """The dice of each seat; empty before the roll."""
    bids: Bids = ()
    last_round: Round | None = None

    can_fall = True

    @property
    def seats(self) -> int:
        return len(self.counts)

    @property
    def to_move(self) -> int:
        return self.mover

    @property
    def finished(self) -> tuple[int, ...]:
        return self.out

    @property
    def outcome(self) -> Outcome | None:
        if len(self.out) < self.seats - 1:
            return None
        places = [self.seats - self.out.index(seat) if seat in self.out else 1 for seat in range(self.seats)]
        return Outcome.ranked(places, f"{LiarsDiceGame.seat_names[places.index(1)]} is the last with dice")

    # --- The roll ---

    @property
    def is_chance(self) -> bool:
        return not self.hands and self.outcome is None

    def chances(self) -> Sequence[tuple[int, float]]:
        """Return every roll with its probability. A roll's code has the dice as digits of base 6. Raises NotListed."""
        if not self.is_chance:
            return ()
        dice = sum(self.counts)
        if dice > MOST_LISTED:
            raise NotListed(f"the rolls of {dice} dice are too many to list")
        return [(code, 1 / 6**dice) for code in range(6**dice)]

    def draw(self, number: int) -> int:
        return drawn_evenly(1.0, 1.0, 6 ** sum(self.counts) - 1, number)

    def _rolled(self, code: int) -> Hands:
        """Return the dice of each seat from the code of a roll."""
        dice = ""
        for _ in range(sum(self.counts)):
            code, face = divmod(code, 6)
            dice += FACES[face]
        starts = [sum(self.counts[:seat]) for seat in range(self.seats)]
        return tuple(dice[start : start + count] for start, count in zip(starts, self.counts, strict=True))

    def seen(self, text: str, seat: int | None) -> str:
        if not self.is_chance or seat == ALL:
            return text
        words = enumerate(text.split(" "))
        return " ".join(word if owner == seat or word == IDLE else HIDDEN for owner, word in words)

    # --- Moves ---

    def codes(self) -> Sequence[int]:
        if self.is_chance:
            return [code for code, _ in self.chances()]
        if not self.hands:
            return ()
        highest = self.bids[-1][1] if self.bids else 0
        return [*([LIAR] if self.bids else []), *range(highest + 1, 6 * sum(self.counts) + 1)]

    def text_of(self, code: int) -> str:
        if self.is_chance:
            return " ".join(hand or IDLE for hand in self._rolled(code))
        return IDLE if code == FALL else "liar" if code == LIAR else bid_text(code)

    def code_of(self, text: str) -> int:
        """Return the code of a roll, of a move, or of a fall (written `-`)."""
        if self.is_chance:
            words = text.split(" ")
            hands = [word.replace(IDLE, "") for word in words]
            if not all(map(ROLL.fullmatch, words)) or tuple(map(len, hands)) != self.counts:
                raise UnreadableMove(f"{shown(text)} is not a roll of the dice on the table: 51 - 4")
            return sum(FACES.index(face) * 6**place for place, face in enumerate("".join(hands)))
        return FALL if text == IDLE and self.hands else self.code_for(self.mover, text)

    def code_for(self, seat: int, text: str) -> int:
        read = MOVE.fullmatch(text)
        if read is None:
            raise UnreadableMove(f"{shown(text)} is not a move: 3x5 bids three fives, liar challenges")
        self.refuse_after_end(text)
        if text == "liar":
            if not self.bids:
                raise IllegalMove("liar is not allowed before the first bid of a round")
            return LIAR
        quantity, face = map(int, read.groups())
        code, dice = 6 * (quantity - 1) + face, sum(self.counts)
        if quantity > dice:
            raise IllegalMove(f"{text} is not allowed: the table has {dice} dice")
        if self.bids and code <= self.bids[-1][1]:
            raise IllegalMove(f"{text} is not allowed: it is not higher than {bid_text(self.bids[-1][1])}")
        return code

    def after(self, code: int) -> "LiarsDiceState":
        if self.is_chance:
            hands = tuple("".join(sorted(hand)) for hand in self._rolled(code))
            return replace(self, hands=hands)
        seat = self.mover
        if code == LIAR:
            return self._called()
        if code == FALL:
            return self._next_round(seat, 0, self.last_round)
        mover, bids = next_in(seat, self.counts), (*self.bids, (seat, code))
        rules = self.dice_each, self.ones_wild
        return LiarsDiceState(*rules, self.counts, mover, self.out, self.hands, bids, self.last_round)

    def after_all(self, moves: Mapping[int, int]) -> "LiarsDiceState":
        return self.after(moves.get(self.mover, FALL))

    def joint_text(self, moves: Mapping[int, int]) -> str:
        return self.text_of(moves.get(self.mover, FALL))

    def _called(self) -> "LiarsDiceState":
        """Return the state after the mover has called `liar`."""
        loser = loser_of(self.hands, self.bids, self.mover, self.ones_wild)
        ended = Round(self.hands, self.bids, self.mover, loser)
        return self._next_round(loser, self.counts[loser] - 1, ended)

    def _next_round(self, seat: int, left: int, last_round: Round | None) -> "LiarsDiceState":
        """Return the state before the next roll. In this state `seat` has `left` dice, and is the first to bid.

        If `left` is 0, the next seat with dice is the first to bid.
        """
        counts = (*self.counts[:seat], left, *self.counts[seat + 1 :])
        out = self.out if left else (*self.out, seat)
        mover = seat if left else next_in(seat, counts)
        return LiarsDiceState(self.dice_each, self.ones_wild, counts, mover, out, last_round=last_round)

    # --- Forms ---

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return the view of `seat`, which hides the dice of the other seats. The view of `ALL` shows all dice."""
        hands = self.hands or ("",) * self.seats
        last = self.last_round
        return {
            "seat": None if seat == ALL else seat,
            "counts": list(self.counts),
            "hands": [hand if seat in (owner, ALL) else HIDDEN * len(hand) for owner, hand in enumerate(hands)],
            "bids": _bids_view(self.bids),
            "to_move": self.mover,
            "out": list(self.out),
            "last_hands": list(last.hands) if last else [],
            "last_bids": _bids_view(last.bids) if last else [],
            "last_call": [last.challenger, last.loser] if last else [],
            "dice_each": self.dice_each,
            "ones_wild": self.ones_wild,
        }

    def text(self) -> str:
        return json.dumps(self.view(ALL), separators=(",", ":"))

    def diagram(self) -> str:
        return GAME.diagram(self.view(ALL))


def _bids_view(bids: Bids) -> list[list[int | str]]:
    return [[seat, bid_text(code)] for seat, code in bids]


class LiarsDiceGame(Game):
    """Liar's dice in which the bids count the dice of all seats together."""

    name = "liars-dice"
    title = "Liar's dice"
    most_seats = MOST_SEATS
    in_turn = False
    hides = True
    seat_marks = tuple(MARKS)
    seat_names = NAMES
    settings = (
        Setting("dice_each", 5, "dice of each seat at the start", 1, MOST_DICE),
        Setting("ones_wild", True, "whether ones count as every face"),
    )

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> LiarsDiceState:
        return self.initial_for(self.seats, settings, seed)

    def initial_for(self, seats: int, settings: Mapping[str, Any] | None = None, seed: int = 0) -> LiarsDiceState:
        """Return the first state, before the first roll. Seat 0 begins the first round."""
        full = self.complete(settings)
        self.check_seats(seats)
        dice = int(full["dice_each"])
        return LiarsDiceState(dice, bool(full["ones_wild"]), (dice,) * seats, 0)

    def load(self, view: Mapping[str, Any]) -> NoReturn:
        raise BadPosition("a view of liars-dice does not tell the dice of all seats: draw some with `sample`")

    def sample(self, view: Mapping[str, Any], random: Random) -> LiarsDiceState:
        """Return a state with random dice in place of the hidden dice. The bids are not taken into account."""
        hands = [
            "".join(sorted(random.choices(FACES, k=len(hand)))) if hand.strip(HIDDEN) == "" else hand
            for hand in texts_in(self, view, "hands")
        ]
        return _state(view, hands, count_in(self, view, "seat", len(hands) - 1))

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> LiarsDiceState:
        full = self.complete(settings)
        try:
            view = json.loads(text)
        except (ValueError, RecursionError):
            view = None
        if not isinstance(view, dict):
            raise BadPosition(f"{shown(text)} is not a position: the whole view as JSON")
        state = _state({**full, **view}, texts_in(self, view, "hands"), ALL)
        if settings and any(state.view()[name] != value for name, value in settings.items()):
            raise BadPosition(f"{shown(text)} has other settings")
        return state

    def diagram(self, view: Mapping[str, Any]) -> str:
        return liars_dice_drawing.diagram(view)

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        return liars_dice_drawing.drawing(view, last)


# --- Views and texts ---


def _state(view: Mapping[str, Any], hands: Sequence[str], seat: int) -> LiarsDiceState:
    """Return the state from a view of `seat`. `hands` replaces the dice in the view. Raises BadPosition."""
    settings = settings_in(GAME, view)
    rules = int(settings["dice_each"]), bool(settings["ones_wild"])
    try:
        counts, out, dice = tuple(view["counts"]), tuple(view["out"]), tuple(hands) if any(hands) else ()
        last = None
        if view["last_call"]:
            last = Round(tuple(view["last_hands"]), _bids(view["last_bids"]), *view["last_call"])
        state = LiarsDiceState(*rules, counts, view["to_move"], out, dice, _bids(view["bids"]), last)
        is_possible = _is_possible(state) and all(view[name] == value for name, value in state.view(seat).items())
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise BadPosition("not a liars-dice view: a field is missing, or of another type") from error
    if not is_possible:
        raise BadPosition("not a liars-dice view: no play leads to this position")
    return state


def _bids(given: Sequence[Sequence[Any]]) -> Bids:
    """Read the bids of a view. Raises ValueError and TypeError."""
    read = [(seat, *map(int, text.split("x"))) for seat, text in given]
    return tuple((seat, 6 * (quantity - 1) + face) for seat, quantity, face in read)


def _is_possible(state: LiarsDiceState) -> bool:
    """Return true if play can lead to the state."""
    counts, last, over = state.counts, state.last_round, len(state.out) == state.seats - 1
    if not all(type(each) is int for each in (*counts, *state.out, state.to_move)):
        return False
    most = [state.dice_each] * len(counts)
    if last is not None:
        is_round = len(last.hands) == len(counts) and max(map(len, last.hands)) <= state.dice_each
        if not (is_round and last.bids and _is_possible_round(last.hands, last.bids, last.challenger)):
            return False
        if last.loser != loser_of(last.hands, last.bids, last.challenger, state.ones_wild):
            return False
        most = [len(hand) - (seat == last.loser) for seat, hand in enumerate(last.hands)]
    is_round = _is_possible_round(state.hands, state.bids, state.to_move) and tuple(map(len, state.hands)) == counts
    return (
        2 <= len(counts) <= MOST_SEATS
        and all(count in (0, before) for count, before in zip(counts, most, strict=True))  # 0: out, or fell out
        and sorted(state.out) == [seat for seat, count in enumerate(counts) if not count]
        and 0 <= state.to_move < len(counts)
        and counts[state.to_move] > 0
        and (is_round and not over if state.hands else not state.bids)
    )


def _is_possible_round(hands: Hands, bids: Bids, mover: int) -> bool:
    """Return true if a round can have these dice and bids when it is the turn of `mover`."""
    seats, codes = [*(seat for seat, _ in bids), mover], [code for _, code in bids]
    counts = [len(hand) for hand in hands]
    return (
        all(set(hand) <= set(FACES) and list(hand) == sorted(hand) for hand in hands)
        and all(0 <= seat < len(hands) and hands[seat] for seat in seats)
        and all(next_in(seat, counts) == later for seat, later in pairwise(seats))
        and all(code < later for code, later in pairwise([0, *codes, 6 * sum(counts) + 1]))
    )


GAME = LiarsDiceGame()
