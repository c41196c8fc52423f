"""One bot in the field of one tournament: what the tournament keeps about it beside its results."""

from dataclasses import dataclass

from rumble_server.match.facts import MatchOver


@dataclass(slots=True)
class Entrant:
    """A bot that joined. `absent_left_ms` is what is left of its budget for being absent when its matches are due."""

    bot: str
    absent_left_ms: int
    absent_since_ms: int | None = None
    """Since when the budget runs, perhaps a time to come; None while the bot is connected."""
    playing: int = 0
    """How many matches it plays: while there are any, their away budgets run and not this one."""
    withdrawn: bool = False
    benched: bool = False
    faulty_in_a_row: int = 0
    house: str | None = None
    """The reference bot that plays under this name, if it is a house bot."""
    last_fault: MatchOver | None = None
    """The match that it last lost by its own fault while it was neither withdrawn nor benched."""

    @property
    def gone(self) -> bool:
        """Whether its matches are lost as they are due, without waiting for it."""
        return self.withdrawn or self.benched or (self.absent_since_ms is not None and self.absent_left_ms == 0)

    @property
    def why_gone(self) -> str:
        """Why it is `gone`: the end of a sentence that begins with the bot's name."""
        if self.withdrawn:
            return "has left the tournament"
        return "is benched" if self.benched else "was not there when its match was due"

    @property
    def is_waited_for(self) -> bool:
        return self.absent_since_ms is not None and not self.playing and not self.gone

    @property
    def absent_until_ms(self) -> int:
        """When its budget is used up, if it stays away."""
        return (self.absent_since_ms or 0) + self.absent_left_ms

    def absent_left(self, now_ms: int) -> int:
        """Return what is left at `now_ms` of the budget, which runs."""
        return min(self.absent_left_ms, max(0, self.absent_until_ms - now_ms))

    def set_absent_left(self, left_ms: int, now_ms: int) -> None:
        """Set the budget as it was at `now_ms`; it runs on from there if the bot is still absent."""
        self.absent_left_ms = left_ms
        self.count_absence_from(now_ms)

    def count_absence_from(self, at_ms: int) -> None:
        """Let the budget not run before `at_ms`."""
        if self.absent_since_ms is not None:
            self.absent_since_ms = max(self.absent_since_ms, at_ms)
