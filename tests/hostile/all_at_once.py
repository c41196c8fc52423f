"""All attackers at the same time, each again and again from addresses of its own.

    python -m tests.hostile.all_at_once PORT SECONDS TOURNAMENT

TOURNAMENT is a tournament that is played meanwhile. The program prints a JSON object: for each attack the number of
rounds, of rounds that the server cut short (by a refusal or a close), and of rounds left unanswered for a while.
"""

import contextlib
import json
import random
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count, cycle
from typing import Any

from tests.hostile.attacker import CONTINUED, PING, PONG, TEXT, Attacker, RawBot, Refused, frame, next_turn, statuses

ADDRESSES = 4
"""Number of addresses of each attack."""
PAUSE_S = 0.05
"""Pause of an attack between two rounds, in s, since attackers and honest bots share the machine's processors."""
SEND_S = 2.0
"""Time in s after which an attacker looks for an answer, and then gives up."""
REFUSED = {400, 408, 414, 429, 431}
FLOOD = 50_000
KEY = "key-of-all-attackers"
LONG_CLOCK = {"move_ms": 3_600_000, "bank_ms": 3_600_000}
numbers = count()

Attack = Callable[[Attacker, str], None]


class CutShort(Exception):
    """The server refused or closed."""


def name() -> str:
    """Return a new name."""
    return f"hostile-{next(numbers)}"


def login(attacker: Attacker, name: str, **more: Any) -> RawBot:
    """Log in. Raises CutShort."""
    bot = attacker.login(name, key=KEY, **more)
    if bot.until("session", "error")["type"] == "error":
        bot.sock.close()
        raise CutShort
    return bot


def flooding(first: bytes, each: bytes) -> Attack:
    """Make an attack that sends frames as fast as possible."""

    def flood(attacker: Attacker, tournament: str) -> None:
        with attacker.bot() as bot:
            bot.flood(first + each * FLOOD)
            if bot.code is not None:
                raise CutShort

    return flood


def sending(build: Callable[[Attacker], bytes], parts: int = 1) -> Attack:
    """Make an attack that sends bytes on a socket `parts` times, or until the server closes the socket."""

    def send(attacker: Attacker, tournament: str) -> None:
        with attacker.socket() as sock:
            sock.settimeout(SEND_S)
            data = build(attacker)
            with contextlib.suppress(TimeoutError):
                for _ in range(parts):
                    sock.sendall(data)
            while part := sock.recv(1 << 16):
                if set(statuses(part)) & REFUSED:
                    raise CutShort

    return send


def tiny_fragments(attacker: Attacker, tournament: str) -> None:
    part = frame(CONTINUED, b"x", fin=False)
    with attacker.bot() as bot:
        bot.send(frame(TEXT, b"x", fin=False) + part * 60_000 + frame(CONTINUED))
        bot.until("error")


def silent_sockets(attacker: Attacker, tournament: str) -> None:
    """Hold silent sockets open."""
    with contextlib.ExitStack() as opened:
        for _ in range(100):
            opened.enter_context(attacker.socket())
        time.sleep(2.0)


def new_names(attacker: Attacker, tournament: str) -> None:
    login(attacker, name()).sock.close()


def many_messages(attacker: Attacker, tournament: str) -> None:
    with login(attacker, f"chatty-{attacker.address}") as bot:
        for _ in range(200):
            bot.say(type="nonsense")
        if bot.closed() == 4008:
            raise CutShort


def guessed_tokens(attacker: Attacker, tournament: str) -> None:
    if attacker.ask("/api/host", f"Authorization: Bearer guess-{random.random()}\r\n") == 429:
        raise CutShort


def guessed_keys(attacker: Attacker, tournament: str) -> None:
    with attacker.login("bot0", key=f"guess-{random.random()}-guess") as bot:
        if bot.until("session", "error").get("code") == "too_many_messages":
            raise CutShort


def guessed_invitations(attacker: Attacker, tournament: str) -> None:
    with login(attacker, f"guesser-{attacker.address}") as bot:
        for _ in range(30):
            bot.say(type="join", tournament=tournament, invite=f"{random.random()}")
            bot.until("error")


