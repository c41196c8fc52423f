"""A whole bot with nothing but `pip install websockets`. Usage: python bare_bot.py HOST:PORT TOURNAMENT NAME"""

import json
import random
import sys

from websockets.sync.client import connect

server, tournament, name = sys.argv[1:]
with connect(f"ws://{server}/bot") as socket:
    for frame in socket:
        message = json.loads(frame)
        if message["type"] == "welcome":
            socket.send(json.dumps({"type": "login", "name": name, "join": tournament}))
        elif message["type"] == "turn":
            answer = {"type": "move", "match": message["match"], "turn_id": message["turn_id"]}
            socket.send(json.dumps(answer | {"move": random.choice(message["legal"])}))
        elif message["type"] == "tournament_over":
            sys.stdout.write(f"rank {message['rank']} of {message['bots']}\n")
            break
        elif message["type"] == "error":
            sys.exit(message["message"])
