from pathlib import Path
from random import Random

import pytest
from py4swiss.engines import DutchEngine  # type: ignore[import-untyped,unused-ignore]
from py4swiss.trf import ParsedTrf, TrfParser  # type: ignore[import-untyped,unused-ignore]
from rumble_server.match.facts import MatchStarted
from rumble_server.results.trf.reader import read_trf
from rumble_server.tournament.exports import trf
from rumble_server.tournament.exports.document import export
from rumble_server.tournament.pairs.from_trf import TrfRounds
from rumble_server.tournament.pairs.pairing_rules import PAIRING_RULES, pair
from rumble_server.tournament.pairs.plan import Round
from rumble_server.tournament.rebuild import rebuild_tournament

from tests.needs import long_or
from tests.server.tournament.exports.documents import exported, played, tournament
from tests.server.tournament.leader import Leader
from tests.server.tournament.swiss_play import pair_next, play_swiss


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


def parsed(text: str, folder: Path) -> ParsedTrf:
    """Return a file without its remarks, as py4swiss's strict reader reads it."""
    path = folder / "event.trf"
    path.write_text("".join(line for line in text.splitlines(keepends=True) if line[:4] != "### "), newline="")
    report = TrfParser.parse(path, strict=True)
    assert isinstance(report, ParsedTrf)
    return report


@pytest.mark.parametrize(
    ("name", "bots", "legs"), [("round-robin", 7, 2), ("swiss", 9, 1), ("swiss", 7, 2), ("knockout", 6, 2)]
)
def test_fide_tools_read_the_trf(name: str, bots: int, legs: int, tmp_path: Path) -> None:
    """Have py4swiss's strict reader read the file; it finds every line, and points that agree with the results."""
    leader = Leader.started(*(f"bot-{number}" for number in range(bots)), format=name, legs=legs)
    play_swiss(leader, Random(2))
    report = parsed(trf.write(export(leader.tournament)), tmp_path)
    lines = leader.tournament.standings.lines()
    assert {section.name: section.points_times_ten / 10 for section in report.player_sections} == {
        line.name: line.points for line in lines
    }
    assert {section.name: section.rank for section in report.player_sections} == {
        line.name: line.rank for line in lines
    }


@pytest.mark.parametrize("played_rounds", range(1, 5))
def test_py4swiss_pairs_the_next_round_from_the_file_as_here(played_rounds: int, tmp_path: Path) -> None:
    bots = [f"bot-{number}" for number in range(13)]
    leader = Leader.started(*bots, format="swiss", legs=1, rounds=5, pairing_rules="dutch-2025")
    play_swiss(leader, Random(4), rounds=played_rounds)
    text = trf.write(export(leader.tournament))
    theirs = [(pair.white - 1, pair.black - 1) for pair in DutchEngine.generate_pairings(parsed(text, tmp_path))]
    ours = pair(TrfRounds(read_trf(text), 5).before(played_rounds + 1), "dutch-2025")
    assert ours.bye is not None
    assert [*ours.boards, (ours.bye, -1)] == theirs


@pytest.mark.parametrize("rules", PAIRING_RULES)
@pytest.mark.parametrize("edition", [trf.TRF16, trf.TRF_2026])
def test_every_round_of_an_exported_swiss_of_one_leg_can_be_paired_again(rules: str, edition: str) -> None:
    """Read back tournaments with withdrawals, no-shows, half-point byes and acceleration, and pair the next round."""
    for seed in range(long_or(3, 12)):
        random = Random(seed)
        names = [f"bot-{number}" for number in range(random.randint(5, 21))]
        leader = Leader(
            *names, format="swiss", legs=1, rounds=5, seed=seed, pairing_rules=rules,
            acceleration=random.choice(["none", "baku"]),
        )  # fmt: skip
        leader.start()
        play_swiss(leader, random, rounds=random.randint(1, 5), hazards=True)
        assert leader.tournament.agenda is not None
        event = read_trf(trf.write(export(leader.tournament), edition))
        assert [player.name for player in event.players] == leader.tournament.agenda.bots
        assert event.rounds == leader.tournament.agenda.schedule.number_of_rounds
        rounds = TrfRounds(event, event.rounds)
        assert event.played >= 1
        for number in range(1, event.played + 1):
            again, there = pair(rounds.before(number), rules), rounds.paired(number)
            assert (set(again.boards), again.bye) == (set(there.boards), there.bye), (seed, number)
        rebuilt = rebuild_tournament(leader.facts)
        assert rebuilt is not None
        assert trf.write(export(rebuilt), edition) == trf.write(export(leader.tournament), edition)
        task = leader.tournament.pairing_task()
        if task is not None and event.played < event.rounds:
            made = task()
            assert isinstance(made, Round)
            again = pair(rounds.before(event.played + 1), rules)
            assert again.boards == tuple((pairing.first, pairing.second) for pairing in made.pairings), seed


