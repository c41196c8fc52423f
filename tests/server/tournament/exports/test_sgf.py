"""Games of Go as SGF; GNU Go reads the files."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspiel", reason="needs the extra openspiel")
from rumble_server.tournament.exports import sgf

from tests.needs import need
from tests.server.tournament.exports.documents import exported, played, tournament

MOVES = ["B e5", "W j9", "B PASS", "W a1"]


def of_go(*matches: dict[str, Any], **settings: Any) -> str:
    told = tournament(game="openspiel:go", settings={"board_size": 9, "komi": "5.5", **settings})
    return sgf.write(exported(tournament=told, matches=list(matches)))


def test_a_game() -> None:
    infos = [{"score": 0.5, "depth": 3, "pv": ["W ]"]}, None, None, None]
    match = played(
        "t.1.2.1.1", ["gnu]go", "me"], [0.0, 1.0], "resignation", moves=MOVES, infos=infos, reason="gives up"
    )
    assert of_go(match) == (
        '(;FF[4]GM[1]CA[UTF-8]AP[Rumble]SZ[9]KM[5.5]EV[The "Friday" rumble]RO[1.2.1.1]DT[2025-11-21]PB[gnu\\]go]PW[me]'
        "RE[W+R]GC[gives up]\n;B[ee]C[+0.50/3, pv W \\]]\n;W[ia]\n;B[]\n;W[ai]\n)\n"
    )


@pytest.mark.parametrize(
    ("scores", "termination", "result"),
    [
        ([1.0, 0.0], "normal", "B+"),
        ([0.0, 1.0], "timeout", "W+T"),
        ([1.0, 0.0], "illegal_move", "B+F"),
        ([1.0, 0.0], "no_show", "B+F"),
        ([0.5, 0.5], "normal", "0"),
        ([0.0, 0.0], "normal", "Void"),
    ],
)
def test_results(scores: list[float], termination: str, result: str) -> None:
    assert f"RE[{result}]" in of_go(played("t.1.1.1.1", ["A", "B"], scores, termination, moves=[]))


def test_handicap_stones_are_there_before_the_first_move() -> None:
    match = played("t.1.1.1.1", ["A", "B"], [1.0, 0.0], moves=["W e5"])
    assert "HA[3]AB[dd][pd][dp]\n;W[eo]\n" in of_go(match, handicap=3, board_size=19)


def test_a_tournament_is_a_collection() -> None:
    matches = [played(f"t.1.1.1.{leg}", ["A", "B"], [1.0, 0.0], moves=MOVES) for leg in (1, 2)]
    assert of_go(*matches).count("(;FF[4]") == 2
    assert of_go() == ""


def test_sgf_is_for_go_alone() -> None:
    with pytest.raises(ValueError, match="SGF is for openspiel:go; this tournament is of tictactoe"):
        sgf.write(exported())


@pytest.mark.e2e
def test_gnu_go_reads_an_exported_match(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text(of_go(played("t.1.1.1.1", ["A", "B"], [1.0, 0.0], moves=MOVES)))
    asked = subprocess.run(
        [need("gnugo"), "--mode", "gtp"],
        input=f"loadsgf {file}\nlist_stones black\nlist_stones white\nget_komi\nquery_boardsize\nquit\n",
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert [line for line in asked.stdout.splitlines() if line] == ["= black", "= E5", "= J9 A1", "=  5.5", "= 9", "= "]
