"""Golden conversations: readers, a player on a server in memory, and a recorder of the server's answers.

protocol/examples/README.md describes the format. `python -m tests.protocol.conversation` plays each conversation again
and writes the server's current lines; look at the difference before you keep it.
"""

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.protocol.golden_transcript import EXAMPLES, Mismatch
from tests.protocol.server_in_memory import Said, ServerInMemory

Line = dict[str, Any]

CONVERSATIONS = sorted(path for folder in ("good", "bad") for path in (EXAMPLES / folder).glob("*.jsonl"))
GAMES_SHOWN = ["connect4", "tictactoe"]
"""The games listed in conversations; the machine that plays a conversation may have more games installed."""


def read_conversation(path: Path) -> tuple[Line, list[Line]]:
    """Return the first line of a file, which describes the conversation, and the other lines."""
    first, *lines = (json.loads(text) for text in path.read_text(encoding="utf-8").splitlines())
    return first, lines


def perform(server: ServerInMemory, line: Line) -> None:
    """Carry out a line of a bot, a host or the surroundings, not of the server."""
    match line:
        case {"from": "bot", "on": on, "frame": frame}:
            server.send(on, json.dumps(frame).encode())
        case {"from": "bot", "on": on, "text": str(text)}:
            server.send(on, text.encode())
        case {"from": "bot", "on": on, "text_hex": str(data)}:
            server.send(on, bytes.fromhex(data))
        case {"from": "bot", "on": on, "binary_hex": str(data)}:
            server.send(on, bytes.fromhex(data), binary=True)
        case {"from": "bot", "on": on, "does": "connect", **given}:
            server.connect(on, given.get("subprotocols", ["rumble.v1"]), forwarded=given.get("forwarded", False))
        case {"from": "bot", "on": on, "does": "drop"}:
            server.drop(on)
        case {"from": "host", "does": does, **given}:
            server.host(does, **given)
        case {"from": "world", "happens": what, **given}:
            server.happens(what, **given)
        case _:
            raise ValueError(f"not a line of a conversation: {line}")


def line_of(said: Said) -> Line:
    """Convert what the server sent to a line."""
    value = said.value
    match value:
        case {"type": "welcome"}:
            value = {**value, "games": GAMES_SHOWN}
        case {"code": "unknown_game", "message": message}:
            value = {**value, "message": re.sub("installed: .*", f"installed: {', '.join(GAMES_SHOWN)}", message)}
    return {"from": "server", "on": said.on, said.what: value}


known_seeds = patch("rumble_server.tournament.terms.token_hex", lambda size: "5e" * size)
"""A decorator: every match gets the same seed of chance, so that the frames are always the same."""


@known_seeds
async def play(path: Path) -> None:
    """Play the conversation. Raises Mismatch where the server sends something else, more, or less."""
    first, lines = read_conversation(path)
    server = ServerInMemory(first.get("limits", {}))
    for number, line in enumerate(lines, 2):
        where = f"{path.name}:{number}"
        if line["from"] == "server":
            if not server.said:
                raise Mismatch(f"{where}: the server is silent; expected {line}")
            got = line_of(server.said.popleft())
            if json.dumps(got) != json.dumps(line):
                raise Mismatch(f"{where}: expected {json.dumps(line)}, got {json.dumps(got)}")
            continue
        _nothing_left(server, where)
        perform(server, line)
    _nothing_left(server, f"{path.name}: at its end")
    server.finish()


def _nothing_left(server: ServerInMemory, where: str) -> None:
    if server.said:
        raise Mismatch(f"{where}: the server said what is not here: {line_of(server.said[0])}")


@known_seeds
async def recorded(path: Path) -> str:
    """Return the text of the conversation with the server's current lines."""
    first, lines = read_conversation(path)
    server = ServerInMemory(first.get("limits", {}))
    written = [first]
    for line in lines:
        if line["from"] != "server":
            written.append(line)
            perform(server, line)
            written.extend(map(line_of, server.said))
            server.said.clear()
    server.finish()
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in written)


def main() -> None:
    """Record every conversation again."""
    for path in CONVERSATIONS:
        now = asyncio.run(recorded(path))
        if now != path.read_text(encoding="utf-8"):
            path.write_text(now, encoding="utf-8")
            sys.stdout.write(f"changed: {path.relative_to(EXAMPLES)}\n")


if __name__ == "__main__":
    main()
