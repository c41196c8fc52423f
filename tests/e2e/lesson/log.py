"""The results and the blame of a tournament, from the log."""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from tests.simulation.checks.case import Fact, read_rows


def facts_of(database: Path) -> list[Fact]:
    """Read the log of a server that has stopped."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as opened:
        return read_rows(str(row[0]) for row in opened.execute("SELECT facts FROM log ORDER BY number"))


@dataclass(slots=True)
class Judged:
    """A tournament as its log tells it."""

    bots: list[str] = field(default_factory=list)
    results: Counter[frozenset[str]] = field(default_factory=Counter)
    """Number of results that count of each pair of bots."""
    twice: list[str] = field(default_factory=list)
    """Matches with more than one result that counts."""
    blamed: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of matches that ended by a bot's fault, by bot and termination."""

    def unplayed(self, wanted: int) -> list[tuple[str, str]]:
        """Return the pairs of bots that have another number of results."""
        return [pair for pair in combinations(self.bots, 2) if self.results[frozenset(pair)] != wanted]


def judge(facts: Iterable[Fact], tournament: str) -> Judged:
    """Read a tournament from the log."""
    judged, seen = Judged(), set[str]()
    for fact in facts:
        kind = fact["fact"]
        if kind == "tournament_started" and fact["tournament"] == tournament:
            judged.bots = list(fact["bots"])
        if kind == "match_over" and fact["scores"] is not None and fact["match"].startswith(f"{tournament}."):
            judged.results[frozenset(fact["seats"])] += 1
            judged.blamed.update((fact["seats"][seat], fact["termination"]) for seat in fact["at_fault"])
            if fact["match"] in seen:
                judged.twice.append(fact["match"])
            seen.add(fact["match"])
    return judged
