"""Engines from Debian's packages play each other over the bridges."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import PATIENCE_S, bridged, serving, typed_here
from tests.needs import need, need_module
from tests.server.web.export_schema import check_export

pytestmark = pytest.mark.e2e


def played(folder: Path, game: list[str], first: list[str], second: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Play a match of two bridged programs. Return the match, and the output of each bridge."""
    with serving(folder) as server, ExitStack() as stack:
        server.tournament("create", "cup", "--legs", "1", "--start-at-bots", "2", "--move-ms", "30000", *game)
        bridges = bridged(server, folder, stack, {"first": first, "second": second})
        assert [bridge.wait(PATIENCE_S) for bridge in bridges] == [0, 0]
        document = json.loads(typed_here(["tournament", "export", "cup"], server.environment, folder).out)
        check_export(document)
        (match,) = document["matches"]
    return match, [(folder / f"{name}.log").read_text() for name in ("first", "second")]


@pytest.mark.slow
def test_two_chess_engines(tmp_path: Path) -> None:
    strong = ["uci", "--depth", "5", "--option", "hash=16", "--", need("stockfish")]
    weak = ["uci", "--depth", "2", "--", need("gnuchess"), "--uci"]
    match, said = played(tmp_path, ["--game", "chess"], strong, weak)
    assert match["termination"] == "normal", match["reason"]
    assert len(match["moves"]) >= 4
    assert not any("_move" in line for log in said for line in log.splitlines()), "no move was rejected"
    thoughts = [info for info in match["infos"] if info is not None]
    assert any(info["depth"] == 5 and {"score", "nodes", "time_ms", "pv"} <= set(info) for info in thoughts)


@pytest.mark.long
def test_gnu_go_against_itself(tmp_path: Path) -> None:
    need_module("pyspiel", "openspiel")
    engine = ["gtp", "--no-clock", "--", need("gnugo"), "--mode", "gtp", "--level", "1", "--chinese-rules", "--seed"]
    game = ["--game", "openspiel:go", "--set", "board_size=9", "--set", "komi=5.5"]
    match, said = played(tmp_path, game, [*engine, "1"], [*engine, "2"])
    assert match["termination"] == "normal", match["reason"]
    assert [move.split()[1] for move in match["moves"][-2:]] == ["PASS", "PASS"]
    assert len(match["moves"]) >= 20
    assert not any("_move" in line for log in said for line in log.splitlines()), "no move was rejected"
