"""The fairness audit of tables: waits, seats and company. Pure.

The flags of tables, which `tournament/audit.py` defines:
- `needless_wait`: a table did not start for longer than `PATIENCE_MS`, although all its bots were free for the table;
- `passed_over`: a bot waited longer than `PATIENCE_MS` for another bot of its table. Meanwhile the other bot filled its
  room with more than `MOST_PASSED` tables that come later in the schedule;
- `seats`: after a complete schedule, a bot's numbers of tables in two seats differ by more than one;
- `company`: after a complete round-robin, a bot met a second bot much more often than it met a third bot.

A bot is free for a table when the bot has room for a match, and its older tables have started. The time of a pause is
not part of a wait. A bot gets at most one flag of each kind, for its worst case.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rumble_engine import Termination

from rumble_server.match.match_id import MatchId, MatchKey
from rumble_server.tournament.audit import MOST_PASSED, PATIENCE_MS, Audit, BotAudit, Context, Flag, seconds

EVEN_COMPANY = 2
"""Greatest fair difference between two counts: how often a bot met a second bot, and how often it met a third bot."""
LESS_EVEN_COMPANY = 4
"""Greatest fair difference, like `EVEN_COMPANY`, at tables of more than `MOST_EVEN_SEATS` seats. For such
tables, the search for rounds finds no smaller difference."""
MOST_EVEN_SEATS = 4


@dataclass(frozen=True, slots=True)
class AuditedTable:
    """A table that started, or was lost because too few of its bots were there."""

    match_id: str
    bots: tuple[str, ...]
    """All scheduled bots of the table: the bots that played, in seat order, and then the gone bots."""
    started_ms: int
    free_since_ms: Mapping[str, int]
    """By bot, the time in ms since which the bot had room when the table started; empty for a lost table.

    For a bot that was gone, the time is the start of the table.
    """
    playable_ms: int = 0
    """Time in ms from which bots can wait for the table: the time at which its round was made, or its last attempt
    became void."""
    faults: tuple[tuple[int, Termination], ...] = ()
    """The seats that fell out by a fault, each with the fault."""


def audit_tables(tables: Iterable[AuditedTable], context: Context) -> Audit:
    """Return the audit of tables. The tables may come in any order."""
    ordered = sorted(((MatchId.parse(table.match_id).key, table) for table in tables), key=lambda each: each[0])
    bots = {name: BotAudit(seats=[0] * context.seats) for name in context.bots}
    for _, table in ordered:
        for seat, name in enumerate(table.bots):
            bots[name].matches += 1
            bots[name].seats[seat] += 1
        for seat, kind in table.faults:
            faults = bots[table.bots[seat]].faults
            faults[str(kind)] = faults.get(str(kind), 0) + 1
    for name, bot in bots.items():
        bot.excused_ms, bot.drops = context.excused_ms.get(name, 0), context.drops.get(name, 0)
    flags = [*_waits(ordered, bots, context)]
    if context.has_even_seats:
        seated = [table.bots for _, table in ordered]
        flags += _seat_flags(seated)
        if context.has_even_company:
            flags += _company_flags(seated, EVEN_COMPANY if context.seats <= MOST_EVEN_SEATS else LESS_EVEN_COMPANY)
    return Audit(bots, len(ordered), len(ordered), tuple(flags), context.void)


def _waits(
    ordered: Sequence[tuple[MatchKey, AuditedTable]], bots: Mapping[str, BotAudit], context: Context
) -> Iterator[Flag]:
    """Yield the flags of waits. Also store the waits of each bot in `bots`."""
    starts: dict[str, list[tuple[int, MatchKey]]] = {}
    for key, table in sorted(ordered, key=lambda each: (each[1].started_ms, each[0])):
        for bot in table.free_since_ms:
            starts.setdefault(bot, []).append((table.started_ms, key))
    last_ms: dict[str, int] = {}
    """For each bot, the time in ms at which the latest of its tables started, among the tables seen so far."""
    needless: dict[str, tuple[int, str]] = {}
    passed: dict[str, tuple[int, int, str]] = {}
    for key, table in ordered:
        free_ms = {
            bot: max(table.playable_ms, since_ms, last_ms.get(bot, 0)) for bot, since_ms in table.free_since_ms.items()
        }
        for bot in table.bots:
            last_ms[bot] = max(last_ms.get(bot, 0), table.started_ms)
        if not free_ms:
            continue
        last = max(free_ms, key=free_ms.__getitem__)
        wait_ms = context.waited_ms(free_ms[last], table.started_ms)
        needless[last] = max(needless.get(last, (0, "")), (wait_ms, ", ".join(table.bots)))
        for bot, since_ms in free_ms.items():
            wait_ms = context.waited_ms(since_ms, table.started_ms)
            if wait_ms > bots[bot].longest_wait_ms:
                bots[bot].longest_wait_ms, bots[bot].waited_for = wait_ms, last
            for mate in free_ms.keys() - {bot} if wait_ms > PATIENCE_MS else ():
                own, until_ms = starts[mate], table.free_since_ms[mate]
                begun = own[bisect_left(own, (since_ms,)) : bisect_left(own, (until_ms,))]
                number = sum(later > key for _, later in begun)
                passed[bot] = max(passed.get(bot, (0, 0, "")), (number, wait_ms, mate))
    for bot, (number, wait_ms, mate) in passed.items():
        bots[bot].passed_over = number
        if number > MOST_PASSED:
            message = f"{bot} waited {seconds(wait_ms)} for {mate}, which began {number} later tables meanwhile"
            yield Flag("passed_over", bot, f"{message}: let the tournament go on until {bot} has played")
    for bot, (wait_ms, names) in needless.items():
        bots[bot].needless_wait_ms = wait_ms
        if wait_ms > PATIENCE_MS:
            message = f"{names} were free for {seconds(wait_ms)}, and their table did not begin"
            yield Flag("needless_wait", bot, f"{message}: look whether the club's quota of matches is used up")


def _seat_flags(tables: Sequence[Sequence[str]]) -> Iterator[Flag]:
    """Yield the flags of seats. Only the seats that every table has are compared."""
    had = Counter((bot, seat) for bots in tables for seat, bot in enumerate(bots))
    seats = range(min(map(len, tables), default=0))
    for name in dict.fromkeys(bot for bots in tables for bot in bots):
        times = [had[name, seat] for seat in seats]
        if max(times) - min(times) > 1:
            most, least = (times.index(number) for number in (max(times), min(times)))
            message = f"{name} had seat {most} {times[most]} times and seat {least} {times[least]} times"
            yield Flag("seats", name, f"{message}: count its points with care")


def _company_flags(tables: Sequence[Sequence[str]], most: int) -> Iterator[Flag]:
    """Yield the flags of company. A flag names the bot, the bot met most often, and the bot met least often."""
    met: dict[str, Counter[str]] = {bot: Counter() for bots in tables for bot in bots}
    for bots in tables:
        for bot in bots:
            met[bot].update(set(bots) - {bot})
    for name, own in met.items():
        often, seldom = (choose(sorted(met.keys() - {name}), key=own.__getitem__) for choose in (max, min))
        if own[often] - own[seldom] > most:
            message = f"{name} met {often} {own[often]} times and {seldom} {own[seldom]} times"
            yield Flag("company", name, f"{message}: count its points with care")
