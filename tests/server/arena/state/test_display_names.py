"""Display names: their form, their comparison, and who holds one."""

import pytest
from rumble_server.arena.state.display_names import DisplayNames, check, fold_name
from rumble_server.arena.state.join_refused import JoinRefused
from rumble_server.arena.state.names_and_keys import Names
from rumble_server.tournament.club_facts import DisplayNamed, NameUsed


@pytest.mark.parametrize(
    ("text", "display"),
    [
        ("Anna", "Anna"),
        ("Jo\u0308rg", "J\u00f6rg"),
        ("Anna-Lena O\u2019Neil 2", "Anna-Lena O'Neil 2"),
        ("\u05d3\u05d5\u05d3", "\u05d3\u05d5\u05d3"),
        ("\u0e1b\u0e39\u0e48", "\u0e1b\u0e39\u0e48"),
        ("\u674e\u96f7", "\u674e\u96f7"),
        ("x" * 32, "x" * 32),
    ],
)
def test_first_names_of_any_script_are_display_names(text: str, display: str) -> None:
    assert check(text) == display


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", " Anna", "Anna ", "Anna  B", "Anna\u00a0B", "Anna\n", "x" * 33, "-'", "<b>", "a.b", "a_b", "\u00bd"),
        *("\U0001f600", "q\u0301\u0301\u0301", "\u0301", "a -\u0301", "a\u202eb", "a\u200db", "Anna\ufe0f", "\u3164"),
        "House-Anna",
    ],
)
def test_other_texts_are_no_display_names(text: str) -> None:
    with pytest.raises(JoinRefused):
        check(text)


def test_names_are_compared_without_case_and_by_compatibility() -> None:
    assert fold_name("Stra\u00dfe") == fold_name("STRASSE")
    assert fold_name("\uff21nna") == fold_name("anna")
    assert fold_name("Anna") != fold_name("Hanna")


def test_people_know_a_bot_by_its_display_name_or_else_by_its_name() -> None:
    names = Names()
    shown = DisplayNames(names)
    for name in ("anna", "ben"):
        names.apply(NameUsed(name, "00", "00", 0))
    shown.apply(DisplayNamed("anna", "\u00c4nna", 0))
    assert (shown.shown_name("ANNA"), shown.shown_name("ben"), shown.get("ben")) == ("\u00c4nna", "ben", None)
    assert (shown.holder("\u00e4NNA"), shown.holder("Ben"), shown.holder("cid")) == ("anna", "ben", None)
    assert not shown.is_taken("Anna"), "nobody sees this bot's own name"
    assert shown.of(["anna", "ben"]) == {"anna": "\u00c4nna"}
