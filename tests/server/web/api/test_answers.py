"""Where answers come from: the arena's memory while a tournament goes on, the log when it is over."""

import pytest
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.rebuild import Rebuilt
from rumble_server.web.api.answer_cache import AnswerCache
from rumble_server.web.api.answers import ClubAnswers

from tests.server.web.memory_server import MemoryServer


def status(rebuilt: Rebuilt) -> bytes:
    return rebuilt.tournament.status.encode()


async def test_only_an_answer_about_what_is_over_is_kept(server: MemoryServer) -> None:
    tournament, answers = server.world.create(), ClubAnswers(server.main, AnswerCache(1_000))

    async def reads() -> int:
        """Ask twice, and return how often the log was read for it."""
        before = server.reader.reads
        for _ in range(2):
            assert await answers.made("friday", status) == tournament.status.encode()
        return server.reader.reads - before

    assert await reads() == 2
    server.world.organiser.end("friday", cancelled=True)
    assert answers.going_on("friday") is None, "its end is not on disk yet: the answer waits for it"
    assert await reads() == 1


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
