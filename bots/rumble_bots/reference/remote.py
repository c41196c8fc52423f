"""Reference bots on a server: the time for a move, and the `ReferenceBot` objects.

Concurrent turns use different objects. For a bot that remembers, each match has an object of its own.
"""

from typing import Any

from rumble_engine import get_game

from rumble_bots.reference import Choice, ReferenceBot, ReferenceBotError, make_reference_bot
from rumble_bots.reference.reference_bot import Sight
from rumble_bots.sdk.bot import Bot, Noted, Turn
from rumble_bots.sdk.errors import Resign
from rumble_bots.sdk.lateness import Lateness
from rumble_bots.search.memory import Memory
from rumble_bots.search.thinking import SHARE

LEAST = 0.1
"""Minimum share of the time budget that a search gets, even if earlier searches took too long."""
MATCHES = 1_000
"""Maximum number of `ReferenceBot` objects kept for the matches of a bot that remembers."""
MOVES_TO_COME = 20
"""Number of moves for which the bank should last."""


def budget_ms(turn: Turn) -> int:
    """Return the maximum time in ms to think about `turn`.

    If the match has a bank, the time is the sum of the time per move, the increment and a share of the bank, but at
    most `turn.think_ms`. Without a bank, the time is `turn.think_ms`.
    """
    control = turn.start.time_control if turn.start is not None else None
    if control is None or control.bank_ms == 0:
        return turn.think_ms
    bank_ms = max(0, turn.clock.remaining_ms - control.move_ms)
    return min(turn.think_ms, control.move_ms + control.increment_ms + bank_ms // MOVES_TO_COME)


def noted(choice: Choice, time_ms: int) -> str:
    """Return the move. If `choice` has a value or a number of nodes, add a note for people and an info with numbers."""
    remarks = [] if choice.score is None else [f"value {choice.score:+.2f}"]
    if choice.nodes:
        remarks.append(f"{choice.nodes:,} positions")
    if not remarks:
        return choice.move
    info = {"score": choice.score, "depth": choice.depth, "nodes": choice.nodes, "time_ms": time_ms}
    return Noted(choice.move, ", ".join(remarks), {**info, "pv": list(choice.line) or None})


def _chosen(bot: ReferenceBot, turn: Turn, budget_ms: int) -> Choice:
    game = get_game(turn.game)
    if game.hides:
        return bot.choose_seeing(Sight(game, turn.state, turn.seat, turn.legal), budget_ms)
    return bot.choose(turn.position, budget_ms, turn.seat)


class RemoteReferenceBot(Bot):
    """The reference bot `name` as a bot on a server. Raises ReferenceBotError for a wrong name or option."""

    def __init__(self, name: str, *, seed: int = 0, **options: Any) -> None:
        self._name = name
        self._seed = seed
        self._options = options
        self._lateness = Lateness()
        """The greatest lateness of recent searches.

        The lateness is the time in ms that a search took beyond `SHARE` times its time budget.
        """
        self.idle: list[ReferenceBot] = [self._make()]
        """`ReferenceBot` objects that no turn uses now."""
        self.matches: Memory[tuple[str, int], ReferenceBot | None] = Memory(MATCHES)
        """`ReferenceBot` objects of a bot that remembers, keyed by the pair of match id and attempt."""
        self.games = self.idle[0].games

    def choose(self, turn: Turn) -> str:
        """Return the bot's move, with the note and the info that `noted` adds.

        Concurrent turns use `ReferenceBot` objects with different seeds.
        Raises Resign if the bot does not play the game.
        """
        key = turn.match, turn.attempt
        bot = self.matches.get(key, None) or self._free()
        if bot.remembers:
            self.matches[key] = bot
        began, allowed_ms = turn.now(), budget_ms(turn)
        planned_ms = max(allowed_ms * LEAST, allowed_ms - self._lateness.ms)
        try:
            choice = _chosen(bot, turn, round(planned_ms))
            return noted(choice, round((turn.now() - began) * 1000))
        except ReferenceBotError as error:
            raise Resign(str(error)) from error
        finally:
            self._lateness.record((turn.now() - began) * 1000 - planned_ms * SHARE)
            if not bot.remembers:
                self.idle.append(bot)

    def _free(self) -> ReferenceBot:
        try:
            return self.idle.pop()
        except IndexError:  # no check before: another thread may take the last object after the check
            return self._make()

    def _make(self) -> ReferenceBot:
        bot = make_reference_bot(self._name, seed=self._seed, **self._options)
        self._seed += 1
        return bot
