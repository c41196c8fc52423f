"""How late a busy machine makes a bot, measured at each turn, so that the next turns keep that much time free."""

DECAY = 0.98
"""What is left of a measured lateness at the next turn: after 34 turns without another, a half."""


class Lateness:
    """The most that was measured lately, in ms, fading turn by turn."""

    __slots__ = ("ms",)

    def __init__(self) -> None:
        self.ms = 0.0

    def see(self, ms: float) -> None:
        """Take the lateness of one turn, in ms; below 0 counts as 0."""
        self.ms = max(ms, self.ms * DECAY, 0.0)
