"""Shared parts of all games: `Game`, `Setting` and `State`."""

from collections.abc import Mapping

import pytest
from rumble_engine import BadSettings, Game, IllegalMove, Setting, SettingValue, UnreadableMove, get_game

from .take import Take, TakeState


class Rich(Take):
    """A game with a setting of each type and a rule between two of them."""

    settings = (
        Setting("pile", 5, "matches", minimum=1, maximum=9),
        Setting("rule", "normal", "who wins", choices=("normal", "misere")),
        Setting("open", True, "shown to all"),
    )

    def check(self, settings: Mapping[str, SettingValue]) -> None:
        if settings["rule"] == "misere" and settings["pile"] == 1:
            raise BadSettings("misere needs two matches")


def test_settings_are_completed_by_defaults() -> None:
    assert Rich().complete() == {"pile": 5, "rule": "normal", "open": True}
    assert Rich().complete({"open": False, "pile": 9}) == {"pile": 9, "rule": "normal", "open": False}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"piles": 3}, "take has no setting 'piles'; it offers: pile, rule, open"),
        ({"pile": 0}, "pile must be from 1 to 9, not 0"),
        ({"pile": 10}, "pile must be from 1 to 9, not 10"),
        ({"pile": True}, "pile must be an integer, not True"),
        ({"pile": "7"}, "pile must be an integer, not '7'"),
        ({"pile": None}, "pile must be an integer, not None"),
        ({"open": 1}, "open must be true or false, not 1"),
        ({"rule": 1}, "rule must be text, not 1"),
        ({"rule": "mad"}, "rule must be one of normal, misere, not 'mad'"),
        ({"rule": "misere", "pile": 1}, "misere needs two matches"),
    ],
)
def test_bad_settings_are_told(given: dict[str, object], problem: str) -> None:
    with pytest.raises(BadSettings) as caught:
        Rich().complete(given)
    assert str(caught.value) == problem


def test_a_game_without_settings_says_so() -> None:
    with pytest.raises(BadSettings, match="tictactoe has no setting 'size'; it offers: none"):
        get_game("tictactoe").complete({"size": 3})


def test_a_game_is_described_as_json_data() -> None:
    assert Rich().describe() == {
        "name": "take",
        "title": "Take away",
        "seat_names": ["X", "O"],
        "settings": {
            "pile": {"default": 5, "help": "matches", "minimum": 1, "maximum": 9},
            "rule": {"default": "normal", "help": "who wins", "choices": ["normal", "misere"]},
            "open": {"default": True, "help": "shown to all"},
        },
    }


def test_a_game_may_leave_the_hooks_alone() -> None:
    state = TakeState(3)
    assert list(state.legal_moves) == ["a", "b"]
    assert state.canonical() == state
    assert state.estimate() == 0
    assert Game.seats == 2
    assert Game.seat_marks == Game.seat_names == ("X", "O")


def test_seats_are_called_by_their_marks_unless_the_game_names_them() -> None:
    class Marked(Take):
        seat_marks = ("a", "b")

    class Named(Marked):
        seat_names = ("Ann", "Bob")

    assert Marked.seat_names == ("a", "b")
    assert Named.seat_names == ("Ann", "Bob")
    assert Named.seat_marks == ("a", "b")


def test_play_reads_the_move() -> None:
    assert TakeState(3).play("b") == TakeState(1, mover=1)
    with pytest.raises(UnreadableMove):
        TakeState(3).play("c")
    with pytest.raises(IllegalMove, match=r"a is not allowed: the game is over \(took the last match\)"):
        TakeState(0).play("a")
