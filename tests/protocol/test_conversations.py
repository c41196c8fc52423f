"""Golden conversations: the server core sends exactly these frames; all are valid, and together show every code."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from rumble_engine import Termination
from rumble_protocol.bot_messages import BOT_MESSAGES
from rumble_protocol.codec import BadMessage, read_bot_message, read_server_message
from rumble_protocol.codes import CloseCode, ErrorCode, NoticeCode, Rejection
from rumble_protocol.schema import schemas
from rumble_protocol.server_messages import SERVER_MESSAGES

from tests.protocol.conversation import CONVERSATIONS, Line, play, read_conversation, recorded
from tests.protocol.golden_transcript import EXAMPLES, Mismatch

SCHEMA = {name: Draft202012Validator(schemas()[f"{name}_message.json"]) for name in ("bot", "server")}
LINES = [line for path in CONVERSATIONS for line in read_conversation(path)[1]]
FRAMES = [(line["from"], line["frame"]) for line in LINES if "frame" in line]

each = pytest.mark.parametrize("path", CONVERSATIONS, ids=lambda path: f"{path.parent.name}/{path.stem}")


@each
async def test_the_server_says_the_frames_of_each_conversation(path: Path) -> None:
    await play(path)


@each
def test_each_conversation_has_the_form_that_the_readme_describes(path: Path) -> None:
    first, lines = read_conversation(path)
    assert first.keys() <= {"about", "limits"}
    assert first["about"]
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for line in lines:
        assert all(f"`{word}`" in readme for word in (line["from"], *(set(line) & {"does", "happens", "on", "close"})))
        doing = line.get("does", line.get("happens"))
        assert doing is None or f"`{doing}`" in readme


@each
def test_the_frames_of_each_conversation_are_valid_or_refused(path: Path) -> None:
    _, lines = read_conversation(path)
    for index, line in enumerate(lines):
        if "frame" not in line:
            continue
        if line["from"] == "server":
            SCHEMA["server"].validate(line["frame"])
            read_server_message(json.dumps(line["frame"]))
        elif not (SCHEMA["bot"].is_valid(line["frame"]) and _is_read(line["frame"])):
            assert lines[index + 1]["frame"]["code"] in (ErrorCode.BAD_MESSAGE, ErrorCode.BAD_NAME, Rejection.BAD_MOVE)


def _is_read(frame: Line) -> bool:
    try:
        read_bot_message(json.dumps(frame))
    except BadMessage:
        return False
    return True


# --- together the conversations show everything; exceptions would be listed here, each with its reason ---


def shown(field: str, *kinds: str) -> set[Any]:
    """Return the values of a field in the server's messages of the given types."""
    return {frame[field] for sender, frame in FRAMES if sender == "server" and frame["type"] in kinds}


@pytest.mark.parametrize(("sender", "models"), [("bot", BOT_MESSAGES), ("server", SERVER_MESSAGES)])
def test_every_message_is_shown(sender: str, models: tuple[Any, ...]) -> None:
    assert {model.model_fields["type"].default for model in models} <= {
        frame.get("type") for who, frame in FRAMES if who == sender
    }


def test_every_field_of_a_bots_message_is_shown() -> None:
    for model in BOT_MESSAGES:
        kind = model.model_fields["type"].default
        used = {name for who, frame in FRAMES if who == "bot" and frame["type"] == kind for name in frame}
        unshown = set(model.model_fields) - used
        assert unshown <= ({"invite"} if kind == "leave" else set())  # a `leave` accepts an invite, without effect


def test_every_code_is_shown() -> None:
    assert shown("code", "rejected") == set(Rejection)
    assert shown("code", "error") == set(ErrorCode)
    assert shown("code", "notice") == set(NoticeCode)
    assert shown("termination", "match_over") == set(Termination)
    assert {line["close"] for line in LINES if "close" in line} == set(CloseCode) - {
        CloseCode.NO_LEADER,  # one process has a leader: see tests/server/nodes/test_node_clubs.py
        CloseCode.CLUB_REMOVED,  # main is never removed: see tests/server/clubs/test_registry.py
    }


def test_every_status_is_shown() -> None:
    assert shown("status", "joined", "left", "tournament_over") >= {"lobby", "running", "finished", "cancelled"}


# --- the player notices a conversation that differs ---


@pytest.mark.parametrize("change", ["another", "missing", "more"])
async def test_a_wrong_conversation_is_found_out(change: str, tmp_path: Path) -> None:
    text = (EXAMPLES / "bad" / "timeout.jsonl").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    over = next(number for number, line in enumerate(lines) if '"match_over"' in line)
    if change == "another":
        lines[over] = lines[over].replace("[0.0, 1.0]", "[0, 1]")
    elif change == "missing":
        del lines[over]
    else:
        lines.append(lines[over])
    path = tmp_path / "timeout.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(Mismatch):
        await play(path)


async def test_recording_writes_the_kept_conversation() -> None:
    for name in ("good/restart", "bad/flood"):
        path = EXAMPLES / f"{name}.jsonl"
        assert await recorded(path) == path.read_text(encoding="utf-8")
