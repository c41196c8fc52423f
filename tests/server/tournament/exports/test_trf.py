from collections import Counter
from pathlib import Path
from random import Random

import pytest
from py4swiss.trf import TrfParser  # type: ignore[import-untyped,unused-ignore]
from rumble_server.match.match_id import MatchId, MatchKey
from rumble_server.results.result import Result
from rumble_server.results.tiebreaks import rank
from rumble_server.tournament.exports import trf
from rumble_server.tournament.formats import Plan, Played, make_schedule

from tests.server.tournament.exports.documents import exported, played, tournament
from tests.server.tournament.rounds import pull


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
    path.write_text(trf.write(document), newline="")
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


def test_no_matches() -> None:
    assert "XXR 0" in trf.write(exported(matches=[], standings=[]))
