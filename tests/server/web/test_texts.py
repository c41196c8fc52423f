import shlex

import pytest
from rumble_engine import Termination
from rumble_protocol.feed_messages import Away
from rumble_protocol.fields import TimeControl
from rumble_server.web import texts


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.5, "½"),
        (1.0, "1"),
        (12.5, "12½"),
        (3540.0, "3540"),
        (0.25, "0.25"),
        (-0.5, "-0.5"),
        (1_234_567.0, "1234567"),
    ],
)
def test_points(value: float, text: str) -> None:
    assert texts.points(value) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("gul-oneil crashed", "[G\u00fcl O'Neil] crashed"),
        ("gul left and gul-oneil was away for 5 ms", "[G\u00fcl] left and [G\u00fcl O'Neil] was away for 5 ms"),
        ("removed by gul-oneil.", "removed by [G\u00fcl O'Neil]."),
        ("gul-oneil-2 and friday.gul.1 resigned", "gul-oneil-2 and friday.gul.1 resigned"),
        ("an made a move that does not count", "[An] made a move that does not count"),
        ("", ""),
    ],
)
def test_a_sentence_has_display_names(text: str, shown: str) -> None:
    names = {"gul": "G\u00fcl", "gul-oneil": "G\u00fcl O'Neil", "a": "A", "an": "An"}
    assert texts.with_display_names(text, names) == shown.replace("[", "\u2068").replace("]", "\u2069")


@pytest.mark.parametrize(
    ("cell", "heat"), [((0.0, 2), 0), ((0.5, 2), 1), ((1.0, 2), 2), ((1.5, 2), 3), ((2.0, 2), 4), ((0.0, 0), 0)]
)
def test_heat(cell: tuple[float, int], heat: int) -> None:
    assert texts.heat(cell) == heat


@pytest.mark.parametrize(
    ("control", "text"),
    [
        (TimeControl(move_ms=250), "0.25 s a move"),
        (TimeControl(move_ms=600_000), "10 min a move"),
        (TimeControl(bank_ms=5_490_500), "1 h 31 min 30.5 s in the bank"),
        (TimeControl(bank_ms=60_000), "1 min in the bank"),
        (
            TimeControl(move_ms=1_000, bank_ms=60_000, increment_ms=500),
            "1 s a move and 1 min in the bank and 0.5 s more after each move",
        ),
    ],
)
def test_time_controls(control: TimeControl, text: str) -> None:
    assert texts.clock_text(control) == text


def test_results_faults_and_terminations() -> None:
    assert texts.result_text([0.5, 0.5]) == "½ : ½"
    assert texts.result_text(None) == "void"
    assert texts.result_text([0.0, 1.0, 1 / 2]) == "placed 3, 1, 2"
    assert texts.result_text([1 / 3, 1 / 3, 1.0]) == "placed 2, 2, 1"
    assert [texts.seat_text([0.5, 0.5], 0), texts.place_text([0.5, 0.5], 0)] == ["½", "1"]
    assert texts.faults_text({"timeout": 2, "no_show": 1}) == "timeout 2, no show 1"
    assert texts.faults_text({}) == "–"
    assert texts.termination_text(Termination.NORMAL) == ""
    assert texts.termination_text(Termination.NO_SHOW) == "(no show)"


def test_moments_are_utc() -> None:
    assert texts.moment(1_700_000_000_000) == "2023-11-14T22:13:20Z"
    assert texts.moment_text(1_700_000_000_000) == "2023-11-14 22:13 UTC"


def test_a_moment_that_no_calendar_has_is_the_last_of_the_year_9999() -> None:
    assert texts.moment(2**53 - 1) == "9999-12-31T23:59:59Z"
    assert texts.moment_text(2**53 - 1) == "9999-12-31 23:59 UTC"


@pytest.mark.parametrize(
    ("ms", "face"), [(0, "0.0"), (9_990, "9.9"), (10_000, "0:10"), (725_000, "12:05"), (3_723_000, "1:02:03")]
)
def test_a_clock_face_shows_tenths_minutes_or_hours_by_the_time_left(ms: int, face: str) -> None:
    assert texts.clock_face(ms) == face


def test_settings_that_look_like_something_else_are_quoted() -> None:
    command = texts.ask_command("openspiel:go", {"komi": "5.5", "board_size": 9, "swap": False, "line": "it's"})
    settings = ['komi="5.5"', "board_size=9", "swap=false", "line=it's"]
    assert shlex.split(command)[-8:] == [word for setting in settings for word in ("--setting", setting)]


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0 ms"), (999, "999 ms"), (1000, "1.0 s"), (9_999, "9.9 s"), (10_000, "10 s"), (75_400, "75 s")],
)
def test_how_long_a_move_took(ms: int, text: str) -> None:
    assert texts.thought_text(ms) == text


def test_since_when_a_bot_is_away() -> None:
    away = Away(since_at_ms=10_000, until_at_ms=40_000)
    assert texts.away_text(away, 12_900) == "away 2 s, 27 s left"
    assert texts.away_text(away, 41_000) == "away 31 s, 0 s left"
