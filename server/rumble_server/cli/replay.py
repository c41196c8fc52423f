"""`rumble replay`: step through a match in the terminal."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rumble_engine import EngineError, State, get_game

from rumble_server.cli.support.errors import CliError, ExitCode
from rumble_server.cli.support.options import Server
from rumble_server.cli.support.recorded import Recorded, from_server, from_text

HERE = "http://127.0.0.1:8765"
KEYS = "Enter or n: on, b: back, g: the start, e: the end, a number: that ply, q: quit"


def replay(
    source: Annotated[
        str, typer.Argument(metavar="FILE_OR_ID", help="An export.json, a transcript, - for input, or a match's id.")
    ],
    server: Server = HERE,
    match: Annotated[str | None, typer.Option(metavar="ID", help="Which match of an export that has several.")] = None,
    ply: Annotated[int | None, typer.Option(min=0, help="Begin at this ply; in a pipe, show only this one.")] = None,
) -> None:
    """Step through a match: ply by ply on a terminal, in a pipe every board one below the other."""
    if source == "-" or Path(source).is_file():
        recorded = from_text(_read(source), source, match)
    elif "/" in source or source.endswith((".json", ".jsonl")):
        raise CliError(f"{source}: there is no such file")
    else:
        recorded = from_server(server, source)
    story = Story(recorded)
    if ply is not None and ply > story.last:
        raise CliError(f"{recorded.match} has only {story.last} plies", ExitCode.USAGE)
    if sys.stdin.isatty() and sys.stdout.isatty() and source != "-":
        step(story, ply or 0, lambda: sys.stdin.readline() or "q", typer.echo)
    else:
        typer.echo(story.title())
        for each in range(story.last + 1) if ply is None else (ply,):
            typer.echo(f"\n{story.page(each)}")


def _read(source: str) -> str:
    try:
        return sys.stdin.read() if source == "-" else Path(source).read_text("utf-8")
    except OSError as error:
        raise CliError(f"{source}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise CliError(f"{source}: byte {error.start} is not UTF-8") from None


class Story:
    """A match, ply by ply. Raises CliError if its moves cannot be played."""

    def __init__(self, recorded: Recorded) -> None:
        self._recorded = recorded
        try:
            self._game = get_game(recorded.game)
            self._states: list[State] = [self._game.initial(recorded.settings, recorded.seed)]
            for move in recorded.moves:
                self._states.append(self._states[-1].play(move))
        except EngineError as error:
            raise CliError(f"{recorded.match} cannot be replayed: {error}") from None

    @property
    def last(self) -> int:
        """The number of plies."""
        return len(self._states) - 1

    def title(self) -> str:
        """What match it is."""
        seats = zip(self._recorded.seats, self._game.seat_marks, strict=False)
        return f"{self._recorded.match}: {' - '.join(f'{name} ({mark})' for name, mark in seats)}, {self._game.title}"

    def page(self, ply: int) -> str:
        """The board after so many plies, under a line that says what was just played; at the end, the result."""
        recorded, state = self._recorded, self._states[ply]
        head = f"ply {ply} of {self.last}"
        if ply:
            mover = self._states[ply - 1].to_move
            name = recorded.seats[mover] if mover < len(recorded.seats) else self._game.seat_marks[mover]
            head += f": {name} played {recorded.moves[ply - 1]}"
        lines = [head, state.diagram()]
        if ply == self.last:
            lines.append(recorded.result or "not over")
        return "\n".join(lines)


def step(story: Story, ply: int, read: Callable[[], str], write: Callable[[str], None]) -> None:
    """Show a ply, and go where the reader says, until it quits. `read` gives a line."""
    write(f"{story.title()}\n{KEYS}")
    while True:
        write(f"\n{story.page(ply)}")
        match read().strip().lower():
            case "" | "n":
                ply = min(ply + 1, story.last)
            case "b":
                ply = max(ply - 1, 0)
            case "g":
                ply = 0
            case "e":
                ply = story.last
            case "q":
                return
            case number if number.isdecimal() and number.isascii() and len(number) < 7:
                ply = min(int(number), story.last)
            case _:
                write(KEYS)
