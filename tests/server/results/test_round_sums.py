"""Tie-breaks over rounds: the reference events, and each rule by its article of the FIDE Handbook, C.07."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from rumble_server.results.editions import EDITIONS, Edition
from rumble_server.results.round_sums import RoundSums
from rumble_server.results.rounds import ABSENT, RoundEntry, Rounds
from rumble_server.results.tally import Count, Scheme
from rumble_server.results.tiebreaks import rank_sums
from rumble_server.results.trf.event import TrfEvent
from rumble_server.results.trf.reader import read_trf
from rumble_server.results.trf.rounds import counts_of, names_of, rounds_of

from tests.needs import long_or
from tests.server.swiss_events import swiss_events

COLUMNS = {
    "DE": "de",
    "WON": "won",
    "BH": "bh",
    "BH/C1": "bh-c1",
    "BH/M1": "bh-m1",
    "SB": "sb",
    "PS": "ps",
    "BWG": "bwg",
}


@pytest.fixture(scope="module")
def events() -> dict[str, TrfEvent]:
    return {name: read_trf(text) for name, text in swiss_events.texts().items()}


def standings_of(event: TrfEvent, edition: Edition, numbers: list[int]) -> dict[int, dict[str, float | None]]:
    """Return Rumble's standings by starting number; the players are counted in the order of `numbers`."""
    rounds, counts, names = rounds_of(event), counts_of(event), names_of(event)
    rounds.rows = {names[number]: rounds.rows[names[number]] for number in numbers}
    shuffled = {names[number]: counts[names[number]] for number in numbers}
    lines = rank_sums(RoundSums(rounds, edition), shuffled, list(COLUMNS.values()))
    by_name = {line.name: line for line in lines}
    found: dict[int, dict[str, float | None]] = {}
    for number in numbers:
        line = by_name[names[number]]
        ours = {name: line.tiebreaks[key] for name, key in COLUMNS.items()}
        found[number] = {"Rank": line.rank, "PTS": line.points, **ours}
    return found


def test_every_column_of_every_reference_event_agrees_in_both_editions(events: dict[str, TrfEvent]) -> None:
    """A usual run checks every fourth event."""
    compared: Counter[tuple[str, str]] = Counter()
    chosen = frozenset(list(events)[:: long_or(4, 1)])
    for standings in swiss_events.published():
        if standings["file"] not in chosen:
            continue
        event = events[standings["file"]]
        ours = standings_of(event, standings["edition"], [player.number for player in event.players])
        for row in standings["rows"]:
            theirs: dict[str, Any] = dict(zip(standings["columns"], row, strict=True))
            number = int(theirs.pop("StartNo"))
            for column, value in theirs.items():
                assert ours[number][column] == float(value), (standings["file"], standings["edition"], number, column)
                compared[standings["edition"], column] += 1
    columns = ["Rank", "PTS", *COLUMNS]
    assert compared == {(edition, column): long_or(1124, 4772) for edition in EDITIONS for column in columns}


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_order_of_the_players_does_not_matter(events: dict[str, TrfEvent], edition: Edition) -> None:
    lot = Random(16)
    for event in lot.sample(list(events.values()), 20):
        numbers = [player.number for player in event.players]
        assert standings_of(event, edition, lot.sample(numbers, len(numbers))) == standings_of(event, edition, numbers)


def played(*rows: str) -> Rounds:
    """Read rows such as `A: B1 C= U Z`: an opponent with a result in `10=+-`, or a code without one."""
    scheme = Scheme.of((1, 0.5, 0))
    rounds = Rounds(scheme)
    for row in rows:
        name, _, cells = row.partition(":")
        rounds.rows[name] = [entry_of(cell) for cell in cells.split()]
    return rounds


def entry_of(cell: str) -> RoundEntry:
    if len(cell) == 1:
        return {"U": RoundEntry(points=2), "H": RoundEntry(points=1, given_up=1), "Z": ABSENT}[cell]
    opponent, code = cell[0], cell[1]
    if code in "+-":
        return RoundEntry(opponent, 2 if code == "+" else 0, 1, given_up=int(code == "-"))
    return RoundEntry(opponent, {"1": 2, "=": 1, "0": 0}[code], 1, 1, won=int(code == "1"), drawn=int(code == "="))


