"""Frames that cost the sender nothing: each is counted, and only connections that go on flooding are closed."""

import pytest
from rumble_protocol.server_messages import Limits
from rumble_server.limits.bounds import Bounds

from tests.hostile.attacker import CONTINUED, PING, PONG, TEXT, Attacker, frame, play_on
from tests.hostile.target import Target

pytestmark = [pytest.mark.e2e, pytest.mark.long]

BOUNDS = Bounds()
FLOOD = 100_000
"""Number of frames beyond what a server reads before the end: 600 KB, possibly delivered in one turn of the loop."""
FLOODED, TOO_LARGE = 4008, 1009
MESSAGES = Limits().unsolicited_per_minute
KEY = "key-of-the-bots-that-flood"


@pytest.mark.parametrize(
    ("first", "each"),
    [
        (b"", frame(PING)),
        (b"", frame(PING, b"x" * 125)),
        (b"", frame(PONG)),
        (frame(TEXT, fin=False), frame(CONTINUED, fin=False)),
    ],
    ids=["pings", "long pings", "pongs", "empty fragments"],
)
def test_who_floods_with_control_or_empty_frames_is_closed(attacker: Attacker, first: bytes, each: bytes) -> None:
    with attacker.bot() as bot:
        seen = bot.flood(first + each * FLOOD)
        assert bot.code == FLOODED
        assert seen.count(PONG) <= BOUNDS.empty_frames_per_10_s + BOUNDS.frames_per_turn


def test_control_frames_within_the_bound_are_answered(attacker: Attacker) -> None:
    with attacker.bot() as bot:
        seen = bot.flood(frame(PING) * (BOUNDS.empty_frames_per_10_s - 10))
        assert bot.code is None
        assert seen.count(PONG) == BOUNDS.empty_frames_per_10_s - 10


def test_fragments_are_fine(attacker: Attacker) -> None:
    """A message of 4,000 fragments of one byte each is read like any other."""
    message = b'{"type": "login", "name": "fragments"' + b" " * 4_000 + b"}"
    parts = [frame(TEXT if at == 0 else CONTINUED, message[at : at + 1], fin=False) for at in range(len(message))]
    with attacker.bot() as bot:
        bot.send(b"".join(parts) + frame(CONTINUED))
        assert bot.until("session", "error")["type"] == "session"


def test_a_close_for_control_frames_forfeits_nothing(server: Target, attacker: Attacker) -> None:
    """The flooding bot is away; after its return the match goes on and ends by the rules."""
    cup = server.create(start_at_bots=2, legs=1)
    with attacker.login("flooder", key=KEY, join=cup) as flooder, attacker.login("other", key=KEY, join=cup) as other:
        start = flooder.until("match_start")
        flooder.flood(frame(PONG) * FLOOD)
        assert flooder.code == FLOODED
        with attacker.login("flooder", key=KEY) as back:
            assert back.until("match_start")["resumed"]
            over = play_on(*((back, other) if start["seat"] == 0 else (other, back)))
    assert (over["match"], over["termination"]) == (start["match"], "normal")


def test_a_stranger_buys_little_work(attacker: Attacker) -> None:
    """A large frame ends the connection; a frame with many wrong fields is refused whole, and charged by its bytes."""
    settings = ",".join(f'"{number:03}":[]' for number in range(8_000))
    challenge = f'{{"type":"challenge","against":"a","game":"g","settings":{{{settings}}}}}'.encode()
    with attacker.bot(frame(TEXT, challenge)) as bot:
        assert bot.closed() == TOO_LARGE
    few = challenge[: BOUNDS.stranger_frame_bytes - 100].rpartition(b",")[0] + b"}}"
    with attacker.bot() as bot:
        told = list[str]()
        for _ in range(MESSAGES):
            bot.send(frame(TEXT, few))
        for message in bot.messages():
            if message["type"] == "error":
                told.append(message["code"])
        assert bot.code == FLOODED
    assert told == ["bad_message"] * (MESSAGES // (1 + len(few) // 1_024)) + ["too_many_messages"]
