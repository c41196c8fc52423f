"""The screen of `rumble practice`."""

import json

import typer
from rich.padding import Padding
from rich.text import Text
from rumble_bots.sdk.thinkers import Thinkers
from rumble_engine import get_game

from rumble_server.cli.output.boards import board_of, draws
from rumble_server.cli.output.terminal import plain_lines, plain_or_rich, stdin_lines
from rumble_server.cli.output.trace import Sender, Trace, TraceEntry

BOARD_INDENT = 7
"""Width in columns of the margin before a board. In a line of text, the margin has a word such as `bot` or `note`."""
STYLES = {"bot": "cyan", "server": "green", "board": "", "note": "dim", "next": "bold yellow"}


class Screen:
    """The output of all frames that the proxy passes on. With `step`, each turn waits for the Enter key."""

    def __init__(self, *, as_json: bool, step: bool) -> None:
        self.trace = Trace()
        self._is_json = as_json
        self._read = stdin_lines() if step else None
        self._thinkers = Thinkers()
        self._console = plain_or_rich()
        self._has_ended = False

    @property
    def steps(self) -> bool:
        return self._read is not None

    def end(self) -> None:
        """Show no further entries. Call `end` before the programs are ended, so that their ends are not shown."""
        self._has_ended = True

    def show(self, *entries: TraceEntry) -> None:
        for entry in () if self._has_ended else entries:
            if self._is_json:
                typer.echo(json.dumps(entry.as_json()))
            elif entry.position is not None and draws(self._console):
                game, view, last = entry.position
                board = board_of(self._console, get_game(game), view, last)
                self._console.print(Padding(board, (0, 0, 0, BOARD_INDENT)))
            else:
                self._console.print(Text(plain_lines(str(entry)), style=STYLES[entry.about]), soft_wrap=True)

    def turned_away(self, why: str) -> None:
        self.show(TraceEntry("next", f"Your bot {why}."))

    async def frame(self, sender: Sender, frame: str | bytes) -> None:
        self.show(*self.trace.frame(sender, frame))
        if self._read is not None and sender == "server" and self.trace.asked(frame):
            typer.echo("Enter sends this turn to your bot: ", err=True, nl=False)
            if await self._thinkers.run(self._read) is None:
                self._read = None  # standard input has ended
