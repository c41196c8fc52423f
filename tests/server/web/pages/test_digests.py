"""Records of bots over several tournaments, also from earlier runs of the server."""

from dataclasses import replace
from typing import Any

import httpx
import pytest
from rumble_protocol.feed_messages import TournamentSummary
from rumble_server.tournament.ended import FinalResult
from rumble_server.web.pages.digests import Digest, digest, digest_of_ended, lines_of, records

from tests.server.web.memory_server import MemoryServer


def made(name: str, status: Any, *lines: FinalResult) -> Digest:
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


FRIDAY = made("friday", "finished", FinalResult("Ann", 1, 3.5, 3, 1, 0), FinalResult("bob", 2, 0.5, 0, 1, 3))
SATURDAY = made("saturday", "running", FinalResult("bob", 1, 1, 1, 0, 0), FinalResult("ann", 2, 0, 0, 0, 1))
EMPTY = made("empty", "finished", FinalResult("ann", 1, 0, 0, 0, 0))


def test_records_are_sums_and_names_are_compared_without_case() -> None:
    ann, bob = records([FRIDAY, SATURDAY, EMPTY])
    assert (ann.name, ann.tournaments, ann.first, ann.wins, ann.draws, ann.losses) == ("Ann", 3, 1, 3, 1, 1)
    assert (bob.name, bob.tournaments, bob.first, bob.played, bob.share) == ("bob", 2, 0, 5, 0.3)
    assert records([EMPTY])[0].share is None


def test_the_lines_of_a_bot_have_its_tournaments_and_ranks() -> None:
    assert [(each.summary.id, line.rank) for each, line in lines_of([FRIDAY, SATURDAY, EMPTY], "ANN")] == [
        ("friday", 1),
        ("saturday", 2),
        ("empty", 1),
    ]


async def test_matches_of_an_earlier_run_count_as_before(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.played("alice", "bob", "carol")
    server.world.create(name="Secret", listed=False)
    server.pass_ms()
    before = (await browser.get("/bots/alice")).text
    server = MemoryServer(server.world.after_crash())
    async with server.browser() as browser:
        assert (await browser.get("/bots/ALICE")).text == before
        assert "damaged" not in (await browser.get("/")).text
        reads = server.reader.reads
        await browser.get("/bots/alice")
        assert server.reader.reads == reads + 1, "the list is read again, the tournament is not"


@pytest.mark.parametrize("format_name", ["round-robin", "knockout", "gauntlet", "swiss"])
async def test_a_digest_says_the_same_before_the_end_is_on_disk_and_after(
    server: MemoryServer, format_name: str
) -> None:
    tournament = server.played("alice", "bob", "carol", "dave", format=format_name)
    in_memory = digest(tournament, (await server.feed.ranker.fresh_ranking(tournament)).standings)
    ended = digest_of_ended(server.world.log.records["friday"])
    lines = tuple(replace(line, decided_by="", withdrawn=False) for line in ended.lines)
    assert replace(ended, lines=lines) == in_memory


async def test_a_damaged_tournament_is_listed_and_does_not_keep_the_others_back(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.played("alice", "bob", name="Good")
    server.played("carol", "dave", name="Damaged")
    del server.world.log.records["damaged"]
    page = (await browser.get("/")).text
    assert "1 of 2 tournaments are damaged" in page
    assert "alice" in page
    assert "Damaged" in page
    assert "carol" not in page
    answer = await browser.get("/bots/carol")
    assert answer.status_code == 404
    assert "1 of them are damaged" in answer.text


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
    tournament, _ = server.begun("alice", "bob")
    server.world.organiser.end(tournament.id, cancelled=True)
    server.pass_ms()
    page = (await browser.get("/bots/alice")).text
    assert '<td class="number">–</td>' in page
    assert "of 2</td>" not in page
