"""Exports over HTTP, and the way back: `rumble standings` on an exported file equals the API's standings."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from rumble_server.cli.main import run
from rumble_server.store.errors import DamagedLog, Pruned
from rumble_server.tournament.exports import WRITERS
from rumble_server.tournament.exports.document import export
from rumble_server.tournament.rebuild import Rebuilt
from rumble_server.web.api import from_log
from rumble_server.web.api.exports import OF_GAME

from tests.server.failing import raising
from tests.server.tournament.leader import Leader
from tests.server.web.memory_server import MemoryServer

FIELD = ("alice", "bob", "carol", "dave", "erin")
PARTS = ("rank", "name", "points", "played", "wins", "draws", "losses", "tiebreaks", "decided_by", "byes", "half_byes")


@pytest.mark.parametrize("kind", [kind for kind in WRITERS if kind not in OF_GAME])
async def test_every_format_is_the_output_of_its_writer(
    server: MemoryServer, browser: httpx.AsyncClient, kind: str
) -> None:
    tournament = server.played(*FIELD)
    answer = await browser.get(f"/api/tournaments/{tournament.id}/export.{kind}")
    writer, media_type = WRITERS[kind]
    assert answer.headers["content-type"] == media_type
    assert answer.headers["content-disposition"] == f'attachment; filename="{tournament.id}.{kind}"'
    assert answer.content == writer(export(tournament)).encode()
    page = (await browser.get(f"/tournaments/{tournament.id}")).text
    assert f"/api/tournaments/{tournament.id}/export.{kind}" in page


async def test_go_has_sgf_and_other_games_say_why_not(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    go = server.played("alice", "bob", name="Go", game="openspiel:go", settings={"board_size": 3})
    answer = await browser.get(f"/api/tournaments/{go.id}/export.sgf")
    assert answer.headers["content-type"] == "application/x-go-sgf; charset=utf-8"
    assert answer.text == WRITERS["sgf"][0](export(go))
    assert answer.text.count("(;FF[4]GM[1]") == 2
    assert f"/api/tournaments/{go.id}/export.sgf" in (await browser.get(f"/tournaments/{go.id}")).text
    other = server.played("carol", "dave")
    answer = await browser.get(f"/api/tournaments/{other.id}/export.sgf")
    assert answer.status_code == 422
    assert answer.json()["error"]["message"] == "SGF is for openspiel:go; this tournament is of tictactoe"
    assert "export.sgf" not in (await browser.get(f"/tournaments/{other.id}")).text


@pytest.mark.parametrize("error", [Pruned("deleted"), DamagedLog("damaged")])
def test_without_its_frames_a_match_is_exported_all_the_same(server: MemoryServer, error: Exception) -> None:
    tournament = server.played("alice", "bob", legs=1)
    for over in tournament.results.values():
        over.informed = True
    rebuilt = Rebuilt(tournament, list, raising(error))
    (match,) = json.loads(b"[" + from_log.export_matches(rebuilt, "json", 0, 0, 1) + b"]")
    assert match["moves"]
    assert "infos" not in match


async def test_a_tournament_that_a_format_cannot_express_is_refused_with_the_reason(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = server.played("alice", "bob")
    monkeypatch.setattr("rumble_server.tournament.exports.trf.MOST_PLAYERS", 1)
    answer = await browser.get(f"/api/tournaments/{tournament.id}/export.trf")
    assert answer.status_code == 422
    assert "room for 1 players" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "config",
    [
        {"cycles": 2, "points": [3.0, 1.0, 0.0]},
        {"format": "swiss", "rounds": 3},
        {"format": "gauntlet", "tiebreaks": ["sb", "faults"]},
    ],
    ids=["round-robin", "swiss", "gauntlet"],
)
async def test_round_trip(
    server: MemoryServer,
    browser: httpx.AsyncClient,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    config: dict[str, Any],
) -> None:
    tournament = server.played(*FIELD, **config)
    standings = (await browser.get(f"/api/tournaments/{tournament.id}/standings")).json()["standings"]
    file = tmp_path / "export.json"
    file.write_bytes((await browser.get(f"/api/tournaments/{tournament.id}/export.json")).content)
    assert ("byes" in json.loads(file.read_text())) == (config.get("format") == "swiss")
    assert run(["standings", str(file), "--json"]) == 0
    ranked = json.loads(capsys.readouterr().out)["standings"]
    assert ranked == [{part: line[part] for part in PARTS} for line in standings]


async def test_a_round_that_cannot_be_paired_does_not_count(server: MemoryServer) -> None:
    tournament = server.played("ann", "bob", "cid", "dot", "eve", "fay", format="swiss", rounds=4)
    assert tournament.reason == "round 4 cannot be paired without meeting again"
    lines = tournament.standings.lines()
    assert [line.tiebreaks["bh"] for line in lines] == [3 * 3] * 6, "three opponents of three points each"


async def test_the_byes_of_a_swiss_are_in_the_document(server: MemoryServer) -> None:
    document = export(server.played(*FIELD, format="swiss", rounds=3))
    assert sum(document["byes"].values()) == 3 * 2, "one bot a round, as many matches as a pairing has"
    assert {line["name"]: line["byes"] for line in document["standings"] if line["byes"]} == document["byes"]


async def test_the_export_is_the_design_s_document(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played("alice", "bob", cycles=2)
    answer = await browser.get("/api/tournaments/friday/export.json")
    assert answer.json() == export(tournament)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="friday.json"'


def test_the_csv_of_tables_has_a_plain_match_of_two_at_a_small_table() -> None:
    leader = Leader.started(*FIELD, game="snakes", seats=3, format="swiss")
    leader.due()
    for started in list(leader.tournament.running.values()):
        if len(started.seats) == 2:
            leader.finish(started.match)
    rebuilt = Rebuilt(leader.tournament, lambda: leader.facts, lambda match: ())
    row = from_log.export_matches(rebuilt, "csv", 0, 0, 1).decode().split(",")
    assert (row[3], row[7]) == ("1", "2")
