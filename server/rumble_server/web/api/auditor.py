"""The fairness audits of tournaments, made on a thread from the facts on disk, each once for all who ask."""

import asyncio
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from rumble_server.results.standings import Table
from rumble_server.tournament.audit import Audit
from rumble_server.tournament.history import audit_facts, context_of
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.site import Site

PACE_MS = 5_000
"""For this time an audit of a tournament that goes on serves everyone who asks; then a new one is made."""


@dataclass(slots=True)
class _Made:
    version: int
    at_ms: int
    audit: Audit


class Auditor:
    """The audits of every tournament that somebody reads, each made once for all who ask."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._made: WeakKeyDictionary[Table, _Made] = WeakKeyDictionary()
        """By a tournament's table, which lives as long as the tournament: a compiled one has no weak references."""
        self._making = asyncio.Lock()

    async def audit(self, tournament: Tournament) -> Audit:
        """The audit, of a tournament that goes on at most some seconds old."""
        async with self._making:
            now_ms = self._site.arena.clock.now_ms()
            made = self._made.get(tournament.table)
            if made is not None and self._is_fresh(tournament, made, now_ms):
                return made.audit
            version = tournament.table.version
            await self._site.on_disk()
            facts = await self._site.archive.tournament_facts(tournament.id)
            now = context_of(tournament, now_ms)
            found = await asyncio.to_thread(audit_facts, facts, now)
            self._made[tournament.table] = _Made(version, now_ms, found)
            return found

    def _is_fresh(self, tournament: Tournament, made: _Made, now_ms: int) -> bool:
        ended_ms = tournament.ended_at_ms
        if ended_ms is not None:
            return made.version == tournament.table.version and made.at_ms >= ended_ms
        return now_ms - made.at_ms < PACE_MS
