"""The AsyncAPI document is valid AsyncAPI 3, matches the models, and is enough to play by."""

import ast
import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator
from rumble_protocol.asyncapi import OPERATIONS, document
from rumble_protocol.bot_messages import BOT_MESSAGES
from rumble_protocol.schema import schemas, text
from rumble_protocol.server_messages import SERVER_MESSAGES

from tests.e2e.processes import PATIENCE_S
from tests.protocol import generic_client
from tests.protocol.conversation import CONVERSATIONS, read_conversation
from tests.protocol.generic_client import Contract
from tests.server.gateway.served import served

SCHEMA = {name.removesuffix(".json"): Draft202012Validator(schema) for name, schema in schemas().items()}
HERE = Path(__file__).parent
KEPT = HERE.parents[1] / "protocol" / "asyncapi.json"
DOCUMENT = document()
TYPES = {
    "receive": {model.model_fields["type"].default for model in BOT_MESSAGES},
    "send": {model.model_fields["type"].default for model in SERVER_MESSAGES},
}


def references(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from references(one)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key == "$ref":
                yield inner
            else:
                yield from references(inner)


def test_the_kept_document_is_the_models() -> None:
    assert KEPT.read_text(encoding="utf-8") == text(DOCUMENT), "write it again: rumble schema --asyncapi --out protocol"


def test_the_document_is_valid_by_the_schema_of_asyncapi() -> None:
    """The official JSON Schema of AsyncAPI 3.0.0; see asyncapi/NOTICE."""
    official = Draft7Validator(json.loads((HERE / "asyncapi" / "3.0.0.json").read_text(encoding="utf-8")))
    official.validate(DOCUMENT)
    broken = {**DOCUMENT, "operations": {**DOCUMENT["operations"], "odd": {"action": "shout"}}}
    assert not official.is_valid(broken)


def test_every_reference_leads_somewhere_and_nothing_is_left_over() -> None:
    contract = Contract(DOCUMENT)
    led = set(references(DOCUMENT))
    for reference in led:
        assert contract.at(reference)
    for kind in ("messages", "schemas"):
        assert {f"#/components/{kind}/{name}" for name in DOCUMENT["components"][kind]} <= led


def test_every_message_is_in_an_operation_and_in_its_direction() -> None:
    types: dict[str, set[str]] = {"send": set(), "receive": set()}
    for operation in OPERATIONS.values():
        types[operation.action].add(operation.message)
        answers = operation.reply.messages if operation.reply else ()
        types["receive" if operation.action == "send" else "send"].update(answers)
    assert types == TYPES


def test_the_values_of_answers_are_fields_of_their_messages() -> None:
    contract = Contract(DOCUMENT)

    def fields(message: str) -> dict[str, Any]:
        schema = contract.at(contract.at(message)["payload"]["$ref"])
        return dict(schema["properties"])

    for operation in DOCUMENT["operations"].values():
        for name, source in operation.get("reply", {}).get("x-values", {}).items():
            (answer,) = operation["reply"]["messages"]
            assert name in fields(answer["$ref"])
            path = source.get("from", "").removeprefix("$message.payload#/")
            assert path in fields(operation["messages"][0]["$ref"]) or "given" in source


def test_the_document_and_the_json_schemas_accept_the_same_frames() -> None:
    contract = Contract(DOCUMENT)
    frames = [line["frame"] for path in CONVERSATIONS for line in read_conversation(path)[1] if "frame" in line]
    for frame in frames:
        name = frame.get("type")
        valid = contract.is_valid(f"#/components/schemas/{name}", frame)
        assert valid == SCHEMA[name].is_valid(frame)


def test_the_document_accepts_messages_with_fields_and_codes_of_later_servers() -> None:
    contract = Contract(DOCUMENT)
    assert contract.operation_of({"type": "fanfare"}) is None
    notice = {"type": "notice", "code": "newer", "tournament": None, "match": None, "message": "", "mood": "good"}
    assert contract.operation_of(notice) == DOCUMENT["operations"]["notify"]


def test_the_generic_client_knows_nothing_of_rumble() -> None:
    source = Path(generic_client.__file__).read_text(encoding="utf-8")
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
    }
    assert imported == {"json", "random", "typing", "jsonschema", "referencing", "websockets"}
    words = {"login", "turn", "move", "turn_id", "match", "legal", "welcome", "tournament_over", "rumble"}
    body = source.partition('"""\n\n')[2]
    assert {word for word in words if re.search(rf"[\"']{word}[\"']", body)} == set()


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("game", "settings"),
    [("tictactoe", {}), ("connect4", {"columns": 5, "rows": 5}), ("othello", {"size": 4}), ("hex", {"size": 3})],
)
async def test_a_client_made_of_the_document_alone_plays_a_tournament(game: str, settings: dict[str, Any]) -> None:
    names = ("ada", "bob", "cleo")
    async with served() as server, asyncio.timeout(PATIENCE_S):
        server.create(game=game, settings=settings, start_at_bots=len(names))
        kept = json.loads(KEPT.read_text(encoding="utf-8"))
        host = f"127.0.0.1:{server.port}"
        heard = await asyncio.gather(
            *(
                asyncio.to_thread(generic_client.play, kept, host, {"name": name, "join": "friday"}, seed)
                for seed, name in enumerate(names)
            )
        )
    for frames in heard:
        overs = [frame for frame in frames if frame["type"] == "match_over"]
        assert [over["termination"] for over in overs] == ["normal"] * 4
        assert {frame["type"] for frame in frames} & {"error", "rejected"} == set()
        assert frames[-1]["type"] == "tournament_over"
        assert frames[-1]["status"] == "finished"
