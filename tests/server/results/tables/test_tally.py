from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from rumble_engine import Termination
from rumble_server.results.table_result import TableResult
from rumble_server.results.tables.tally import Finish, TableTally, finished_before

from tests.server.results.tables.rankings import table, tables


def test_counts() -> None:
    tally = TableTally.of([table("A=1 B=2 C=2 D=4!"), table("B=1 A=1 C=3"), table("C=1 B=2!")], "E", {"E": 2})
    ann, cid, dan = tally.bots["A"], tally.bots["C"], tally.bots["D"]
    assert (ann.played, ann.wins, ann.draws, ann.losses, ann.won) == (2, 1, 1, 0, 1)
    assert (cid.played, cid.wins, cid.losses) == (3, 1, 2)
    assert cid.won == 0  # nobody else was there
    assert dan.finishes == {Finish(4, 4, 0): 1}
    assert dan.faults == {Termination.NO_SHOW: 1}
    assert (tally.bots["E"].byes, tally.bots["E"].played) == (2, 0)
    assert tally.sizes == {4: 1, 3: 1, 2: 1}
    assert [[bot for bot, _, _ in ranking] for ranking in tally.rankings] == [["A", "B", "C"], ["B", "A", "C"]]


def test_a_tally_counts_how_often_a_bot_finished_before_another() -> None:
    tally = TableTally.of([table("A=1 B=2 C=2 D=4"), table("D=1 A=2 B=3")], "E")
    assert finished_before(tally) == {
        "A": {"B": 2, "C": 1, "D": 1},
        "B": {"D": 1},
        "C": {"D": 1},
        "D": {"A": 1, "B": 1},
        "E": {},
    }
    assert tally.between("B", "A") == (0, 4, 2)
    assert tally.between("C", "B") == (1, 1, 1)
    assert tally.between("A", "E") is None
    assert TableTally.of([table("A=1 B=2! C=2!")]).between("B", "C") is None


def test_payoffs_add_up_exactly() -> None:
    tally = TableTally.of([table("A=1 B=2", 0.1, -0.1)] * 3 + [table("A=2 B=1", 0, 0.3)])
    assert (tally.bots["A"].payoff, tally.bots["B"].payoff) == (Fraction(3, 10), Fraction(0))


def test_a_game_is_cooperative_if_seats_that_stay_always_have_equal_payoffs() -> None:
    equal, unequal = table("A=1 B=1 C=3", 5, 5, 5), table("A=1 B=2 C=3", 5, 5, 4)
    fallen = table("A=1 B=2!", 5, 0)
    for results in ([equal, equal], [equal, fallen], [table("A=1 B=1 C=3!", 5, 5, 0)]):
        assert TableTally.of(results).is_cooperative
    for results in ([], [equal, unequal], [table("A=1 B=1")], [equal, table("A=1 B=1")], [fallen]):
        assert not TableTally.of(results).is_cooperative


def contents(tally: TableTally) -> list[object]:
    return [
        {bot: (+c.finishes, c.payoff, c.won, +c.faults, c.byes) for bot, c in tally.bots.items() if c.played or c.byes},
        *(+counter for counter in (tally.before, tally.tied, tally.rankings, tally.sizes)),
        (tally.paid, tally.equal, tally.unequal),
    ]


@given(st.lists(tables(), max_size=5), st.lists(tables(), max_size=3))
def test_a_result_that_is_taken_back_leaves_nothing(kept: list[TableResult], more: list[TableResult]) -> None:
    tally = TableTally.of([*more, *kept])
    copy = tally.snapshot()
    for result in more:
        tally.add(result, -1)
    assert contents(tally) == contents(TableTally.of(kept))
    assert contents(copy) == contents(TableTally.of([*more, *kept]))
