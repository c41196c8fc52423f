"""A tournament as `rumble watch` follows it."""

import sys
import time
from collections.abc import Iterator
from typing import Any

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from rumble_server.cli.support.errors import CliError
from rumble_server.cli.support.event_stream import Event, StreamLost, follow
from rumble_server.cli.support.organiser_client import OrganiserClient, api_path
from rumble_server.cli.support.tables import points_text, told_table
from rumble_server.cli.support.terminal import plain, plain_lines, plain_or_rich

OVER = ("finished", "cancelled")


def follow_to_its_end(server: str, tournament_id: str, boards: int) -> None:
    """Show the tournament until it is over: drawn on a terminal, in lines in a pipe. Raises CliError."""
    client = OrganiserClient(server)
    console = plain_or_rich()
    shown = WatchedTournament(boards)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        for event in _events(client, api_path("tournaments", tournament_id, "events")):
            lines = shown.take(event)
            if console.is_terminal:
                live.update(shown.drawn(), refresh=True)
            else:
                _print_lines(console, lines)
            if shown.status in OVER:
                break
    told = client.get(api_path("tournaments", tournament_id, "standings"))
    console.print(told_table(told["standings"], title=shown.title))


def _events(client: OrganiserClient, path: str) -> Iterator[Event]:
    def say(problem: str) -> None:
        sys.stderr.write(f"rumble: {problem}\n")
        sys.stderr.flush()

    try:
        yield from follow(lambda last_id: client.events(path, last_id), time.sleep, say)
    except StreamLost as lost:
        raise CliError(str(lost)) from None


def _print_lines(console: Console, lines: list[str]) -> None:
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    console.file.flush()


class WatchedTournament:
    """A tournament as its events so far tell it."""

    def __init__(self, boards: int = 0) -> None:
        self.name = self.status = self.reason = ""
        self.over = 0
        self.total: int | None = None
        self._most_boards = boards
        self._standings: list[dict[str, Any]] = []
        self._boards: dict[str, dict[str, Any]] = {}
        self._told: set[tuple[str, int]] = set()

    @property
    def title(self) -> str:
        reason = f" ({self.reason})" if self.reason else ""
        return f"{self.name}: {self.status}{reason}, {self.over} of {self.total or '?'} matches"

    def take(self, event: Event) -> list[str]:
        """Take an event, and return what is new as lines for a pipe."""
        data = _plain_board(event.data)
        match event.kind:
            case "snapshot":
                self.name = data["name"]
                self._take_status(data)
                self._standings = data["standings"]
                self._boards = {board["match"]: board for board in map(_plain_board, event.data["running"])}
                return [line for result in reversed(data["latest"]) for line in self._result(result)]
            case "standings":
                self._standings = data["standings"]
                self.over, self.total = data["matches_over"], data["matches_total"]
            case "status":
                before = self.status
                self._take_status(data)
                if self.status != before:
                    return [f"{self.name} is {self.status}{f': {self.reason}' if self.reason else ''}"]
            case "match_start" | "move":
                self._boards[data["match"]] = data
            case "match_over":
                self._boards.pop(data["match"], None)
                return self._result(data)
        return []

    def _take_status(self, data: dict[str, Any]) -> None:
        self.status, self.reason = data["status"], data["reason"]
        self.over, self.total = data["matches_over"], data["matches_total"]

    def _result(self, data: dict[str, Any]) -> list[str]:
        key = (data["match"], data["attempt"])
        if key in self._told:
            return []
        self._told.add(key)
        scores = "void" if data["scores"] is None else " : ".join(map(points_text, data["scores"]))
        return [f"{data['match']}  {' - '.join(data['seats'])}  {scores}  {data['reason']}"]

    def drawn(self) -> RenderableType:
        table = told_table(self._standings, title=self.title)
        shown = [
            Panel(
                Text(board["diagram"]),
                title=Text(" - ".join(board["seats"])),
                subtitle=f"ply {board['ply']}",
                expand=False,
            )
            for board in list(self._boards.values())[: self._most_boards]
        ]
        return Group(table, Columns(shown)) if shown else table


def _plain_board(data: dict[str, Any]) -> dict[str, Any]:
    """Return plain texts; only a diagram has several lines."""
    diagram = data.get("diagram")
    return plain(data) if diagram is None else {**plain(data), "diagram": plain_lines(diagram)}
