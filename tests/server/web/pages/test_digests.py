"""Records of bots over several tournaments, also from earlier runs of the server."""

import asyncio
from typing import Any

import httpx
import pytest
from rumble_protocol.feed_messages import TournamentSummary
from rumble_server.tournament.ended import Line
from rumble_server.web.pages import digests as module
from rumble_server.web.pages.digests import Digest, lines_of, records

from tests.server.web.memory_server import MemoryServer


def made(name: str, status: Any, *lines: Line) -> Digest:
    summary = TournamentSummary(
        id=name,
        name=name,
        game="tictactoe",
        status=status,
        bots=len(lines),
        created_at_ms=0,
        started_at_ms=0,
        ended_at_ms=None,
    )
    return Digest(summary, "round-robin", 4, 4, "", lines)


FRIDAY = made("friday", "finished", Line("Ann", 1, 3.5, 3, 1, 0), Line("bob", 2, 0.5, 0, 1, 3))
SATURDAY = made("saturday", "running", Line("bob", 1, 1, 1, 0, 0), Line("ann", 2, 0, 0, 0, 1))
EMPTY = made("empty", "finished", Line("ann", 1, 0, 0, 0, 0))


def test_records_are_sums_and_names_are_compared_without_case() -> None:
    ann, bob = records([FRIDAY, SATURDAY, EMPTY])
    assert (ann.name, ann.tournaments, ann.first, ann.wins, ann.draws, ann.losses) == ("Ann", 3, 1, 3, 1, 1)
    assert (bob.name, bob.tournaments, bob.first, bob.played, bob.share) == ("bob", 2, 0, 5, 0.3)
    assert records([EMPTY])[0].share is None


def test_the_lines_of_one_bot() -> None:
    assert [(each.summary.id, line.rank) for each, line in lines_of([FRIDAY, SATURDAY, EMPTY], "ANN")] == [
        ("friday", 1),
        ("saturday", 2),
        ("empty", 1),
    ]


def forget(server: MemoryServer, *, without_records: bool = False) -> None:
    """Make a world as after a restart: tournaments that are over are only on disk; `without_records` drops records."""
    server.world.arena.tournaments.clear()
    if without_records:
        server.world.log.records.clear()


async def test_what_was_played_in_an_earlier_run_counts_as_before(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.played("alice", "bob", "carol")
    server.world.create(name="Secret", listed=False)
    server.pass_ms()
    before = (await browser.get("/bots/alice")).text
    forget(server)
    assert (await browser.get("/bots/ALICE")).text == before
    assert "still being read" not in (await browser.get("/")).text
    reads = server.archive.reads
    await browser.get("/bots/alice")
    assert server.archive.reads == reads + 1, "the list is read again, the tournament is not"


async def test_lists_have_the_same_headlines_after_a_restart_with_records_or_without(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rumble_server.web.pages.rendering.made_name", lambda: "the-same")
    for name, format_name in (("Round", "round-robin"), ("Cup", "knockout"), ("Run", "gauntlet"), ("Swiss", "swiss")):
        server.played("alice", "bob", "carol", "dave", name=name, format=format_name)
    server.world.organiser.end(server.world.create(name="Rain").id, cancelled=True)
    server.pass_ms()
    before = (await browser.get("/")).text
    for without_records in (False, True):
        forget(server, without_records=without_records)
        assert (await browser.get("/")).text == before


async def test_one_that_cannot_be_read_is_shown_as_unread_and_does_not_keep_the_others_back(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.played("alice", "bob", name="Good")
    server.played("carol", "dave", name="Damaged")
    forget(server, without_records=True)
    read = server.archive.ended

    async def damaged(tournament_id: str) -> Any:
        return None if tournament_id == "damaged" else await read(tournament_id)

    monkeypatch.setattr(server.archive, "ended", damaged)
    for _ in range(2):
        page = (await browser.get("/")).text
        assert "1 of 2 tournaments are still being read, or are damaged" in page
        assert "alice" in page
        assert "Damaged" in page
        assert "carol" not in page


async def test_the_page_of_a_bot_that_nobody_knows(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.played("alice", "bob", listed=False)
    assert (await browser.get("/bots/alice")).status_code == 404


async def test_a_connected_bot_has_a_page_before_its_first_tournament(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.bots("newcomer")
    page = await browser.get("/bots/newcomer")
    assert page.status_code == 200
    assert "It has been in none that is listed." in page.text


async def test_a_cancelled_tournament_ranks_nobody(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.world.create(start_at_bots=2)
    server.bots("alice", "bob", join=tournament.id)
    server.world.organiser.end(tournament.id, cancelled=True)
    server.pass_ms()
    page = (await browser.get("/bots/alice")).text
    assert '<td class="number">–</td>' in page
    assert "of 2</td>" not in page


async def test_a_page_does_not_wait_for_long_reading_and_says_so(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.played("alice", "bob")
    forget(server, without_records=True)
    read_on = asyncio.Event()
    read = server.archive.ended

    async def slowly(tournament_id: str) -> Any:
        await read_on.wait()
        return await read(tournament_id)

    monkeypatch.setattr(server.archive, "ended", slowly)
    monkeypatch.setattr(module, "PATIENCE_S", 0)
    assert "1 of 1 tournaments are still being read, or are damaged" in (await browser.get("/")).text
    answer = await browser.get("/bots/alice")
    assert answer.status_code == 404
    assert "1 of them are still being read, or are damaged" in answer.text
    server.played("carol", "dave", name="Saturday")
    page = (await browser.get("/")).text
    assert "1 of 2 tournaments are still being read, or are damaged" in page
    assert "carol" in page
    assert "alice" not in page
    read_on.set()
    monkeypatch.setattr(module, "PATIENCE_S", 5)
    page = (await browser.get("/")).text
    assert "still being read" not in page
    assert "alice" in page
