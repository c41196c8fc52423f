"""Bots of a club that another node leads: what they see is what they see where their own node leads it."""

from typing import Any

import pytest
from rumble_protocol.codes import CloseCode
from rumble_protocol.fields import TimeControl
from rumble_server.bounds import Bounds
from rumble_server.match.facts import MoveMade
from rumble_server.tournament.config import TournamentConfig

from tests.server.cluster.linked import EdgeNode, LeaderNode
from tests.server.world import Bot, MemoryLink, VirtualClock

KEY = "correct-horse-battery"


def club(*, delay_ms: int = 1, move_ms: int = 10_000, bounds: Bounds | None = None, **limits: int) -> EdgeNode:
    """An edge whose club has a tournament of tic-tac-toe that two bots start."""
    leader = LeaderNode(VirtualClock(), 1)
    config = TournamentConfig(
        name="Friday", game="tictactoe", start_at_bots=2, time_control=TimeControl(move_ms=move_ms)
    )
    leader.organiser.create(config)
    node = EdgeNode(leader, delay_ms=delay_ms, bounds=bounds, **limits)
    node.run(10 * delay_ms)
    return node


def in_play(node: EdgeNode) -> tuple[Bot, Bot]:
    """Two bots in a match: the one on turn, and the other."""
    bots = [node.bot(name, key=KEY, join="friday") for name in ("ann", "ben")]
    node.run(20 * node.delay_ms)
    for bot in bots:
        assert bot.inbox.all("match_start")
    mover, waiter = sorted(bots, key=lambda bot: not bot.inbox.all("turn"))
    for bot in bots:
        bot.heard()
    return mover, waiter


def moves(node: EdgeNode) -> list[MoveMade]:
    return [fact for fact in node.leader.log.facts if isinstance(fact, MoveMade)]


def play_out(node: EdgeNode, mover: Bot, waiter: Bot) -> None:
    """Play the match to its end, from turn to turn."""
    for _ in range(9):
        for bot in (mover, waiter):
            for turn in bot.heard("turn"):
                bot.move(turn["legal"][0], turn=turn)
        node.run(10 * node.delay_ms)


# --- one link, one leader ---


def test_a_tournament_is_played_over_a_link() -> None:
    node = club()
    mover, waiter = in_play(node)
    first = mover.inbox.frames
    assert first == []
    mover.move("4", turn=mover.last("turn"))
    node.run(10)
    play_out(node, waiter, mover)
    node.run(100_000)
    kinds = {frame["type"] for bot in (mover, waiter) for frame in bot.heard()}
    assert {"match_over"} <= kinds
    assert "error" not in kinds
