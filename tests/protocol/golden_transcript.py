"""Plays the bot's side of a golden transcript against a server, and compares the server's frames with it.

protocol/examples/README.md describes the format.
"""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rumble_protocol import SUBPROTOCOL
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

EXAMPLES = Path(__file__).parents[2] / "protocol" / "examples"
LOOSE = frozenset({"server", "identity", "remaining_ms", "seats_ms", "lag_ms"})
"""Fields of which only the type is compared. A `turn_id` stands for the server's own id in the same place."""
GROWING = frozenset({"games", "features"})
"""Lists in which a server may have more entries than the transcript."""
PATIENCE_S = 20.0
"""Maximum wait for a frame, in s; then the test fails."""

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


async def play_transcript(transcript: Path, url: str, seen: Callable[[Frame], None] = lambda frame: None) -> None:
    """Play the bot's side of `transcript` on the server at `url`, and call `seen` with each frame of the server.

    Raises Mismatch where the server sends a different frame, or none.
    """
    turn_ids: dict[str, str] = {}
    async with connect(url, subprotocols=[Subprotocol(SUBPROTOCOL)], proxy=None) as socket:
        for number, (sender, frame) in enumerate(read(transcript), 1):
            where = f"{transcript.name}:{number}"
            if sender == "bot":
                await socket.send(json.dumps(translated(frame, turn_ids)))
                continue
            try:
                async with asyncio.timeout(PATIENCE_S):
                    got = json.loads(await socket.recv())
            except TimeoutError:
                raise Mismatch(f"{where}: the server sent nothing; expected {frame}") from None
            compare(frame, got, turn_ids, where)
            seen(got)


def translated(frame: Frame, turn_ids: dict[str, str]) -> Frame:
    """Copy the bot's frame with the turn id that the server really sent."""
    if "turn_id" not in frame:
        return frame
    return {**frame, "turn_id": turn_ids[frame["turn_id"]]}


def compare(expected: Any, got: Any, turn_ids: dict[str, str], where: str) -> None:
    """Raise Mismatch unless `got` matches `expected`; new turn ids are added to `turn_ids`."""
    if type(expected) is not type(got):
        raise Mismatch(f"{where}: expected {expected!r}, got {got!r}")
    if isinstance(expected, dict):
        if expected.keys() != got.keys():
            raise Mismatch(f"{where}: expected the fields {sorted(expected)}, got {sorted(got)} in {got}")
        for name, value in expected.items():
            if name == "turn_id":
                compare(turn_ids.setdefault(value, got[name]), got[name], turn_ids, f"{where} {name}")
            elif name in LOOSE:
                compare(_kind(value), _kind(got[name]), turn_ids, f"{where} {name}")
            elif name in GROWING and isinstance(got[name], list):
                compare(value, [one for one in got[name] if one in value], turn_ids, f"{where} {name}")
            else:
                compare(value, got[name], turn_ids, f"{where} {name}")
    elif isinstance(expected, list):
        if len(expected) != len(got):
            raise Mismatch(f"{where}: expected {expected!r}, got {got!r}")
        for index, (one, other) in enumerate(zip(expected, got, strict=True)):
            compare(one, other, turn_ids, f"{where}[{index}]")
    elif expected != got:
        raise Mismatch(f"{where}: expected {expected!r}, got {got!r}")


def _kind(value: Any) -> Any:
    return [_kind(one) for one in value] if isinstance(value, list) else type(value).__name__
