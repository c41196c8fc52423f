"""Stepping through a recorded match, ply by ply."""

from collections.abc import Callable, Mapping
from typing import Any

from rumble_engine import ALL, EngineError, Game, State, get_game

from rumble_server.cli.output.errors import CliError
from rumble_server.cli.support.recorded_match import RecordedMatch
from rumble_server.tournament.exports.thoughts import comment

KEYS = "Enter or n: next ply, b: back, g: the start, e: the end, a number: that ply, q: quit"


class Replay:
    """A recorded match, with the state after each ply. Its constructor raises CliError if a move cannot be played."""

    def __init__(self, recorded: RecordedMatch, draw: Callable[[Game, Mapping[str, Any], str | None], Any]) -> None:
        self._recorded = recorded
        self._draw = draw
        try:
            self._game = get_game(recorded.game)
            if self._game.hides and not recorded.result:
                raise CliError(f"{recorded.match_id} hides a part of its plies until the match is over")
            seats_played = len(recorded.seats) - recorded.absent
            self._states: list[State] = [self._game.initial_for(seats_played, recorded.settings, recorded.seed)]
            for move in recorded.moves:
                self._states.append(self._states[-1].play(move))
        except EngineError as error:
            raise CliError(f"{recorded.match_id} cannot be replayed: {error}") from None

    @property
    def last(self) -> int:
        return len(self._states) - 1

    def title(self) -> str:
        seats = zip(self._recorded.seats, self._game.seat_marks, strict=False)
        return (
            f"{self._recorded.match_id}: {' - '.join(f'{name} ({mark})' for name, mark in seats)}, {self._game.title}"
        )

    def page(self, ply: int) -> list[Any]:
        """Return the parts to show for a ply: a heading, the board made by `draw`, and at the last ply the result."""
        recorded, state = self._recorded, self._states[ply]
        head = f"ply {ply} of {self.last}"
        if ply:
            mover = self._states[ply - 1].to_move
            name = recorded.seats[mover] if mover < len(recorded.seats) else self._game.seat_marks[mover]
            head += f": {name} played {recorded.moves[ply - 1]}"
            if ply - 1 in recorded.infos:
                head += f"\n{name} thought: {comment(recorded.infos[ply - 1].model_dump())}"
        page = [f"\n{head}", self._draw(self._game, state.view(ALL), recorded.moves[ply - 1] if ply else None)]
        if ply == self.last:
            page.append(recorded.result or "not over")
        return page


def step(replay: Replay, ply: int, read: Callable[[], str], write: Callable[[Any], None]) -> None:
    """Show a ply, and then each ply that the person asks for, until `q`. `read` returns a line typed by the person."""
    write(f"{replay.title()}\n{KEYS}")
    while True:
        for part in replay.page(ply):
            write(part)
        match read().strip().lower():
            case "" | "n":
                ply = min(ply + 1, replay.last)
            case "b":
                ply = max(ply - 1, 0)
            case "g":
                ply = 0
            case "e":
                ply = replay.last
            case "q":
                return
            case number if number.isdecimal() and number.isascii() and len(number) < 7:
                ply = min(int(number), replay.last)
            case _:
                write(KEYS)
