"""Frames to messages and back."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_protocol import bot_messages as bot
from rumble_protocol import server_messages as server
from rumble_protocol.codec import (
    LONGEST_NAME,
    MOST_FIELDS,
    MOST_PROBLEMS,
    BadMessage,
    read_bot_message,
    read_server_message,
    write_message,
)
from rumble_protocol.codes import ErrorCode, Rejection
from rumble_protocol.fields import MoveInfo

from tests.protocol import messages

KEY = "a-secret-that-must-not-be-told"
KNOWN = "login, join, leave, move, resign, challenge"


def refusal(frame: str | bytes | dict[str, Any]) -> BadMessage:
    with pytest.raises(BadMessage) as caught:
        read_bot_message(json.dumps(frame) if isinstance(frame, dict) else frame)
    return caught.value


# --- round trips ---


@given(messages.any_bot_message)
def test_a_bot_message_survives_its_frame(message: bot.BotMessage) -> None:
    frame = write_message(message)
    assert read_bot_message(frame) == message
    assert read_bot_message(frame.decode()) == message


@given(messages.any_server_message)
def test_a_server_message_survives_its_frame(message: server.ServerMessage) -> None:
    frame = write_message(message)
    assert read_server_message(frame) == message
    assert read_server_message(frame.decode()) == message


def test_fields_that_a_bot_does_not_set_are_not_in_its_frame() -> None:
    assert json.loads(write_message(bot.Join(tournament="friday"))) == {"type": "join", "tournament": "friday"}
    challenge = bot.Challenge(against="bob", game="tictactoe", settings={"a": True, "b": 1, "c": "x"})
    assert json.loads(write_message(challenge)) == {
        "type": "challenge",
        "against": "bob",
        "game": "tictactoe",
        "settings": {"a": True, "b": 1, "c": "x"},
    }


def test_fields_that_the_server_leaves_open_are_null_in_its_frame() -> None:
    rejected = server.Rejected(
        match="m", turn_id="t", code=Rejection.STALE_TURN, message="", your_turn=False, remaining_ms=None
    )
    assert json.loads(write_message(rejected))["remaining_ms"] is None


# --- refusals, worded so that a person can fix the bot ---


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ("", "not JSON: EOF while parsing a value at line 1 column 0"),
        ("hello", "not JSON: expected value at line 1 column 1"),
        ('{"type": "resign", "match": "m"} x', "not JSON: trailing characters at line 1 column 34"),
        ('{"type": "resign", "match": "\\ud800"}', "not JSON: unexpected end of hex escape at line 1 column 36"),
        ("\ufeff{}", "not JSON: expected value at line 1 column 1"),
        ("[1]", "a message is a JSON object with a field `type`"),
        ("null", "a message is a JSON object with a field `type`"),
        ("{}", "a message is a JSON object with a field `type`"),
        ('{"type": "mvoe"}', f"unknown type of message 'mvoe'; known: {KNOWN}"),
        ('{"type": 5}', f"unknown type of message '5'; known: {KNOWN}"),
        ('{"type": "turn"}', f"unknown type of message 'turn'; known: {KNOWN}"),
        ('{"type": "login"}', "not a valid login: name: is required"),
        ('{"type": "login", "name": 5}', "not a valid login: name: should be text, in quotes"),
        ('{"type": "login", "name": null}', "not a valid login: name: should be text, in quotes"),
        (
            '{"type": "login", "name": "a", "maxmatches": 2}',
            "not a valid login: maxmatches: unknown field; did you mean `max_matches`?",
        ),
        ('{"type": "login", "name": "a", "zzz": 2}', "not a valid login: zzz: unknown field"),
        (
            '{"type": "login", "name": "a", "omit": ["state"]}',
            "not a valid login: omit.0: should be 'legal' or 'moves'",
        ),
        (
            '{"type": "login", "name": "a", "max_matches": 0}',
            "not a valid login: max_matches: should be greater than or equal to 1",
        ),
        (
            '{"type": "move", "match": "m", "turn_id": "t", "move": 4}',
            "not a valid move: move: should be text, in quotes",
        ),
        ('{"type": "resign", "match": ""}', "not a valid resign: match: should have at least 1 character"),
        (
            '{"type": "challenge", "against": "b", "game": "g", "time_control": {"move_ms": 0}}',
            "not a valid challenge: time_control: move_ms and bank_ms cannot both be 0: "
            "no tournament is without a clock",
        ),
        (
            '{"type": "challenge", "against": "b", "game": "g", "time_control": {"mov_ms": 1}}',
            "not a valid challenge: time_control.mov_ms: unknown field",
        ),
        (
            '{"type": "challenge", "against": "b", "game": "g", "settings": {"rows": 5.5}}',
            "not a valid challenge: settings.rows: a setting is true or false, an integer of at most 53 bits, "
            "or text of at most 256 characters",
        ),
    ],
)
def test_a_refusal_tells_what_is_wrong(frame: str, message: str) -> None:
    assert refusal(frame).message == message
    assert str(refusal(frame)) == message


def test_detail_has_each_field() -> None:
    error = refusal({"type": "move", "match": "m", "turn": 1})
    assert {(problem.field, problem.problem) for problem in error.detail} == {
        ("turn_id", "is required"),
        ("move", "is required"),
        ("turn", "unknown field; did you mean `turn_id`?"),
    }
    assert refusal('{"type": "mvoe"}').detail == [server.FieldProblem(field="type", problem=f"must be one of: {KNOWN}")]


def test_detail_is_bounded() -> None:
    unknown = {f"{'x' * 100}{number}": 1 for number in range(50)}
    error = refusal({"type": "resign", "match": "m", **unknown})
    assert len(error.detail) == MOST_PROBLEMS
    assert {problem.field for problem in error.detail} == {"x" * LONGEST_NAME + "..."}
    assert len(refusal({"type": "y" * 5000}).message) < 200


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "resign", "match": "m", **{f"{number}": 1 for number in range(80)}},
        {"type": "challenge", "against": "a", "game": "g", "settings": {f"{number}": [] for number in range(80)}},
        {"type": "resign", "match": {f"{number}": {"\\": '"'} for number in range(40)}},
    ],
)
def test_fields_are_counted_before_they_are_validated(frame: dict[str, Any]) -> None:
    assert refusal(frame).message == f"a message has at most {MOST_FIELDS} fields"


def test_a_field_given_again_and_again_counts_each_time() -> None:
    assert refusal('{"type": "resign"' + ', "a": 1' * MOST_FIELDS + "}").message.startswith("a message has at most")


def test_colons_in_texts_are_no_fields() -> None:
    note = ':"\\' * 200
    message = read_bot_message(json.dumps({"type": "move", "match": "m", "turn_id": "t", "move": "1", "note": note}))
    assert isinstance(message, bot.Move)
    assert message.note == note


def test_the_first_wrong_entry_of_a_list_is_told_alone() -> None:
    for field in ("games", "omit"):
        assert len(refusal({"type": "login", "name": "ann", field: [1] * 2}).detail) == 1


@pytest.mark.parametrize("value", ["1.0", "1e3", '"1"', "true", "NaN", "Infinity", "null", str(2**53), "9" * 400])
def test_no_number_is_made_to_fit(value: str) -> None:
    assert refusal('{"type": "login", "name": "a", "max_matches": ' + value + "}").detail[0].field == "max_matches"


def test_a_note_is_counted_in_bytes() -> None:
    move = {"type": "move", "match": "m", "turn_id": "t", "move": "4"}
    read_bot_message(json.dumps({**move, "note": "é" * 512}))
    error = refusal({**move, "note": "é" * 513})
    assert [(problem.field, problem.problem) for problem in error.detail] == [
        ("note", "a note is at most 1024 bytes of UTF-8")
    ]


def test_an_info_has_bounds_of_its_own() -> None:
    move = {"type": "move", "match": "m", "turn_id": "t", "move": "4"}
    fits = {"pv": ["é" * 60] * 8 + ["x" * 29]}
    assert len(json.dumps(fits, ensure_ascii=False, separators=(",", ":")).encode()) == 1024
    read = read_bot_message(json.dumps({**move, "info": fits}, indent=8))
    assert isinstance(read, bot.Move)
    assert read.info == MoveInfo(pv=fits["pv"])
    wrong: list[tuple[Any, str, str]] = [
        ({"pv": [*fits["pv"][:-1], "x" * 30]}, "info", "an info is at most 1024 bytes of JSON"),
        ({"pv": ["x" * 65]}, "info.pv.0", "should have at most 64 characters"),
        ({"pv": ["x"] * 342}, "info.pv", "should have at most 341 items after validation, not 342"),
        ({"depth": 1.5}, "info.depth", "should be a valid integer"),
        ({"nodes": -1}, "info.nodes", "should be greater than or equal to 0"),
        ({"score": "1"}, "info.score", "should be a valid number"),
        ({"dept": 1}, "info.dept", "unknown field"),
        ("deep", "info", "should be an object"),
    ]
    for info, field, problem in wrong:
        error = refusal({**move, "info": info})
        assert [(each.field, each.problem) for each in error.detail] == [(field, problem)]
    assert refusal('{"type": "move", "match": "m", "turn_id": "t", "move": "4", "info": {"score": 1e999}}').detail


def test_a_field_given_twice_counts_as_given_last() -> None:
    assert read_bot_message('{"type": "move", "match": "a", "type": "resign", "match": "b"}') == bot.Resign(match="b")
    assert refusal('{"type": "resign", "match": "a", "match": 5}').detail[0].field == "match"


@pytest.mark.parametrize(
    "frame",
    [
        "[" * 60_000,
        '{"type":' * 8_000,
        '{"type": "login", "name": ' + "[" * 150 + "]" * 150 + "}",
        '{"type": "login", "name": "a", "max_matches": ' + "9" * 60_000 + "}",
        '{"type": "login", "name": "\ud800"}',
        '{"type": "login", "name": "a", "\udfff": 1}',
        '{"type": "login", "name": "\x00"}',
        b'{"type": "login", "name": "\xff"}',
        b"\xff\xfe",
    ],
)
def test_monsters_are_refused_like_anything_else(frame: str | bytes) -> None:
    error = refusal(frame)
    assert len(error.message) < 300
    write_message(server.Error(code=ErrorCode.BAD_MESSAGE, message=error.message, detail=error.detail))


@pytest.mark.parametrize("key", [KEY, KEY[:15], KEY * 5, [KEY], {KEY: KEY}, 5])
@pytest.mark.parametrize("field", ["key", "kye", "name", "join", "omit", "games", "max_matches", "invite"])
def test_no_value_is_ever_repeated(field: str, key: object) -> None:
    frame = {"type": "login", "wrong": KEY, field: key}
    error = refusal(frame)
    assert KEY[:15] not in error.message
    assert KEY[:15] not in str(error.detail)
    assert error.__cause__ is None
    assert error.__suppress_context__


def test_a_broken_frame_is_not_repeated() -> None:
    assert KEY not in refusal(f'{{"type": "login", "key": "{KEY}').message


FIELDS = st.sampled_from(["type", "name", "match", "settings", "time_control", "clock", "state"])
wild_json: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["login", "move", "turn"]),
    lambda values: st.lists(values, max_size=4) | st.dictionaries(st.text() | FIELDS, values, max_size=4),
    max_leaves=12,
)


def problem_of(reader: Callable[[str | bytes], object], frame: str | bytes) -> str | None:
    """Return the reader's objection to the frame; an error other than BadMessage fails the test."""
    try:
        reader(frame)
    except BadMessage as told:
        return told.message
    return None