def padded_moves(attacker: Attacker, tournament: str) -> None:
    """Two bots play a challenge, with 60 KB of spaces in each move."""
    first = login(attacker, f"padder-{attacker.address}")
    second = login(attacker, f"padded-{attacker.address}", challenges=True)
    with first, second:
        first.say(type="challenge", against=f"padded-{attacker.address}", game="tictactoe")
        if first.until("joined", "error")["type"] == "error":
            raise CutShort
        for _ in range(5):
            bot, turn = next_turn(first, second)
            bot.move(turn, " " * 60_000)


def long_challenges(attacker: Attacker, tournament: str) -> None:
    """Challenge a bot that accepts, with clocks of two hours, and go."""
    with login(attacker, f"open-{attacker.address}", challenges=True), contextlib.ExitStack() as opened:
        for number in range(16):
            bot = opened.enter_context(login(attacker, f"idler-{attacker.address}-{number}"))
            against = f"open-{attacker.address}"
            bot.say(type="challenge", against=against, game="tictactoe", time_control=LONG_CLOCK)
            if bot.until("joined", "error")["type"] == "error":
                raise CutShort


def late_pongs(attacker: Attacker, tournament: str) -> None:
    with attacker.bot() as bot:
        bot.answers_pings = False
        payload = next(payload for opcode, payload in bot.frames() if opcode == PING)
        time.sleep(0.2)
        bot.send(frame(PONG, payload))
        bot.say(type="login", name=f"late-{attacker.address}", key=KEY)
        bot.until("session")


def costly_reads(attacker: Attacker, tournament: str) -> None:
    for path in ("export.json", "export.pgn", "matches", "audit"):
        if attacker.ask(f"/api/tournaments/{tournament}/{path}") == 429:
            raise CutShort


def pictures(attacker: Attacker, tournament: str) -> None:
    """Ask for many different pictures of large boards, on many sockets at once."""
    moves = "&".join(f"move={column}{row}" for row in range(1, 16, 2) for column in "abcdefghijklmno")
    with contextlib.ExitStack() as opened:
        sockets = [opened.enter_context(attacker.socket()) for _ in range(15)]
        for number, sock in enumerate(sockets):
            sock.sendall(attacker.get(f"/api/games/gomoku/board.svg?{moves}&flipped={number % 2}"))
        if 429 in {status for sock in sockets for status in statuses(sock.recv(1 << 16))}:
            raise CutShort


def unread_streams(attacker: Attacker, tournament: str) -> None:
    """Ask for streams, and read nothing."""
    with contextlib.ExitStack() as opened:
        for _ in range(20):
            sock = opened.enter_context(attacker.socket())
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            sock.sendall(attacker.get(f"/api/tournaments/{tournament}/events"))
        time.sleep(2.0)


WRONG = b'{"type": "challenge", "settings": {' + b",".join(b'"%04d": []' % each for each in range(300)) + b"}}"
"""A frame of at most 4 KiB, nearly all of it wrong."""
LONG_LOGIN = (
    b'{"type": "login", "name": "a", ' + b",".join(b'"%02d%s": 0' % (each, b"x" * 16) for each in range(60)) + b"}"
)
"""A frame of some 1.5 KB with the maximum number of wrong fields that are validated."""
QUESTION = b'{"state": {}, "settings": {' + b",".join(b'"%04d": []' % each for each in range(5_000)) + b"}}"


def wrong_frames(attacker: Attacker, tournament: str) -> None:
    """Send frames of strangers with many wrong fields, on many sockets at once."""
    with contextlib.ExitStack() as opened:
        bots = [opened.enter_context(attacker.bot()) for _ in range(15)]
        for bot in bots:
            bot.send(frame(TEXT, WRONG) * 20)
        if {bot.closed() for bot in bots} == {4008}:
            raise CutShort


def wrong_bodies(attacker: Attacker, tournament: str) -> None:
    """Ask for boards with many wrong settings, on many sockets at once."""
    ask = attacker.get("/api/games/tictactoe/board", f"Content-Length: {len(QUESTION)}\r\n", method="POST")
    with contextlib.ExitStack() as opened:
        sockets = [opened.enter_context(attacker.socket()) for _ in range(15)]
        for sock in sockets:
            sock.sendall(ask + QUESTION)
        if 429 in {status for sock in sockets for status in statuses(sock.recv(1 << 16))}:
            raise CutShort


