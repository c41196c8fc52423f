from rumble_server.tournament.audit import Flag
from rumble_server.tournament.tables.audit import EVEN_COMPANY, AuditedTable
from rumble_server.tournament.tables.plan import TablePlan
from rumble_server.tournament.tables.round_robin import RoundRobinOfTables

from tests.server.tournament.tables.audited import flags_of
from tests.server.tournament.tables.company import company_spread


def table(number: int, bots: str, started_ms: int, free_since_ms: int = 0, **others: int) -> AuditedTable:
    """Make a table; `others` are the times of bots that were free later."""
    return AuditedTable(f"t.1.{number}.1.1", tuple(bots), started_ms, dict.fromkeys(bots, free_since_ms) | others)


def played(tables: list[str]) -> list[AuditedTable]:
    return [table(number, bots, 0) for number, bots in enumerate(tables, 1)]


def test_a_table_that_waits_for_its_last_bot_costs_nobody_anything() -> None:
    assert flags_of([table(1, "abc", 9_000, c=8_500), table(2, "abd", 20_000, 19_500)]) == ()


def test_a_table_whose_bots_were_free_is_flagged_once() -> None:
    flags = flags_of([table(1, "abc", 9_000, b=4_000), table(2, "abc", 11_000, 10_000)])
    assert flags == (
        Flag(
            "needless_wait",
            "b",
            "a, b, c were free for 5.0 s, and their table did not begin: "
            "look whether the club's quota of matches is used up",
        ),
    )


def test_pauses_and_times_before_the_round_was_made_are_no_waits() -> None:
    late = AuditedTable("t.1.2.1.1", ("a", "b"), 9_000, {"a": 0, "b": 0}, playable_ms=8_500)
    assert flags_of([late]) == ()
    assert flags_of([table(1, "ab", 9_000)], paused=[(200, 4_000), (4_500, 9_500)]) == ()
    assert flags_of([table(1, "ab", 9_000)], paused=[(200, 4_000)]) != ()


def test_a_bot_is_not_free_while_it_is_held_for_an_older_table() -> None:
    assert flags_of([table(1, "abc", 8_000, c=7_900), table(2, "ade", 8_001, 2_000)]) == ()
    lost = AuditedTable("t.1.1.1.1", ("a", "b", "c"), 8_000, {})
    assert flags_of([lost, table(2, "ade", 8_001, 2_000)]) == ()


def test_a_bot_that_is_passed_over_is_flagged() -> None:
    newer = [table(number, "bx", 1_000 * number, 1_000 * number) for number in range(2, 6)]
    flags = flags_of([*newer, table(1, "ab", 9_000, b=8_900)])
    assert [(flag.kind, flag.bot) for flag in flags] == [("passed_over", "a")]
    assert flags[0].message == (
        "a waited 9.0 s for b, which began 4 later tables meanwhile: let the tournament go on until a has played"
    )
    assert flags_of([*newer[1:], table(1, "ab", 9_000, b=8_900)]) == ()
    kept_room = table(1, "abc", 9_000, c=8_900)
    assert flags_of([*newer, kept_room]) == ()


def test_uneven_seats_are_flagged_after_a_complete_schedule() -> None:
    assert flags_of(played(["abc", "bca", "cab"]), has_even_seats=True) == ()
    uneven = played(["abc", "acb", "bac"])
    assert flags_of(uneven) == ()
    (flag,) = flags_of(uneven[:2], has_even_seats=True)
    assert flag == Flag("seats", "a", "a had seat 0 2 times and seat 1 0 times: count its points with care")


def test_the_last_seat_does_not_count_where_some_tables_are_smaller() -> None:
    assert flags_of(played(["abcd", "badc", "ab", "dc"]), has_even_seats=True) == ()


def test_uneven_company_is_flagged_after_a_complete_round_robin() -> None:
    even, uneven = played(["abc", "bca", "dab"]), played(["abc", "bca", "cab", "abd"])
    assert flags_of(even, has_even_seats=True, has_even_company=True) == ()
    assert flags_of(uneven, has_even_company=True) == ()
    flags = [flag for flag in flags_of(uneven, has_even_seats=True, has_even_company=True) if flag.kind == "company"]
    assert [flag.bot for flag in flags] == ["a", "b", "c"]
    assert flags[0].message == "a met b 4 times and d 1 times: count its points with care"


def test_the_audit_of_a_made_schedule_is_silent() -> None:
    rounds = RoundRobinOfTables(TablePlan(11, 4, 4)).rounds()
    names = [str(bot) for bot in range(11)]
    tables = [
        AuditedTable(f"t.1.{seating.round}.{seating.board}.1", tuple(names[bot] for bot in seating.bots), 0, {})
        for made in rounds
        for seating in made.seatings
    ]
    assert flags_of(tables, has_even_seats=True, has_even_company=True) == ()
    assert company_spread(rounds, 11) <= EVEN_COMPANY