@given(st.text() | st.binary() | wild_json.map(json.dumps))
def test_nonsense_raises_nothing_but_bad_message(frame: str | bytes) -> None:
    assert problem_of(read_bot_message, frame)
    assert problem_of(read_server_message, frame)


@given(messages.any_bot_message, st.data())
def test_a_changed_message_raises_nothing_but_bad_message(message: bot.BotMessage, data: st.DataObject) -> None:
    frame = json.loads(write_message(message))
    frame[data.draw(st.sampled_from(sorted(frame)) | st.text())] = data.draw(wild_json)
    assert problem_of(read_bot_message, json.dumps(frame)) != ""


# --- a bot reads the messages of a newer server ---


def add_unknown(value: Any) -> Any:
    """Return the JSON with an unknown field in each object whose fields the protocol fixes."""
    free = {"state", "settings"}
    if isinstance(value, dict):
        return {name: part if name in free else add_unknown(part) for name, part in value.items()} | {"newer": [1]}
    return [add_unknown(part) for part in value] if isinstance(value, list) else value


@given(messages.any_server_message)
def test_a_bot_ignores_fields_it_does_not_know(message: server.ServerMessage) -> None:
    frame = json.dumps(add_unknown(json.loads(write_message(message))))
    assert read_server_message(frame) == message


def test_a_message_of_an_unknown_type_is_refused_by_name() -> None:
    with pytest.raises(BadMessage, match=r"^unknown type of message 'fireworks'; known: welcome, session"):
        read_server_message('{"type": "fireworks"}')


@given(messages.any_bot_message)
def test_the_server_refuses_fields_it_does_not_know(message: bot.BotMessage) -> None:
    frame = json.loads(write_message(message))
    error = refusal({**frame, "newer": 1})
    assert error.detail[0].field == "newer"
