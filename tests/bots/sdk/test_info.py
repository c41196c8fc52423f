"""A bot's thoughts, fitted for sending."""

from typing import Any

import pytest
from rumble_bots.sdk.info import NUMBERS_BYTES, fitted
from rumble_protocol.bot_messages import Move
from rumble_protocol.codec import read_bot_message, write_message
from rumble_protocol.fields import LARGEST_INTEGER, MoveInfo


def test_a_right_info_is_sent_unchanged() -> None:
    info = {"score": 1, "depth": 3, "nodes": 0, "time_ms": 2, "pv": ("e2e4", "e7e5")}
    told, lost = fitted(info)
    assert told == MoveInfo(score=1.0, depth=3, nodes=0, time_ms=2, pv=["e2e4", "e7e5"])
    assert lost == []


@pytest.mark.parametrize("info", [{}, {"depth": None}])
def test_an_empty_info_is_left_out(info: dict[str, Any]) -> None:
    assert fitted(info) == (None, [])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("score", float("nan")),
        ("score", "1"),
        ("depth", 1.5),
        ("nodes", -1),
        ("time_ms", 2**60),
        ("pv", "e2e4"),
        ("pv", ["x" * 65]),
        ("pv", [1]),
        ("pv", ["\ud800"]),
        ("pv", [{(0, 1): "e2e4"}]),
        ("colour", "red"),
    ],
)
def test_a_wrong_field_is_left_out_and_named(name: str, value: object) -> None:
    assert fitted({name: value}) == (None, [name])
    right: dict[str, Any] = {"score": 0.5, "depth": 2, "nodes": 7}
    right.pop(name, None)
    assert fitted({**right, name: value}) == (MoveInfo(**right), [name])


@pytest.mark.parametrize("move", ["e2e4", '"', "é" * 64, "\x01"])
def test_a_long_line_is_cut_to_the_bound_of_the_protocol(move: str) -> None:
    most = LARGEST_INTEGER
    numbers = {"score": -1.7976931348623157e308, "depth": most, "nodes": most, "time_ms": most}
    told, lost = fitted({**numbers, "pv": [move] * 999})
    assert told is not None
    assert told.pv
    assert lost == []
    sent = Move(match="m", turn_id="t", move=move, info=told)
    assert read_bot_message(write_message(sent)) == sent
    assert len(told.model_copy(update={"pv": []}).model_dump_json()) <= NUMBERS_BYTES
