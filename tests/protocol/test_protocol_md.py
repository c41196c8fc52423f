"""PROTOCOL.md describes every message, field and code, and its examples are valid."""

import json
import re

import pytest
from pydantic import BaseModel
from rumble_engine import Termination
from rumble_protocol import server_messages as server
from rumble_protocol.bot_messages import BOT_MESSAGES
from rumble_protocol.codec import read_bot_message, read_server_message
from rumble_protocol.codes import CLOSE_REASONS, DO_NOT_RECONNECT, ErrorCode, NoticeCode, Rejection
from rumble_protocol.fields import TimeControl
from rumble_protocol.schema import schemas

from tests.protocol.golden_transcript import EXAMPLES
from tests.protocol.protocol_md import PAGE, rows, section

MESSAGES: dict[str, type[BaseModel]] = {
    str(model.model_fields["type"].default): model for model in (*BOT_MESSAGES, *server.SERVER_MESSAGES)
}
BOT_TYPES = {str(model.model_fields["type"].default) for model in BOT_MESSAGES}
SAME_AS_JOINED = {"left"}


@pytest.mark.parametrize("kind", MESSAGES)
def test_each_message_has_its_fields_in_a_table(kind: str) -> None:
    names = [row[0].strip("`") for row in rows(section(f"### `{kind}`"))]
    assert names == ([] if kind in SAME_AS_JOINED else [name for name in MESSAGES[kind].model_fields if name != "type"])


@pytest.mark.parametrize("kind", sorted(BOT_TYPES))
def test_fields_that_a_bot_may_leave_out_are_marked_optional(kind: str) -> None:
    optional = {row[0].strip("`") for row in rows(section(f"### `{kind}`")) if row[1].endswith(", optional")}
    fields = MESSAGES[kind].model_fields
    assert optional == {name for name, field in fields.items() if name != "type" and not field.is_required()}


@pytest.mark.parametrize("kind", MESSAGES)
def test_each_message_has_an_example(kind: str) -> None:
    (example,) = re.findall(r"```json\n(.*?)\n```", section(f"### `{kind}`"), re.DOTALL)
    frame = json.loads(example)
    assert frame["type"] == kind
    read = read_bot_message if kind in BOT_TYPES else read_server_message
    read(example)
    if kind not in BOT_TYPES:
        assert list(frame) == schemas()[f"{kind}.json"]["required"] or kind == "turn"


@pytest.mark.parametrize(
    "part", [server.Limits, server.TournamentSummary, server.TurnClock, server.FieldProblem, TimeControl]
)
def test_each_field_of_a_part_is_told(part: type[BaseModel]) -> None:
    assert [name for name in part.model_fields if f"`{name}`" not in PAGE and f"`clock.{name}`" not in PAGE] == []


@pytest.mark.parametrize(
    ("title", "codes"),
    [
        ("### Rejections", list(Rejection)),
        ("### Errors", list(ErrorCode)),
        ("### Notices", list(NoticeCode)),
        ("### Terminations", list(Termination)),
    ],
)
def test_each_code_has_its_meaning(title: str, codes: list[str]) -> None:
    table = rows(section(title))
    assert [row[0].strip("`") for row in table] == codes
    assert all(row[1] for row in table)


def test_each_close_code_has_its_meaning() -> None:
    table = {int(row[0]): row[2] for row in rows(section("### Close codes"))}
    assert list(table) == list(CLOSE_REASONS)
    assert {code for code, reconnect in table.items() if reconnect == "**no**"} == {
        int(code) for code in DO_NOT_RECONNECT
    }


def test_the_limits_are_the_defaults() -> None:
    assert {row[0].strip("`"): int(row[1]) for row in rows(section("## Limits"))} == server.Limits().model_dump()


def test_the_conversation_is_the_golden_transcript() -> None:
    printed = re.findall(r"<!-- (\S+\.jsonl) -->\n```jsonl\n(.*?)```", PAGE, re.DOTALL)
    assert [name for name, _ in printed] == ["friday-alice.jsonl"]
    for name, text in printed:
        assert text == (EXAMPLES / name).read_text(encoding="utf-8")
