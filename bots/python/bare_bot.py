"""A whole bot with nothing but `pip install websockets`. Usage: python bare_bot.py HOST:PORT TOURNAMENT NAME"""

import json
import random
import sys
import time

import websockets.sync.client

server, tournament, name = sys.argv[1:]
while True:  # connect again whenever the connection ends, but not after a close code from 4000 on
    try:
        with websockets.sync.client.connect(f"ws://{server}/bot") as socket:
            for frame in socket:
                print(frame)
                match message := json.loads(frame):
                    case {"type": "welcome"}:
                        socket.send(json.dumps({"type": "login", "name": name, "join": tournament}))
                    case {"type": "turn"}:
                        answer = {"type": "move", "match": message["match"], "turn_id": message["turn_id"]}
                        socket.send(json.dumps(answer | {"move": random.choice(message["legal"])}))
                    case {"type": "tournament_over"}:
                        sys.exit()
    except (OSError, websockets.WebSocketException) as lost:
        sys.exit(str(lost)) if "received 4" in str(lost) else time.sleep(0.5)
