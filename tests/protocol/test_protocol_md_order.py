"""PROTOCOL.md is right about answers, their order, and the HTTP API."""

import re
from pathlib import Path
from typing import Any

import pytest
from rumble_engine import Termination
from rumble_protocol.asyncapi import OPERATIONS
from rumble_protocol.codes import ErrorCode

from tests.protocol.conversation import CONVERSATIONS, read_conversation
from tests.protocol.protocol_md import rows, section
from tests.server.web.memory_server import MemoryServer

ORDER = "## What answers what, and in which order"


def test_the_answers_are_those_of_the_asyncapi_document() -> None:
    documented = {
        first: set(re.findall(r"`(\w+)`", rest)) for first, rest in rows(section(ORDER)) if first.startswith("`")
    }
    for operation in OPERATIONS.values():
        answers = documented.get(f"`{operation.message}`", set())
        if operation.reply is not None:
            assert set(operation.reply.messages) <= answers
        else:
            assert answers == set()


@pytest.mark.parametrize("path", CONVERSATIONS, ids=lambda path: path.stem)
def test_messages_come_in_the_order_that_the_page_tells(path: Path) -> None:
    by_connection: dict[str, list[dict[str, Any]]] = {}
    for line in read_conversation(path)[1]:
        if line["from"] == "server" and "frame" in line:
            by_connection.setdefault(line["on"], []).append(line["frame"])
    for frames in by_connection.values():
        kinds = [frame["type"] for frame in frames]
        assert kinds[0] == "welcome" or frames[0]["code"] == ErrorCode.PROTOCOL_NOT_SUPPORTED
        assert kinds.count("session") <= 1
        before = kinds[1 : kinds.index("session")] if "session" in kinds else kinds[1:]
        assert set(before) <= {"error", "rejected"}
        after = kinds.index("session") + 1 if "session" in kinds else len(kinds)
        resumed = frames[after - 1]["matches"] if after < len(kinds) else []
        first = frames[after : kinds.index("joined")] if "joined" in kinds else frames[after:]
        assert [frame["match"] for frame in first if frame["type"] == "match_start" and frame["resumed"]] == resumed
        begun: set[Any] = set()
        over: set[Any] = set()
        ended: set[str] = set()
        for frame in frames:
            about = frame.get("match"), frame.get("attempt")
            match frame["type"]:
                case "match_start":
                    begun.add(about)
                case "turn":
                    assert about in begun - over
                case "match_over":
                    assert about in begun or frame["termination"] == Termination.NO_SHOW
                    assert frame["match"].partition(".")[0] not in ended
                    over.add(about)
                case "tournament_over":
                    ended.add(frame["tournament"])


async def test_the_http_api_is_there() -> None:
    async with MemoryServer().browser() as browser:
        paths = (await browser.get("/openapi.json")).json()["paths"]
        missing = (await browser.get("/api/tournaments/none")).json()
    documented = [row[0].strip("`").split() for row in rows(section("## The HTTP API"))]
    assert len(documented) > 5
    assert [path for method, path in documented if method.lower() not in paths.get(path, ())] == ["/openapi.json"]
    assert missing["error"].keys() == {"code", "message", "detail"}
