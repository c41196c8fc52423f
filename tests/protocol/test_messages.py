"""The fields of each message, the fields that may be left out, and a single JSON type for each name."""

import types
from dataclasses import is_dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from pydantic import BaseModel, ValidationError
from rumble_engine import Termination
from rumble_protocol import bot_messages as bot
from rumble_protocol import feed_messages
from rumble_protocol import server_messages as server
from rumble_protocol.fields import DAY_MS, LARGEST_INTEGER, TimeControl

BOT_FIELDS = {
    "login": "name key? version? client? games? max_matches? join? invite? challenges? omit? worker? exchange_key? "
    "follow?",
    "join": "tournament invite?",
    "leave": "tournament invite?",
    "move": "match turn_id move note? info?",
    "resign": "match reason? failed?",
    "challenge": "against game settings? seat? time_control? others?",
}
SERVER_FIELDS = {
    "welcome": "protocol server features limits games identity club",
    "session": "name open max_matches matches tournaments made_key",
    "joined": "tournament game settings time_control status away_clock",
    "left": "tournament game settings time_control status away_clock",
    "match_start": "match attempt tournament game settings seat seats time_control moves resumed away_clock"
    " seed_commitment",
    "turn": "match attempt turn_id game ply seat state legal moves clock legal_complete since",
    "rejected": "match turn_id code message your_turn remaining_ms",
    "match_over": "match attempt scores winner termination reason moves state places payoffs falls seed",
    "tournament_over": "tournament status rank bots points",
    "notice": "code tournament match message seat",
    "error": "code message detail fatal",
}
PARTS: dict[type[BaseModel], str] = {
    server.Limits: "frame_bytes login_ms unsolicited_per_minute ping_ms pong_ms max_matches",
    server.TournamentSummary: "id game status",
    server.TurnClock: "remaining_ms seats_ms lag_ms",
    server.FieldProblem: "field problem",
    server.Fall: "seat ply termination",
    TimeControl: "move_ms bank_ms increment_ms",
}
ALL: list[type[BaseModel]] = [*bot.BOT_MESSAGES, *server.SERVER_MESSAGES, *PARTS]


def type_of(model: type[BaseModel]) -> str:
    return str(model.model_fields["type"].default)


@pytest.mark.parametrize("model", bot.BOT_MESSAGES)
def test_fields_of_bot_messages(model: type[BaseModel]) -> None:
    fields = [f"{name}{'' if field.is_required() else '?'}" for name, field in model.model_fields.items()]
    assert fields == ["type?", *BOT_FIELDS[type_of(model)].split()]


@pytest.mark.parametrize("model", server.SERVER_MESSAGES)
def test_fields_of_server_messages(model: type[BaseModel]) -> None:
    assert list(model.model_fields) == ["type", *SERVER_FIELDS[type_of(model)].split()]


@pytest.mark.parametrize("part", PARTS)
def test_fields_of_parts(part: type[BaseModel]) -> None:
    assert list(part.model_fields) == PARTS[part].split()


def test_every_message_is_in_its_union_and_in_the_list_of_fields() -> None:
    for union, models, fields in (
        (bot.BotMessage, bot.BOT_MESSAGES, BOT_FIELDS),
        (server.ServerMessage, server.SERVER_MESSAGES, SERVER_FIELDS),
    ):
        assert get_args(get_args(union)[0]) == tuple(models)
        assert [type_of(model) for model in models] == list(fields)


def test_defaults_of_the_limits() -> None:
    assert server.Limits().model_dump() == {
        "frame_bytes": 65_536,
        "login_ms": 10_000,
        "unsolicited_per_minute": 120,
        "ping_ms": 5_000,
        "pong_ms": 120_000,
        "max_matches": 64,
    }


def json_types(annotation: Any) -> set[str]:
    """The JSON types, but for null, that values of an annotation have."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return json_types(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return set().union(*(json_types(part) for part in get_args(annotation) if part is not types.NoneType))
    if origin is Literal:
        return set().union(*(json_types(type(value)) for value in get_args(annotation)))
    if origin is tuple:
        return {f"array of {' or '.join(sorted(set().union(*map(json_types, get_args(annotation)))))}"}
    if origin is list:
        return {f"array of {' or '.join(json_types(get_args(annotation)[0]))}"}
    if origin is dict or issubclass(annotation, BaseModel) or is_dataclass(annotation):
        return {"object"}
    if issubclass(annotation, str):
        return {"string"}
    return {{bool: "boolean", int: "integer", float: "number"}[annotation]}


def test_a_field_name_has_one_json_type_everywhere() -> None:
    seen: dict[str, set[str]] = {}
    feed = [each for each in vars(feed_messages).values() if isinstance(each, type) and issubclass(each, BaseModel)]
    for model in (*ALL, *feed):
        for name, field in model.model_fields.items():
            seen.setdefault(name, set()).update(json_types(field.annotation))
    assert seen.pop("seed") == {"integer", "string"}  # of a tournament a number, of a match's chances 32 bytes
    assert {name: kinds for name, kinds in seen.items() if len(kinds) != 1} == {}
    assert seen["moves"] == {"array of string"}
    assert seen["scores"] == {"array of number"}


@pytest.mark.parametrize("model", ALL)
def test_messages_are_strict_and_immutable(model: type[BaseModel]) -> None:
    assert model.model_config["strict"] is True
    assert model.model_config["frozen"] is True


def test_only_the_server_may_grow_its_messages() -> None:
    assert {model.model_config["extra"] for model in bot.BOT_MESSAGES} == {"forbid"}
    assert {model.model_config["extra"] for model in server.SERVER_MESSAGES} == {"ignore"}
    assert TimeControl.model_config["extra"] == "forbid"


def test_a_result_is_finite() -> None:
    over: dict[str, Any] = {
        "match": "m",
        "attempt": 1,
        "winner": None,
        "termination": Termination.NORMAL,
        "reason": "",
        "moves": [],
        "state": {},
    }
    assert server.MatchOver(scores=[0.5, 0.5], **over).scores == [0.5, 0.5]
    assert server.MatchOver(scores=None, **over).scores is None
    with pytest.raises(ValidationError, match="finite"):
        server.MatchOver(scores=[float("nan")], **over)


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
