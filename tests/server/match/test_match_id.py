import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.match.match_id import MatchId, Neighbours, neighbours, tournament_id_of


@given(st.from_regex(r"[a-z0-9-]+", fullmatch=True), st.tuples(*[st.integers(1, 2000)] * 4))
def test_an_id_is_read_as_it_is_printed(tournament_id: str, key: tuple[int, int, int, int]) -> None:
    match_id = MatchId(tournament_id, *key)
    assert MatchId.parse(str(match_id)) == match_id
    assert match_id.key == key
    assert tournament_id_of(str(match_id)) == tournament_id


def test_an_id_has_tournament_cycle_round_board_and_leg() -> None:
    match_id = MatchId.parse("friday-2.1.3.2.4")
    assert match_id == ("friday-2", 1, 3, 2, 4)
    assert (match_id.cycle, match_id.round, match_id.board, match_id.leg) == (1, 3, 2, 4)


@pytest.mark.parametrize(
    "text", ["", "friday", "friday.1.1.1", "friday.1.1.1.x", "friday.1.1..1", "friday.1_0.1.1.1", "friday.1.1.1.\u0663"]
)
def test_a_text_that_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="id of a match"):
        MatchId.parse(text)


def test_neighbours_are_those_of_the_schedule() -> None:
    schedule = [
        f"friday.{key}" for key in ("1.1.1.1", "1.1.1.2", "1.2.1.1", "1.2.9.1", "1.2.10.1", "1.2.10.2", "2.1.1.2")
    ]
    assert neighbours("friday.1.1.1.1", reversed(schedule)) == Neighbours(None, "friday.1.1.1.2", "friday.1.1.1.2")
    assert neighbours("friday.1.2.10.1", schedule) == ("friday.1.2.9.1", "friday.1.2.10.2", "friday.1.2.10.2")
    assert neighbours("friday.1.2.1.1", schedule) == ("friday.1.1.1.2", "friday.1.2.9.1", None)
    assert neighbours("friday.2.1.1.2", schedule) == ("friday.1.2.10.2", None, None)
    assert neighbours("friday.1.1.1.2", schedule).other_leg == "friday.1.1.1.1"
    assert neighbours("friday.1.1.1.1", []) == (None, None, None)
