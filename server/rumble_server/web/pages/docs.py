"""The contents of the page `/docs`: the HTTP API for people, from the OpenAPI document."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rumble_server.web.path_owner import is_of_main


@dataclass(frozen=True, slots=True)
class ApiField:
    """A parameter, or a field of a body."""

    name: str
    where: str
    kind: str
    is_required: bool


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """An operation of the API."""

    method: str
    path: str
    about: str
    parts: list[ApiField]
    answers: list[tuple[str, str]]
    """A pair for each model of answers: the statuses with this model, separated by commas, and the model's name."""


def document_in(document: Mapping[str, Any], root: str) -> Mapping[str, Any]:
    """Return the part of the OpenAPI document for the club at `root`; for an empty `root` (main) the whole document."""
    if not root:
        return document
    paths = {path: about for path, about in document["paths"].items() if not is_of_main(path)}
    return {**document, "servers": [{"url": root}], "paths": paths}


def operations(document: Mapping[str, Any]) -> dict[str, list[ApiOperation]]:
    """Group the operations of an OpenAPI document by tag."""
    groups: dict[str, list[ApiOperation]] = {}
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            groups.setdefault(about["tags"][0], []).append(_operation(method.upper(), path, about))
    return groups


def _operation(method: str, path: str, about: Mapping[str, Any]) -> ApiOperation:
    parts = [
        ApiField(each["name"], each["in"], _kind(each["schema"]), each["required"])
        for each in about.get("parameters", ())
    ]
    body = about.get("requestBody")
    if body is not None:
        schema = body["content"]["application/json"]["schema"]
        required = schema.get("required", ())
        parts += [
            ApiField(name, "body", _kind(field), name in required) for name, field in schema["properties"].items()
        ]
    statuses: dict[str, list[str]] = {}
    for status, answer in about["responses"].items():
        statuses.setdefault(_answer(answer), []).append(status)
    answers = [(", ".join(each), kind) for kind, each in statuses.items()]
    return ApiOperation(method, path, about.get("description", ""), parts, answers)


def _answer(answer: Mapping[str, Any]) -> str:
    for media_type, content in answer.get("content", {}).items():
        return _kind(content["schema"]) if "schema" in content else str(media_type)
    return str(answer["description"])


def _kind(schema: Mapping[str, Any]) -> str:
    """Write a schema in a few words: `integer`, `string or null`, `TournamentView`."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(each) for each in schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    return str(schema.get("const", schema.get("type", "any")))
