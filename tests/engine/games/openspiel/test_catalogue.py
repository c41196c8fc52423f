"""The facts and settings of OpenSpiel's games, and values that end the process."""

from typing import Any

import pytest
from rumble_engine import BadSettings, UnknownGame

pytest.importorskip("pyspiel", reason="needs the extra openspiel")
from rumble_engine.games.openspiel import FAMILY, openspiel_game
from rumble_engine.games.openspiel.catalogue import BOUNDS, CHOICES, EXCLUDED, UNSAFE, kinds


def test_the_kinds_of_games() -> None:
    games = [openspiel_game(name) for name in FAMILY.names()]
    assert {game.name for game in games if game.cooperative} == {
        f"openspiel:{name}" for name in (*("coop_box_pushing", "hanabi", "matrix_coordination", "tiny_hanabi"),)
    }
    assert not any(game.pays for game in games if game.name in ("openspiel:go", "openspiel:quoridor"))
    assert all(game.pays for game in games if game.hides or game.cooperative or not game.in_turn)
    assert openspiel_game("openspiel:dark_hex").in_turn
    assert not openspiel_game("openspiel:matrix_pd").in_turn


def test_few_games_are_not_offered() -> None:
    assert len(EXCLUDED) <= 10
    for name in EXCLUDED:
        with pytest.raises(UnknownGame):
            openspiel_game(f"openspiel:{name}")


@pytest.mark.parametrize(
    ("name", "size"), [("havannah", "board_size"), ("twixt", "board_size"), ("y", "board_size"), ("checkers", "rows")]
)
def test_a_size_that_openspiel_cannot_change_is_no_setting(name: str, size: str) -> None:
    with pytest.raises(BadSettings):
        openspiel_game(f"openspiel:{name}").initial({size: 10})


@pytest.mark.parametrize(
    ("name", "seats"),
    [
        *(("bridge", (4, 4, 4)), ("chinese_checkers", (2, 2, 6)), ("crazy_eights", (5, 2, 15)), ("hanabi", (2, 2, 5))),
        *(
            ("pathfinding", (2, 2, 10)),
            ("tiny_hanabi", (2, 2, 2)),
            ("yacht", (2, 2, 10)),
            ("universal_poker", (2, 2, 10)),
        ),
    ],
)
def test_seats(name: str, seats: tuple[int, int, int]) -> None:
    game = openspiel_game(f"openspiel:{name}")
    assert (game.seats, game.least_seats, game.most_seats) == seats
    for number in {*seats}:
        assert game.initial_for(number).seats == number
    assert len(set(game.seat_names)) == game.most_seats


def test_a_number_of_seats_that_openspiel_has_not() -> None:
    for name, seats in (("chinese_checkers", 5), ("snake", 3), ("quoridor", 1)):
        with pytest.raises(BadSettings):
            openspiel_game(f"openspiel:{name}").initial_for(seats)


def test_no_setting_tells_secrets_names_a_file_or_sets_a_seed() -> None:
    names = {setting.name for name in FAMILY.names() for setting in openspiel_game(name).settings}
    assert not names & {"players", "rng_seed", "seed", "instances_file", "boards_file", "imp_info", "fully_obs", "dims"}
    assert {"board_size", "komi", "grid", "points_order"} <= names


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("bargaining", {"discount": "nan"}),
    ("bargaining", {"discount": "1e7"}),
    ("bargaining", {"discount": "much"}),
    ("goofspiel", {"points_order": "sorted"}),
    ("capture_the_flag", {"grid": "(a.b)"}),
    ("pathfinding", {"grid": "A.a"}),
]


@pytest.mark.parametrize(("name", "settings"), WRONG)
def test_wrong_settings(name: str, settings: dict[str, Any]) -> None:
    with pytest.raises(BadSettings):
        openspiel_game(f"openspiel:{name}").initial(settings)


def test_grids_have_slashes() -> None:
    game = openspiel_game("openspiel:pathfinding")
    state = game.initial({"grid": "A.b/.../B.a/C.c"})
    assert state.view()["grid"] == "A.b/.../B.a/C.c"
    assert game.initial_for(10).seats == 10
    assert state.view()["board"].count("\n") == 4


def test_the_tables_name_parameters_and_defaults_of_openspiel() -> None:
    specifications = {kind.short_name: kind.parameter_specification for kind in kinds().values()}
    full_names = {f"{name}.{parameter}" for name, each in specifications.items() for parameter in each}
    assert {*BOUNDS, *(name for name in UNSAFE if "." in name)} <= full_names
    defaults = {value for each in specifications.values() for value in each.values() if isinstance(value, str)}
    assert set(CHOICES) <= defaults
