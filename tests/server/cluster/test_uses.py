"""What clubs use on other nodes, with links in name only."""

import asyncio
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any, cast

import orjson
import pytest
from rumble_server.cluster import uses
from rumble_server.cluster.uses import UsesElsewhere
from rumble_server.quotas import Quotas
from rumble_server.web.site import ClubUse

CHESS = ClubUse(running=1, connected=2, used=Quotas(3, 0, 5, 0, 0))


class Links:
    """One node answers, one cannot be reached, one says nothing."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def ask(self, address: str, path: str) -> Any:
        self.asked.append(address)
        assert path == "/api/led"
        if address == "lost":
            raise ConnectionError("the node that answered cannot be reached any more")
        if address == "silent":
            await asyncio.Event().wait()
        return SimpleNamespace(body=orjson.dumps({"chess": asdict(CHESS)}))


async def test_all_nodes_are_asked_once_for_all_and_none_holds_up_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uses, "ANSWER_S", 0.01)
    monkeypatch.setattr(uses, "KEPT_S", 3600.0)
    links, there = Links(), ["silent", "lost", "good"]
    elsewhere = UsesElsewhere(cast(Any, links), lambda: there)
    assert list(await asyncio.gather(elsewhere.told(), elsewhere.told())) == [{"chess": CHESS}] * 2
    assert await elsewhere.told() == {"chess": CHESS}
    assert links.asked == there
    monkeypatch.setattr(uses, "KEPT_S", -1.0)
    again = UsesElsewhere(cast(Any, links), lambda: ["good"])
    await again.told()
    await again.told()
    assert links.asked == [*there, "good", "good"]
    again.close()


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b'{"chess":null}', b'{"chess":{"running":"many"}}', b'{"chess":{"used":[1]}}'],
)
async def test_a_damaged_answer_is_none(body: bytes, caplog: pytest.LogCaptureFixture) -> None:
    class Damaged(Links):
        async def ask(self, address: str, path: str) -> Any:
            return SimpleNamespace(body=body)

    elsewhere = UsesElsewhere(cast(Any, Damaged()), lambda: ["10.0.0.1"])
    assert await elsewhere.told() == {}
    assert "the node at 10.0.0.1 does not tell what its clubs use" in caplog.text


async def test_what_cannot_be_told_is_null() -> None:
    class Brief(Links):
        async def ask(self, address: str, path: str) -> Any:
            return SimpleNamespace(body=b'{"chess":{"running":1,"connected":2,"used":null}}')

    assert await UsesElsewhere(cast(Any, Brief()), lambda: ["one"]).told() == {"chess": ClubUse(1, 2, None)}
