"""Standings: ranks are computed when read. That results count in any order is tested in test_tally.py."""

from rumble_engine import Termination
from rumble_server.results.result import Result
from rumble_server.results.rounds import Rounds
from rumble_server.results.standings import WinLossStandings
from rumble_server.results.tally import Scheme

NAMES = ["ann", "ben", "cid", "Dan"]


def lines(standings: WinLossStandings) -> list[tuple[int, str, float]]:
    return [(standing.rank, standing.name, standing.points) for standing in standings.lines()]


def result(match: str, first: str, second: str, scores: tuple[float, float]) -> Result:
    return Result((first, second), scores, match_id=match)


def test_a_field_without_results_shares_the_first_rank_in_order_of_name_without_case() -> None:
    assert lines(WinLossStandings(["cid", "Dan", "ann"])) == [(1, "ann", 0.0), (1, "cid", 0.0), (1, "Dan", 0.0)]


def test_more_points_come_first_and_the_host_orders_the_tie_breaks() -> None:
    results = [
        result("m.1", "ann", "ben", (0.5, 0.5)),
        result("m.2", "ann", "ben", (0.5, 0.5)),
        result("m.3", "cid", "Dan", (1.0, 0.0)),
    ]
    won, none = WinLossStandings(NAMES, tiebreaks=["won"]), WinLossStandings(NAMES, tiebreaks=[])
    for each in results:
        won.add(each)
        none.add(each)
    assert lines(won) == [(1, "cid", 1.0), (2, "ann", 1.0), (2, "ben", 1.0), (4, "Dan", 0.0)]
    assert lines(none) == [(1, "ann", 1.0), (1, "ben", 1.0), (1, "cid", 1.0), (4, "Dan", 0.0)]
    assert [standing.decided_by for standing in won.lines()] == ["won", "won", "", ""]


def swiss() -> WinLossStandings:
    scheme = Scheme.of((1, 0.5, 0))
    return WinLossStandings(tiebreaks=["bh-c1", "bh"], edition="2026-03", rounds=Rounds(scheme, 1))


def test_a_swiss_is_ranked_by_its_rounds() -> None:
    standings = swiss()
    for name in (*NAMES, "eve", "fay"):
        standings.add_bot(name)
    standings.remove_bot("fay")
    standings.pair([("ann", "ben"), ("cid", "Dan")], 1, ["eve"])
    first = result("t.1.1.1.1", "ann", "ben", (1.0, 0.0))
    standings.add(first)
    standings.add(result("t.1.1.2.1", "cid", "Dan", (0.5, 0.5)))
    standings.pair([("ann", "eve"), ("ben", "cid")], 1, [], ["Dan"])
    assert {line.name: line.points for line in standings.lines()} == {
        "ann": 1,
        "ben": 0,
        "cid": 0.5,
        "Dan": 1,
        "eve": 1,
    }
    # Dan missed a round by choice; Dan's dummy has at most a draw for each of two rounds.
    assert {line.name: line.tiebreaks["bh"] for line in standings.lines()}["Dan"] == 0.5 + 1
    assert {line.name: line.byes for line in standings.lines()}["eve"] == 1
    snapshot = standings.snapshot()
    before = standings.without([first])
    standings.remove(first)
    assert [line.points for line in before.lines()] == [line.points for line in standings.lines()]
    assert standings.lines() == before.lines() != snapshot.lines()
    snapshot.remove(first)
    assert snapshot.lines() == before.lines()


def test_byes_of_standings_without_rounds_count_in_points() -> None:
    standings = WinLossStandings(NAMES)
    standings.pair([("ann", "ben")], 2, ["cid"], ["Dan"])
    assert [(name, points) for _, name, points in lines(standings)][:2] == [("cid", 2), ("Dan", 1)]


def test_faults_are_counted_by_kind() -> None:
    standings = WinLossStandings()
    standings.add(Result(("ann", "ben"), (0.0, 1.0), Termination.TIMEOUT, (0,), "m.1"))
    standings.add(Result(("ann", "ben"), (0.0, 0.0), Termination.NO_SHOW, (0, 1), "m.2"))
    faults = {standing.name: standing.model_dump(exclude_unset=True)["faults"] for standing in standings.lines()}
    assert faults == {"ann": {"timeout": 1, "no_show": 1}, "ben": {"no_show": 1}}


def test_a_line_as_data_leaves_out_faults_that_were_taken_back() -> None:
    standings = WinLossStandings(["ann"], tiebreaks=["won"])
    flooded = Result(("ann", "ben"), (0.0, 1.0), Termination.FLOOD, (0,), "m.1")
    standings.add(flooded)
    standings.remove(flooded)
    assert standings.lines()[0].model_dump(exclude_unset=True) == {
        "rank": 1,
        "name": "ann",
        "points": 0.0,
        "played": 0,
        "wins": 0,
        "draws": 0,
        "losses": 0,
        "tiebreaks": {"won": 0.0},
        "decided_by": "",
        "faults": {},
        "byes": 0,
        "half_byes": 0,
    }


def test_a_format_may_rank_otherwise_than_by_points() -> None:
    standings = WinLossStandings(["ann", "ben"])
    standings.add(result("m.1", "ann", "ben", (1.0, 0.0)))
    standings.places = lambda: {"ben": 1, "ann": 2}
    assert [(rank, name) for rank, name, _ in lines(standings)] == [(1, "ben"), (2, "ann")]


def test_ranks_are_kept_until_something_changes() -> None:
    standings = WinLossStandings(NAMES)
    kept = standings.lines()
    assert standings.lines() is kept
    standings.add(result("m.1", "ann", "ben", (0.0, 1.0)))
    assert standings.lines()[0].name == "ben"
