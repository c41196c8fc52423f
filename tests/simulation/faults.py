"""Faults of bots, shown at turns. Most faults are rare enough that matches make progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.simulation.bots import SimBot
    from tests.simulation.network import Wire

Frame = dict[str, Any]
Fault = Callable[["SimBot", "Wire", Frame], None]

MOST_ODD_TURNS = 30
"""Maximum number of turns before whose answer a program says something odd; more would count as a flood."""
GARBAGE = (
    "not json",
    "{}",
    "[1, 2]",
    '{"type": "mvoe"}',
    '{"type": "move", "match": 7}',
    '{"type": "login", "name": "!"}',
    '{"type": "challenge", "against": "nobody", "game": "tictactoe"}',
    '{"type": "resign", "match": "nowhere"}',
    '{"type": "join", "tournament": "nowhere"}',
)


def _now_and_then(chance: float, fault: Fault) -> Fault:
    """Return a fault that strikes with the given chance, and otherwise answers the turn."""

    def at_a_turn(bot: SimBot, wire: Wire, turn: Frame) -> None:
        if bot.wire is wire and bot.random.random() < chance:
            fault(bot, wire, turn)
        else:
            bot.answer(wire, turn)

    return at_a_turn


def _first(*frames: Callable[[SimBot, Frame], None]) -> Fault:
    """Return a fault that sends odd frames before the answer, at `MOST_ODD_TURNS` turns at most."""

    def at_a_turn(bot: SimBot, wire: Wire, turn: Frame) -> None:
        bot.odd_turns += 1
        for frame in frames if bot.odd_turns <= MOST_ODD_TURNS else ():
            frame(bot, turn)
        bot.answer(wire, turn)

    return at_a_turn


def _nothing(bot: SimBot, wire: Wire, turn: Frame) -> None:
    pass


def _illegal(bot: SimBot, wire: Wire, turn: Frame) -> None:
    moves = turn.get("moves") or ["nonsense"]
    bot.move(turn, bot.random.choice([moves[0], "99", "x" * 65, ""]))


def _drop(bot: SimBot, wire: Wire, turn: Frame) -> None:
    bot.hang_up()


def _drop_after_the_answer(bot: SimBot, wire: Wire, turn: Frame) -> None:
    bot.answer(wire, turn)
    wire.cut_off_silent()


def _crash(bot: SimBot, wire: Wire, turn: Frame) -> None:
    bot.last_move = None
    bot.seen_matches.clear()
    wire.cut_off_silent()


def _flood(bot: SimBot, wire: Wire, turn: Frame) -> None:
    for number in range(150):
        bot.say(type="move", match=turn["match"], turn_id=f"none.{number}", move="0")


def _slow(bot: SimBot, wire: Wire, turn: Frame) -> None:
    left_ms = turn["clock"]["remaining_ms"]
    bot.timeline.call_in(int(left_ms * bot.random.uniform(0.5, 1.1)), lambda: bot.answer(wire, turn))


def _resign(bot: SimBot, wire: Wire, turn: Frame) -> None:
    bot.say(type="resign", match=turn["match"])


def _raise(bot: SimBot, wire: Wire, turn: Frame) -> None:
    """Give up as the SDK does for a bot whose code raises an error."""
    bot.say(type="resign", match=turn["match"], failed=True, reason=f"ValueError: at ply {turn['ply']}")


def _leave(bot: SimBot, wire: Wire, turn: Frame) -> None:
    bot.say(type="leave", tournament=turn["match"].partition(".")[0])


def _stale(bot: SimBot, turn: Frame) -> None:
    """Answer an earlier turn; the move may be legal in the present position."""
    if bot.last_move is not None:
        bot.say_text(bot.last_move)
    bot.say(type="move", match=turn["match"], turn_id="0.0", move="4")


def _twice(bot: SimBot, turn: Frame) -> None:
    if bot.last_move is not None:
        bot.say_text(bot.last_move)


def _wrong_match(bot: SimBot, turn: Frame) -> None:
    for match in sorted(bot.seen_matches - {turn["match"]})[:1]:
        bot.say(type="move", match=match, turn_id=turn["turn_id"], move="4")


def _garbage(bot: SimBot, turn: Frame) -> None:
    bot.say_text(bot.random.choice(GARBAGE))


def _huge(bot: SimBot, turn: Frame) -> None:
    bot.say(type="move", match=turn["match"], turn_id=turn["turn_id"], move="4", note="x" * 70_000)


AT_A_TURN: dict[str, Fault] = {
    "timeout": _now_and_then(0.15, _nothing),
    "illegal": _now_and_then(0.15, _illegal),
    "garbage": _first(_garbage),
    "drop": _now_and_then(0.2, _drop),
    "drop-after": _now_and_then(0.2, _drop_after_the_answer),
    "crash": _now_and_then(0.15, _crash),
    "flood": _now_and_then(0.1, _flood),
    "slow": _slow,
    "stale": _first(_stale),
    "duplicate": _first(_twice),
    "wrong-match": _first(_wrong_match),
    "huge": _now_and_then(0.1, _first(_huge)),
    "silent": _nothing,
    "resign": _now_and_then(0.1, _resign),
    "leave": _now_and_then(0.03, _leave),
    "raise": _now_and_then(0.1, _raise),
}
"""Behaviour at a turn, by the fault's name."""

FAULTS = (*AT_A_TURN, "absent")
"""All faults; an `absent` bot joins and never comes back."""
