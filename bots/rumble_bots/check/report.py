"""The findings of a check: a result for each rule, with the frames that explain it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rumble_bots.check.rules import Rule

Status = Literal["pass", "fail", "warning", "skip"]
Side = Literal["bot", "kit", "note"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A frame that the bot or the server sent, or a note about another event.

    `at_ms` is the time in ms since the check began.
    """

    at_ms: int
    side: Side
    text: str

    def as_json(self) -> dict[str, Any]:
        return {"at_ms": self.at_ms, "from": self.side, "text": self.text}


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict about a rule, with a reason.

    If the rule is tried for each game separately, `game` is the name of the game; otherwise None.
    """

    rule: Rule
    status: Status
    why: str
    frames: Sequence[Entry] = ()
    game: str | None = None
    seconds: float = 0.0

    @property
    def label(self) -> str:
        return self.rule.id if self.game is None else f"{self.rule.id} ({self.game})"

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.rule.id,
            "game": self.game,
            "title": self.rule.title,
            "status": self.status,
            "why": self.why,
            "next": self.rule.mend if self.status in ("fail", "warning") else None,
            "frames": [entry.as_json() for entry in self.frames],
        }


@dataclass(slots=True)
class Report:
    """The results of a whole check of a bot."""

    bot: str | None = None
    """The bot's name in its first login; None without a login."""
    results: list[Result] = field(default_factory=list)
    seconds: float = 0.0
    out_of_time: bool = False
    """True if the check ran out of time before every rule was tried."""

    @property
    def passed(self) -> bool:
        """True if no rule failed, and the check did not run out of time. Warnings do not count."""
        return not self.of("fail") and not self.out_of_time

    @property
    def never_came(self) -> str | None:
        """Reason why the bot never connected, so that nothing could be checked; None if the bot connected."""
        first = self.results[0]
        return first.why if first.rule.id == "connect" and first.status == "fail" else None

    def of(self, status: Status) -> list[Result]:
        return [result for result in self.results if result.status == status]

    def counts(self) -> dict[str, int]:
        statuses: tuple[Status, ...] = ("pass", "fail", "warning", "skip")
        return {status: len(self.of(status)) for status in statuses}

    def as_json(self) -> dict[str, Any]:
        return {
            "bot": self.bot,
            "passed": self.passed,
            "seconds": round(self.seconds, 3),
            "counts": self.counts(),
            "rules": [result.as_json() for result in self.results],
        }
