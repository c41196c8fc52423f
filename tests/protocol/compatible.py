"""Comparison of schemas, to find changes that version 1 of the protocol does not allow.

`protocol/v1.json` keeps the promised schemas. A bot written to them must go on working: the bot's messages must stay
valid, and the server's messages must stay valid by the promised schemas. `python -m tests.protocol.compatible` writes
additions into the file, and refuses any other change.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rumble_protocol.asyncapi import document
from rumble_protocol.bot_messages import BOT_MESSAGES
from rumble_protocol.schema import schemas, text

Schema = dict[str, Any]

PROMISED = Path(__file__).parents[2] / "protocol" / "v1.json"
BOT_TYPES = {str(model.model_fields["type"].default) for model in BOT_MESSAGES}
UNIONS = ("bot_message.json", "server_message.json", "feed_event.json")
SAYS_NOTHING = {"title", "description", "default", "$schema", "$id", "$defs"}
KNOWN = {"type", "const", "enum", "anyOf", "$ref", "properties", "required", "additionalProperties", "items"}
KNOWN |= {"prefixItems", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern"}
BOUNDS = (("minimum", -1), ("minLength", -1), ("minItems", -1), ("maximum", 1), ("maxLength", 1), ("maxItems", 1))


def promise() -> dict[str, Any]:
    """Return the promise of the current models."""
    messages = {name: _without_words(schema) for name, schema in schemas().items() if name not in UNIONS}
    closes = document()["channels"]["bot"]["x-close-codes"]
    return {
        "schemas": messages,
        "close_codes": [{name: code[name] for name in ("code", "reconnect")} for code in closes],
    }


def _without_words(value: Any) -> Any:
    """Copy a schema without its descriptions, which may change."""
    if isinstance(value, list):
        return [_without_words(one) for one in value]
    if not isinstance(value, dict):
        return value
    kept = {name: inner for name, inner in value.items() if name != "description" or not isinstance(inner, str)}
    return {name: _without_words(inner) for name, inner in kept.items()}


def breaches(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """List each place where `new` breaks what `old` promised."""
    found: list[str] = []
    for file, was in old["schemas"].items():
        name = file.removesuffix(".json")
        now = new["schemas"].get(file)
        if now is None:
            found.append(f"{name}: removed")
            continue
        found += _uncovered(now, was, name) if name in BOT_TYPES else _uncovered(was, now, name)
        found += [f"{name}: {gone} removed" for gone in sorted(_names(was) - _names(now))]
    found += [f"close code {code['code']}: changed" for code in old["close_codes"] if not _kept(code, new)]
    return found


def _kept(code: dict[str, Any], new: dict[str, Any]) -> bool:
    return any((code["code"], code["reconnect"]) == (now["code"], now["reconnect"]) for now in new["close_codes"])


def _names(schema: Schema) -> set[str]:
    """Return the fields and the codes of a message and of its parts."""
    found = set()
    for part, inner in {"": schema, **schema.get("$defs", {})}.items():
        found |= {f"{part}.{name}".lstrip(".") for name in inner.get("properties", ())}
        found |= {f"{part} {value}" for value in inner.get("enum", ())}
    return found


def _uncovered(wide: Schema, narrow: Schema, name: str) -> list[str]:
    return list(dict.fromkeys(_differences(wide, narrow, wide, narrow, name)))


def _differences(wide: Schema, narrow: Schema, wide_root: Schema, narrow_root: Schema, path: str) -> Iterator[str]:
    """Yield each place where a value may be valid by `narrow` and not by `wide`."""
    wide, narrow = _resolved(wide, wide_root), _resolved(narrow, narrow_root)
    unknown = (set(wide) | set(narrow)) - KNOWN - SAYS_NOTHING
    if unknown:
        raise ValueError(f"{path}: this comparison does not know {sorted(unknown)}")
    if not set(wide) - SAYS_NOTHING:
        return
    for choice in narrow.get("anyOf", [narrow]):
        choices = wide.get("anyOf", [wide])
        tried = [list(_plain(_resolved(each, wide_root), choice, wide_root, narrow_root, path)) for each in choices]
        if all(tried):
            yield from min(tried, key=len)


def _plain(wide: Schema, narrow: Schema, wide_root: Schema, narrow_root: Schema, path: str) -> Iterator[str]:
    narrow = _resolved(narrow, narrow_root)
    if "anyOf" in narrow or "anyOf" in wide:
        yield from _differences(wide, narrow, wide_root, narrow_root, path)
        return
    if wide.get("type", narrow.get("type")) not in (narrow.get("type"), _wider(narrow.get("type"))):
        yield f"{path}: is {narrow.get('type')} and {wide.get('type')}"
        return
    values = _values(narrow)
    if (allowed := _values(wide)) is not None and (values is None or not set(values) <= set(allowed)):
        yield f"{path}: values differ"
    for bound, sign in BOUNDS:
        if bound in wide and (bound not in narrow or (wide[bound] - narrow[bound]) * sign < 0):
            yield f"{path}: {bound} differs"
    if "pattern" in wide and wide["pattern"] != narrow.get("pattern"):
        yield f"{path}: pattern differs"
    if "items" in wide:
        yield from _differences(wide["items"], narrow.get("items", {}), wide_root, narrow_root, f"{path}[]")
    for number, inner in enumerate(wide.get("prefixItems", ())):
        own = narrow.get("prefixItems", [])[number : number + 1] or [{}]
        yield from _differences(inner, own[0], wide_root, narrow_root, f"{path}[{number}]")
    if narrow.get("type") == "object":
        yield from _objects(wide, narrow, wide_root, narrow_root, path)


def _objects(wide: Schema, narrow: Schema, wide_root: Schema, narrow_root: Schema, path: str) -> Iterator[str]:
    for name in set(wide.get("required", ())) - set(narrow.get("required", ())):
        yield f"{path}.{name}: required only on one side"
    others = wide.get("additionalProperties", True)
    for name, field in narrow.get("properties", {}).items():
        if name in wide.get("properties", {}):
            inner = wide["properties"][name]
            yield from _differences(inner, field, wide_root, narrow_root, f"{path}.{name}")
        elif others is False:
            yield f"{path}.{name}: unknown on one side"
    if isinstance(others, dict):
        inner = narrow.get("additionalProperties", {})
        yield from _differences(others, inner, wide_root, narrow_root, f"{path}.*")


def _resolved(schema: Schema | bool, root: Schema) -> Schema:
    if isinstance(schema, bool):
        return {}
    if "$ref" in schema:
        return dict(root["$defs"][schema["$ref"].removeprefix("#/$defs/")])
    return schema


def _values(schema: Schema) -> list[Any] | None:
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _wider(kind: Any) -> Any:
    return "number" if kind == "integer" else kind


def main() -> None:
    """Write additions into the promised file; exit with an error if there are other changes."""
    now = promise()
    if PROMISED.exists():
        broken = breaches(json.loads(PROMISED.read_text(encoding="utf-8")), now)
        if broken:
            sys.exit("not within version 1:\n" + "\n".join(broken))
    PROMISED.write_text(text(now), encoding="utf-8")


if __name__ == "__main__":
    main()