def bursts(attacker: Attacker, tournament: str) -> None:
    """Log in as several bots, and have all send a long wrong frame at the same moment."""
    with contextlib.ExitStack() as opened:
        bots = [opened.enter_context(login(attacker, f"burst-{attacker.address}-{each}")) for each in range(40)]
        for bot in bots:
            bot.send(frame(TEXT, LONG_LOGIN))
        for bot in bots:
            bot.until("error")


def many_connections(attacker: Attacker, tournament: str) -> None:
    """Connect again and again as fast as possible."""
    for _ in range(200):
        attacker.socket().close()


def slow_bytes(start: Callable[[Attacker], bytes]) -> Attack:
    """Make an attack that sends a byte now and then, on many sockets."""

    def drip(attacker: Attacker, tournament: str) -> None:
        with contextlib.ExitStack() as opened:
            sockets = [opened.enter_context(attacker.socket()) for _ in range(20)]
            for sock in sockets:
                sock.sendall(start(attacker))
            for _ in range(20):
                time.sleep(1.0)
                for sock in sockets:
                    sock.sendall(b"x")

    return drip


HEADER = b"X-Header: " + b"x" * 1_000 + b"\r\n"
ATTACKS: dict[str, Attack] = {
    "pings": flooding(b"", frame(PING)),
    "pongs": flooding(b"", frame(PONG, b"x" * 125)),
    "empty fragments": flooding(frame(TEXT, fin=False), frame(CONTINUED, fin=False)),
    "tiny fragments": tiny_fragments,
    "wrong frames": wrong_frames,
    "wrong bodies": wrong_bodies,
    "bursts": bursts,
    "many connections": many_connections,
    "long queries": sending(lambda attacker: attacker.get(f"/?{'x' * 60_000}")),
    "many headers": sending(lambda attacker: b"GET / HTTP/1.1\r\n" + HEADER * 1_000, 20),
    "endless URL": sending(lambda attacker: b"GET /" + b"x" * 1_000_000, 5),
    "slow headers": slow_bytes(lambda attacker: b"GET / HTTP/1.1\r\nX-Slow: "),
    "slow bodies": slow_bytes(
        lambda attacker: attacker.get("/api/tournaments", "Content-Length: 9999\r\n", method="POST")
    ),
    "pipelines": sending(lambda attacker: attacker.get("/api/tournaments") * 500),
    "senseless upgrades": sending(lambda attacker: attacker.upgrade("/bot", "Origin: http://[\r\n")),
    "silent sockets": silent_sockets,
    "new names": new_names,
    "many messages": many_messages,
    "guessed tokens": guessed_tokens,
    "guessed keys": guessed_keys,
    "guessed invitations": guessed_invitations,
    "padded moves": padded_moves,
    "long challenges": long_challenges,
    "late pongs": late_pongs,
    "costly reads": costly_reads,
    "pictures": pictures,
    "unread streams": unread_streams,
}


def attack_until(until_s: float, attack: Attack, attackers: Iterator[Attacker], tournament: str) -> Counter[str]:
    """Repeat an attack. Count the rounds, the rounds cut short by the server, and the unanswered rounds."""
    counts = Counter[str]()
    while time.monotonic() < until_s:
        counts["rounds"] += 1
        try:
            attack(next(attackers), tournament)
        except TimeoutError:
            counts["unanswered"] += 1
        except (CutShort, Refused, OSError, ValueError, StopIteration):
            counts["cut short"] += 1
        time.sleep(PAUSE_S)
    return counts


def main() -> None:
    port, seconds, tournament = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
    until_s = time.monotonic() + seconds
    counts: dict[str, Counter[str]] = {}

    def run(number: int, what: str) -> None:
        own = [Attacker(port, f"127.0.1.{number * ADDRESSES + each + 1}") for each in range(ADDRESSES)]
        counts[what] = attack_until(until_s, ATTACKS[what], cycle(own), tournament)

    threads = [threading.Thread(target=run, args=(number, what)) for number, what in enumerate(ATTACKS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
