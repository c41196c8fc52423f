"""The messages as JSON Schema (draft 2020-12), for bots and spectators in other languages.

`rumble schema --out protocol/schema` writes the files that the repository keeps.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, get_args

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from rumble_protocol.bot_messages import BOT_MESSAGES, BotMessage, Login
from rumble_protocol.feed_messages import FEED_EVENTS, Board, Entrant, FeedEvent, Standing
from rumble_protocol.server_messages import SERVER_MESSAGES, ServerMessage, Turn

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
IDS: Final = "urn:rumble:v1:"
"""Prefix of a schema's `$id`; the name of the message follows."""
_SENT: tuple[type[BaseModel], ...] = (*SERVER_MESSAGES, *FEED_EVENTS, Board, Entrant, Standing)
OMITTED: Final = {
    model.__name__: frozenset(name for name, field in model.model_fields.items() if field.exclude_if is not None)
    | (frozenset(get_args(get_args(Login.model_fields["omit"].annotation)[0])) if model is Turn else frozenset())
    for model in _SENT
}
"""Names of the fields that a server may leave out, for each message and for each part of a feed's events.

A field is left out if it has no content, or if the login's `omit` names the field.
"""
Schema = dict[str, Any]


class _Generator(GenerateJsonSchema):
    """A generator of schemas whose fields have no titles. A title would only repeat the field's name."""

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


@cache
def schemas() -> dict[str, Schema]:
    """Return the schemas by file name. The schemas are made once for all callers; no caller may change a schema.

    Each message has a schema. The schema `bot_message` describes any message of a bot, and the schema `server_message`
    any message of the server. The schema `feed_event` describes any event of a tournament's live feed. All events share
    this schema, because some events and messages have the same name.
    """
    bot = {_type(model): model for model in BOT_MESSAGES} | {"bot_message": BotMessage}
    server = {_type(model): model for model in SERVER_MESSAGES} | {"server_message": ServerMessage}
    return {
        **{f"{name}.json": _schema(name, form, _finish_bot_part) for name, form in bot.items()},
        **{f"{name}.json": _schema(name, form, _finish_server_part) for name, form in server.items()},
        "feed_event.json": _schema("feed_event", FeedEvent, _finish_server_part),
    }


def write(folder: Path) -> None:
    """Write every schema into `folder`, and remove files of schemas that no longer exist."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = schemas()
    for path in folder.glob("*.json"):
        if path.name not in wanted:
            path.unlink()
    for name, schema in wanted.items():
        (folder / name).write_text(text(schema), encoding="utf-8")


def text(schema: Schema) -> str:
    """Return the text of a schema's file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _type(model: type[BaseModel]) -> str:
    return str(model.model_fields["type"].default)


def _schema(name: str, form: Any, finish: Callable[[Schema], None]) -> Schema:
    """Return the schema of a model or a union; `finish` completes the schema of each object inside."""
    schema = TypeAdapter(form).json_schema(schema_generator=_Generator)
    for part in (schema, *schema.get("$defs", {}).values()):
        if "properties" in part:
            finish(part)
    rest = {key: value for key, value in schema.items() if key != "title"}
    return {"$schema": DRAFT, "$id": f"{IDS}{name}", "title": name, **rest}


def _finish_bot_part(part: Schema) -> None:
    """Require `type`, which pydantic leaves optional because of its default."""
    if "type" in part["properties"]:
        part["required"] = ["type", *part.get("required", ())]


def _finish_server_part(part: Schema) -> None:
    """Require every field that does not depend on the login, and allow additional fields."""
    part["required"] = [field for field in part["properties"] if field not in OMITTED.get(part["title"], ())]
    part.pop("additionalProperties", None)
