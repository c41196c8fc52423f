"""The connection of a Rumble bot, with nothing but `pip install websockets`; `strategy.py` chooses the moves.

RUMBLE_JOIN names the tournament. RUMBLE_SERVER, RUMBLE_NAME, RUMBLE_KEY and RUMBLE_INVITE are optional. The file
`key.json` in this folder may have the same values; a variable of the environment counts more than the file.
"""

import json
import os
import random
import re
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import strategy
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import connect

KEY_FILE = Path(__file__).with_name("key.json")
KEPT = json.loads(KEY_FILE.read_text(encoding="utf-8")) if KEY_FILE.exists() else {}
STAY_AWAY = (4001, 4003, 4004, 4010)  # close codes after which a bot must not connect again
FOR_GOOD = ("tournament_closed", "removed")  # codes of errors and notices after which the bot has nothing to play
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
LONGEST_REASON = 500  # characters

Message = dict[str, Any]


def setting(name: str, otherwise: str | None = None) -> str | None:
    """Return a setting from the environment, or else from `key.json`, or else `otherwise`."""
    return os.environ.get(f"RUMBLE_{'JOIN' if name == 'tournament' else name.upper()}") or KEPT.get(name) or otherwise


def move(turn: Message, chosen: str) -> Message:
    """Return the message that answers `turn` with the move `chosen`."""
    return {"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": chosen}


def failure(error: Exception) -> str:
    """Return a line about an error of the strategy: the place in `strategy.py`, and the error's type and text."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == strategy.__file__]
    place = f"strategy.py:{lines[-1]}" if lines else "strategy.py"
    reason = f"{place}: {type(error).__name__}: {error}"[:LONGEST_REASON]
    return reason.encode(errors="replace").decode()  # the name of a file may hold half a character


class Bot:
    """A bot in a tournament, and in the tournaments to which the host moves it. It connects again when cut off."""

    def __init__(self, tournament: str) -> None:
        self.tournament = tournament
        self.tells_failures = False  # True if the server has the feature `failure`
        self.playing = {tournament}  # the tournaments that are not over
        self.joined = False  # once True, an error message no longer ends the bot
        self.over = False
        self.seats: dict[str, list[str]] = {}  # the bots' names, by match and seat
        self.turns: dict[str, Message] = {}  # the newest turn of each match, for another answer
        self.pause_s = FIRST_PAUSE_S

    def login(self) -> Message:
        """Return the message `login`, which asks for four matches at a time, because the bot answers turns at once."""
        given = {name: setting(name) for name in ("key", "invite")}
        return {"type": "login", "name": setting("name", "my-bot"), "join": self.tournament, "max_matches": 4, **given}

    def choose(self, turn: Message) -> Message:
        """Return the answer to a turn: the move of the strategy, or the resignation if the strategy fails."""
        try:
            chosen = strategy.choose(turn)
            if not isinstance(chosen, str):
                raise TypeError(f"choose returned {chosen!r}, which is not the text of a move")
            return move(turn, chosen)
        except Exception as error:  # noqa: BLE001 - the other matches go on, whatever the strategy raises
            traceback.print_exc()
            reason = failure(error)
            print(f"{turn['match']}: resigning: {reason}", file=sys.stderr)
            details = {"failed": True, "reason": reason} if self.tells_failures else {}
            return {"type": "resign", "match": turn["match"], **details}

    def answer(self, message: Message) -> Message | None:
        """Return the reply to a message; None if the message needs no reply, or its type is unknown."""
        match message:
            case {"type": "welcome"}:
                features = message.get("features", [])
                self.tells_failures = "failure" in features
                return self.login() | ({"follow": True} if "follow" in features else {})
            case {"type": "session", "tournaments": tournaments} if self.joined:  # some began or ended meanwhile
                self.playing = {each["id"] for each in tournaments}
            case {"type": "joined", "tournament": tournament}:
                self.playing.add(tournament)
                self.joined, self.pause_s = True, FIRST_PAUSE_S
            case {"type": "match_start", "match": match_id, "seats": seats}:
                self.seats[match_id] = seats
            case {"type": "turn", "match": match_id}:
                self.turns[match_id] = message
                return self.choose(message)
            case {"type": "rejected", "match": match_id, "your_turn": True, "code": "illegal_move" | "bad_move"}:
                print(f"{message['code']}: {message['message']}; trying another move", file=sys.stderr)
                turn = self.turns[match_id]
                return move(turn, random.choice(turn["legal"]))
            case {"type": "match_over", "match": match_id, "winner": winner, "reason": reason}:
                self.turns.pop(match_id, None)
                seats = self.seats.pop(match_id, None)  # None: the match never began, or its end is told twice
                name = "nobody" if winner is None else seats[winner] if seats else f"seat {winner}"
                print(f"{match_id}: {name} wins: {reason}", file=sys.stderr)
            case {"type": "tournament_over", "tournament": tournament, "rank": rank, "bots": bots}:
                print(f"{tournament}: rank {rank} of {bots}, {message['points']:g} points", file=sys.stderr)
                self.playing.discard(tournament)
                self.over = not self.playing
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
        """Play until all tournaments of the bot are over. If the connection ends earlier, connect again."""
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
    """Read the settings, and play."""
    tournament = setting("tournament")
    if tournament is None:
        print("say which tournament to play in: RUMBLE_JOIN=ID", file=sys.stderr)
        sys.exit(2)
    server = str(setting("server", "127.0.0.1:8765"))
    url = re.sub("^http", "ws", server if "://" in server else f"ws://{server}")
    Bot(tournament).play(re.sub(r"(://[^/?#]+(/c/[^/?#]+)?).*", r"\1/bot", url))


if __name__ == "__main__":
    main()
