"""Names of clubs, in rows and in paths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_protocol.clubs import CLUB_PATTERN, MAIN, club_of_row, is_club_name, row_prefix, split_path, web_path

names = st.from_regex(CLUB_PATTERN.replace("$", r"\Z"))
ids = st.from_regex(r"\A[a-z0-9-]{0,64}\Z")


@pytest.mark.parametrize("text", ["main", "a", "class-7b", "-", "0" * 32])
def test_names_of_clubs(text: str) -> None:
    assert is_club_name(text)


@pytest.mark.parametrize("text", ["", "A", "a b", "a/b", "ä", "a\n", "a.b", "0" * 33])
def test_what_is_no_name_of_a_club(text: str) -> None:
    assert not is_club_name(text)


@given(names, ids)
def test_a_row_tells_its_club(club: str, row_id: str) -> None:
    assert club_of_row(row_prefix(club) + row_id) == (club, row_id)


def test_rows_of_main_are_as_they_were() -> None:
    assert row_prefix(MAIN) == ""
    assert club_of_row("cup.1.1.1.1") == (MAIN, "cup.1.1.1.1")
    assert club_of_row("") == (MAIN, "")


@given(names.filter(lambda name: name != MAIN), st.sampled_from(["", "/", "/bot", "/t/cup", "/c/other/"]))
def test_a_path_tells_its_club(club: str, rest: str) -> None:
    assert split_path(web_path(club) + rest) == (club, rest)


@pytest.mark.parametrize("path", ["/", "/bot", "/c", "/c/", "/c//bot", "/c/A/bot", "/cups", "/t/cup", "/c/a%62/", ""])
def test_other_paths_are_those_of_main(path: str) -> None:
    assert split_path(path) == (MAIN, path)


def test_main_is_at_the_root_and_can_be_asked_for_by_name() -> None:
    assert web_path(MAIN) == ""
    assert split_path("/c/main/t/cup") == (MAIN, "/t/cup")