def test_a_round_that_is_not_over_is_left_out_with_a_remark() -> None:
    leader = Leader.started("A", "B", "C", "D", format="swiss", legs=1, rounds=2)
    play_swiss(leader, Random(1), rounds=1)
    pair_next(leader)
    first, second = (fact for fact in leader.due() if isinstance(fact, MatchStarted))
    leader.finish(first.match)
    text = trf.write(export(leader.tournament))
    assert "### round 2 is left out: 1 of 2 matches are over\r\n" in text
    assert read_trf(text).played == 1
    leader.finish(second.match)
    assert "###" not in trf.write(export(leader.tournament))


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        ({"format": "swiss", "legs": 2}, "each pairing has 2 matches, and each of them is a round here"),
        ({"format": "swiss", "legs": 1, "points": [3.0, 1.0, -1e6]}, "points of 3, 1, -1000000, and here they are 1,"),
        ({"format": "knockout"}, "a knockout is not paired by points"),
    ],
)
def test_a_tournament_that_cannot_be_paired_again_says_why(choices: dict[str, object], why: str) -> None:
    leader = Leader.started("A", "B", "C", "D", **choices)
    play_swiss(leader, Random(1))
    text = trf.write(export(leader.tournament))
    assert "### this cannot be paired again elsewhere: " in text
    assert why in text


def test_seeds_are_numbered_by_their_ratings_which_the_file_has() -> None:
    leader = Leader("A", "b", "C", format="swiss", legs=1, seed_ratings={"B": 2000.0, "c": 10_000.0})
    leader.start()
    lines = trf.write(export(leader.tournament)).splitlines()
    assert [line[14:53].split() for line in lines if line.startswith("001")] == [["C", "9999"], ["b", "2000"], ["A"]]


def test_trf_names_the_facts_that_it_has_no_room_for() -> None:
    match = played("t.1.1.1.1", ["A", "B"], [1.0, 0.0])
    matches = [match | {"id": f"t.{cycle}.1.1.1"} for cycle in range(1, 101)]
    with pytest.raises(ValueError, match=r"room for 99\.5 points; the leader has 100"):
        trf.write(exported(matches=matches))
    rounds = [{"round": number, "pairs": [["A", "B"]], "byes": [], "half_byes": []} for number in range(1, 101)]
    swiss = tournament(format="swiss", legs=1, number_of_rounds=101, rounds_paired=rounds, names=["A", "B"])
    swiss |= {"half_byes": {"101": ["A"]}, "withdrawn": [], "virtual_points": [], "pairing_rules": "dutch-2026"}
    matches = [
        played(f"t.1.{number}.1.1", ["A", "B"], [1.0, 0.0] if number > 1 else [0.5, 0.5]) for number in range(1, 101)
    ]
    with pytest.raises(ValueError, match=r"room for 99\.5 points; the leader has 100"):
        trf.write(exported(tournament=swiss, matches=matches))
    with pytest.raises(ValueError, match="room for 9999 players"):
        trf.write(exported(tournament=tournament(names=[str(number) for number in range(10_000)])))
    with pytest.raises(ValueError, match="TRF is for matches of two seats; this tournament has tables of more"):
        trf.write(exported(matches=[played("t.1.1.1.1", ["A", "B", "C"], [1, 0.5, 0], places=[1, 2, 3])]))


def test_no_matches() -> None:
    assert "XXR 0" in trf.write(exported(matches=[], standings=[]))
