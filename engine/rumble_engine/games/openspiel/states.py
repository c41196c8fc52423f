"""States of OpenSpiel's games: a class for moves in turn, and a class for joint moves."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from operator import contains
from typing import Any

from rumble_engine.chance import BITS
from rumble_engine.errors import LONGEST_MOVE, BadPosition, BadSettings, IllegalMove, NotListed, UnreadableMove
from rumble_engine.game import ALL, State
from rumble_engine.games.openspiel.terms import Key, Terms
from rumble_engine.joint import JointState
from rumble_engine.outcome import Outcome, places_of
from rumble_engine.texts import shown

MOST_MOVES = 2000
"""Maximum number of moves in a match; then all seats tie. A joint move counts once. Plain games have no maximum."""
SEED_BITS = 31
"""Number of bits of a seed. OpenSpiel stores seeds as 32-bit numbers with a sign."""
MOST_PAID = 1e9
"""Maximum payoff, and maximum loss, of a seat. OpenSpiel's larger payoffs and losses are replaced by the maximum."""
UNKNOWN = "?"


class OpenSpielState(State):
    """A state of an OpenSpiel game, as an immutable state of Rumble."""

    __slots__ = ("_is_over", "_moves", "_seed", "_state", "_terms")

    def __init__(self, terms: Terms, state: Any, moves: int, seed: int | None) -> None:
        """Make the state around OpenSpiel's `state`. The caller must not change `state` afterwards.

        `moves` is the number of moves made by the seats; `seed` is None until a seed is drawn.
        """
        self._terms, self._state, self._moves, self._seed = terms, state, moves, seed
        self._is_over = state.is_terminal() or (moves >= MOST_MOVES and not terms.is_plain)

    def __reduce__(self) -> tuple[object, ...]:
        return _replay, self._identity()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenSpielState) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    @property
    def seats(self) -> int:
        return self._terms.seats

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, made from OpenSpiel's list `returns`, which has a number for each seat.

        In a plain game, the numbers only decide the result. In any other game, the numbers are the payoffs.
        """
        if not self._is_over:
            return None
        if not self._state.is_terminal():
            return Outcome.paid([0.0] * self.seats, f"{MOST_MOVES} moves are the most")
        returns = [round(min(max(-MOST_PAID, each), MOST_PAID), 9) + 0.0 for each in self._state.returns()]
        if not self._terms.is_plain:
            return Outcome.paid(returns, "paid by the game's rules")
        if self.seats > 2:
            return Outcome.ranked(places_of([-own for own in returns]), "placed by the game's rules")
        if returns[0] == returns[1]:
            return Outcome.draw("drawn by the game's rules")
        return Outcome.win(0 if returns[0] > returns[1] else 1, "won by the game's rules")

    @property
    def is_seeding(self) -> bool:
        """True if the next ply is the seed of OpenSpiel's random generator, drawn by chance."""
        return self._seed is None and self._terms.is_seeded

    def chances(self) -> Sequence[tuple[int, float]]:
        if not self.is_chance:
            return ()
        if self.is_seeding:
            raise NotListed(f"a seed is one of {1 << SEED_BITS} numbers")
        listed = [(code, weight) for code, weight in self._state.chance_outcomes() if weight > 0]
        total = sum(weight for _, weight in listed)
        return [(code, weight / total) for code, weight in listed]

    def draw(self, number: int) -> int:
        return number >> BITS - SEED_BITS if self.is_seeding else super().draw(number)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        terms = self._terms
        turn = {"movers": list(self.movers)} if terms.is_joint else {"to_move": self.to_move}
        if seat == ALL or not terms.hides:
            return {"board": str(self._state), "actions": self._numbers(), **turn, **terms.fields}
        turn["ply"] = self._state.move_number()
        own = {} if seat is None else {"seat": seat, "board": terms.board(self._state, seat)}
        return {**own, **turn, **terms.fields}

    def text(self) -> str:
        """Return the action numbers of the past plies, or `start` before the first ply.

        If the number of seats is not the game's usual number, the text begins with the number of seats: `3: start`.
        """
        numbers = " ".join(str(number) for number in self._numbers()) or "start"
        return numbers if self.seats == self._terms.usual_seats else f"{self.seats}: {numbers}"

    def diagram(self) -> str:
        return str(self._state) or f"ply {self._state.move_number()}"

    def _numbers(self) -> list[int]:
        numbers: list[int] = self._state.history()
        return numbers if self._seed is None else [self._seed, *numbers[1:]]

    def _identity(self) -> tuple[Key, tuple[int, ...]]:
        return self._terms.key, tuple(self._numbers())

    def _chance_text(self, code: int) -> str:
        return str(code) if self.is_seeding else " ".join(self._state.action_to_string(code).split())


