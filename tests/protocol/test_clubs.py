"""Names of clubs, and paths of clubs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_protocol.clubs import CLUB_PATTERN, MAIN, is_club_name, split_path, web_path

names = st.from_regex(CLUB_PATTERN.replace("$", r"\Z"))


@pytest.mark.parametrize("text", ["main", "a", "class-7b", "-", "0" * 32])
def test_names_of_clubs(text: str) -> None:
    assert is_club_name(text)


@pytest.mark.parametrize("text", ["", "A", "a b", "a/b", "ä", "a\n", "a.b", "0" * 33])
def test_a_text_that_is_no_name_of_a_club_is_refused(text: str) -> None:
    assert not is_club_name(text)


@given(names.filter(lambda name: name != MAIN), st.sampled_from(["", "/", "/bot", "/t/cup", "/c/other/"]))
def test_a_path_tells_its_club(club: str, rest: str) -> None:
    assert split_path(web_path(club) + rest) == (club, rest)


@pytest.mark.parametrize("path", ["/", "/bot", "/c", "/c/", "/c//bot", "/c/A/bot", "/cups", "/t/cup", "/c/a%62/", ""])
def test_other_paths_are_those_of_main(path: str) -> None:
    assert split_path(path) == (MAIN, path)


def test_main_is_at_the_root_and_can_be_asked_for_by_name() -> None:
    assert web_path(MAIN) == ""
    assert split_path("/c/main/t/cup") == (MAIN, "/t/cup")
