"""A single JSON type for each name of a field; time controls and settings."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from rumble_protocol import bot_messages as bot
from rumble_protocol import server_messages as server
from rumble_protocol.fields import DAY_MS, LARGEST_INTEGER, TimeControl
from rumble_protocol.schema import Schema, schemas


def json_types(field: Schema, parts: dict[str, Schema]) -> set[str]:
    """Return the JSON types, but for null, of a field's values. `parts` are the `$defs` of the field's schema."""
    if "$ref" in field:
        return json_types(parts[field["$ref"].removeprefix("#/$defs/")], parts)
    if "anyOf" in field:
        return set().union(*(json_types(each, parts) for each in field["anyOf"])) - {"null"}
    if field["type"] == "array" and "items" in field:
        return {f"array of {' or '.join(sorted(json_types(field['items'], parts)))}"}
    return {field["type"]}


def test_a_field_name_has_one_json_type_everywhere() -> None:
    seen: dict[str, set[str]] = {}
    for schema in schemas().values():
        parts = schema.get("$defs", {})
        for part in (schema, *parts.values()):
            for name, field in part.get("properties", {}).items():
                seen.setdefault(name, set()).update(json_types(field, parts))
    assert seen.pop("seed") == {"integer", "string"}  # of a tournament a number, of a match's chances 32 bytes
    assert {name: kinds for name, kinds in seen.items() if len(kinds) != 1} == {}
    assert seen["moves"] == {"array of string"}
    assert seen["scores"] == {"array of number"}


@pytest.mark.parametrize("model", [*bot.BOT_MESSAGES, *server.SERVER_MESSAGES, TimeControl])
def test_messages_are_strict_and_immutable(model: type[BaseModel]) -> None:
    assert model.model_config["strict"] is True
    assert model.model_config["frozen"] is True


def test_a_number_of_the_server_is_finite() -> None:
    with pytest.raises(ValidationError, match="finite"):
        server.TournamentOver(tournament="t", status="finished", rank=1, bots=2, points=float("nan"))


# --- time controls ---


@pytest.mark.parametrize(
    ("given", "full"),
    [
        ({}, (10_000, 0, 0)),
        ({"increment_ms": 100}, (10_000, 0, 100)),
        ({"move_ms": 5}, (5, 0, 0)),
        ({"bank_ms": 60_000}, (0, 60_000, 0)),
        ({"move_ms": 0, "bank_ms": 1, "increment_ms": 2}, (0, 1, 2)),
        ({"move_ms": DAY_MS, "bank_ms": DAY_MS, "increment_ms": DAY_MS}, (DAY_MS, DAY_MS, DAY_MS)),
    ],
)
def test_a_time_control_is_completed(given: dict[str, int], full: tuple[int, int, int]) -> None:
    control = TimeControl(**given)
    assert (control.move_ms, control.bank_ms, control.increment_ms) == full
    assert TimeControl.model_validate(control) is control


@pytest.mark.parametrize(
    "given",
    [
        {"move_ms": 0},
        {"bank_ms": 0},
        {"move_ms": 0, "bank_ms": 0, "increment_ms": 5},
        {"move_ms": -1},
        {"move_ms": DAY_MS + 1},
        {"move_ms": 1.0},
        {"move_ms": "1"},
        {"move_ms": True},
        {"mov_ms": 1},
    ],
)
def test_a_time_control_without_time_or_sense_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TimeControl(**given)


# --- settings ---


@pytest.mark.parametrize("value", [True, False, 0, -LARGEST_INTEGER, LARGEST_INTEGER, "", "x" * 256])
def test_a_setting_keeps_its_type(value: bool | int | str) -> None:
    settings = bot.Challenge(against="b", game="g", settings={"a": value}).settings
    assert settings is not None
    assert (settings["a"], type(settings["a"])) == (value, type(value))


@pytest.mark.parametrize("value", [None, 1.5, LARGEST_INTEGER + 1, -LARGEST_INTEGER - 1, "x" * 257, [1], {"b": 1}])
def test_a_setting_of_another_kind_is_refused(value: Any) -> None:
    with pytest.raises(ValidationError):
        bot.Challenge(against="b", game="g", settings={"a": value})
