"""The contents of the page `/write`: a complete bot, and a line for every message of the protocol."""

from dataclasses import dataclass
from functools import cache

from pydantic import BaseModel
from rumble_protocol.bot_messages import BOT_MESSAGES
from rumble_protocol.schema import schemas, text
from rumble_protocol.server_messages import SERVER_MESSAGES

from rumble_server.web.api.export_models import export_schema
from rumble_server.web.static_files import BARE_BOT


@dataclass(frozen=True, slots=True)
class Message:
    """A message: its type, its fields (each with True if the field is required), and its purpose."""

    type: str
    fields: list[tuple[str, bool]]
    about: str


@cache
def bare_bot() -> str:
    """Return the source of the bare bot, without its last line break."""
    return BARE_BOT.read_text(encoding="utf-8").rstrip()


@cache
def protocol() -> list[tuple[str, list[Message]]]:
    """Describe all messages: pairs of a heading, which names the sender, and the sender's messages."""
    return [
        ("A bot sends", [_message(model) for model in BOT_MESSAGES]),
        ("The server sends", [_message(model) for model in SERVER_MESSAGES]),
    ]


@cache
def protocol_json() -> str:
    """Return the JSON Schemas of all messages by file name, as `rumble schema` prints them."""
    return text(schemas())


@cache
def export_schema_json() -> str:
    """Return the JSON Schema of `export.json`."""
    return text(export_schema())


def _message(model: type[BaseModel]) -> Message:
    fields = {name: field for name, field in model.model_fields.items() if name != "type"}
    from_bot = model in BOT_MESSAGES
    about = (model.__doc__ or "").partition("\n\n")[0]
    return Message(
        type=str(model.model_fields["type"].default),
        fields=[(name, field.is_required() or not from_bot) for name, field in fields.items()],
        about=" ".join(about.split()),
    )
