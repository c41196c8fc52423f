"""The configuration of the next tournament of a class."""

import pytest
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.next_tournament import next_config, next_name


@pytest.mark.parametrize(
    ("name", "top", "then"),
    [
        ("Lesson", None, "Lesson 2"),
        ("Lesson 9", None, "Lesson 10"),
        ("7", None, "7 2"),
        ("Lesson", 8, "Final of Lesson"),
        ("x" * 80, None, "x" * 72 + " 2"),
        ("x" * 80, 8, "Final of " + "x" * 71),
    ],
)
def test_the_name_of_the_next_tournament(name: str, top: int | None, then: str) -> None:
    assert next_name(name, top) == then


@pytest.mark.parametrize(
    "config",
    [
        TournamentConfig(name="a", game="connect4", settings={"columns": 8}, openings=[["a"]], start_at_bots=9),
        TournamentConfig(name="a", game="snakes", seats=4, points=[3.0, 2.0, 1.0, 0.0]),
        TournamentConfig(name="a", game="tictactoe", format="swiss", rounds=3, start_at_ms=7),
    ],
)
def test_the_next_configuration_is_the_last_one_with_the_changes(config: TournamentConfig) -> None:
    same = TournamentConfig.model_validate_json(next_config(config, {}))
    assert same == config.model_copy(update={"name": "a 2", "start_at_bots": None, "start_at_ms": None})
    other = TournamentConfig.model_validate_json(next_config(config, {"game": "chess", "name": "Chess"}))
    assert (other.game, other.name, other.settings, other.seats) == ("chess", "Chess", other.settings, 2)
    assert other.format == config.format


def test_another_number_of_seats_has_its_own_defaults() -> None:
    config = TournamentConfig(name="a", game="snakes", format="swiss", settings={"size": 9})
    tables = TournamentConfig.model_validate_json(next_config(config, {"seats": 4}))
    assert (tables.seats, tables.legs, tables.points, tables.settings) == (4, 1, "places", config.settings)
    pairs = TournamentConfig.model_validate_json(next_config(tables, {"seats": 2}))
    assert (pairs.seats, pairs.legs, pairs.pairing_rules) == (2, 2, config.pairing_rules)
