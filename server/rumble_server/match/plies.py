"""The plies of a match that is not plain, made from answers, falls and chance; and their news, which turns tell.

A match is plain if it has two seats, which move in turn, and no chance. A `Plies` changes by facts, in play
(`progress.py`) as well as when the frames of a match are rebuilt (`transcript.py`).
"""

from random import Random

import orjson
from rumble_engine import Outcome, State, Termination

from rumble_server.match.facts import ChanceDrawn, MatchStarted, MoveMade, SeatFell

MOST_LEGAL = 1_000
"""Maximum number of legal moves in a turn; of more, a turn has a sample."""
News = tuple[int | None, str]
"""A part of a ply, and the seat that made the part; None for chance."""
PlyFact = MoveMade | ChanceDrawn | SeatFell


class Plies:
    """The plies made so far, the position after them, and the answers to the present ply."""

    __slots__ = ("_encoded", "_seats", "answers", "draws", "falls", "moves", "news", "since", "state")

    def __init__(self, terms: MatchStarted) -> None:
        self._seats = len(terms.seats)
        self.state: State = terms.first_state()
        self.moves: list[str] = []
        """The texts of all plies."""
        self.news: list[News] = []
        """The parts of all plies, in order."""
        self.since = [0] * self._seats
        """By seat, the number of news before the last ply in which the seat moved."""
        self.answers: dict[int, int] = {}
        """Codes of the moves made on the present ply, by seat."""
        self.falls: dict[int, SeatFell] = {}
        self.draws = 0
        """Number of random numbers drawn."""
        self._encoded: tuple[State, bytes] | None = None
        """The newest state that was encoded for a turn, and its JSON."""
        for move in terms.moves:
            self._go_to(self.state.play(move), move)

    # --- facts ---

    def apply(self, fact: PlyFact) -> bool:
        """Take a fact. Return whether the fact has made a ply."""
        match fact:
            case MoveMade():
                return self.answer(fact, self.state.code_for(fact.seat, fact.move))
            case ChanceDrawn():
                self.draws += 1
                self._go_to(self.state.play(fact.move), fact.move)
                self._make_ply()
                return True
            case SeatFell():
                self.falls[fact.seat] = fact
                return self._make_ply()

    def apply_logged(self, fact: PlyFact) -> bool:
        """Take a fact of the log, like `apply`.

        A ply at which the game's code fails is left out: its attempt is void.
        """
        try:
            return self.apply(fact)
        except Exception:  # noqa: BLE001  # a game's code may raise anything
            return False

    def answer(self, made: MoveMade, code: int) -> bool:
        """Note the answer of a mover, with its code. Return whether the answer has made the ply."""
        self.answers[made.seat] = code
        if not made.turn_id:
            self.draws += 1
        return self._make_ply()

    def _make_ply(self) -> bool:
        """Make the ply if no answer is missing, and each next ply whose movers have all fallen out."""
        before = len(self.moves)
        while self.state.movers and not self.waits_for():
            state = self.state
            self._go_to(state.after_all(self.answers), state.joint_text(self.answers))
        return len(self.moves) > before

    def _go_to(self, state: State, text: str) -> None:
        for seat in self.answers:
            self.since[seat] = len(self.news)
        self.news += self.state.told(text)
        self.moves.append(text)
        self.state = state
        self.answers = {}

    # --- the present ply ---

    def waits_for(self) -> list[int]:
        """Return the movers that have not moved. A fallen mover counts if the referee has to move for it."""
        state = self.state
        return [
            seat for seat in state.movers if seat not in self.answers and not (state.can_fall and seat in self.falls)
        ]

    def view(self, seat: int) -> bytes:
        """Return a seat's view of the state as JSON. If nothing is hidden, all seats share the JSON."""
        state = self.state
        if state.hides:
            return orjson.dumps(state.view(seat))
        if self._encoded is None or self._encoded[0] is not state:
            self._encoded = state, orjson.dumps(state.view(seat))
        return self._encoded[1]

    def legal(self, seat: int, turn_id: str) -> tuple[list[str], bool]:
        """Return the legal moves to tell with a turn, and whether they are all.

        Of more than `MOST_LEGAL`, a sample is told, in the game's order. The turn's id picks the sample, so that the
        transcript can tell the same.
        """
        state = self.state
        codes = state.codes_for(seat)
        is_whole = len(codes) <= MOST_LEGAL
        if not is_whole:
            codes = [codes[place] for place in sorted(Random(turn_id).sample(range(len(codes)), MOST_LEGAL))]
        return [state.text_for(seat, code) for code in codes], is_whole

    # --- the end ---

    def outcome(self) -> Outcome | None:
        """Return the outcome with the fallen seats last; None while the match goes on.

        If the rules do not say what a fall does, falls that leave at most one seat end the match. A match ended by
        falls has the termination and the reason of the last fall, and so has a match of two seats with a fall.
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

    def at_fault(self) -> tuple[int, ...]:
        """Return the seats that fell out by a fault; a resignation is nobody's fault."""
        faults = [seat for seat, fall in self.falls.items() if fall.termination is not Termination.RESIGNATION]
        return tuple(sorted(faults))
