import io
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table
from rumble_server.cli.output.tables import (
    TABLE_RECORD,
    api_standings_table,
    audit_table,
    crosstable,
    fitting_table,
    points_text,
    ranked_table,
    rating_text,
    ratings_table,
    remarks_on,
    result_text,
    standings_for,
    standings_table,
    tiebreak_legend,
    void_text,
)
from rumble_server.cli.output.terminal import plain_or_rich
from rumble_server.results.result import Result
from rumble_server.results.results_file import read_results

from tests.server.cli.run_here import Captured
from tests.server.cli.standing_line import standing
from tests.server.results.events import rank, rate


def text(table: Table) -> list[list[str]]:
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(table)
    return [line.replace("|", " ").split() for line in console.export_text().splitlines()]


def test_points() -> None:
    assert [points_text(points) for points in (5.0, 5.5, 0.0, 1_234_567.5)] == ["5", "5.5", "0", "1234567.5"]


@pytest.mark.parametrize(
    ("rating", "interval", "shown"), [(None, None, "-"), (120.4, None, "+120"), (-30.0, [-80.0, 20.0], "-30 ± 50")]
)
def test_a_rating_with_half_its_interval(rating: float | None, interval: list[float] | None, shown: str) -> None:
    assert rating_text({"rating": rating, "interval": interval}) == shown


def test_standings_without_tiebreaks_or_ratings() -> None:
    line = {"rank": 1, "name": "a[b]", "points": 1.5, "played": 2, "wins": 1, "draws": 1, "losses": 0}
    assert text(api_standings_table([line])) == [
        ["#", "name", "points", "played", "wins", "draws", "losses", "decided", "by"],
        ["1", "a[b]", "1.5", "2", "1", "1", "0"],
    ]


def test_tables_have_columns_for_places_and_for_each_seat() -> None:
    line = {"rank": 1, "name": "ann", "points": 9, "played": 3, "wins": 2, "draws": 0, "losses": 1}
    header = text(api_standings_table([line], seats=4))[0]
    assert header == f"# name points {' '.join(TABLE_RECORD)} decided by".split()
    bot = {"matches": 3, "seats": [1, 0, 2], "longest_wait_ms": 7, "excused_ms": 0, "drops": 0}
    header, ann = text(audit_table({"bots": {"ann": bot}}))
    assert header[:8] == ["name", "matches", "seat", "0", "seat", "1", "seat", "2"]
    assert ann == ["ann", "3", "1", "0", "2", "7", "0", "0"]
    assert void_text({"t.1.1.1.1": 2, "t.1.1.2.1": 1}) == ["void attempts: t.1.1.1.1 2, t.1.1.2.1 1"]
    assert void_text({}) == []


@pytest.mark.parametrize(
    ("scores", "expected"),
    [(None, "void"), ([1.0, 0.0], "1 : 0"), ([1 / 3, 1.0, 1 / 3], "placed 2, 1, 2"), ([0, 1, 2 / 3], "placed 3, 1, 2")],
)
def test_a_result_is_scores_or_places(scores: list[float] | None, expected: str) -> None:
    assert result_text(scores) == expected


def test_byes_have_a_column_where_there_are_any() -> None:
    names = ("points", "played", "won", "drawn", "lost", "byes")
    lines = rank([Result(("ann", "ben"), (1, 0))], (), field=["cid"], byes={"cid": 2})
    header, *rows = [line for line in text(ranked_table("cup", (), lines)) if line[0] in ("#", "1", "2", "3")]
    assert header == ["#", "bot", *names, "decided", "by"]
    assert rows == [
        ["1", "cid", "2", "0", "0", "0", "0", "2"],
        ["2", "ann", "1", "1", "1", "0", "0", "0"],
        ["3", "ben", "0", "1", "0", "0", "1", "0"],
    ]
    table = text(api_standings_table([line.model_dump() for line in lines]))
    assert table[0] == ["#", "name", "points", "played", "wins", "draws", "losses", "byes", "decided", "by"]
    assert table[1] == ["1", "cid", "2", "0", "0", "0", "0", "2"]
    without = rank([Result(("ann", "ben"), (1, 0))], ())
    assert not any("byes" in line for line in text(ranked_table("cup", (), without)))


