"""The benchmarks run, with tiny sizes. Their figures are in benchmarks/README.md; none is judged here."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.needs import need_module
from tests.postgres.cluster import programs

pytestmark = [pytest.mark.e2e, pytest.mark.long]

ROOT = Path(__file__).parents[2]
TINY = ("--bots", "4", "--matches", "2", "--seconds", "0.3", "--rounds", "1")
FIGURES = re.compile(
    r"^(\w+) +(\w+) +([\d,]+) turns/s +([\d.]+) us of server CPU a turn +(\d+) bytes a turn +client (\d+)% of a core$",
    re.MULTILINE,
)


@pytest.fixture(autouse=True, scope="module")
def _client() -> None:
    if find_spec("picows") is None:
        if os.environ.get("CI"):
            pytest.fail("picows, the client of the benchmarks, is not installed")
        pytest.skip("picows, the client of the benchmarks, is not installed: pip install -e '.[dev]'")


def output_of(name: str, *options: str) -> str:
    """Run a benchmark, and return its output."""
    command = [sys.executable, str(ROOT / "benchmarks" / name), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_throughput_beside_the_echo() -> None:
    printed = output_of("throughput.py", "--games", "tictactoe,connect4", *TINY)
    figures = {(game, who): (cpu, size) for game, who, _, cpu, size, _ in FIGURES.findall(printed)}
    assert len(figures) == 4
    for game in ("tictactoe", "connect4"):
        echo, ours = figures[game, "echo"], figures[game, "ours"]
        assert 0.8 < int(echo[1]) / int(ours[1]) < 1.25, "the echo's turns are not as large as the game's"
        ratio = re.search(rf"^{game} +CPU a turn echo/ours ([\d.]+) \(", printed, re.MULTILINE)
        assert ratio is not None
        assert float(ratio[1]) == pytest.approx(float(echo[0]) / float(ours[0]), rel=0.02)


def test_throughput_beside_another_checkout() -> None:
    printed = output_of("throughput.py", "--games", "tictactoe", "--against", str(ROOT), *TINY)
    assert [row[1] for row in FIGURES.findall(printed)] == ["theirs", "ours"]
    assert "CPU a turn ours/theirs " in printed


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("frames.py", ("--games", "tictactoe", *TINY), "CPU a turn own/library "),
        ("growth.py", ("connected", "--quick"), "4 idle bots: "),
        ("stretches.py", ("--large", "5", "--small", "4", "--results", "9", "--only", "bench/st"), "nobody reads "),
        ("latency.py", ("--matches", "2", "--idle", "2", "--seconds", "1", "--rounds", "1"), "round 1: "),
        ("visitors.py", ("--bots", "4", "--visitors", "2", "--seconds", "3", "--rounds", "1"), "throughput ratio "),
    ],
)
def test_other_benchmarks_of_the_server_print_their_figures(name: str, options: tuple[str, ...], expected: str) -> None:
    assert expected in output_of(name, *options)


def test_a_question_says_whether_the_goal_is_met() -> None:
    need_module("psycopg", "postgres")
    programs()
    printed = output_of("question.py", "--questions", "80", "--rounds", "1")
    assert re.fullmatch(r"a question takes \d+ us of CPU \(\d+ to \d+\); the goal is 100: (met|NOT MET)\n", printed)


def test_throughput_on_postgresql_says_whether_the_goal_is_met() -> None:
    need_module("psycopg", "postgres")
    programs()
    printed = output_of("throughput.py", "--db", "--games", "tictactoe", *TINY)
    assert [row[1] for row in FIGURES.findall(printed)] == ["sqlite", "postgres"]
    goal = re.search(
        r"postgres has ([\d.]+) of sqlite's turns a second, the goal is 0.9: (met|NOT MET)$", printed, re.M
    )
    assert goal is not None
    assert (float(goal[1]) >= 0.9) == (goal[2] == "met")


def test_hostile_blames_nobody_honest() -> None:
    printed = output_of("hostile.py", "--bots", "4", "--seconds", "3", "--quiet-seconds", "1")
    assert len(re.findall(r"^(?:quiet|hostile) .* blamed 0$", printed, re.MULTILINE)) == 2
    assert re.search(r"^p99 hostile/quiet: [\d.]+$", printed, re.MULTILINE)
    assert re.search(r"^pings +[1-9]", printed, re.MULTILINE)


def test_growth_prints_a_row_for_each_size_and_plots_them(tmp_path: Path) -> None:
    plot = tmp_path / "growth.svg"
    printed = output_of("growth.py", "round-robin", "swiss", "matches", "--quick", "--plot", str(plot))
    sizes = re.findall(r"^ +(\d+)(?: +[\d,.]+){7}$", printed, re.MULTILINE)
    assert sizes == ["4", "8", "4", "60"]
    assert re.search(r"8 bots: 56 matches in [\d.]+ s, from the last login", printed)
    assert re.search(r"8: a turn costs [\d.]+ \(.*\) of one of 4, in seconds by turns", printed)
    drawn = ElementTree.fromstring(plot.read_text(encoding="utf-8"))
    curves = drawn.findall("{http://www.w3.org/2000/svg}polyline")
    assert len(curves) == 3 * 4


def test_growth_knows_its_kinds() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "growth.py"), "swizz"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "no kind of growth is called swizz" in done.stderr
