from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from py4swiss.trf import TrfParser  # type: ignore[import-untyped,unused-ignore]
from rumble_server.match.match_id import MatchId, MatchKey
from rumble_server.results.result import Result
from rumble_server.results.tiebreaks import rank
from rumble_server.tournament.exports import WRITERS, pgn, trf
from rumble_server.tournament.formats import Plan, Played, make_schedule

from tests.server.tournament.rounds import pull


def tournament(**more: Any) -> dict[str, Any]:
    return {
        "id": "friday",
        "name": 'The "Friday" rumble',
        "game": "tictactoe",
        "settings": {},
        "format": "round-robin",
        "time_control": {"move_ms": 10_000, "bank_ms": 0, "increment_ms": 0},
        "names": ["A", "B", "C"],
        "started_at_ms": 1_763_683_200_000,
        "ended_at_ms": None,
        **more,
    }


def played(id: str, seats: list[str], scores: list[float], termination: str = "normal", **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "attempt": 1,
        "seats": seats,
        "scores": scores,
        "termination": termination,
        "reason": "three in a row",
        "moves": ["4", "0", "8"],
        **more,
    }


def exported(**more: Any) -> dict[str, Any]:
    matches = [
        played("friday.1.1.1.1", ["B", "C"], [1.0, 0.0]),
        played("friday.1.1.1.2", ["C", "B"], [0.5, 0.5], reason="board full"),
        played("friday.1.2.1.1", ["A", "B"], [0.0, 1.0], "no_show", moves=[], reason="A was not there"),
    ]
    standings = [{"rank": 1, "name": "B"}, {"rank": 2, "name": "C"}, {"rank": 3, "name": "A"}]
    return {"tournament": tournament(), "standings": standings, "matches": matches, "voided": [], **more}


def test_pgn() -> None:
    games = pgn.write(exported()).split("\n\n[")
    assert len(games) == 3
    assert games[0] == "\n".join(
        [
            '[Event "The \\"Friday\\" rumble"]',
            '[Site "?"]',
            '[Date "2025.11.21"]',
            '[Round "1.1.1.1"]',
            '[White "B"]',
            '[Black "C"]',
            '[Result "1-0"]',
            '[Attempt "1"]',
            '[Game "tictactoe"]',
            '[MatchId "friday.1.1.1.1"]',
            '[PlyCount "3"]',
            '[Reason "three in a row"]',
            '[Termination "normal"]',
            '[TerminationCode "normal"]',
            '[TimeControl "?"]',
            "",
            "1. 4 0 2. 8 1-0",
        ]
    )
    assert games[1].endswith("1/2-1/2")
    assert '[Termination "abandoned"]' in games[2]
    assert games[2].endswith("\n\n0-1\n")


def test_pgn_of_chess_may_be_given_in_another_notation_and_is_wrapped() -> None:
    match = played("t.1.1.1.1", ["A", "B"], [0.0, 0.0], moves=["e2e4", "e7e5"] * 30)
    control = {"move_ms": 0, "bank_ms": 60_000, "increment_ms": 500}
    chess = tournament(game="chess", settings={"variant": "x"}, time_control=control, started_at_ms=None)
    text = pgn.write(exported(tournament=chess, matches=[match]), lambda moves: [move.upper() for move in moves])
    assert '[Game "' not in text
    assert '[Date "????.??.??"]' in text
    assert '[TimeControl "60+0.5"]' in text
    assert '[Settings "{\\"variant\\": \\"x\\"}"]' in text
    assert "1. E2E4 E7E5 2." in text
    assert text.endswith("30. E2E4 E7E5 *\n")
    assert max(map(len, text.splitlines())) <= 80


def test_trf_columns() -> None:
    lines = trf.write(exported()).split("\r\n")
    assert lines[0] == '012 The "Friday" rumble'
    assert "042 2025/11/21" in lines
    assert "XXR 3" in lines
    player = next(line for line in lines if line.startswith("001    2"))
    assert player[14:47].rstrip() == "B"
    assert player[80:84] == " 2.5"
    assert player[85:89] == "   1"
    assert [player[start : start + 8] for start in (91, 101, 111)] == ["   3 w 1", "   3 b =", "   1 b +"]
    absent = next(line for line in lines if line.startswith("001    1"))
    assert [absent[start : start + 8] for start in (91, 101, 111)] == ["0000 - Z", "0000 - Z", "   2 w -"]


@pytest.mark.parametrize(("name", "bots", "legs"), [("round-robin", 7, 2), ("swiss", 9, 1), ("knockout", 6, 2)])
def test_fide_tools_read_the_trf(name: str, bots: int, legs: int, tmp_path: Path) -> None:
    """py4swiss's strict reader finds every line, and points that agree with the results."""
    names = [f"bot-{number}" for number in range(bots)]
    schedule = make_schedule(name, Plan(bots, legs=legs))
    random = Random(2)
    results: dict[MatchKey, Played] = {}
    matches = []
    byes = Counter[str]()
    while (pulled := pull(schedule, results)) is not None:
        if name == "swiss":
            byes.update({names[bot]: legs for bot in pulled.byes})
        for pairing in pulled.pairings:
            for leg in range(1, legs + 1):
                pair = [names[pairing.first], names[pairing.second]]
                scores = random.choice([(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)])
                key = pairing.match_key(leg)
                results[key] = Played(scores)
                matches.append(played(str(MatchId("t", *key)), pair if leg % 2 else pair[::-1], list(scores)))
    lines = rank(
        [Result((m["seats"][0], m["seats"][1]), (m["scores"][0], m["scores"][1])) for m in matches],
        field=names,
        byes=byes,
    )
    document = exported(
        tournament=tournament(names=names, format=name),
        matches=matches,
        standings=[line.model_dump(exclude_unset=True) for line in lines],
        byes=byes,
    )
    path = tmp_path / "event.trf"
    path.write_text(WRITERS["trf"][0](document), newline="")
    report = TrfParser.parse(path, strict=True)
    points = {line.name: line.points for line in lines}
    assert {section.name: section.points_times_ten / 10 for section in report.player_sections} == points
    assert {section.name: section.rank for section in report.player_sections} == {
        line.name: line.rank for line in lines
    }


def test_trf_says_what_it_has_no_room_for() -> None:
    match = played("t.1.1.1.1", ["A", "B"], [1.0, 0.0])
    matches = [match | {"id": f"t.{cycle}.1.1.1"} for cycle in range(1, 101)]
    with pytest.raises(ValueError, match=r"room for 99\.5 points; the leader has 100"):
        trf.write(exported(matches=matches))
    with pytest.raises(ValueError, match="room for 9999 players"):
        trf.write(exported(tournament=tournament(names=[str(number) for number in range(10_000)])))


def test_empty_events() -> None:
    nothing = exported(matches=[], standings=[])
    assert pgn.write(nothing) == ""
    assert WRITERS["csv"][0](nothing).count("\n") == 1
    assert "XXR 0" in trf.write(nothing)
