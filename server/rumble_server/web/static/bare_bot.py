"""A whole bot with nothing but `pip install websockets`. Usage: bare_bot.py SERVER TOURNAMENT NAME [INVITATION]"""

import json
import os
import pathlib
import random
import re
import secrets
import sys
import time

import websockets.sync.client

server, tournament, name, invitation = [*sys.argv[1:], ""][:4] if len(sys.argv) > 3 else sys.exit(__doc__)
[(tls, host, club)] = re.findall("^(?:(?:http|ws)(s?)://)?([^/?#]+)(/c/[^/?#]+)?", server)
place = (host + club).replace(":", "-").replace("/", "+")
kept = pathlib.Path(os.environ.get("RUMBLE_CONFIG_DIR", "."), f"{name}@{place}.key")
kept.parent.mkdir(parents=True, exist_ok=True)
kept.touch(0o600)  # the key proves that the name is yours: made once, then read from this file
kept.write_text(kept.read_text() or secrets.token_urlsafe())
login = {"type": "login", "name": name, "key": kept.read_text(), "join": tournament, "invite": invitation or None}
joined = False
while True:  # connect again whenever the connection ends, but not after a close code from 4000 on
    try:
        with websockets.sync.client.connect(f"ws{tls}://{host}{club}/bot") as socket:
            for frame in socket:
                print(frame)
                match message := json.loads(frame):
                    case {"type": "welcome"}:
                        socket.send(json.dumps(login))
                    case {"type": "joined"}:
                        joined = True
                    case {"type": "turn"}:
                        answer = {"type": "move", "match": message["match"], "turn_id": message["turn_id"]}
                        socket.send(json.dumps(answer | {"move": random.choice(message["legal"])}))
                    case {"type": "tournament_over" | "error" as kind} if kind != "error" or not joined:
                        sys.exit(message.get("message"))  # why the login or the join is refused
    except (OSError, websockets.WebSocketException) as lost:
        print(lost)
        sys.exit(1) if re.search("received 4" if joined else "received 4|HTTP 404", str(lost)) else time.sleep(0.5)
