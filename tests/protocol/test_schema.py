"""The JSON Schemas in the repository are those of the models, and accept the same messages."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator, ValidationError
from rumble_protocol import bot_messages as bot
from rumble_protocol import server_messages as server
from rumble_protocol.codec import write_message
from rumble_protocol.schema import schemas, text, write

from tests.protocol import messages

KEPT = Path(__file__).parents[2] / "protocol" / "schema"
VALIDATORS = {name.removesuffix(".json"): Draft202012Validator(schema) for name, schema in schemas().items()}
TYPES = [str(model.model_fields["type"].default) for model in (*bot.BOT_MESSAGES, *server.SERVER_MESSAGES)]


def test_the_kept_schemas_are_those_of_the_models() -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in KEPT.iterdir()}
    assert kept == {name: text(schema) for name, schema in schemas().items()}, (
        "write them again: rumble schema --out protocol/schema"
    )


def test_each_message_each_direction_and_the_feed_has_a_schema() -> None:
    assert sorted(VALIDATORS) == sorted([*TYPES, "bot_message", "server_message", "feed_event"])


@pytest.mark.parametrize("name", sorted(VALIDATORS))
def test_each_schema_is_one_of_the_draft(name: str) -> None:
    Draft202012Validator.check_schema(VALIDATORS[name].schema)


@given(messages.any_bot_message)
def test_messages_that_a_bot_may_send_are_valid(message: bot.BotMessage) -> None:
    frame = json.loads(write_message(message))
    VALIDATORS[message.type].validate(frame)
    VALIDATORS["bot_message"].validate(frame)


@given(messages.any_server_message)
def test_messages_of_the_server_are_valid_and_may_grow(message: server.ServerMessage) -> None:
    frame = json.loads(write_message(message))
    for grown in (frame, {**frame, "newer": 1}):
        VALIDATORS[message.type].validate(grown)
        VALIDATORS["server_message"].validate(grown)


@given(messages.any_server_message)
def test_the_server_leaves_nothing_out(message: server.ServerMessage) -> None:
    frame = json.loads(write_message(message))
    omitted = {name for name, field in type(message).model_fields.items() if field.exclude_if is not None}
    omitted |= {"legal", "moves"} if message.type == "turn" else set()
    for field in frame:
        less = {name: value for name, value in frame.items() if name != field}
        if field in omitted:
            VALIDATORS[message.type].validate(less)
        else:
            with pytest.raises(ValidationError):
                VALIDATORS[message.type].validate(less)


def test_a_time_control_may_grow_only_in_messages_of_the_server() -> None:
    grown = {"move_ms": 1, "bank_ms": 0, "increment_ms": 0, "delay_ms": 5}
    frame = {"type": "left", "tournament": "t", "game": "g", "settings": {}, "time_control": grown, "status": "lobby"}
    frame["away_clock"] = "stands"
    VALIDATORS["left"].validate(frame)
    with pytest.raises(ValidationError):
        VALIDATORS["challenge"].validate({"type": "challenge", "against": "b", "game": "g", "time_control": grown})


@pytest.mark.parametrize(
    "frame",
    [
        {"name": "a"},
        {"type": "login"},
        {"type": "login", "name": "a", "nmae": "b"},
        {"type": "login", "name": "a", "key": "short"},
        {"type": "login", "name": "a", "omit": ["state"]},
        {"type": "move", "match": "m", "turn_id": "t", "move": 4},
        {"type": "turn"},
        [],
    ],
)
def test_frames_that_the_server_would_refuse_are_not_valid(frame: Any) -> None:
    assert not VALIDATORS["bot_message"].is_valid(frame)


def test_write_also_clears_away(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "schema"
    write(folder)
    (folder / "gone.json").write_text("{}")
    (folder / "README.md").write_text("kept")
    write(folder)
    assert {path.name for path in folder.iterdir()} == {*schemas(), "README.md"}
