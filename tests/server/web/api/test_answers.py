"""Where answers come from: the arena's memory while a tournament goes on, the log when it is over."""

import httpx
import pytest
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.rebuild import Rebuilt
from rumble_server.web.api import from_log
from rumble_server.web.api.answer_cache import AnswerCache
from rumble_server.web.api.answers import ClubAnswers

from tests.server.web.memory_server import MemoryServer


def status(rebuilt: Rebuilt) -> bytes:
    return rebuilt.tournament.status.encode()


async def test_only_an_answer_about_an_ended_tournament_is_kept(server: MemoryServer) -> None:
    tournament, answers = server.world.create(), ClubAnswers(server.main, AnswerCache(1_000))

    async def reads() -> int:
        """Ask twice, and return how often the log was read for it."""
        before = server.reader.reads
        for _ in range(2):
            assert await answers.made_from_log("friday", status) == tournament.status.encode()
        return server.reader.reads - before

    assert await reads() == 2
    server.world.organiser.end("friday", cancelled=True)
    assert answers.open_tournament("friday") is None, "its end is not on disk yet: the answer waits for it"
    assert await reads() == 1


async def test_an_audit_asked_for_before_the_end_shows_the_end(server: MemoryServer) -> None:
    tournament, _ = server.begun("alice", "bob", "carol", cycles=20)
    server.pass_ms(1_000)
    before_end = ClubAnswers(server.main, AnswerCache(1_000)).audit_context(tournament.id)
    server.world.run()
    facts = server.world.log.facts
    late, exact = (
        from_log.audit(Rebuilt(tournament, lambda: facts, lambda _: []), each).as_json() for each in (before_end, None)
    )
    assert late == exact


async def test_a_tournament_may_end_while_an_answer_about_it_waits_for_the_disk(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.begun("alice", "bob", cycles=20)
    server.pass_ms(1_000)
    server.world.create(name="Unwritten")

    def end() -> None:
        server.world.organiser.end("friday", cancelled=True)
        server.pass_ms()

    server.log.after_wait = end
    assert (await browser.get("/tournaments/friday/audit")).status_code == 200
    assert server.main.play.tournaments.is_only_on_disk("friday")


@pytest.mark.parametrize("path", ["", "/boards"])
async def test_the_next_attempt_at_a_match_may_begin_while_an_answer_waits_for_the_disk(
    server: MemoryServer, browser: httpx.AsyncClient, path: str
) -> None:
    tournament, _ = server.begun("alice", "bob", think_ms=1_000, legs=1)
    server.pass_ms(2_500)
    match = next(iter(tournament.running))
    server.world.organiser.pause("friday", "")
    server.world.organiser.play_again(match)

    def begin() -> None:
        server.world.organiser.resume("friday")
        server.pass_ms()

    server.log.after_wait = begin
    answer = await browser.get(f"/api/matches/{match}{path}")
    assert (answer.status_code, answer.json().get("attempt")) == (200, 1)
    assert (await browser.get(f"/api/matches/{match}{path}")).json()["attempt"] == 2


async def test_a_tournament_that_ends_while_a_list_is_read_is_in_the_list(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament, answers = server.world.create(), ClubAnswers(server.main, AnswerCache(1_000))
    read = server.reader.listed

    async def slowly(limit: int) -> object:
        found = await read(limit)
        server.world.organiser.end(tournament.id, cancelled=True)
        server.pass_ms()
        return found

    monkeypatch.setattr(server.reader, "listed", slowly)
    assert [each.id for each in await answers.newest(10)] == ["friday"]
    assert server.world.arena.tournaments == {}
    monkeypatch.setattr(server.reader, "listed", read)
    assert [type(each) for each in await answers.newest(10)] == [EndedTournament]
