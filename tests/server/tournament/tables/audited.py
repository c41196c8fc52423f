"""Audits of tables for tests."""

from collections.abc import Iterable, Sequence

from rumble_server.tournament.audit import Context, Flag, Period
from rumble_server.tournament.tables.audit import AuditedTable, audit_tables


def flags_of(
    tables: Iterable[AuditedTable],
    *,
    has_even_seats: bool = False,
    has_even_company: bool = False,
    paused: Sequence[Period] = (),
    seats: int = 4,
) -> tuple[Flag, ...]:
    """Return the flags of tables after a tournament with these options."""
    found = list(tables)
    bots = list(dict.fromkeys(bot for table in found for bot in table.bots))
    context = Context(bots, 0, 0, True, has_even_seats, paused=paused, seats=seats, has_even_company=has_even_company)
    return audit_tables(found, context).flags
