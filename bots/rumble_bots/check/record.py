"""The frames of a check, in order, and the breaches found in them."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from rumble_bots.check.report import Entry, Side

LONGEST = 4000
"""Maximum number of characters kept of a frame; the rest is cut."""
SHOWN = 12
"""Maximum number of entries kept with a result or a breach: the last ones."""
SECRET = re.compile(r'("(?:key|invite)"\s*:\s*)"(?:[^"\\]|\\.)*"')


@dataclass(slots=True)
class Found:
    """The first breach of a rule. `times` counts all breaches of the rule; `fault` is False for a mere warning."""

    why: str
    frames: list[Entry]
    fault: bool
    times: int = 1


@dataclass(slots=True)
class Record:
    """The frames of both sides with their times, without keys and invitation codes. `now` returns seconds."""

    now: Callable[[], float]
    began: float = field(init=False)
    entries: list[Entry] = field(default_factory=list)
    found: dict[str, Found] = field(default_factory=dict)
    """The breaches by the rule's id."""

    def __post_init__(self) -> None:
        self.began = self.now()

    def add(self, side: Side, text: str) -> None:
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}... ({len(text)} characters)"
        self.entries.append(Entry(self.elapsed_ms, side, SECRET.sub(r'\1"..."', text)))

    @property
    def elapsed_ms(self) -> int:
        return round((self.now() - self.began) * 1000)

    def since(self, first: int) -> list[Entry]:
        """Return the last `SHOWN` entries from index `first` on."""
        return self.entries[first:][-SHOWN:]

    def breach(self, rule: str, why: str, *, fault: bool = True) -> None:
        """Note that a rule was broken just now; without `fault` the breach is only worth a warning."""
        known = self.found.get(rule)
        if known is not None and (known.fault or not fault):
            known.times += 1
        else:
            self.found[rule] = Found(why, self.since(0), fault)
