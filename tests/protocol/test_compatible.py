"""Version 1 keeps its promises: a bot written to protocol/v1.json goes on working."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.protocol.compatible import PROMISED, breaches, promise

NOW = promise()
Change = Callable[[dict[str, Any]], Any]


def test_the_protocol_keeps_every_promise() -> None:
    assert breaches(json.loads(PROMISED.read_text(encoding="utf-8")), NOW) == []


def test_every_addition_to_the_protocol_is_promised_too() -> None:
    kept = json.loads(PROMISED.read_text(encoding="utf-8"))
    assert kept == NOW, "take it into the promise: python -m tests.protocol.compatible"


def after(change: Change) -> list[str]:
    """Return the breaches after a change of the protocol."""
    changed = copy.deepcopy(NOW)
    change(changed["schemas"])
    return breaches(NOW, changed)


def fields(of: dict[str, Any], message: str) -> dict[str, Any]:
    return dict.__getitem__(of, f"{message}.json")["properties"]  # type: ignore[no-any-return]


ADDITIONS: list[Change] = [
    lambda s: fields(s, "login").update(mood={"type": "string"}),
    lambda s: fields(s, "turn").update(mood={"type": "string"}),
    lambda s: (fields(s, "turn").update(mood={"type": "string"}), s["turn.json"]["required"].append("mood")),
    lambda s: s.update({"fanfare.json": s["notice.json"]}),
    lambda s: s["error.json"]["$defs"]["ErrorCode"]["enum"].append("too_modern"),
    lambda s: fields(s, "login")["omit"]["items"]["enum"].append("state"),
    lambda s: fields(s, "login")["max_matches"].update(minimum=0),
    lambda s: fields(s, "login")["name"].pop("pattern"),
    lambda s: fields(s, "turn")["seat"].update(maximum=7),
    lambda s: fields(s, "turn").update(seat={"const": 0, "type": "integer", "minimum": 0, "maximum": 15}),
    lambda s: s["challenge.json"]["required"].remove("against"),
    lambda s: s["turn.json"]["$defs"]["TurnClock"]["properties"].update(mood={"type": "string"}),
]

BREACHES: list[tuple[str, Change]] = [
    ("turn: removed", lambda s: s.pop("turn.json")),
    ("login: removed", lambda s: s.pop("login.json")),
    ("login.mood: required", lambda s: s["login.json"]["required"].append("mood")),
    ("login.key: unknown", lambda s: fields(s, "login").pop("key")),
    ("login.max_matches: maximum", lambda s: fields(s, "login")["max_matches"].update(maximum=4)),
    ("login.max_matches: is integer", lambda s: fields(s, "login")["max_matches"].update(type="string")),
    ("login.key: maxLength", lambda s: fields(s, "login")["key"]["anyOf"][0].update(maxLength=64)),
    ("login.key: is null", lambda s: fields(s, "login")["key"]["anyOf"].pop()),
    ("login.name: pattern", lambda s: fields(s, "login")["name"].update(pattern="^[a-z]+$")),
    ("login.omit", lambda s: fields(s, "login")["omit"]["items"]["enum"].remove("moves")),
    ("turn: legal removed", lambda s: fields(s, "turn").pop("legal")),
    ("turn.ply: required", lambda s: s["turn.json"]["required"].remove("ply")),
    ("turn.ply: is null", lambda s: fields(s, "turn").update(ply={"anyOf": [{"type": "integer"}, {"type": "null"}]})),
    ("turn.seat: maximum", lambda s: fields(s, "turn")["seat"].update(maximum=31)),
    ("turn.clock.lag_ms: is number", lambda s: s["turn.json"]["$defs"]["TurnClock"]["properties"].update(
        lag_ms={"type": "number", "minimum": 0, "maximum": 5})),
    ("turn.legal[]: is integer", lambda s: fields(s, "turn")["legal"].update(items={"type": "integer"})),
    ("joined.status: values", lambda s: fields(s, "joined")["status"]["enum"].append("frozen")),
    ("joined.settings.*", lambda s: fields(s, "joined")["settings"].update(additionalProperties={"type": "array"})),
    ("error: ErrorCode bad_key removed", lambda s: s["error.json"]["$defs"]["ErrorCode"]["enum"].remove("bad_key")),
]  # fmt: skip


@pytest.mark.parametrize("change", ADDITIONS)
def test_an_addition_is_no_breach(change: Change) -> None:
    assert after(change) == []


@pytest.mark.parametrize(("breach", "change"), BREACHES, ids=[breach for breach, _ in BREACHES])
def test_a_breach_is_found(breach: str, change: Change) -> None:
    assert any(found.startswith(breach) for found in after(change)), after(change)


def test_a_close_code_stays() -> None:
    changed = copy.deepcopy(NOW)
    changed["close_codes"][0]["reconnect"] = False
    changed["close_codes"].append({"code": 4020, "reconnect": True})
    assert breaches(NOW, changed) == ["close code 1001: changed"]


def test_a_schema_that_is_not_understood_is_said() -> None:
    with pytest.raises(ValueError, match="minProperties"):
        after(lambda s: fields(s, "turn")["state"].update(minProperties=1))
