"""The output of `rumble practice`: every frame both ways, the board after each move, and advice for each mistake.

The module does no I/O: the proxy between bot and server feeds a `Trace`, and the trace yields the entries to show.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rumble_engine import EngineError, State, get_game

from rumble_server.cli.output.advice import CLOSES, ERRORS, LOSSES, REJECTIONS

Sender = Literal["bot", "server"]
MOST_LISTED = 12
"""Maximum number of a list's values shown in text; JSON output has all values."""


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """An entry of the output: a frame of either side, a board, a note, or the next thing to do."""

    about: Literal["bot", "server", "board", "note", "next"]
    text: str
    frame: Any = None
    """The frame as JSON data; None for a frame that is not JSON, and for an entry that is not a frame."""
    position: tuple[str, Mapping[str, Any], str | None] | None = None
    """For a board: the game's name, the view, and the newest move (None if unknown). None for other entries."""

    def as_json(self) -> dict[str, Any]:
        if self.about not in ("bot", "server"):
            return {self.about: self.text}
        return {"from": self.about, **({"text": self.text} if self.frame is None else {"frame": self.frame})}

    def __str__(self) -> str:
        if self.about == "board":
            return "\n".join(f"       {line}" for line in self.text.split("\n"))
        if self.about in ("note", "next"):
            return f"{self.about:6} {self.text}"
        if not isinstance(self.frame, dict) or not isinstance(self.frame.get("type"), str):
            return f"{self.about:6} {self.text!a}"
        fields = {name: _shortened(value) for name, value in self.frame.items() if name != "type"}
        return f"{self.about:6} {self.frame['type']!s:15} {json.dumps(fields, ensure_ascii=True)}"


class Trace:
    """The conversation so far between a bot and the server."""

    def __init__(self) -> None:
        self.is_connected = False
        """True once the bot has opened a connection."""
        self.open_connections = 0
        """Number of the bot's open connections."""
        self.is_logged_in = False
        self.is_over = False
        """True once the bot was told that the tournament is over."""
        self.was_refused = False
        """True if the newest frame is an `error` of the server."""
        self.is_thinking = False
        """True if the bot was sent a `turn` and has sent nothing since."""
        self.faults = 0
        """Number of matches that the bot lost by its own fault."""
        self._state: State | None = None
        """The state at the newest turn, or after the bot's answer.

        None before the first turn of a match, and in a hidden game.
        """
        self._view: Mapping[str, Any] = {}
        """The view of the newest board."""
        self._game: str | None = None
        self._seat: int | None = None

    def opened(self) -> Iterator[TraceEntry]:
        self.is_connected = True
        self.open_connections += 1
        yield TraceEntry("note", "your bot opened a connection")

    def frame(self, sender: Sender, frame: str | bytes) -> Iterator[TraceEntry]:
        if isinstance(frame, bytes):
            yield TraceEntry(sender, f"a binary frame of {len(frame)} bytes")
            return
        data = _read(frame)
        yield TraceEntry(sender, frame, data)
        self.was_refused = False
        self.is_thinking = self.is_thinking and sender == "server"
        if isinstance(data, dict):
            yield from self._sent(data) if sender == "bot" else self._on_server_frame(data)

    def asked(self, frame: str | bytes) -> bool:
        """Return whether a frame asks the bot for a move."""
        data = _read(frame) if isinstance(frame, str) else None
        return isinstance(data, dict) and data.get("type") == "turn"

    def closed(self, sender: Sender, code: int, reason: str) -> Iterator[TraceEntry]:
        self.open_connections -= 1
        who = "your bot" if sender == "bot" else "the server"
        yield TraceEntry("note", f"{who} closed the connection: {code}" + (f", {reason}" if reason else ""))
        if sender == "server" and code in CLOSES:
            yield TraceEntry("next", CLOSES[code])
        elif sender == "bot" and not self.is_over:
            yield TraceEntry("next", LOSSES["disconnect"])

    def _sent(self, frame: dict[str, Any]) -> Iterator[TraceEntry]:
        """Yield the board after the bot's move.

        Yield nothing if the state is unknown, or if the move is illegal. Also yield nothing if other seats move at the
        same time, because the moves of other seats are unknown.
        """
        move = frame.get("move")
        if frame.get("type") != "move" or not isinstance(move, str):
            return
        if self._state is None or self._state.movers != (self._seat,):
            return
        try:
            self._state = self._state.play(move)
        except EngineError:
            return
        yield self._board(self._state.view(), [move])

    def _board(self, view: Mapping[str, Any], moves: list[str]) -> TraceEntry:
        assert self._game is not None
        self._view, last = view, moves[-1] if moves else None
        return TraceEntry("board", get_game(self._game).diagram(view), position=(self._game, view, last))

    def _on_server_frame(self, frame: dict[str, Any]) -> Iterator[TraceEntry]:
        match frame.get("type"):
            case "session":
                self.is_logged_in = True
            case "match_start":
                self._game, self._seat, self._state = frame["game"], frame["seat"], None
            case "turn":
                self._game, game = frame["game"], get_game(frame["game"])
                since = [move for _, move in frame.get("since", ())]
                if frame["moves"] if "since" not in frame and "moves" in frame else frame["ply"]:
                    if frame.get("moves"):
                        yield TraceEntry("note", f"the last move was {frame['moves'][-1]}")
                    elif since:
                        yield TraceEntry("note", f"since the last turn: {', '.join(since)}")
                    yield self._board(frame["state"], frame.get("moves") or since)
                self._state, self.is_thinking = None if game.hides else game.load(frame["state"]), True
            case "rejected":
                yield TraceEntry("next", REJECTIONS[frame["code"]])
            case "error":
                self.was_refused = True
                yield TraceEntry("next", ERRORS[frame["code"]])
            case "match_over":
                yield from self._match_over(frame)
            case "tournament_over":
                self.is_over = True

    def _match_over(self, frame: dict[str, Any]) -> Iterator[TraceEntry]:
        self.is_thinking = False
        if self._game and frame["state"] != self._view:
            yield self._board(frame["state"], frame["moves"])
        if frame["scores"] is None:
            return
        seat, winner, places = self._seat, frame["winner"], frame.get("places", ())
        if len(places) > 2 and seat is not None:
            result = f"your bot has place {places[seat]} of {len(places)}"
        else:
            result = "a draw" if winner is None else f"your bot {'won' if winner == seat else 'lost'}"
        yield TraceEntry("note", f"{result}: {frame['reason']}")
        if "falls" in frame:
            lost_by = [fall["termination"] for fall in frame["falls"] if fall["seat"] == seat]
        else:
            lost_by = [] if winner == seat else [frame["termination"]]
        for termination in lost_by:
            if termination in LOSSES:
                self.faults += 1
                yield TraceEntry("next", LOSSES[termination])


def _read(frame: str) -> Any:
    try:
        return json.loads(frame)
    except (ValueError, RecursionError):
        return None


def _shortened(value: Any) -> Any:
    if isinstance(value, list) and len(value) > MOST_LISTED:
        return [*value[:MOST_LISTED], f"... {len(value)} in all"]
    return value
