from random import Random
from typing import Any

import pytest
from rumble_bots.sdk.bot import SAFETY_MS, Bot, Turn, tell
from rumble_engine import BadPosition, UnknownGame, get_game
from rumble_protocol import server_messages as server
from rumble_protocol.codec import read_server_message

from tests.bots.sdk import says


def asked(frame: str, round_trip_ms: float = 0.0) -> Turn:
    return Turn.of(says.read(server.Turn, frame), None, lambda: 0.0, round_trip_ms)


def test_position_is_a_state_of_the_engine() -> None:
    turn = asked(says.turn(board="X...O....", moves=("0", "4")))
    assert turn.position == get_game("tictactoe").parse("X...O....")
    assert turn.position is turn.position
    assert list(turn.legal) == list(turn.position.legal_moves)


def test_a_game_that_is_not_installed_needs_no_position() -> None:
    turn = asked(says.turn(game="mahjong"))
    assert turn.legal
    with pytest.raises(UnknownGame):
        _ = turn.position


def test_think_ms_shrinks_to_nothing() -> None:
    times = iter([100.0, 100.0, 100.5, 109.5])
    turn = Turn.of(says.read(server.Turn, says.turn(remaining_ms=1000)), None, lambda: next(times))
    for left_ms in (1000 - SAFETY_MS, 500 - SAFETY_MS, 0):
        assert turn.think_ms == pytest.approx(left_ms, abs=1)


def test_a_machine_that_was_late_has_less_time_to_think() -> None:
    message = says.read(server.Turn, says.turn(remaining_ms=300))
    assert Turn.of(message, None, lambda: 0.0, late_ms=40).think_ms == 300 - SAFETY_MS - 40
    assert Turn.of(message, None, lambda: 0.0, late_ms=1000).think_ms == 150, "at most half of the time is kept free"


@pytest.mark.parametrize(
    ("remaining_ms", "lag_ms", "round_trip_ms", "think_ms"),
    [(1000, 50, 50, 970), (1000, 0, 50, 920), (1000, 200, 600, 570), (40, 0, 0, 20), (100, 0, 900, 50), (0, 0, 0, 0)],
)
def test_a_safety_is_kept_for_the_network(remaining_ms: int, lag_ms: int, round_trip_ms: int, think_ms: int) -> None:
    turn = asked(says.turn(remaining_ms=remaining_ms, lag_ms=lag_ms), round_trip_ms)
    assert turn.think_ms == pytest.approx(think_ms, abs=1)


def test_the_same_question_asked_again() -> None:
    turn = asked(says.turn("t1"))
    assert asked(says.turn("t2", remaining_ms=5)).asks_the_same(turn)
    assert not asked(says.turn(attempt=2)).asks_the_same(turn)
    assert not asked(says.turn(match="cup.2")).asks_the_same(turn)
    assert not asked(says.turn(board="X........")).asks_the_same(turn)


def test_choose_has_to_be_written() -> None:
    with pytest.raises(NotImplementedError, match="Bot has no choose"):
        Bot().choose(asked(says.turn()))


@pytest.mark.parametrize(
    ("frame", "method"),
    [
        (says.session(), "session"),
        (says.joined(), "joined"),
        (says.match_start(), "match_start"),
        (says.match_over(), "match_over"),
        (says.rejected(), "rejected"),
        (says.notice("paused"), "notice"),
        (says.tournament_over(), "tournament_over"),
    ],
)
def test_a_bot_is_told_by_the_method_of_the_message(frame: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    message: Any = read_server_message(frame)
    told: list[Any] = []
    bot = Bot()
    tell(bot, message)  # by default nothing is done
    monkeypatch.setattr(bot, method, told.append)
    tell(bot, message)
    assert told == [message]


def test_a_turn_of_a_game_that_hides_something_has_no_position() -> None:
    game = get_game("liars-dice")
    turn = Turn.at(game.initial().play("12345 23456"), "liars-dice", 1000)
    assert turn.state["hands"] == ["12345", "?????"]
    with pytest.raises(BadPosition):
        turn.position  # noqa: B018  # a property
    assert game.sample(turn.state, Random(1)).view(0) == turn.state
