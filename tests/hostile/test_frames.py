"""Frames that cost the sender nothing: each is counted, and only who goes on flooding is closed."""

import pytest
from rumble_server.bounds import Bounds

from tests.hostile.attacker import CONTINUED, PING, PONG, TEXT, Attacker, frame, play_on
from tests.hostile.target import Target

pytestmark = [pytest.mark.e2e, pytest.mark.long]

BOUNDS = Bounds()
FLOOD = 100_000
"""More frames than a server reads before the end: 600 KB, which one turn of the loop may hand over."""
FLOODED = 4008
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
    """A message of 20,000 fragments of one byte each is read like any other."""
    message = b'{"type": "login", "name": "fragments"' + b" " * 20_000 + b"}"
    parts = [frame(TEXT if at == 0 else CONTINUED, message[at : at + 1], fin=False) for at in range(len(message))]
    with attacker.bot() as bot:
        bot.send(b"".join(parts) + frame(CONTINUED))
        assert bot.until("session", "error")["type"] == "session"


def test_a_close_for_control_frames_forfeits_nothing(server: Target, attacker: Attacker) -> None:
    """The bot that flooded is away; when it is back its match goes on and ends by the rules."""
    cup = server.create(start_at_bots=2, legs=1)
    with attacker.login("flooder", key=KEY, join=cup) as flooder, attacker.login("other", key=KEY, join=cup) as other:
        start = flooder.until("match_start")
        flooder.flood(frame(PONG) * FLOOD)
        assert flooder.code == FLOODED
        with attacker.login("flooder", key=KEY) as back:
            assert back.until("match_start")["resumed"]
            over = play_on(*((back, other) if start["seat"] == 0 else (other, back)))
    assert (over["match"], over["termination"]) == (start["match"], "normal")
