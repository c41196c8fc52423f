"""What the web reads of tournaments that are over, from a real file."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from rumble_server.store.archive import Archive
from rumble_server.store.sqlite import SqliteLog
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import (
    BotJoined,
    LogFact,
    TournamentCreated,
    TournamentEnded,
    TournamentPaused,
    TournamentStarted,
)

FORGED = '"tournament_ended":['


def tournament(id_: str, *, over: bool = True, started: bool = True, listed: bool = True) -> list[LogFact]:
    config = TournamentConfig(name=f"{id_} {FORGED}", game="tictactoe", listed=listed)
    facts: list[LogFact] = [TournamentCreated(id_, config, 1), BotJoined(id_, "alice", 2), BotJoined(id_, "bob", 2)]
    if started:
        facts += [TournamentStarted(id_, ("alice", "bob"), (("4",), ()), 3), TournamentPaused(id_, FORGED, "host", 4)]
    if over:
        facts.append(TournamentEnded(id_, "cancelled", "enough", 5))
    return facts


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[SqliteLog]:
    log = SqliteLog(str(tmp_path / "x.db"))
    log.attach(asyncio.get_running_loop())
    yield log
    await log.close()


async def write(log: SqliteLog, facts: Sequence[LogFact], *, one_by_one: bool) -> None:
    for fact in facts:
        number = log.append(fact)
        if one_by_one:
            await log.wait(number)
    await log.wait_all()


@pytest.mark.parametrize("one_by_one", [True, False])
async def test_outlines_of_what_is_over_and_listed_newest_first(log: SqliteLog, one_by_one: bool) -> None:
    for facts in (
        tournament("first"),
        tournament("running", over=False),
        tournament("secret", listed=False),
        tournament("lobby", started=False),
    ):
        await write(log, facts, one_by_one=one_by_one)
    archive = Archive(log.path)
    outlines = await archive.outlines(10)
    assert [[getattr(fact, "fact", "") for fact in outline] for outline in outlines] == [
        ["tournament_created", "tournament_ended"],
        ["tournament_created", "tournament_started", "tournament_ended"],
    ]
    assert outlines == [tournament("lobby", started=False)[::3], [tournament("first")[at] for at in (0, 3, 5)]]
    assert len(await archive.outlines(1)) == 1
    archive.close()


async def test_facts_of_a_tournament(log: SqliteLog) -> None:
    facts = tournament("first")
    await write(log, facts, one_by_one=False)
    archive = Archive(log.path)
    assert list(await archive.tournament_facts("first")) == facts
    assert list(await archive.tournament_facts("nope")) == []
    assert list(await archive.match_facts("first.1.1.1.1")) == []
    archive.close()
