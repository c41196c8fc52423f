"""The disk as a target: challenges write a bounded amount a day, and the bound faults no move."""

import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from rumble_server.limits.bounds import Bounds

from tests.hostile.attacker import play_on
from tests.hostile.target import target

pytestmark = [pytest.mark.e2e, pytest.mark.long]

KEY = "key-of-bots-that-fill-the-disk"
KEPT = Bounds().kept_frame_bytes


def test_challenges_of_one_address_write_a_bounded_log_and_a_running_match_ends(tmp_path: Path) -> None:
    """40 bots of one address that challenged each other wrote 10 MB/s, without an end."""
    most, names = 20_000, [f"busy-{number}" for number in range(6)]
    with target(tmp_path, constants={"challenge_bytes_per_day": most}) as server, ExitStack() as opened:
        busy, other = server.attacker(), server.attacker()
        bots = [opened.enter_context(busy.login(name, key=KEY, challenges=True)) for name in names]
        for bot in bots:
            bot.until("session")
        pairs = list(zip(bots[::2], bots[1::2], names[1::2], strict=True))
        refused, padding = 0, " " * KEPT
        for _ in range(most // KEPT):
            refused = 0
            for first, second, name in pairs:
                first.say(type="challenge", against=name, game="tictactoe", seat=0)
                if (answer := first.until("joined", "error"))["type"] == "error":
                    assert answer["code"] == "quota"
                    refused += 1
                    continue
                assert play_on(first, second, padding=padding)["termination"] == "normal"
                first.until("tournament_over")
        assert refused == len(pairs)
        with closing(sqlite3.connect(f"file:{server.database}?mode=ro", uri=True)) as database:
            written = database.execute("SELECT sum(length(facts)) FROM log WHERE tournament != 'main/'").fetchone()[0]
        one_more = 9 * 2 * KEPT
        assert most <= written < most + len(pairs) * one_more
        with other.login("other", key=KEY) as bot:
            bot.say(type="challenge", against=names[0], game="tictactoe")
            assert bot.until("joined", "error")["type"] == "joined"
