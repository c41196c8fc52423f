from types import SimpleNamespace
from typing import Any, cast

from rumble_server.nodes.lease_rows import LeaseRows
from rumble_server.nodes.lease_state import LeaseState
from rumble_server.store.postgres.lease_statements import Acquire, HandOver, Look, LookedUp, NodeRow, Renew, Statement


def state(ran: list[Statement], *, stands_by: bool = False) -> LeaseState:
    return LeaseState("a", ran.append, cast(Any, SimpleNamespace()), 0, stands_by=stands_by)


def test_one_statement_runs_and_the_others_wait_in_order_each_once() -> None:
    ran: list[Statement] = []
    waiting = state(ran)
    for statement in (Look(), Acquire("one"), HandOver("two", 1, None), Acquire("one")):
        waiting.add(statement, 0)
    waiting.add(Renew(draining=False), 0, first=True)
    assert ran == [Look()]
    for _ in range(4):
        waiting._running = None
        waiting._next(0)
    assert ran == [Look(), Renew(draining=False), Acquire("one"), HandOver("two", 1, None)]


def test_on_standby_every_club_has_the_same_order_of_nodes() -> None:
    rows = LeaseRows(LookedUp(tuple(NodeRow(name, "") for name in "abc")))
    orders = []
    for stands_by in (False, True):
        made = state([], stands_by=stands_by)
        made.rows = rows
        orders.append({tuple(made.order_for(f"club-{number}")) for number in range(50)})
    assert [len(each) for each in orders] == [6, 1]
