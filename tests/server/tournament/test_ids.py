"""Tournament ids: the name in `[a-z0-9-]`, with a number if the id is taken."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.tournament.ids import slug, tournament_id


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("Friday", "friday"),
        ("Friday Night  Rumble!", "friday-night-rumble"),
        ("Café Été", "cafe-ete"),
        ("--x--", "x"),
        ("2026/07", "2026-07"),
        ("日本", "tournament"),
        ("", "tournament"),
        ("a.b", "a-b"),
    ],
)
def test_an_id_is_made_from_the_name(name: str, made: str) -> None:
    assert tournament_id(name, ()) == made


@given(st.text(max_size=100), st.integers(1, 5))
def test_an_id_fits_the_pattern_of_the_protocol_whatever_the_name(name: str, times: int) -> None:
    taken: set[str] = set()
    for _ in range(times):
        taken.add(tournament_id(name, taken))
    assert len(taken) == times
    assert all(re.fullmatch("[a-z0-9-]{1,64}", each) for each in taken)
    assert slug(slug(name)) == slug(name)


def test_a_name_that_was_used_very_often_costs_few_looks() -> None:
    looks: list[str] = []

    class Taken(set[str]):
        def __contains__(self, each: object) -> bool:
            looks.append(str(each))
            return super().__contains__(each)

    taken = Taken({"friday", *(f"friday-{number}" for number in range(2, 50_000))})
    assert tournament_id("Friday", taken) == "friday-50000"
    assert len(looks) < 50
    taken.add("friday-50000")
    assert tournament_id("Friday", taken) == "friday-50001"
