"""The frames of a check, in order, and the broken rules found in them."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from rumble_bots.check.report import Entry, Side

LONGEST = 4000
"""Maximum number of characters stored for a frame. Longer frames are cut."""
SHOWN = 12
"""Maximum number of entries stored with a result or a breach.

The last entries before the result or the breach are stored.
"""
SECRET = re.compile(r'("(?:key|invite)"\s*:\s*)"(?:[^"\\]|\\.)*"')


@dataclass(slots=True)
class Found:
    """A broken rule: the first breach, and the number of breaches (`times`). `fault` is false for a mere warning."""

    why: str
    frames: list[Entry]
    fault: bool
    times: int = 1


@dataclass(slots=True)
class Record:
    """The frames of both sides with their times, without keys and invitation codes. `now` returns the time in s."""

    now: Callable[[], float]
    began: float = field(init=False)
    entries: list[Entry] = field(default_factory=list)
    found: dict[str, Found] = field(default_factory=dict)
    """Breaches by the id of the rule."""

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
        """Return the entries from the index `first` on, but only the last `SHOWN` of them."""
        return self.entries[first:][-SHOWN:]

    def breach(self, rule: str, why: str, *, fault: bool = True) -> None:
        """Record that a rule was broken just now. If `fault` is false, the breach is only a warning."""
        known = self.found.get(rule)
        if known is not None and (known.fault or not fault):
            known.times += 1
        else:
            self.found[rule] = Found(why, self.since(0), fault)
