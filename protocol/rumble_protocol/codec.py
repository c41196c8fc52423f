"""Turns frames into messages, and messages into frames.

Incoming frames are always validated. Most outgoing frames are serialised from their models. The most frequent outgoing
frames are built by `frames`.
"""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

from rumble_protocol.bot_messages import BOT_MESSAGES, BotMessage
from rumble_protocol.fields import BotMessageModel, MatchId, ServerMessageModel, TurnId
from rumble_protocol.server_messages import FieldProblem, ServerMessage

MOST_PROBLEMS = 8
"""Maximum number of problems listed in the error for a message; further problems are left out."""
LONGEST_NAME = 40
"""Maximum number of characters of a field's name, or of a message's type, in an error; the rest is cut.

Errors never repeat the values of other fields.
"""
MOST_FIELDS = 64
"""Maximum number of fields in a bot's message, nested fields included.

A message with more fields is refused before validation, because validation takes some 5 us for each wrong field.
"""
LEAST_FIELD = 4
"""Number of characters of the shortest field, `"":0`."""
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
"""Pattern of a JSON string, complete or cut off."""

_bot_message: TypeAdapter[BotMessage] = TypeAdapter(BotMessage)
_validate_bot_message = _bot_message.validator.validate_json
_server_message: TypeAdapter[ServerMessage] = TypeAdapter(ServerMessage)
_bot_fields = {model.model_fields["type"].default: list(model.model_fields) for model in BOT_MESSAGES}


class BadMessage(ValueError):
    """An invalid frame. `message` is a line of text, `detail` lists the problems of single fields."""

    def __init__(self, message: str, detail: Sequence[FieldProblem] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.detail = list(detail)


class NamedTurn(BaseModel):
    """The turn that an answer names. The rest of the frame may be invalid."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    type: Literal["move"]
    match: MatchId
    turn_id: TurnId


def read_named_turn(frame: str | bytes) -> NamedTurn | None:
    """Return the turn named by an invalid frame; None if the frame names no turn."""
    try:
        return NamedTurn.model_validate_json(frame)
    except ValidationError:
        return None


def read_bot_message(frame: str | bytes) -> BotMessage:
    """Parse and strictly validate a bot's message. Raises only BadMessage.

    If a field is given twice, the last value counts.
    """
    if len(frame) > MOST_FIELDS * LEAST_FIELD and _has_many_fields(frame):
        raise BadMessage(f"a message has at most {MOST_FIELDS} fields")
    try:
        message: BotMessage = _validate_bot_message(frame)
    except ValidationError as error:
        raise _bad_message(error) from None
    return message


def _has_many_fields(frame: str | bytes) -> bool:
    """Return true if a frame has more than `MOST_FIELDS` fields.

    The fields are not parsed: each colon outside of JSON strings counts as a field.
    """
    text = frame if isinstance(frame, str) else frame.decode(errors="replace")
    return text.count(":") > MOST_FIELDS and _QUOTED.sub("", text).count(":") > MOST_FIELDS


def read_server_message(frame: str | bytes) -> ServerMessage:
    """Parse a message of the server, ignoring unknown fields. Raises BadMessage, and no other error."""
    try:
        return _server_message.validate_json(frame)
    except ValidationError as error:
        raise _bad_message(error) from None


def write_message(message: BotMessageModel | ServerMessageModel) -> bytes:
    """Serialise a message. Optional fields that are None are left out of a bot's message."""
    if isinstance(message, BotMessageModel):
        return message.__pydantic_serializer__.to_json(message, exclude_none=True)
    return message.__pydantic_serializer__.to_json(message)


def _bad_message(error: ValidationError) -> BadMessage:
    problems = error.errors(include_url=False, include_input=False)
    match problems[0]:
        case {"type": "json_invalid", "msg": text}:
            return BadMessage(f"not JSON: {text.removeprefix('Invalid JSON: ')}")
        case {"type": "union_tag_invalid", "ctx": {"tag": tag, "expected_tags": known}}:
            return _unknown_type(tag, known.replace("'", ""))
        case {"type": "string_unicode", "loc": ()}:
            return BadMessage("not text: it holds half of a surrogate pair")
        case {"loc": ()}:
            return BadMessage("a message is a JSON object with a field `type`")
    kind = str(problems[0]["loc"][0])
    detail = [
        FieldProblem(field=_field(problem["loc"]), problem=_problem(kind, problem))
        for problem in problems[:MOST_PROBLEMS]
    ]
    return BadMessage(f"not a valid {kind}: {detail[0].field}: {detail[0].problem}", detail)


def _unknown_type(tag: str, known: str) -> BadMessage:
    message = f"unknown type of message {_cut(tag)!r}; known: {known}"
    return BadMessage(message, [FieldProblem(field="type", problem=f"must be one of: {known}")])


def _field(location: tuple[int | str, ...]) -> str:
    """Return a field's name, such as `settings.rows`.

    `location` has the type of the message first, and then the parts of the name.
    """
    return ".".join(_cut(str(part)) for part in location[1:])


def _problem(kind: str, problem: "ErrorDetails") -> str:
    """Describe the problem of a field as a phrase that follows the field's name."""
    match problem["type"]:
        case "string_type":
            return "should be text, in quotes"
        case "missing":
            return "is required"
        case "extra_forbidden":
            return f"unknown field{_meant(kind, problem['loc'])}"
        case "value_error":
            return problem["msg"].removeprefix("Value error, ")
    return problem["msg"].removeprefix("Input ").removeprefix("String ").removeprefix("List ")


def _meant(kind: str, location: tuple[int | str, ...]) -> str:
    """Return a suggestion of the known field that is most similar to an unknown field; empty if none is similar."""
    near = get_close_matches(_cut(str(location[1])), _bot_fields.get(kind, ()), 1) if len(location) == 2 else []
    return f"; did you mean `{near[0]}`?" if near else ""


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}..."
