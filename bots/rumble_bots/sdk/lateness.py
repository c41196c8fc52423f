"""A bot's lateness on a busy machine, measured at each turn, so that later turns keep as much time free."""

DECAY = 0.98
"""Factor of a measured lateness from turn to turn: after 34 turns without a new one, half is left."""


class Lateness:
    """The most that was measured lately, in ms, fading turn by turn."""

    __slots__ = ("ms",)

    def __init__(self) -> None:
        self.ms = 0.0

    def see(self, ms: float) -> None:
        """Take the lateness of a turn, in ms; below 0 counts as 0."""
        self.ms = max(ms, self.ms * DECAY, 0.0)
