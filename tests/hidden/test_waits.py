"""The times of turns, and the clocks told to bots, do not depend on secrets."""

from random import Random
from typing import Any
from unittest.mock import patch

from tests.hidden.tokens import installed
from tests.server.frames import Frame
from tests.server.world import Bot, World

THINK_MS = 7
WRITE_MS = 3
AWAY_MS = 40
SEEDS = range(6)

Told = tuple[int, str, str, Any]
"""A frame: the time in ms, the bot, the type, and the ply with the clocks, or the code."""


def evening(seed: int) -> tuple[list[Told], set[int]]:
    """Play a match with the secrets of a seed; return the frames told, and the numbers of legal moves in turns.

    Every bot thinks for the same time, and ben is away for a while: only the server makes the waits.
    """
    frames: list[Told] = []
    choices: set[int] = set()
    secrets = Random(seed)
    with installed(), patch("rumble_server.tournament.terms.token_hex", lambda size: secrets.randbytes(size).hex()):
        world = World(delay_ms=WRITE_MS)
        world.create(game="tokens", seats=3, format="knockout", start_at_bots=3)

        def play(bot: Bot, frame: Frame) -> None:
            about = (frame["ply"], frame["clock"]) if frame["type"] == "turn" else frame.get("code")
            frames.append((world.clock.now_ms(), bot.name, frame["type"], about))
            if frame["type"] == "turn":
                choices.add(len(frame["legal"]))
                move = {"type": "move", "match": frame["match"], "turn_id": frame["turn_id"], "move": frame["legal"][0]}
                world.clock.call_at(world.clock.now_ms() + THINK_MS, lambda: None if bot.gone else bot.say(**move))
                if frame["ply"] == 7 and bot.name == "ben" and not bot.gone:
                    world.clock.call_at(world.clock.now_ms() + 1, lambda: leave(bot))

        def leave(bot: Bot) -> None:
            bot.drop()
            world.clock.call_at(world.clock.now_ms() + AWAY_MS, lambda: enter(bot.name))

        def enter(name: str) -> None:
            bot = world.connect()
            bot.link.on_frame.append(lambda frame: play(bot, frame))
            bot.login(name, join="friday")

        for name in ("ann", "ben", "cid"):
            enter(name)
        world.run()
    return frames, choices


def test_neither_times_nor_clocks_depend_on_a_secret() -> None:
    evenings = [evening(seed) for seed in SEEDS]
    first = evenings[0][0]
    assert sum(kind == "turn" for _, _, kind, _ in first) > 10
    assert ("ben", "match_start") in [(name, kind) for _, name, kind, _ in first[10:]], "ben came back"
    assert all(frames == first for frames, _ in evenings)
    assert set.union(*(choices for _, choices in evenings)) == {1, 2}, "the number of legal moves is a secret"
