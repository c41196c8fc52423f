"""A tournament that `rumble watch` follows, drawn on a terminal or printed as lines."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack
from threading import Lock, Thread
from typing import Any

import typer
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from rumble_protocol.server_messages import OVER

from rumble_server.cli.output.boards import SEATS, draw_board
from rumble_server.cli.output.errors import CliError
from rumble_server.cli.output.tables import fitting_table, print_standings, result_text, standings_for
from rumble_server.cli.output.terminal import is_screen, plain, plain_lines, plain_or_rich
from rumble_server.cli.support.api_client import ApiClient, api_path
from rumble_server.cli.support.event_stream import StreamEvent, StreamLost, read_events

PAIRING = "the next round is being paired"
FRAME_S = 0.2
"""Minimum time in s between two pictures."""
HEAD_ROWS = 4
"""Rows of a picture besides the rows of bots: the title, the headings of the columns, and two lines below the table."""
GAP = 2
"""Width, in characters, of the space between the table and the boards."""
FRAME_COLUMNS, FRAME_ROWS = 4, 2
"""Width and height, in characters, that the frame adds to a board."""


def watch_to_its_end(server: str, tournament_id: str, boards: int) -> None:
    """Show the tournament until its end. On a terminal, draw pictures; in a pipe, print lines. Raises CliError."""
    client = ApiClient(server)
    console = plain_or_rich()
    watched = WatchedTournament(boards)
    path = api_path("tournaments", tournament_id, "events")
    if is_screen(console):
        _draw(console, watched, _reading(watched, _events(client, path, watched.show_problem)))
    else:
        results = api_path("tournaments", tournament_id, "matches")
        for event in _events(client, path, lambda problem: typer.echo(f"rumble: {problem}", err=True), results):
            _print_lines(console, watched.take_event(event))
            if watched.status in OVER:
                break
    tournament = client.get(api_path("tournaments", tournament_id))
    print_standings(console, tournament["standings"], watched.title, tournament["entrants"], watched.seats)


def _reading(watched: "WatchedTournament", events: Iterator[StreamEvent]) -> Future[None]:
    """Take events in a thread until the tournament is over. The process can end without waiting for the thread.

    Return a future that is done when the thread ends.
    """
    reading: Future[None] = Future()

    def read() -> None:
        try:
            for event in events:
                watched.take_event(event)
                if watched.status in OVER:
                    break
        except Exception as error:  # noqa: BLE001  # raised by `result` in `_draw`
            reading.set_exception(error)
        else:
            reading.set_result(None)

    Thread(target=read, daemon=True).start()
    return reading


def _draw(console: Console, watched: "WatchedTournament", reading: Future[None]) -> None:
    """Draw the tournament after each change and each resize of the terminal, until `reading` is done.

    Afterwards the terminal shows its former content again.
    """
    while not (watched.changes or reading.done()):
        wait([reading], FRAME_S)
    before = None
    with ExitStack() as stack:
        live = Live(console=console, auto_refresh=False, screen=True)
        while not reading.done():
            if before is None:
                stack.enter_context(live)
            state = (watched.changes, console.size)
            if state != before:
                live.update(watched.draw(console), refresh=True)
                before = state
            wait([reading], FRAME_S)
    reading.result()


def _events(
    client: ApiClient, path: str, say: Callable[[str], None], results: str | None = None
) -> Iterator[StreamEvent]:
    """Yield the events of the stream at `path`. Raises CliError.

    `results` is the path of all results of the tournament. If `results` is given, each event `snapshot` gets all
    results as the field `latest` of its data.
    """

    def connect(last_id: str | None) -> Iterator[StreamEvent]:
        for event in client.events(path, last_id):
            if event.kind == "snapshot" and results is not None:
                try:
                    matches = client.get(results)["matches"]
                except CliError as error:
                    raise StreamLost(error.message) from None
                event.data["latest"] = [{**match, "match": match["id"]} for match in reversed(matches)]
            yield event

    try:
        yield from read_events(connect, time.sleep, say)
    except StreamLost as lost:
        raise CliError(str(lost)) from None


def _print_lines(console: Console, lines: list[str]) -> None:
    for line in lines:
        console.print(line, soft_wrap=True)
    console.file.flush()


class WatchedTournament:
    """The state of a tournament after the events so far. One thread may take events while another thread draws."""

    def __init__(self, boards: int = 1) -> None:
        self.name = self.status = self.reason = ""
        self._is_pairing = False
        self.changes = 0
        """Number of events and problems so far: a new number means that the picture has changed."""
        self._lock = Lock()
        self._problem = ""
        """The problem of the connection since the last event; empty without a problem."""
        self.over = 0
        self.total: int | None = None
        self.seats = 2
        self._most_boards = boards
        self._standings: list[dict[str, Any]] = []
        self._entrants: list[dict[str, Any]] = []
        self._boards: dict[str, dict[str, Any]] = {}
        self._ended: dict[str, Any] | None = None
        """The board of the match that ended last, shown while no match is running."""
        self._printed_lines: set[tuple[str, int]] = set()

    @property
    def title(self) -> str:
        reason = f" ({PAIRING if self._is_pairing else self.reason})" if self._is_pairing or self.reason else ""
        return f"{self.name}: {self.status}{reason}, {self.over} of {self.total or '?'} matches"

    def show_problem(self, problem: str) -> None:
        """Show a problem of the connection, until the next event."""
        with self._lock:
            self._problem = problem
            self.changes += 1

    def take_event(self, event: StreamEvent) -> list[str]:
        """Update the state by an event, and return the news in the event as lines of text."""
        with self._lock:
            self._problem = ""
            self.changes += 1
            return self._apply(event.kind, event.data)

    def _apply(self, kind: str, raw: dict[str, Any]) -> list[str]:
        data = _plain_board(raw)
        match kind:
            case "snapshot":
                self.name, self.seats = data["name"], data.get("match_seats", 2)
                self._apply_status(data)
                self._standings = data["standings"]
                self._entrants = data["entrants"]
                self._boards = {board["match"]: board for board in map(_plain_board, raw["running"])}
                return [line for result in reversed(data["latest"]) for line in self._result(result)]
            case "standings":
                self._standings = data["standings"]
                self.over, self.total = data["matches_over"], data["matches_total"]
            case "status":
                before, paired = self.status, not self._is_pairing
                self._apply_status(data)
                if self._is_pairing and paired:
                    return [f"{self.name}: {PAIRING}"]
                if self.status != before:
                    return [f"{self.name} is {self.status}{f': {self.reason}' if self.reason else ''}"]
            case "match_start" | "move":
                self._boards[data["match"]] = data
            case "field":
                self._entrants = data["entrants"]
            case "match_over":
                self._ended = self._boards.pop(data["match"], self._ended)
                return self._result(data)
        return []

    def _apply_status(self, data: dict[str, Any]) -> None:
        self.status, self.reason = data["status"], data["reason"]
        self._is_pairing = data.get("pairing", False)  # a server of an older version does not say
        self.over, self.total = data["matches_over"], data["matches_total"]

    def _result(self, data: dict[str, Any]) -> list[str]:
        key = (data["match"], data["attempt"])
        if key in self._printed_lines:
            return []
        self._printed_lines.add(key)
        return [f"{data['match']}  {' - '.join(data['seats'])}  {result_text(data['scores'])}  {data['reason']}"]

    def draw(self, console: Console) -> RenderableType:
        """Draw the standings, cut to the height of the terminal. If there is room, add boards beside or below."""
        with self._lock:
            room = max(1, console.height - HEAD_ROWS)
            standings = (self._standings[:room], self.title, self._entrants, self.seats)
            hidden = len(self._standings) - room
            lines = [f"... and {hidden} more"] if hidden > 0 else []
            lines += [self._problem] if self._problem else []
            below = [Text(line, style="dim") for line in lines]
            panels = self._panels()
            tall = sum(panel.height or 0 for panel in panels)
            widest = max((panel.width or 0 for panel in panels), default=0)
            table = fitting_table(console, *standings, beside=GAP + widest) if panels else None
            if table is not None:
                beside = Table.grid(padding=(0, GAP, 0, 0))
                beside.add_row(Group(table, *below), Group(*panels))
                return beside
            left = Group(standings_for(console, *standings), *below)
            return Group(left, *panels) if HEAD_ROWS + len(self._standings) + tall <= console.height else left

    def _panels(self) -> list[Panel]:
        boards = list(self._boards.values()) or ([self._ended] if self._ended is not None else [])
        return [_panel(board) for board in boards[: self._most_boards]]


def _panel(board: dict[str, Any]) -> Panel:
    """Draw a board in a frame, under the names of the seats."""
    drawing = board.get("drawing")
    picture = Text(board["diagram"]) if drawing is None else draw_board(drawing)
    pieces = {} if drawing is None else plain(drawing["pieces"])
    marks = {piece["seat"]: f" ({piece.get('label') or sign})" for sign, piece in reversed(pieces.items())}
    title = Text(" - ").join(
        Text(name + marks.get(seat, ""), SEATS.get(seat, "")) for seat, name in enumerate(board["seats"])
    )
    last = f": {board['moves'][-1]}" if board.get("moves") else ""
    away = [name for name, gone in zip(board["seats"], board.get("away", ()), strict=False) if gone]
    subtitle = Text("; ".join([f"ply {board['ply']}{last}", *(f"{name} is away" for name in away)]))
    lines = picture.split("\n")
    width = max(title.cell_len + 2, subtitle.cell_len + 2, *(line.cell_len for line in lines)) + FRAME_COLUMNS
    return Panel(picture, title=title, subtitle=subtitle, width=width, height=len(lines) + FRAME_ROWS)


def _plain_board(data: dict[str, Any]) -> dict[str, Any]:
    """Return a board's data with control characters escaped in all texts. Only line breaks in a diagram are kept."""
    diagram = data.get("diagram")
    return plain(data) if diagram is None else {**plain(data), "diagram": plain_lines(diagram)}