def test_the_last_of_the_ratings_is_above_nobody() -> None:
    results = read_results("first,second,score\nann,ben,1\nben,ann,0.5\n")
    *_, first, last, _ = text(ratings_table("cup", rate(results.results, field=results.field)))
    assert first[:2] == ["1", "ann"]
    assert first[-1].endswith("%")
    assert last[:2] == ["2", "ben"]
    assert not last[-1].endswith("%")


def test_a_table_is_as_full_as_the_console_is_wide() -> None:
    about = {"tiebreaks": {"sb": 2.0}, "decided_by": "sb", "rating": 20.0, "interval": [0.0, 40.0]}
    lines = [standing(**about, faults={"no_show": 2}).model_dump()]
    entrants = [{"name": "a", "benched": False, "withdrawn": True}]
    shown, legends = {}, {}
    for width in (100, 70, 30):
        console = Console(width=width, record=True, file=io.StringIO())
        table = standings_for(console, lines, None, entrants)
        console.print(table)
        shown[width], legends[width] = console.export_text(), tiebreak_legend(table)
    assert legends == {100: ["Equal points are told apart by: SB Sonneborn-Berger"], 70: [], 30: []}
    assert "SB  decided by  faults" in shown[100]
    assert "+20 ± 20" in shown[100]
    assert "2 no show; withdrew" in shown[100]
    assert "decided by" not in shown[70]
    assert "+20 " in shown[70]
    assert "2; withdrew" in shown[70]
    assert fitting_table(console, lines) is None


def test_a_fault_is_a_column_only_where_there_is_one() -> None:
    assert remarks_on([{"name": "a", "faults": {}}], [{"name": "a", "benched": False, "withdrawn": False}]) == {}
    assert remarks_on([{"name": "a", "faults": {"illegal_move": 1}}]) == {"a": "1 illegal move"}


def tournament(**faults: dict[str, int]) -> Any:
    """Return the parts of a tournament that a demo's tables read: `ann` and `ben` play, and `ben` is benched."""
    lines = [
        standing(rank=rank, name=name, wins=2 - rank, draws=0, losses=rank - 1, faults=faults.get(name, {}))
        for rank, name in ((1, "ann"), (2, "ben"))
    ]
    return SimpleNamespace(
        config=SimpleNamespace(name="Demo", match_seats=2),
        status="running",
        results={"m.1": SimpleNamespace(seats=("ann", "ben"), scores=(1.0, 0.0))},
        matches_total=2,
        field={
            name: SimpleNamespace(bot=name, benched=bool(faults) and name == "ben", withdrawn=False)
            for name in ("ann", "ben")
        },
        standings=SimpleNamespace(lines=lambda: lines),
    )


def test_a_demo_of_tables_counts_places() -> None:
    demo = tournament()
    demo.config.match_seats = 3
    assert " ".join(TABLE_RECORD).split() == text(standings_table(demo))[2][3:]


def test_brackets_in_a_name_are_no_markup(capsys: Captured) -> None:
    results = read_results("first,second,score\n[/a],[b],1\n")
    plain_or_rich().print(ratings_table("[c]", rate(results.results, field=results.field)))
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("[/a]", "[b]", "[c]"))


@pytest.mark.parametrize("draw", [standings_table, crosstable])
def test_a_demo_tells_faults_where_there_are_any(draw: Callable[[Any], Table]) -> None:
    assert "faults" not in [word for row in text(draw(tournament())) for word in row]
    *_, header, rule, ann, ben, end = text(draw(tournament(ben={"timeout": 1})))
    assert header[-1] == "faults"
    assert ann[-1] != "benched"
    assert ben[-3:] == ["1", "timeout;", "benched"]
    assert {*rule, *end} == {rule[0]}


def test_a_cell_has_the_score_of_each_match_first_match_first() -> None:
    demo = tournament()
    demo.results["m.3"] = SimpleNamespace(seats=("ann", "ben"), scores=(0.5, 0.5))
    demo.results["m.2"] = SimpleNamespace(seats=("ben", "ann"), scores=(0.0, 1.0))
    *_, ann, ben, _ = text(crosstable(demo))
    assert [row[2:4] for row in (ann, ben)] == [["*", "11="], ["00=", "*"]]