class TurnState(OpenSpielState):
    """A state of a game with moves in turn, with a cache of the moves' texts."""

    __slots__ = ("_codes", "_is_chance", "_mover", "_names")

    def __init__(self, terms: Terms, state: Any, mover: int, moves: int = 0, seed: int | None = None) -> None:
        """Make the state, with the parameters of the base class and `mover`.

        `to_move` is `mover` if the game is over or chance decides. Otherwise `to_move` comes from `state`.
        """
        super().__init__(terms, state, moves, seed)
        self._codes: list[int] = []
        self._mover = mover
        self._is_chance = False
        if not self._is_over:
            player = state.current_player()
            self._is_chance = player < 0
            if player >= 0:
                self._mover, self._codes = player, state.legal_actions()
        self._names: dict[int, str] = {} if terms.names is None else terms.names[self._mover]

    @property
    def to_move(self) -> int:
        """The seat to move. After the end, and where chance decides, the seat after the last mover."""
        return self._mover

    @property
    def is_chance(self) -> bool:
        return self._is_chance

    @property
    def legal_moves(self) -> Sequence[str]:
        names = self._names
        return [names.get(code) or self.text_of(code) for code in self.codes()]

    def codes(self) -> Sequence[int]:
        return [code for code, _ in self.chances()] if self._is_chance else self._codes

    def after(self, code: int) -> "TurnState":
        terms, kind = self._terms, type(self)
        if self._is_chance:
            if self.is_seeding:
                return kind(terms, terms.first(code), self._mover, seed=code)
            return kind(terms, self._state.child(code), self._mover, self._moves, self._seed)
        after = self._state.child(code)
        return kind(terms, after, (self._mover + 1) % terms.seats, self._moves + 1, self._seed)

    def text_of(self, code: int) -> str:
        text = self._names.get(code)
        if text is None:
            text = self._chance_text(code) if self._is_chance else self._state.action_to_string(self._mover, code)
            self._names[code] = text
        return text

    def code_of(self, text: str) -> int:
        if self.is_seeding:
            return _seed_in(text)
        names = self._names
        for code in self.codes():
            if (names.get(code) or self.text_of(code)) == text:
                return code
        _refuse_unreadable(text)
        self.refuse_after_end(shown(text))
        raise IllegalMove(f"{shown(text)} is not allowed")


class PlainState(TurnState):
    """A state of a plain game, in which chance never decides. Searches recognize plain games by this class."""

    __slots__ = ()

    is_chance = State.is_chance


class HiddenTurnState(TurnState):
    """A state of a hidden game with moves in turn."""

    __slots__ = ()

    def seen(self, text: str, seat: int | None) -> str:
        """Return the text of a move for its mover, and `?` for others. Outcomes of chance are `?` for all but `ALL`."""
        return text if seat == ALL or seat in self.movers else UNKNOWN


