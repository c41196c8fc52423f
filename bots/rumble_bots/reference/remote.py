"""The reference bots as remote bots: how long they may think, and one of them for each thought at a time."""

from typing import Any

from rumble_bots.reference import Choice, ReferenceBot, make_reference_bot
from rumble_bots.sdk.bot import Bot, Noted, Turn

MOVES_TO_COME = 20
"""A bank is shared out as if so many moves were still to come."""


def budget_ms(turn: Turn) -> int:
    """The most that a bot may think about `turn`: what the clock leaves, but only a share of the bank."""
    control = turn.start.time_control if turn.start is not None else None
    if control is None or control.bank_ms == 0:
        return turn.think_ms
    bank_ms = max(0, turn.clock.remaining_ms - control.move_ms)
    return min(turn.think_ms, control.move_ms + control.increment_ms + bank_ms // MOVES_TO_COME)


def noted(choice: Choice) -> str:
    """The move with its value for the mover and the positions looked at beside it, as far as the bot knows them."""
    remarks = [] if choice.score is None else [f"value {choice.score:+.2f}"]
    if choice.nodes:
        remarks.append(f"{choice.nodes:,} positions")
    return Noted(choice.move, ", ".join(remarks)) if remarks else choice.move


class RemoteReferenceBot(Bot):
    """The reference bot `name` on a server. Raises ReferenceBotError where it cannot be made."""

    def __init__(self, name: str, *, seed: int = 0, **options: Any) -> None:
        self._name = name
        self._seed = seed
        self._options = options
        self._idle: list[ReferenceBot] = [self._make()]
        self.games = self._idle[0].games

    def choose(self, turn: Turn) -> str:
        """The move, with what it thinks of it.

        It asks a player that is not thinking: several matches at a time have as many, with seeds that differ.
        """
        player = self._idle.pop() if self._idle else self._make()
        try:
            return noted(player.choose(turn.position, budget_ms(turn)))
        finally:
            self._idle.append(player)

    def _make(self) -> ReferenceBot:
        player = make_reference_bot(self._name, seed=self._seed, **self._options)
        self._seed += 1
        return player
