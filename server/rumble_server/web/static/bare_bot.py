"""A whole bot with nothing but `pip install websockets`. Usage: bare_bot.py SERVER TOURNAMENT NAME [INVITATION]"""

import json
import os
import pathlib
import random
import secrets
import sys
import time
import zlib
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import connect


def answer(turn: dict[str, Any]) -> dict[str, Any]:
    """Answer a turn with any legal move: choose a better move! `state` has the position, and `seat` is your seat."""
    move = random.choice(turn["legal"])
    return {"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": move}


if len(sys.argv) < 4:
    sys.exit(__doc__)
server, tournament, name, *invitation = sys.argv[1:]
scheme, _, place = server.rstrip("/").rpartition("://")  # SERVER is host:port or a URL, with /c/NAME for a club
url = f"{'wss' if scheme in ('https', 'wss') else 'ws'}://{place}/bot"

file_name = f"{name}@{place}.key".replace(":", "-").replace("/", "+")
key_file = pathlib.Path(os.environ.get("RUMBLE_CONFIG_DIR", "."), file_name)
key_file.parent.mkdir(parents=True, exist_ok=True)
key_file.touch(0o600)  # the key proves that the name is yours; this file keeps the key
if not key_file.read_text():
    digits = secrets.token_hex(16)
    key_file.write_text(f"rumble_{digits}{zlib.crc32(digits.encode()):08x}")
login = {"type": "login", "name": name, "key": key_file.read_text(), "join": tournament}
if invitation:
    login["invite"] = invitation[0]

joined, ended, pause_s = False, None, 0.5
while ended is None:
    try:
        with connect(url, ping_interval=6, ping_timeout=6) as socket:  # 12 s of silence end the connection
            while ended is None:
                frame = socket.recv()
                print(frame)
                match message := json.loads(frame):
                    case {"type": "welcome"}:
                        socket.send(json.dumps(login))
                    case {"type": "joined"}:
                        joined, pause_s = True, 0.5
                    case {"type": "turn"}:
                        turn = message
                        socket.send(json.dumps(answer(turn)))
                    case {"type": "rejected", "your_turn": True, "code": "illegal_move" | "bad_move"}:
                        socket.send(json.dumps(answer(turn)))
                    case {"type": "tournament_over"}:
                        ended = 0
                    case {"type": "error", "code": "too_many_messages", "message": text} if not joined:
                        raise ConnectionError(text)  # perhaps neighbours sent wrong keys: try again
                    case {"type": "error", "message": text} if not joined:
                        ended = text
                    case {"type": "error" | "notice", "code": "removed" | "tournament_closed", "message": text}:
                        ended = text
    except (OSError, WebSocketException) as error:  # try again, unless the connection ended for good
        closed = error.rcvd.code if isinstance(error, ConnectionClosed) and error.rcvd else None
        status = error.response.status_code if isinstance(error, InvalidStatus) else None
        if closed in (4001, 4003, 4004, 4010) or (status == 404 and not joined):
            sys.exit(f"{url}: {error}")
        print(f"{url}: {error}; trying again")
        replaced = status in (421, 502, 503)  # the server is back in a second, and after 1012 at once
        time.sleep(1 if replaced else 0 if closed == 1012 and pause_s == 0.5 else pause_s * random.uniform(0.5, 1.5))
        pause_s = pause_s if replaced else min(2 * pause_s, 30)
sys.exit(ended)  # 0, or why the server refuses this bot
