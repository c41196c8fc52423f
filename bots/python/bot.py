"""A Rumble bot with nothing but `pip install websockets`. Usage: python bot.py [random|winblock]

The environment variable RUMBLE_JOIN names the tournament. The variables RUMBLE_SERVER, RUMBLE_NAME, RUMBLE_KEY and
RUMBLE_INVITE are optional.
"""

import argparse
import json
import os
import random
import re
import sys
import time
from collections.abc import Callable
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import connect

SERVER = os.environ.get("RUMBLE_SERVER", "127.0.0.1:8765")
NAME = os.environ.get("RUMBLE_NAME", "my-bot")
STAY_AWAY = (4001, 4003, 4004, 4010)  # close codes after which a bot must not connect again
FOR_GOOD = ("tournament_closed", "removed")  # codes of errors and notices after which the bot has nothing to play
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
LINES = ("012", "345", "678", "036", "147", "258", "048", "246")

Message = dict[str, Any]


def any_move(turn: Message) -> str:
    """Return a random legal move."""
    return str(random.choice(turn["legal"]))


def win_or_block(turn: Message) -> str:
    """Return a winning move in tic-tac-toe, else a move that blocks a line of the opponent, else any legal move."""
    if turn["game"] == "tictactoe":
        board = turn["state"]["board"]
        for mark in "XO" if turn["seat"] == 0 else "OX":
            for line in LINES:
                marks = [board[int(square)] for square in line]
                if sorted(marks) == [".", mark, mark]:
                    return line[marks.index(".")]
    return any_move(turn)


def move(turn: Message, chosen: str) -> Message:
    """Return the message that answers `turn` with the move `chosen`."""
    return {"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": chosen}


STRATEGIES = {"random": any_move, "winblock": win_or_block}


class Bot:
    """A bot in a tournament. When a connection ends, the bot connects again."""

    def __init__(self, tournament: str, choose: Callable[[Message], str]) -> None:
        self.tournament = tournament
        self.choose = choose
        self.joined = False  # once True, an error message no longer ends the bot
        self.over = False
        self.seats: dict[str, list[str]] = {}  # the bots' names, by match and seat
        self.turns: dict[str, Message] = {}  # the newest turn of each match, for another answer
        self.pause_s = FIRST_PAUSE_S

    def login(self) -> Message:
        """Return the login. The bot answers turns at once, so it asks for four matches at the same time."""
        given = {name: os.environ.get(f"RUMBLE_{name.upper()}") or None for name in ("key", "invite")}
        return {"type": "login", "name": NAME, "join": self.tournament, "max_matches": 4, **given}

    def answer(self, message: Message) -> Message | None:
        """Return the reply to a message; None if the message needs no reply, or its type is unknown."""
        match message:
            case {"type": "welcome"}:
                return self.login()
            case {"type": "joined"}:
                self.joined, self.pause_s = True, FIRST_PAUSE_S
            case {"type": "match_start", "match": match_id, "seats": seats}:
                self.seats[match_id] = seats
            case {"type": "turn", "match": match_id}:
                self.turns[match_id] = message
                return move(message, self.choose(message))
            case {"type": "rejected", "match": match_id, "your_turn": True, "code": "illegal_move" | "bad_move"}:
                print(f"{message['code']}: {message['message']}; trying another move", file=sys.stderr)
                return move(self.turns[match_id], any_move(self.turns[match_id]))
            case {"type": "match_over", "match": match_id, "winner": winner, "reason": reason}:
                self.turns.pop(match_id, None)
                seats = self.seats.pop(match_id, None)  # None: the match never began, or its end is told twice
                name = "nobody" if winner is None else seats[winner] if seats else f"seat {winner}"
                print(f"{match_id}: {name} wins: {reason}", file=sys.stderr)
            case {"type": "tournament_over", "tournament": self.tournament, "rank": rank, "bots": bots}:
                print(f"{self.tournament}: rank {rank} of {bots}, {message['points']:g} points", file=sys.stderr)
                self.over = True
            case {"type": "error", "code": "too_many_messages", "message": text} if not self.joined:
                raise ConnectionError(text)  # perhaps neighbours sent wrong keys: try again
            case {"type": "error", "code": code, "message": text} if not self.joined:
                sys.exit(f"refused: {text} ({code})")
            case {"type": "error" | "notice", "code": code, "message": text} if code in FOR_GOOD:
                sys.exit(f"it is over: {text} ({code})")
            case {"type": "rejected" | "error" | "notice", "code": code, "message": text}:
                print(f"{code}: {text}", file=sys.stderr)
        return None

    def play(self, url: str) -> None:
        """Play until the tournament is over, and connect again when the connection ends."""
        while True:
            try:
                with connect(url) as socket:
                    for frame in socket:
                        if reply := self.answer(json.loads(frame)):
                            socket.send(json.dumps(reply))
                        if self.over:
                            return
                ended: object = "the connection ended"
            except ConnectionClosed as closed:
                if closed.rcvd and closed.rcvd.code in STAY_AWAY:
                    sys.exit(f"the server closed the connection for good: {closed}")
                ended = closed
            except (OSError, WebSocketException) as error:
                if isinstance(error, InvalidStatus) and error.response.status_code == 404 and not self.joined:
                    sys.exit(f"there is no club at {url} (404)")
                ended = error
            print(f"{url}: {ended}; trying again", file=sys.stderr)
            time.sleep(self.pause_s * random.uniform(0.5, 1.5))
            self.pause_s = min(2 * self.pause_s, LONGEST_PAUSE_S)


def main() -> None:
    """Read the arguments and the environment, and play."""
    parser = argparse.ArgumentParser()
    parser.add_argument("strategy", nargs="?", choices=STRATEGIES, default="random")
    choose = STRATEGIES[parser.parse_args().strategy]
    tournament = os.environ.get("RUMBLE_JOIN")
    if not tournament:
        parser.error("say which tournament to play in: RUMBLE_JOIN=ID")
    server = re.sub("^http", "ws", SERVER if "://" in SERVER else f"ws://{SERVER}")
    Bot(tournament, choose).play(re.sub(r"(://[^/?#]+(/c/[^/?#]+)?).*", r"\1/bot", server))


if __name__ == "__main__":
    main()
