"""The JSON Schema of exports, and every kind of tournament's export against it."""

from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from rumble_protocol.fields import TimeControl
from rumble_server.tournament.exports.document import export
from rumble_server.web.api.export_models import ExportedTournament, export_schema

from tests.server.web.export_schema import SCHEMA, check_export
from tests.server.web.memory_server import MemoryServer

FIELD = ("alice", "bob", "carol", "dave", "erin")


@pytest.mark.parametrize(
    "config",
    [
        {"cycles": 2, "points": [3.0, 1.0, 0.0]},
        {"format": "swiss", "rounds": 3},
        {"format": "gauntlet"},
        {"format": "knockout"},
        {"game": "snakes", "seats": 3, "settings": {"size": 7, "turns": 4}, "format": "swiss", "rounds": 2},
        {"game": "connect4", "settings": {"columns": 5}, "time_control": TimeControl(bank_ms=60_000)},
    ],
    ids=["round-robin", "swiss", "gauntlet", "knockout", "tables", "connect4"],
)
async def test_exports_are_as_their_schema_says(
    server: MemoryServer, browser: httpx.AsyncClient, config: dict[str, Any]
) -> None:
    tournament = server.played(*FIELD, **config)
    document = (await browser.get(f"/api/tournaments/{tournament.id}/export.json")).json()
    check_export(document)
    assert document["matches"]
    fields = ExportedTournament.model_fields
    names = set(document["tournament"])
    assert {name for name, field in fields.items() if field.is_required()} <= names <= set(fields)
    assert len(names & {"scheme", "table_points"}) == 1


async def test_unfinished_tournaments_and_void_attempts(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.world.create(start_at_bots=2)
    check_export((await browser.get(f"/api/tournaments/{tournament.id}/export.json")).json())
    bots = server.world.logins("alice", "bob", join=tournament.id)
    server.pass_ms(100)
    match = next(iter(tournament.running))
    next(bot for bot in bots if bot.inbox.all("turn")).move("4")
    server.world.organiser.play_again(match)
    document = (await browser.get(f"/api/tournaments/{tournament.id}/export.json")).json()
    assert len(document["voided"]) == 1
    check_export(document)


async def test_the_schema_is_served_and_says_no(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/export.schema.json")
    assert answer.headers["content-type"] == "application/schema+json"
    assert answer.json() == export_schema()
    Draft202012Validator.check_schema(answer.json())
    good = export(server.played("alice", "bob"))
    assert SCHEMA.is_valid(good)
    for bad in (
        {**good, "matches": [{**good["matches"][0], "infos": [{"depth": "deep"}]}]},
        {**good, "matches": [{**good["matches"][0], "moves": [4]}]},
        {**good, "tournament": {}},
        {name: value for name, value in good.items() if name != "standings"},
    ):
        assert not SCHEMA.is_valid(bad)
