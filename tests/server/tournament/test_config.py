from typing import Any

import pytest
from pydantic import ValidationError
from rumble_server.results.tables.points import TablePoints
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.tables.schedule import TableSchedule


def made(**choices: Any) -> TournamentConfig:
    return TournamentConfig(name="Friday", **{"game": "tictactoe", **choices})


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        ({"format": "ladder"}, "unknown format 'ladder'"),
        ({"tiebreaks": ["elo"]}, "unknown tie-break 'elo'"),
        ({"points": [0.0, 0.5, 1.0]}, "a win must be worth more than a loss"),
        ({"late_join": True, "format": "swiss"}, "late_join is for a round-robin"),
        ({"game": "ludo"}, "ludo"),
        ({"openings": [["4", "4"]]}, "4"),
        ({"openings": [["0", "3", "1", "4", "2"]]}, "ends the game"),
    ],
)
def test_bad_choices_fail_when_a_config_is_made(choices: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        made(**choices)


def test_each_format_has_tie_breaks_of_its_own() -> None:
    assert made().tiebreak_order == ("de", "won", "sb", "ks")
    assert made(format="swiss").tiebreak_order == ("bh-c1", "bh", "de", "won", "sb")
    assert made(tiebreaks=[]).tiebreak_order == ()


def test_a_pair_has_an_opening_for_every_two_matches() -> None:
    assert made(openings="none").make_openings() == []
    assert made(openings=[["4"], ["0"]]).make_openings() == [("4",), ("0",)]
    assert made().make_openings() == [()]
    auto, suite = (made(openings=chosen, cycles=3).make_openings() for chosen in ("auto", "suite"))
    assert (len(auto), len(suite)) == (3, 3)
    assert auto == [(), *suite[:2]]


def test_the_openings_are_made_once_for_each_config(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def suite(*given: object) -> list[tuple[str, ...]]:
        asked.append(given)
        return [("4",)]

    monkeypatch.setattr("rumble_server.tournament.config.suite", suite)
    config, same = made(openings="suite"), made(openings="suite")
    assert config.make_openings() == config.make_openings() == [("4",)]
    assert len(asked) == 1
    assert config == same
    assert config.model_dump() == same.model_dump()


def test_a_tournament_has_the_newest_rules_unless_it_names_others() -> None:
    assert (made().tiebreak_rules, made().pairing_rules) == ("2026-03", "dutch-2026")
    assert made(tiebreak_rules="2024-08").tiebreak_rules == "2024-08"
    with pytest.raises(ValidationError, match="'2024-08' or '2026-03'"):
        made(tiebreak_rules="2023")


def test_tie_breaks_of_rounds_are_for_a_swiss() -> None:
    assert made(format="swiss", tiebreaks=["bh-c1", "ps"]).tiebreak_order == ("bh-c1", "ps")
    with pytest.raises(ValidationError, match="the tie-break ps needs to know the rounds: it is for a swiss"):
        made(tiebreaks=["ps"])


def test_ratings_of_seeds_are_read_from_a_mapping_or_from_texts() -> None:
    assert made(seed_ratings={"Ann": 1900.5}).seed_rating("ANN") == 1900.5
    assert made(seed_ratings=["ann = 1900", "b=c=1"]).seed_ratings == {"ann": 1900.0, "b=c": 1.0}
    with pytest.raises(ValidationError, match="'ann' is not NAME=RATING"):
        made(seed_ratings=["ann"])


# --- tables ---


def tables(**given: Any) -> TournamentConfig:
    return made(**{"game": "snakes", "seats": 4, **given})


def test_the_seats_are_those_of_the_game_unless_chosen() -> None:
    assert (made().seats, made(game="snakes").seats, tables().seats) == (2, 2, 4)
    assert (made().least_bots, tables().least_bots, tables(seats=8).least_bots) == (2, 3, 7)


def test_a_tournament_of_tables_has_its_own_rules_and_reads_them_again() -> None:
    config = tables(format="swiss", rounds=3)
    assert (config.legs, config.pairing_rules, config.points) == (1, "tables", "places")
    assert config.tiebreak_order == ("won", "places", "de")
    assert config.made_openings == [()]
    assert TournamentConfig(**config.model_dump()) == config, "as the log keeps all fields"
    assert isinstance(config.make_schedule(8), TableSchedule)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"seats": 9}, "snakes has 2 to 8 seats, not 9"),
        ({"game": "tictactoe"}, "tictactoe has 2 seats, not 4"),
        ({"legs": 2}, "legs swap two seats"),
        ({"late_join": True}, "late_join is for two seats"),
        ({"pairing_rules": "dutch-2026"}, "the Dutch System pairs two bots"),
        ({"openings": "suite"}, "openings are played from both of two seats"),
        ({"start_at_bots": 2}, "a table of 4 needs 3 bots"),
        ({"tiebreaks": ["sb"]}, "the tie-break 'sb' is not for tables"),
        ({"points": [1.0, 2.0]}, "a better place must not be worth less"),
        ({"points": "payoffs"}, "snakes has no payoffs"),
        ({"seats": 2, "points": "places"}, "need points for a win, draw and loss"),
        ({"seats": 2, "pairing_rules": "tables"}, "tables are for more than two seats"),
        ({"seats": 2, "points": [2.0, 1.0]}, "points are three numbers"),
        (
            {"game": "dilemma", "seats": 2, "format": "swiss", "points": "payoffs"},
            "need points for a win, draw and loss",
        ),
    ],
)
def test_choices_that_do_not_fit_the_seats_are_refused(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        tables(**given)


def test_points_of_tables_are_places_numbers_or_payoffs() -> None:
    assert tables().table_points == TablePoints(seats=4)
    assert tables(points=[10.0, 6.0, 3.0]).table_points == TablePoints.of((10, 6, 3))
    dilemma = made(game="dilemma", points="payoffs")
    assert dilemma.table_points == TablePoints(counts_payoffs=True)
    assert (dilemma.counts_places, dilemma.legs, dilemma.tiebreak_order[0]) == (True, 2, "won")
    assert not made(game="dilemma").counts_places
