"""A bot in the field of a tournament: the data kept about the bot, except its results."""

from dataclasses import dataclass

from rumble_server.match.facts import MatchOver


@dataclass(slots=True)
class Entrant:
    """A bot that joined. `absent_left_ms` is the rest of the bot's absent budget.

    The absent budget is the time for which due matches wait for an absent bot.
    """

    bot: str
    absent_left_ms: int
    absent_since_ms: int | None = None
    """Time in ms from which the absent budget runs, perhaps in the future; None while the bot is connected."""
    playing: int = 0
    """Number of matches that the bot is playing. While the bot plays any match, its absent budget does not run."""
    withdrawn: bool = False
    benched: bool = False
    benched_version: str | None = None
    """The version with which the bot was benched; None if the bot's login gave no version."""
    faulty_in_a_row: int = 0
    reference_bot: str | None = None
    """Name of the reference bot that plays, for a house bot; None for other bots."""
    by_code: bool = False
    """True for a pupil, who came by a join code."""
    display: str | None = None
    """Display name; None for a bot that people know by its name."""
    last_fault: MatchOver | None = None
    """The last match that the bot lost by its own fault. A match that ends while the bot is withdrawn or benched does
    not count."""

    @property
    def is_gone(self) -> bool:
        """True if the bot's matches are lost as soon as they are due."""
        return self.withdrawn or self.benched or (self.absent_since_ms is not None and self.absent_left_ms == 0)

    @property
    def gone_reason(self) -> str:
        """Reason why the bot is gone, as the end of a sentence that begins with the bot's name."""
        if self.withdrawn:
            return "has left the tournament"
        return "is benched" if self.benched else "was not there when its match was due"

    @property
    def is_waited_for(self) -> bool:
        return self.absent_since_ms is not None and not self.playing and not self.is_gone

    @property
    def absent_until_ms(self) -> int:
        """Time in ms at which the budget is used up if the bot stays away."""
        return (self.absent_since_ms or 0) + self.absent_left_ms

    def absent_left(self, now_ms: int) -> int:
        """Return the rest of the absent budget at `now_ms`, in ms. The budget must be running."""
        return min(self.absent_left_ms, max(0, self.absent_until_ms - now_ms))

    def count_absence_from(self, at_ms: int) -> None:
        """If the bot is absent, let its absent budget run only from `at_ms` on."""
        if self.absent_since_ms is not None:
            self.absent_since_ms = max(self.absent_since_ms, at_ms)
