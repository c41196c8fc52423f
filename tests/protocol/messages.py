"""Hypothesis strategies for every message of the protocol, made from the models."""

from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from hypothesis import strategies as st
from pydantic import BaseModel
from rumble_protocol.bot_messages import BOT_MESSAGES
from rumble_protocol.fields import DAY_MS, LARGEST_INTEGER, TimeControl
from rumble_protocol.server_messages import SERVER_MESSAGES

BOUNDS = ("ge", "le", "min_length", "pattern")
texts = st.text(st.characters(codec="utf-8"), max_size=12)
integers = st.integers(-LARGEST_INTEGER, LARGEST_INTEGER)
durations = st.integers(0, DAY_MS)
settings = st.dictionaries(texts, st.booleans() | integers | texts, max_size=3)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | integers | texts,
    lambda values: st.lists(values, max_size=3) | st.dictionaries(texts, values, max_size=3),
    max_leaves=8,
)
states = st.dictionaries(texts, json_values, max_size=3)
time_controls = st.builds(
    TimeControl, move_ms=st.integers(1, DAY_MS), bank_ms=durations, increment_ms=durations
) | st.builds(TimeControl, bank_ms=st.integers(1, DAY_MS), increment_ms=durations)


def of_model(model: type[BaseModel]) -> st.SearchStrategy[Any]:
    """Return the strategy of a message, or of a part of a message. Every field is given."""
    fields = {name: field for name, field in model.model_fields.items() if name != "type"}
    return st.builds(model, **{name: of_type(field.annotation, field.metadata) for name, field in fields.items()})


def of_type(kind: Any, annotations: Any = ()) -> st.SearchStrategy[Any]:
    """Return the strategy of a field's type, within the bounds that its annotations set."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return of_type(parts[0], parts[1:])
    if origin in (Union, UnionType):
        return st.one_of(*map(of_type, parts))
    if origin is Literal:
        return st.sampled_from(parts)
    if origin is tuple:
        return st.tuples(*map(of_type, parts))
    if origin is list:
        return st.lists(of_type(parts[0]), max_size=2)
    if origin is dict:
        return states if parts[1] is Any else settings
    if kind is TimeControl:
        return time_controls
    if issubclass(kind, BaseModel):
        return of_model(kind)
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    return _of_bounds(kind, bounds(annotations))


def _of_bounds(kind: Any, within: dict[str, Any]) -> st.SearchStrategy[Any]:
    if kind is int:
        return st.integers(within.get("ge", -LARGEST_INTEGER), within.get("le", LARGEST_INTEGER))
    if kind is float:
        return st.floats(allow_nan=False, allow_infinity=False)
    if "pattern" in within:
        return st.from_regex(within["pattern"].replace("$", r"\Z"), fullmatch=True)
    if "min_length" in within:
        return st.text(st.characters(codec="utf-8"), min_size=within["min_length"], max_size=within["min_length"] + 8)
    return {str: texts, bool: st.booleans(), type(None): st.none()}[kind]


def bounds(annotations: Any) -> dict[str, Any]:
    """Return the bounds in annotations: of `Field`, of `StringConstraints`, and the pattern of a schema."""
    found: dict[str, Any] = {}
    for annotation in annotations:
        for each in (annotation, *getattr(annotation, "metadata", ())):
            found |= {name: getattr(each, name) for name in BOUNDS if getattr(each, name, None) is not None}
        found |= {
            name: value for name, value in (getattr(annotation, "json_schema", None) or {}).items() if name in BOUNDS
        }
    return found


bot_messages = {model: of_model(model) for model in BOT_MESSAGES}
server_messages = {model: of_model(model) for model in SERVER_MESSAGES}
any_bot_message = st.one_of(*bot_messages.values())
any_server_message = st.one_of(*server_messages.values())
