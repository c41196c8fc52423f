"""Plays the bots' sides of golden transcripts on a server in memory, and compares the server's frames with theirs.

protocol/examples/README.md describes the format.
"""

import json
from collections import deque
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rumble_protocol import SUBPROTOCOL

from tests.protocol.server_in_memory import ServerInMemory

EXAMPLES = Path(__file__).parents[2] / "protocol" / "examples"
LOOSE = frozenset({"server", "identity", "remaining_ms", "seats_ms", "lag_ms"})
"""Fields of which only the type is compared. A `turn_id` stands for the server's own id in the same place."""
GROWING = frozenset({"games", "features"})
"""Lists in which a server may have more entries than the transcript."""
Frame = dict[str, Any]


class Line(NamedTuple):
    """A frame of a transcript, and its sender."""

    sender: Literal["bot", "server"]
    frame: Frame


class Mismatch(AssertionError):
    """A frame of the server that differs from the transcript."""


def read(transcript: Path) -> list[Line]:
    """Read the lines of a transcript file."""
    lines = [json.loads(text) for text in transcript.read_text(encoding="utf-8").splitlines()]
    return [Line(line["from"], line["frame"]) for line in lines]


class Players:
    """The bots' sides of transcripts, on a server in memory."""

    def __init__(self, server: ServerInMemory) -> None:
        self._server = server
        self._left: dict[str, deque[tuple[int, Line]]] = {}
        """The numbers and lines that are not played yet, by transcript."""
        self._heard: dict[str, deque[Frame]] = {}
        self._turn_ids: dict[str, dict[str, str]] = {}

    def connect(self, name: str) -> None:
        """Begin a transcript, and play all transcripts as far as they go. Raises Mismatch."""
        self._left[name] = deque(enumerate(read(EXAMPLES / f"{name}.jsonl"), 1))
        self._heard[name], self._turn_ids[name] = deque(), {}
        self._server.connect(name, [SUBPROTOCOL], forwarded=False)
        self._play()

    def drop(self, name: str) -> None:
        """Drop the connection of a transcript, and play the others as far as they go. Raises Mismatch."""
        self._server.drop(name)
        self._play()

    def end(self) -> None:
        """Raise Mismatch if the server sent more or less than the transcripts have."""
        for name, left in self._left.items():
            if left or self._heard[name]:
                raise Mismatch(f"{name}: the server sent {self._heard[name]}; expected {left}")
        self._server.finish()

    def _play(self) -> None:
        while any(self._go_on(name) for name in self._left):
            pass

    def _go_on(self, name: str) -> bool:
        """Play lines of a transcript up to a frame that the server has not sent; return whether there were any."""
        left, turn_ids = self._left[name], self._turn_ids[name]
        before = len(left)
        self._listen()
        while left and (left[0][1].sender == "bot" or self._heard[name]):
            number, (sender, frame) = left.popleft()
            if sender == "server":
                compare(frame, self._heard[name].popleft(), turn_ids, f"{name}:{number}")
            else:
                self._server.send(name, json.dumps(translated(frame, turn_ids)).encode())
                self._listen()
        return len(left) < before

    def _listen(self) -> None:
        for said in self._server.said:
            self._heard[said.on].append(said.value)
        self._server.said.clear()


def translated(frame: Frame, turn_ids: dict[str, str]) -> Frame:
    """Copy the bot's frame with the turn id that the server really sent."""
    if "turn_id" not in frame:
        return frame
    return {**frame, "turn_id": turn_ids[frame["turn_id"]]}


def compare(expected: Frame, got: Frame, turn_ids: dict[str, str], where: str) -> None:
    """Raise Mismatch unless `got` matches `expected`; a new turn id is added to `turn_ids`."""
    if "turn_id" in expected and "turn_id" in got:
        expected = {**expected, "turn_id": turn_ids.setdefault(expected["turn_id"], got["turn_id"])}
    growing = GROWING & expected.keys() & got.keys()
    known = {**got, **{name: [each for each in got[name] if each in expected[name]] for name in growing}}
    if json.dumps(_loosened(expected)) != json.dumps(_loosened(known)):
        raise Mismatch(f"{where}: expected {expected!r}, got {got!r}")


def _loosened(value: Any) -> Any:
    """Copy a value, with types in place of the values that are not compared."""
    if isinstance(value, dict):
        return {name: _kind(inner) if name in LOOSE else _loosened(inner) for name, inner in value.items()}
    return [_loosened(inner) for inner in value] if isinstance(value, list) else value


def _kind(value: Any) -> Any:
    return [_kind(one) for one in value] if isinstance(value, list) else type(value).__name__
