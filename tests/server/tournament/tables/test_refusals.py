import pytest
from rumble_server.tournament.tables.refusals import refusal

OPTIONS = {"late_join": True, "pairing_rules": "dutch-2026", "acceleration": "baku", "openings": "suite"}


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_for_two_seats_is_refused_above_two(option: str) -> None:
    refused = refusal({"name": "any", option: OPTIONS[option]})
    assert refused is not None
    assert refused[0] == option
    assert option in refused[1]


def test_own_openings_are_refused_and_values_that_are_no_choice_are_not() -> None:
    assert refusal({"openings": [["a"]]}) is not None
    no_choice = {"late_join": False, "pairing_rules": "tables", "acceleration": "none", "openings": "auto"}
    assert refusal(no_choice) is refusal({}) is None
