"""The results, the blame and the times of moves of a tournament, from the log."""

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
    think_ms: dict[str, list[int]] = field(default_factory=dict)
    """Time in ms of each move, by bot, without excused time."""
    excused_ms: list[int] = field(default_factory=list)
    """Excused time in ms of each move."""

    def unplayed(self, wanted: int) -> list[tuple[str, str]]:
        """Return the pairs of bots that have another number of results."""
        return [pair for pair in combinations(self.bots, 2) if self.results[frozenset(pair)] != wanted]


def judge(facts: Iterable[Fact], tournament: str) -> Judged:
    """Read a tournament from the log."""
    judged, asked, seen = Judged(), dict[str, int](), set[str]()
    seats: dict[tuple[str, int], list[str]] = {}
    for fact in facts:
        kind = fact["fact"]
        if kind == "tournament_started" and fact["tournament"] == tournament:
            judged.bots = list(fact["bots"])
        if not str(fact.get("match", "")).startswith(f"{tournament}."):
            continue
        attempt = (fact["match"], fact.get("attempt", 0))
        if kind == "match_started":
            seats[attempt] = fact["seats"]
        elif kind == "turn_asked":
            asked[fact["turn_id"]] = fact["at_ms"]
        elif kind == "move_made":
            if fact["turn_id"] in asked:
                excused_ms = fact.get("excused_ms", 0)
                took_ms = fact["at_ms"] - asked[fact["turn_id"]] - excused_ms
                judged.think_ms.setdefault(seats[attempt][fact["seat"]], []).append(took_ms)
                judged.excused_ms.append(excused_ms)
            if fact.get("next_turn_id"):
                asked[fact["next_turn_id"]] = fact["at_ms"]
        elif kind == "match_over" and fact["scores"] is not None:
            judged.results[frozenset(fact["seats"])] += 1
            judged.blamed.update((fact["seats"][seat], fact["termination"]) for seat in fact["at_fault"])
            if fact["match"] in seen:
                judged.twice.append(fact["match"])
            seen.add(fact["match"])
    return judged
