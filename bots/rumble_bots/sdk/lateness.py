"""A bot's lateness on a busy machine, measured at each turn. In later turns, the bot keeps `Lateness.ms` in reserve."""

DECAY = 0.98
"""Factor by which a measured lateness shrinks at each turn: after 34 turns with less lateness, half is left."""


class Lateness:
    """The greatest lateness of recent turns, in ms. At each turn, an older lateness counts a little less."""

    __slots__ = ("ms",)

    def __init__(self) -> None:
        self.ms = 0.0

    def record(self, ms: float) -> None:
        """Record the lateness of a turn, in ms. A lateness below 0 counts as 0."""
        self.ms = max(ms, self.ms * DECAY, 0.0)
