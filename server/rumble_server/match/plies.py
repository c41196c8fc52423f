"""The plies of a match that is not plain, made from answers, falls and chance.

The module also makes the field `since` of each turn: the parts of the plies since the last move of the turn's seat.

`Game.is_plain` tells which matches are plain. Only facts change a `Plies`, both in play (`progress.py`) and when frames
of a match are rebuilt (`transcript.py`).
"""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import orjson
from rumble_engine import Outcome, State, Termination, get_game

from rumble_server.match.facts import ChanceDrawn, Falls, MatchStarted, MoveMade, SeatFell

PlyPart = tuple[int | None, str]
"""A seat (None for chance), and the part of a ply made by the seat."""
PlyFact = MoveMade | ChanceDrawn | SeatFell


class PublicPosition(NamedTuple):
    """What spectators may see of a running match."""

    state: State
    """Newest position that spectators may see. They see only its `view()`."""
    moves: Sequence[str]
    """The plies before this position, as spectators see them."""
    is_newest: bool
    """True if `state` is the present position."""
    seats_ms: tuple[int, ...] = ()
    """Time in ms that each seat has for a move at this position.

    Empty in a match without a delay for spectators.
    """


class Plies:
    """The plies so far, the present position, and the answers for the next ply."""

    def __init__(self, terms: MatchStarted) -> None:
        self._seats = len(terms.seats)
        self.hides = get_game(terms.game).hides
        """True if the game is a hidden game."""
        self.state: State = terms.first_state()
        self.moves: list[str] = []
        """Texts of the plies."""
        self.public_moves: list[str] = [] if self.hides else self.moves
        """Texts of the plies as spectators see them."""
        shared: list[PlyPart] = []
        self._parts_seen = [list[PlyPart]() for _ in terms.seats] if self.hides else [shared] * self._seats
        """The parts of the plies in order, as each seat sees them. In an open game, the seats share one list."""
        self._since = [0] * self._seats
        """For each seat, the index in `_parts_seen` at which the ply of its newest move begins; 0 before any move."""
        self._unseen_positions: deque[tuple[int, int, State, tuple[int, ...]]] = deque()
        """Positions that delayed spectators have not seen yet: time in ms, number of plies, state, and clocks in ms."""
        self.answers: dict[int, int] = {}
        """Codes of the moves made so far for the next ply, by seat."""
        self.falls: dict[int, SeatFell] = {}
        self.draw_count = 0
        """Number of random numbers drawn so far."""
        self._encoded_view: tuple[State, bytes] | None = None
        """The state that was encoded last for a turn, and its JSON."""
        for move in terms.moves:
            self._go_to(self.state.play(move), move)
        first_ms = terms.time_control.move_ms + terms.time_control.bank_ms
        self._public_position = PublicPosition(self.state, self.public_moves[:], False, (first_ms,) * self._seats)
        """The newest position that delayed spectators may see."""

    # --- facts ---

    def apply(self, fact: PlyFact) -> bool:
        """Apply a fact. Return true if the fact has completed a ply."""
        match fact:
            case MoveMade():
                return self.apply_answer(fact, self.state.code_for(fact.seat, fact.move))
            case ChanceDrawn():
                self.apply_chance(fact, self.state.code_of(fact.move))
                return True
            case SeatFell():
                self.falls[fact.seat] = fact
                return self._make_ply()

    def try_apply(self, fact: PlyFact) -> bool:
        """Apply a fact from the log, like `apply`.

        If the game's code fails at a ply, this ply and all later ones are left out.
        """
        try:
            return fact.ply == len(self.moves) and self.apply(fact)
        except Exception:  # noqa: BLE001  # a game's code may raise anything
            return False

    def apply_answer(self, move_fact: MoveMade, code: int) -> bool:
        """Store the answer of a seat, a move with the code `code`. Return true if the answer has completed the ply."""
        self.answers[move_fact.seat] = code
        if not move_fact.turn_id:
            self.draw_count += 1
        return self._make_ply()

    def apply_chance(self, drawn: ChanceDrawn, code: int) -> None:
        """Make the ply of an outcome of chance. `code` is the code of the outcome."""
        self.draw_count += 1
        self._go_to(self.state.after(code), drawn.move)
        self._make_ply()

    def _make_ply(self) -> bool:
        """Make the ply if no answer is missing. Then make each further ply in which only fallen seats would move."""
        before = len(self.moves)
        while self.state.movers and not self.awaited_seats():
            state = self.state
            self._go_to(state.after_all(self.answers), state.joint_text(self.answers))
        return len(self.moves) > before

    def _go_to(self, state: State, text: str) -> None:
        before = self.state
        for seat in self.answers:
            self._since[seat] = len(self._parts_seen[seat])
        if self.hides:
            for seat, news in enumerate(self._parts_seen):
                news += before.parts(before.seen(text, seat))
            self.public_moves.append(before.seen(text, None))
        else:
            self._parts_seen[0] += before.parts(text)
        self.moves.append(text)
        self.state = state
        self.answers = {}

    # --- the present ply ---

    def awaited_seats(self) -> list[int]:
        """Return the seats whose moves the next ply still needs.

        Fallen seats are included if the game cannot go on without their moves: the referee moves for them.
        """
        state = self.state
        return [
            seat for seat in state.movers if seat not in self.answers and not (state.can_fall and seat in self.falls)
        ]

    def movers(self) -> list[int]:
        """Return the seats to move, without seats that fell out before this ply."""
        return [seat for seat in self.state.movers if seat not in self.falls or self.fell_in_this_ply(seat)]

    def fell_in_this_ply(self, seat: int) -> bool:
        """Return true if a seat fell out during the present ply. Nobody may know of the fall before the ply is made."""
        fall = self.falls.get(seat)
        return fall is not None and fall.ply == len(self.moves)

    def view(self, seat: int) -> bytes:
        """Return a seat's view of the position as JSON. In an open game, the seats share the JSON."""
        state = self.state
        if self.hides:
            return orjson.dumps(state.view(seat))
        if self._encoded_view is None or self._encoded_view[0] is not state:
            self._encoded_view = state, orjson.dumps(state.view(seat))
        return self._encoded_view[1]

    def parts_since_own_move(self, seat: int) -> list[PlyPart]:
        """Return the parts of the plies as the seat sees them, beginning with the ply of the seat's newest move."""
        return self._parts_seen[seat][self._since[seat] :]

    # --- spectators with a delay ---

    def queue_for_spectators(self, at_ms: int, seats_ms: tuple[int, ...]) -> None:
        """Store the present position and its clocks for `public_position_at`. The position was reached at `at_ms`."""
        self._unseen_positions.append((at_ms, len(self.moves), self.state, seats_ms))

    def public_position_at(self, until_ms: int) -> PublicPosition:
        """Return the last position reached at `until_ms` or before; without any, the position after the opening.

        From call to call, `until_ms` must not go back.
        """
        while self._unseen_positions and self._unseen_positions[0][0] <= until_ms:
            _, ply, state, seats_ms = self._unseen_positions.popleft()
            self._public_position = PublicPosition(state, self.public_moves[:ply], False, seats_ms)
        return self._public_position._replace(is_newest=not self._unseen_positions)

    # --- the end ---

    def outcome(self) -> Outcome | None:
        """Return the outcome with fallen seats last; None while the match goes on.

        If the rules do not define the effect of falls, the match ends when at most one seat is left. If the match ended
        by falls, or if a seat of a two-seat match fell, the termination and the reason come from the last fall.
        """
        state, falls, seats = self.state, self.falls, self._seats
        ruled = state.outcome
        if ruled is None and (state.can_fall or len(falls) < seats - 1):
            return None
        plies = {seat: fall.ply for seat, fall in falls.items()}
        outcome = (ruled or Outcome.ranked([1] * seats, "")).with_falls(plies)
        if not falls or (ruled is not None and seats > 2):
            return outcome
        last = list(falls.values())[-1]
        return Outcome(outcome.scores, last.termination, last.reason, outcome.places, outcome.payoffs)

    def all_falls(self) -> Falls:
        """Return the seat, the ply and the termination of each fall, in the order of the seats."""
        return tuple([(seat, fall.ply, fall.termination) for seat, fall in sorted(self.falls.items())])

    def at_fault(self) -> tuple[int, ...]:
        """Return the seats that fell out by a fault. A resignation is not a fault."""
        faults = [seat for seat, fall in self.falls.items() if fall.termination is not Termination.RESIGNATION]
        return tuple(sorted(faults))
