"""Checksums of rows: a change of any byte is found."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.match.facts import MoveMade
from rumble_server.match.match_id import tournament_id_of
from rumble_server.store.errors import DamagedLog
from rumble_server.store.log.checksum import checksum, intact
from rumble_server.store.log.content import DETAIL
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.tournament.club_facts import NameUsed

from tests.server.store.databases import SqliteDatabase, opened
from tests.server.store.disk import group_of, joined, rows, write
from tests.server.store.log.test_reader import busy_world, write_all
from tests.server.store.played import bit, change, cut, digit, execute


@pytest.mark.slow
@given(st.text(min_size=1, max_size=20), st.integers(0, 500), st.integers(0, 255))
def test_any_other_byte_is_damage(text: str, at: int, byte: int) -> None:
    content = bytearray(text.encode())
    expected = checksum(bytes(content), 7, "friday", 0)
    assert intact(bytes(content), expected, 7, "friday", 0) == text
    if content[at % len(content)] != byte:
        content[at % len(content)] = byte
        assert intact(bytes(content), expected, 7, "friday", 0) is None


def test_a_row_in_the_place_of_another_is_damage() -> None:
    expected = checksum(b"[]", 7, "friday", 0)
    for place in ((8, "friday", 0), (7, "monday", 0), (7, "friday", 1)):
        assert intact(b"[]", expected, *place) is None


def test_an_empty_row_is_a_lost_row() -> None:
    assert intact(b"", checksum(b"", 7, "friday", 0), 7, "friday", 0) is None


# --- what a reader is given ---


@pytest.mark.parametrize("how", [digit, bit, cut])
async def test_a_damaged_row_is_never_read_as_facts(path: Path, how: Callable[[bytes], bytes]) -> None:
    async with opened(path) as log:
        await write(log, joined(1))
        await write(log, joined(2))
        await write(log, joined(3, "monday"))
    change(path, how, 2)
    with closing(read_sqlite(str(path))) as reader:
        with pytest.raises(DamagedLog, match="row 2 of the log is damaged") as refused:
            reader.tournament_facts("friday")
        assert "\n" not in str(refused.value)
        assert reader.tournament_facts("monday") == [joined(3, "monday")]


@pytest.mark.parametrize("how", [digit, bit, cut])
def test_a_match_in_a_damaged_row_is_damaged_and_not_a_shorter_one(path: Path, how: Callable[[bytes], bytes]) -> None:
    facts = busy_world(1)
    with SqliteDatabase(path).writing() as commit:
        write_all(commit, facts, [7], 1.0, Random(1))
    match = next(fact.match for fact in facts if isinstance(fact, MoveMade))
    with closing(read_sqlite(str(path))) as reader:
        assert reader.match_facts(match) == [fact for fact in facts if getattr(fact, "match", None) == match]
        move = next(n for n, fact in enumerate(facts, 1) if isinstance(fact, MoveMade) and fact.match == match)
        of_its_plies = [int(str(row[0])) for row in rows(path) if row[1:] == (tournament_id_of(match), DETAIL)]
        change(path, how, max(number for number in of_its_plies if number <= move))
        with pytest.raises(DamagedLog, match="of the log is damaged"):
            reader.match_facts(match)


@pytest.mark.parametrize("how", [digit, bit, cut])
async def test_names_beside_a_damaged_row_are_read(path: Path, how: Callable[[bytes], bytes]) -> None:
    names = [NameUsed(name, None, None, 2) for name in ("ann", "ben", "cid")]
    async with opened(path) as log:
        for name in names:
            await write(log, name)
    change(path, how, 2)
    with closing(read_sqlite(str(path))) as reader:
        facts, problems = reader.club_facts()
        assert [fact for _, fact in reader.club_facts_after(0)[0]] == facts
    assert facts == [names[0], names[2]]
    assert {number: str(problem) for number, problem in problems.items()} == {
        2: f"{path}: row 2 of the log is damaged: it is not what was written"
    }


@pytest.mark.parametrize("how", [digit, bit, cut])
@pytest.mark.parametrize("in_tail", [False, True])
async def test_the_next_run_numbers_its_facts_after_those_of_a_damaged_row(
    path: Path, how: Callable[[bytes], bytes], in_tail: bool
) -> None:
    async with opened(path) as log:
        await write(log, joined(1))
        log.append(joined(2))
        log.append(joined(3))
        await group_of(log).wait_all()
    change(path, how, 2)
    if in_tail:
        execute(path, "UPDATE meta SET value = '1' WHERE key = 'main/indexed'")
    async with opened(path) as log:
        assert log.last >= 3
        await write(log, joined(4))
    assert [row[0] for row in rows(path)] == [1, 2, log.last]
