"""Databases of every earlier version open, and show the same as before.

`versions/vN.sql` is the text of a database of version N, written by its server, which was killed during a match.
`versions/vN.json` has the answers of that server's API. `rules/` has both from a server before editions of rules: an
ended Swiss and an ended round-robin, with byes and forfeits, and a Swiss in its first round.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from rumble_server.app import Server
from rumble_server.config import ServerConfig
from rumble_server.store.damage import verify
from rumble_server.store.schema import MIGRATIONS

from tests.server.store.disk import rows

VERSIONS = Path(__file__).with_name("versions")
RULES = Path(__file__).with_name("rules")
TOKEN = "fixture-token-0123"


def holds(new: Any, old: Any) -> bool:
    """Return true if the new answer contains the old answer; the new answer may have more fields."""
    if isinstance(old, dict):
        return isinstance(new, dict) and all(key in new and holds(new[key], value) for key, value in old.items())
    if isinstance(old, list):
        return isinstance(new, list) and len(new) == len(old) and all(map(holds, new, old))
    return bool(new == old)


def test_an_answer_that_lacks_something_is_seen() -> None:
    assert holds({"a": [{"b": 1, "c": 2}], "d": 3}, {"a": [{"b": 1}]})
    others: list[Any] = [{"a": [{"b": 2}]}, {"a": []}, {"a": [{}]}, {}, []]
    for new in others:
        assert not holds(new, {"a": [{"b": 1}]})


def test_there_is_one_of_each_earlier_version() -> None:
    expected = sorted(f"v{version}.{kind}" for version in range(1, len(MIGRATIONS)) for kind in ("json", "sql"))
    assert sorted(each.name for each in VERSIONS.iterdir()) == expected


def database(folder: Path, version: int) -> Path:
    """Make the database of a version."""
    path = folder / "rumble.db"
    with closing(sqlite3.connect(path)) as made:
        made.executescript((VERSIONS / f"v{version}.sql").read_text(encoding="utf-8"))
    assert rows(path, "PRAGMA user_version") == [(version,)]
    return path


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_it_can_be_verified_as_it_is(tmp_path: Path, version: int) -> None:
    path = database(tmp_path, version)
    found = verify(str(path))
    assert (found.problems, found.unchecked, found.rows > 20) == ([], found.rows, True)
    assert rows(path, "PRAGMA user_version") == [(version,)]


@pytest.mark.e2e
@pytest.mark.usefixtures("reading_here")
@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
async def test_a_server_starts_on_it_and_shows_the_same(tmp_path: Path, version: int) -> None:
    path = database(tmp_path, version)
    told = json.loads((VERSIONS / f"v{version}.json").read_bytes())
    server = Server(ServerConfig(port=0, db=str(path), drain_ms=0, host_token=TOKEN))
    await server.start()
    try:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with httpx.AsyncClient(base_url=server.url, headers=headers, timeout=None) as client:
            for tournament, what in (("cup", "standings"), ("cup", "matches"), ("open", "standings")):
                answer = await client.get(f"/api/tournaments/{tournament}/{what}")
                assert holds(answer.json(), told[tournament][what]), f"{tournament}: {what}"
            first = told["cup"]["matches"]["matches"][0]["id"]
            transcript = (await client.get(f"/api/matches/{first}/transcript")).text.splitlines()
            assert holds([json.loads(line) for line in transcript], told["cup"]["transcript"])
            assert len(told["open"]["running"]) == 1
            for running in told["open"]["running"]:
                assert holds((await client.get(f"/api/matches/{running['id']}")).json(), running)
    finally:
        await server.stop()
    assert rows(path, "PRAGMA user_version") == [(len(MIGRATIONS),)]
    assert verify(str(path)).problems == []


@pytest.mark.e2e
@pytest.mark.usefixtures("reading_here")
async def test_tournaments_of_earlier_rules_keep_their_standings(tmp_path: Path) -> None:
    path = tmp_path / "rumble.db"
    with closing(sqlite3.connect(path)) as made:
        made.executescript((RULES / "rumble-0.1.sql").read_text(encoding="utf-8"))
    told = json.loads((RULES / "rumble-0.1.json").read_bytes())
    server = Server(ServerConfig(port=0, db=str(path), drain_ms=0, host_token=TOKEN))
    await server.start()
    try:
        async with httpx.AsyncClient(base_url=server.url, timeout=None) as client:
            for tournament, before in told.items():
                after = (await client.get(f"/api/tournaments/{tournament}/standings")).json()
                assert after["tiebreak_rules"] == "rumble-0.1"
                assert holds(after["standings"], before["standings"]), tournament
    finally:
        await server.stop()