def value(rounds: Rounds, tiebreak: str, edition: Edition) -> dict[str, float]:
    values, unit = RoundSums(rounds, edition).values(tiebreak)
    return {name: each / unit for name, each in values.items()}


FOUR = ("A: D1 B1 C0", "B: C1 A0 U", "C: B0 U A1", "D: A0 Z Z")


def test_koya_counts_points_against_players_with_half_of_the_possible_points_article_9_2() -> None:
    assert value(played(*FOUR), "ks", "2026-03") == {"A": 1, "B": 1, "C": 1, "D": 0}


def test_matches_with_the_second_seat_articles_7_3_and_7_4() -> None:
    rounds = played("A: B1 B0 B+", "B: A0 A1 A-")
    rounds.rows["B"][0] = rounds.rows["B"][0]._replace(second=1)
    rounds.rows["B"][1] = rounds.rows["B"][1]._replace(second=1, won_second=1)
    assert value(rounds, "bpg", "2026-03") == {"A": 0, "B": 2}
    assert value(rounds, "bwg", "2026-03") == {"A": 0, "B": 1}
    assert value(rounds, "won", "2026-03") == {"A": 1, "B": 1}


def test_direct_encounter_leaves_forfeits_out_of_a_swiss_but_not_of_a_round_robin_articles_6_1_1_and_15_2() -> None:
    rounds = played("A: B+ C0", "B: A- D1", "C: D0 A1", "D: C1 B0")
    assert RoundSums(rounds, "2026-03").encounters("AB").met == {"A": 0, "B": 0}
    round_robin = RoundSums(rounds, "2026-03", round_robin=True).encounters("AB")
    assert (round_robin.met, round_robin.scores) == ({"A": 1, "B": 1}, {"A": 2, "B": 0})


def test_direct_encounter_takes_the_average_of_players_that_met_twice_article_6_1_2() -> None:
    found = RoundSums(played("A: B1 B0 C1", "B: A0 A1 Z", "C: Z Z A0"), "2026-03").encounters("ABC")
    assert (found.scores, found.met, found.win) == ({"A": 6, "B": 2, "C": 0}, {"A": 2, "B": 1, "C": 1}, 4)


def test_a_round_robin_has_no_dummies_article_15_2() -> None:
    rounds = played("A: B+ U", "B: A- Z")
    values, _ = RoundSums(rounds, "2026-03", round_robin=True).values("bh")
    assert values == {"A": 0, "B": 4}


def rated(ratings: dict[str, float]) -> RoundSums:
    rounds = played("A: B1 C= U", "B: A0 Z C+", "C: U A= B-")
    rounds.rating = ratings.get
    return RoundSums(rounds, "2026-03")


def test_ratings_of_opponents_are_of_matches_over_the_board_articles_10_1_and_10_2() -> None:
    sums = rated({"A": 1500, "B": 1600, "C": 1701})
    assert sums.by_ratings("aro") == {"A": 1651, "B": 1500, "C": 1500}
    assert sums.by_ratings("tpr") == {"A": 1651 + 193, "B": 700, "C": 1500}


def test_without_a_rating_of_every_opponent_no_bot_has_an_average_article_10() -> None:
    sums = rated({"A": 1500, "B": 1600})
    assert sums.by_ratings("aro") == sums.by_ratings("tpr") == dict.fromkeys("ABC")
    counts = dict.fromkeys("ABC", Count())
    lines = rank_sums(sums, counts, ("aro",))
    assert [(line.name, line.tiebreaks["aro"], line.decided_by) for line in lines] == [
        ("A", None, ""),
        ("C", None, ""),
        ("B", None, ""),
    ]


def test_a_pairing_without_a_result_counts_as_nothing_yet() -> None:
    rounds = played("A: B1", "B: A0")
    before = value(rounds, "bh", "2026-03")
    rounds.pair([("B", "A")], {})
    assert value(rounds, "bh", "2026-03") == before
    assert value(rounds, "bh-c1", "2026-03") == {"A": 0, "B": 0}


def test_no_rounds_are_no_trouble() -> None:
    rounds = Rounds(Scheme.of((1, 0.5, 0)), 1, "AB")
    for tiebreak in ("bh", "bh-c1", "bh-m1", "sb", "ps", "ks", "won"):
        assert value(rounds, tiebreak, "2026-03") == {"A": 0, "B": 0}
