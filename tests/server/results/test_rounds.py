from rumble_engine import Termination
from rumble_server.results.result import Result
from rumble_server.results.rounds import ABSENT, RoundEntry, Rounds
from rumble_server.results.tally import Scheme

HALF = Scheme.of((1, 0.5, 0))


def test_a_round_has_opponents_byes_and_absences() -> None:
    rounds = Rounds(HALF, 1, "ABCDE")
    rounds.pair([("A", "B")], {"C": rounds.full_bye(), "D": rounds.half_bye()})
    assert {name: row[0] for name, row in rounds.rows.items()} == {
        "A": RoundEntry("B"),
        "B": RoundEntry("A"),
        "C": RoundEntry(points=2),
        "D": RoundEntry(points=1, given_up=1),
        "E": ABSENT,
    }
    assert [rounds.rows[name][0].is_open for name in "ABCDE"] == [True, True, False, False, False]
    assert [rounds.rows[name][0].is_voluntary for name in "ABCDE"] == [False, False, False, True, True]
    assert rounds.paired == 1


def test_all_legs_of_a_pairing_are_one_round() -> None:
    rounds = Rounds(HALF, 2, "AB")
    rounds.pair([("A", "B")], {})
    rounds.pair([("B", "A")], {})
    rounds.add(Result(("A", "B"), (0.5, 0.5), match_id="t.1.2.1.1"))
    last = Result(("B", "A"), (0.0, 1.0), match_id="t.1.2.1.2")
    rounds.add(last)
    assert rounds.rows["A"] == [
        RoundEntry("B"),
        RoundEntry("B", points=3, over=2, played=2, second=1, won=1, won_second=1, drawn=1),
    ]
    assert rounds.rows["B"][1] == RoundEntry("A", points=1, over=2, played=2, second=1, drawn=1)
    assert (rounds.win, rounds.draw, rounds.full_bye().points, rounds.half_bye().points) == (4, 2, 4, 2)
    rounds.add(last, -1)
    assert rounds.rows["A"][1] == RoundEntry("B", points=1, over=1, played=1, drawn=1)


def test_a_round_is_voluntarily_unplayed_by_the_absent_bot() -> None:
    rounds = Rounds(HALF, 2, "AB")
    rounds.pair([("A", "B")], {})
    for leg in (1, 2):
        rounds.add(Result(("A", "B"), (1.0, 0.0), Termination.NO_SHOW, (1,), f"t.1.1.1.{leg}"))
    assert [rounds.rows[name][0].is_voluntary for name in "AB"] == [False, True]
    assert rounds.rows["A"][0] == RoundEntry("B", points=4, over=2)
    rounds.add(Result(("A", "B"), (1.0, 0.0), Termination.NO_SHOW, (1,), "t.1.1.1.2"), -1)
    rounds.add(Result(("A", "B"), (1.0, 0.0), match_id="t.1.1.1.2"))
    assert not rounds.rows["B"][0].is_voluntary  # a match of the round was played


def test_a_snapshot_stays_as_it_is() -> None:
    rounds = Rounds(HALF, 1, "AB")
    rounds.pair([("A", "B")], {})
    before = rounds.snapshot()
    rounds.add(Result(("A", "B"), (1.0, 0.0), match_id="t.1.1.1.1"))
    rounds.pair([("B", "A")], {})
    assert before.rows == {"A": [RoundEntry("B")], "B": [RoundEntry("A")]}