class OpenSpielJointState(OpenSpielState, JointState):
    """A state of a game with joint moves."""

    __slots__ = ("_movers",)

    moves_each = 1 << 31

    def __init__(self, terms: Terms, state: Any, moves: int = 0) -> None:
        super().__init__(terms, state, moves, None)
        self._movers: tuple[int, ...] = ()
        if not self._is_over and not state.is_chance_node():
            self._movers = tuple(range(terms.seats))

    @property
    def movers(self) -> tuple[int, ...]:
        return self._movers

    def codes_for(self, seat: int) -> Sequence[int]:
        codes: list[int] = self._state.legal_actions(seat)
        return codes

    def text_for(self, seat: int, code: int) -> str:
        """Return OpenSpiel's text of the move, with `_` for a space."""
        text: str = self._state.action_to_string(seat, code)
        return text.replace(" ", "_")

    def code_for(self, seat: int, text: str) -> int:
        for code in self.codes_for(seat):
            if self.text_for(seat, code) == text:
                return code
        _refuse_unreadable(text)
        raise IllegalMove(f"{shown(text)} is not allowed")

    def after_all(self, moves: Mapping[int, int]) -> "OpenSpielJointState":
        after = self._state.clone()
        after.apply_actions([moves[seat] for seat in self._movers])
        return OpenSpielJointState(self._terms, after, self._moves + 1)

    def after_chance(self, code: int) -> "OpenSpielJointState":
        return OpenSpielJointState(self._terms, self._state.child(code), self._moves)

    def chance_text(self, code: int) -> str:
        return self._chance_text(code)

    def seen(self, text: str, seat: int | None) -> str:
        if not self._terms.hides or seat == ALL:
            return text
        if self.is_chance:
            return UNKNOWN
        words = enumerate(text.split(" "))
        return " ".join([word if mover == seat else UNKNOWN for mover, word in words])


def _seed_in(text: str) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) <= 10
    if not is_number or str(int(text)) != text or int(text) >= 1 << SEED_BITS:
        raise UnreadableMove(f"{shown(text)} is not a seed")
    return int(text)


def _refuse_unreadable(text: str) -> None:
    if not 0 < len(text) <= LONGEST_MOVE or not text.isprintable():
        raise UnreadableMove(f"{shown(text)} is not a move: write one as the list of legal moves does")


@lru_cache(256)  # bots choose the settings of challenges, so the choices have no end
def started(key: Key) -> OpenSpielState:
    """Return the first state of a match with the terms of `key`. Raises BadSettings."""
    terms = Terms(key)
    try:
        state = _made(terms, terms.first())
        for seat in (None, ALL, *state.movers):
            state.view(seat)
        playable = state.is_chance or (state.outcome is None and state.codes_for(state.to_move))
    except BadSettings:
        raise
    except Exception as error:
        raise BadSettings(f"OpenSpiel does not play {terms}") from error
    if not playable:
        raise BadSettings(f"OpenSpiel has no game to play in {terms}")
    return state


def played(start: OpenSpielState, numbers: Sequence[int]) -> OpenSpielState:
    """Return the state reached from `start` by the plies with the action numbers `numbers`. Raises BadPosition."""
    terms, state = start._terms, start._state.clone()
    mover, moves, seed, left = 0, 0, None, iter(numbers)
    for number in left:
        joint = [number]
        if terms.is_seeded and seed is None:
            allowed = [range(1 << SEED_BITS)]
        elif state.is_simultaneous_node():
            allowed = [state.legal_actions(seat) for seat in range(terms.seats)]
            joint += islice(left, terms.seats - 1)
        else:
            allowed = [state.legal_actions()]
        is_over = moves >= MOST_MOVES and not terms.is_plain
        if is_over or len(joint) != len(allowed) or not all(map(contains, allowed, joint)):
            raise BadPosition(f"action {number} is not allowed after {shown(' '.join(map(str, state.history())))}")
        if not state.is_chance_node():
            mover, moves = (state.current_player() + 1) % terms.seats, moves + 1
        if terms.is_seeded and seed is None:
            state, seed = terms.first(number), number
        elif len(joint) > 1:
            state.apply_actions(joint)
        else:
            state.apply_action(number)
    return _made(terms, state, mover, moves, seed)


def _made(terms: Terms, state: Any, mover: int = 0, moves: int = 0, seed: int | None = None) -> OpenSpielState:
    if terms.is_joint:
        return OpenSpielJointState(terms, state, moves)
    kind = PlainState if terms.is_plain else HiddenTurnState if terms.hides else TurnState
    return kind(terms, state, mover, moves, seed)


def _replay(key: Key, numbers: Sequence[int]) -> OpenSpielState:
    return played(started(key), numbers)
