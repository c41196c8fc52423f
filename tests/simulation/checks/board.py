"""The position of an attempt, followed fact by fact with the engine's rules, and each draw followed from the seed."""

from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from hmac import digest
from typing import Any

from rumble_engine import EngineError, State, drawn, get_game

Fact = dict[str, Any]
Part = tuple[int, int | None, str]
"""A part of a ply: the ply, the seat that made the part (None for chance), and the text."""


class Board:
    """The position, the answers to the present ply, and the falls of an attempt. A plain match has one mover a ply."""

    def __init__(self, started: Fact) -> None:
        self.started = started
        seats = len(started["seats"])
        self.state: State = get_game(started["game"]).initial_for(seats, started["settings"], started["seed"])
        self.moves: list[str] = []
        self.parts: list[list[Part]] = [[] for _ in range(seats)]
        """By seat, the parts of all plies as the seat sees them."""
        self.last = [0] * seats
        """The last ply in which each seat moved."""
        self.answers: dict[int, int] = {}
        self.falls: dict[int, Fact] = {}
        self.draws = 0
        for move in started["moves"]:
            self._go_to(self.state.play(move), move)

    def note(self, fact: Fact) -> None:
        """Follow a fact. Raises EngineError if the rules do not allow the move."""
        match fact["fact"]:
            case "move_made":
                self.answers[fact["seat"]] = self.state.code_for(fact["seat"], fact["move"])
                self.draws += not fact["turn_id"]
            case "seat_fell":
                self.falls[fact["seat"]] = fact
            case "chance_drawn":
                self.draws += 1
                self._go_to(self.state.play(fact["move"]), fact["move"])
            case _:
                return
        while self.state.movers and not self.waits_for():
            self._go_to(self.state.after_all(self.answers), self.state.joint_text(self.answers))

    def _go_to(self, state: State, text: str) -> None:
        ply = len(self.moves)
        for seat in self.answers:
            self.last[seat] = ply
        for own, parts in enumerate(self.parts):
            parts += [(ply, seat, part) for seat, part in self.state.parts(self.state.seen(text, own))]
        self.moves.append(text)
        self.state, self.answers = state, {}

    def waits_for(self) -> list[int]:
        """Return the movers whose answers are missing."""
        gone = self.falls if self.state.can_fall else ()
        return [seat for seat in self.state.movers if seat not in self.answers and seat not in gone]

    def is_out(self, seat: int) -> bool:
        """Return whether the match never waits for the seat again."""
        return seat in self.falls or seat in self.state.finished

    def drawn_text(self, seat: int | None) -> str:
        """Return the text that the next draw must have: for a fallen seat, or for chance (None)."""
        said = f"{self.started['match']} {self.started['attempt']} {self.draws}".encode()
        number = int.from_bytes(digest(bytes.fromhex(self.started["chance_seed"]), said, "sha256"))
        if seat is None:
            return self.state.text_of(self.state.draw(number))
        return self.state.text_for(seat, drawn([(code, 1) for code in self.state.codes_for(seat)], number))


def commitment(started: Fact) -> str:
    """Return the commitment to the seed of an attempt."""
    said = f"{started['match']} {started['attempt']}".encode()
    return sha256(bytes.fromhex(started["chance_seed"]) + said).hexdigest()


def boards(started: Fact, facts: list[Fact]) -> Iterator[tuple[Fact, Board]]:
    """Yield each fact with the board before the fact. Facts that the rules do not allow change nothing."""
    board = Board(started)
    for fact in facts:
        yield fact, board
        with suppress(EngineError):
            board.note(fact)
