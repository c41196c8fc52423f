"""The protocol as an AsyncAPI 3 document: the messages in each direction, and the answer to each.

The `x-` fields extend AsyncAPI, so that a program can play without any knowledge but this document:

- `x-values` of a reply: for each field, an object that describes the source of the value. `from` is a runtime
  expression, which reads the message to answer. If `choose` is true, the expression gives a list, and the value is any
  element of the list. `given` describes a value that the bot's owner supplies.
- `x-within-ms` of a reply: its time limit in ms, as a runtime expression.
- `x-ends` of an operation: the bot has nothing left to do after this message.
- `x-subprotocol` and `x-close-codes` of the channel.

`rumble schema --asyncapi --out protocol` writes the file that the repository keeps.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from rumble_protocol import PROTOCOL_VERSION, SUBPROTOCOL
from rumble_protocol.bot_messages import BOT_MESSAGES
from rumble_protocol.codes import CLOSE_REASONS, DO_NOT_RECONNECT
from rumble_protocol.schema import Schema, schemas
from rumble_protocol.server_messages import SERVER_MESSAGES

ASYNCAPI: Final = "3.0.0"
PAYLOAD: Final = "$message.payload#/"
CHANNEL: Final = "#/channels/bot"


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a message: one of `messages`. `values` describes each field that the bot cannot choose freely."""

    messages: tuple[str, ...]
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    within: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """A message that the server sends or receives (`action`), and the reply to the message."""

    action: Literal["send", "receive"]
    message: str
    summary: str
    reply: Reply | None = None
    ends: bool = False


LOGIN: Final = Reply(
    ("login",),
    {
        "name": {"given": "the name the bot plays under"},
        "key": {"given": "the key of that name; may be left out where the server takes open names"},
        "join": {"given": "the id of the tournament to enter; may be left out"},
        "invite": {"given": "the invitation, where the tournament asks for one"},
    },
    f"{PAYLOAD}limits/login_ms",
)
MOVE: Final = Reply(
    ("move",),
    {
        "match": {"from": f"{PAYLOAD}match"},
        "turn_id": {"from": f"{PAYLOAD}turn_id"},
        "move": {"from": f"{PAYLOAD}legal", "choose": True},
    },
    f"{PAYLOAD}clock/remaining_ms",
)

OPERATIONS: Final[Mapping[str, Operation]] = {
    "greet": Operation("send", "welcome", "The first frame of a connection.", LOGIN),
    "login": Operation("receive", "login", "Who the bot is.", Reply(("session", "error"))),
    "join": Operation("receive", "join", "Enter a tournament.", Reply(("joined", "error"))),
    "leave": Operation("receive", "leave", "Leave a tournament for good.", Reply(("left", "error"))),
    "challenge": Operation("receive", "challenge", "Ask for one match.", Reply(("joined", "error"))),
    "startMatch": Operation("send", "match_start", "A match begins, or goes on. Needs no answer."),
    "askMove": Operation("send", "turn", "It is the bot's move.", MOVE),
    "move": Operation(
        "receive", "move", "Answers a turn. One that counts is not answered by itself.", Reply(("rejected",))
    ),
    "resign": Operation("receive", "resign", "Give a match up.", Reply(("match_over", "error"))),
    "endMatch": Operation("send", "match_over", "A match has ended. Needs no answer."),
    "endTournament": Operation("send", "tournament_over", "A tournament the bot is in has ended.", ends=True),
    "notify": Operation("send", "notice", "Something to know. Needs no answer."),
    "refuse": Operation("send", "error", "Nothing could be made of a frame. Where `fatal`, the server then closes."),
}

_PARTS = "#/components/schemas/"


def document() -> dict[str, Any]:
    """Build the AsyncAPI document."""
    parts = _Parts()
    names = [str(model.model_fields["type"].default) for model in (*BOT_MESSAGES, *SERVER_MESSAGES)]
    by_file = schemas()
    messages = {name: _message(name, by_file[f"{name}.json"], parts) for name in names}
    return {
        "asyncapi": ASYNCAPI,
        "info": {
            "title": "Rumble bot protocol",
            "version": f"{PROTOCOL_VERSION}.0.0",
            "description": "How bots and a Rumble server talk. PROTOCOL.md describes it in words.",
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "local": {
                "host": "127.0.0.1:8765",
                "protocol": "ws",
                "description": "`rumble serve` without options. Behind a proxy that brings TLS the protocol is wss.",
            }
        },
        "channels": {"bot": _channel(messages)},
        "operations": {name: _operation(operation) for name, operation in OPERATIONS.items()},
        "components": {"messages": messages, "schemas": parts.schemas},
    }


class _Parts:
    """The schemas of all messages in a single place, because AsyncAPI's dialect of JSON Schema has no `$defs`."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}

    def add(self, name: str, schema: Schema) -> None:
        """Add a message's schema and the parts in its `$defs`."""
        names = {each: self._free_name(each, part) for each, part in schema.get("$defs", {}).items()}
        for each, part in schema.get("$defs", {}).items():
            self.schemas[names[each]] = _moved(part, names)
        whole = {key: value for key, value in schema.items() if key not in ("$schema", "$id", "$defs")}
        self.schemas[name] = _moved(whole, names)

    def _free_name(self, name: str, part: Schema) -> str:
        """Return `name`; if a different part already has this name, return `name` with `Told` in front.

        If both bots and the server send a part, the part may have two schemas. Later versions may add fields to the
        server's schema, but not to the schema for bots.
        """
        return name if self.schemas.get(name, part) == part else f"Told{name}"


def _moved(value: Any, names: Mapping[str, str]) -> Any:
    """Copy a schema, with its references changed to the new places of the parts."""
    if isinstance(value, list):
        return [_moved(one, names) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _PARTS + names[inner.removeprefix("#/$defs/")] if key == "$ref" else _moved(inner, names)
        for key, inner in value.items()
    }


def _message(name: str, schema: Schema, parts: _Parts) -> dict[str, Any]:
    parts.add(name, schema)
    summary = schema["description"].partition("\n")[0]
    return {"name": name, "summary": summary, "payload": {"$ref": f"{_PARTS}{name}"}}


def _channel(messages: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "address": "/bot",
        "description": "One WebSocket a bot: each text frame is one JSON object, and its `type` names the message. "
        "That of the club NAME is at `/c/NAME/bot`.",
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
        "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}},
        "x-subprotocol": SUBPROTOCOL,
        "x-close-codes": [
            {"code": int(code), "reason": reason, "reconnect": code not in DO_NOT_RECONNECT}
            for code, reason in CLOSE_REASONS.items()
        ],
    }


def _operation(operation: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "action": operation.action,
        "channel": {"$ref": CHANNEL},
        "summary": operation.summary,
        "messages": _references(operation.message),
    }
    if operation.reply is not None:
        reply: dict[str, Any] = {"channel": {"$ref": CHANNEL}, "messages": _references(*operation.reply.messages)}
        if operation.reply.values:
            reply["x-values"] = operation.reply.values
        if operation.reply.within:
            reply["x-within-ms"] = operation.reply.within
        described["reply"] = reply
    if operation.ends:
        described["x-ends"] = True
    return described


def _references(*names: str) -> list[dict[str, str]]:
    return [{"$ref": f"{CHANNEL}/messages/{name}"} for name in names]
