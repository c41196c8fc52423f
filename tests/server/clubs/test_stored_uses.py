"""Resources used by clubs that are not loaded, from the database."""

import math
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rumble_server.arena.state.names_and_keys import digest_of
from rumble_server.clubs import registry, stored_uses
from rumble_server.clubs.registry import READ_USES_S
from rumble_server.clubs.stored_uses import StoredUses
from rumble_server.limits.quotas import Quotas
from rumble_server.store.log.reader import LogReader
from rumble_server.tournament.club_facts import NameUsed
from rumble_server.web.site import ClubUse

from tests.server.clubs.test_registry import create, running

pytestmark = pytest.mark.e2e


class Reader:
    """A reader of clubs: each has a name for each byte."""

    def __init__(self) -> None:
        self.sizes = {"chess": 3, "go": 1}
        self.asked: list[str] = []

    def of(self, club: str) -> Any:
        reader = Reader()
        reader.sizes, reader.asked, reader.club = self.sizes, self.asked, club  # type: ignore[attr-defined]
        return reader

    def bytes(self) -> int:
        return self.sizes[self.club]  # type: ignore[attr-defined]

    def club_facts(self) -> Any:
        self.asked.append(self.club)  # type: ignore[attr-defined]
        return [NameUsed(f"bot-{each}", "00", digest_of("key", "00"), 0) for each in range(self.bytes())], {}


def test_a_club_is_read_again_when_more_was_written_of_it() -> None:
    reader: Any = Reader()
    uses = StoredUses()
    for _ in range(3):
        found = uses.read(reader, ["chess", "go"], until_s=math.inf)
        assert {name: use.used for name, use in found.items()} == {
            "chess": Quotas(3, 0, 3, 0, 0),
            "go": Quotas(1, 0, 1, 0, 0),
        }
    assert reader.asked == ["chess", "go"]
    reader.sizes["go"] = 2
    assert uses.read(reader, ["chess", "go"], until_s=math.inf)["go"].used == Quotas(2, 0, 2, 0, 0)
    assert reader.asked == ["chess", "go", "go"]


def test_no_more_is_read_than_there_is_time_for() -> None:
    assert StoredUses().read(Reader(), ["chess", "go"], until_s=time.monotonic() - 1) == {}  # type: ignore[arg-type]


async def test_clubs_that_were_read_in_time_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_of, now_s = StoredUses._use_of, 0.0

    def use_of_slowly(uses: StoredUses, reader: LogReader, club: str) -> ClubUse:
        nonlocal now_s
        now_s += READ_USES_S / 4
        return use_of(uses, reader, club)

    monkeypatch.setattr(StoredUses, "_use_of", use_of_slowly)
    names = {"chess", "go", "hex", "nim", "shogi"}
    async with running(tmp_path / "x.db") as server:
        await create(server, *names)
    async with running(tmp_path / "x.db") as server:
        for module in (registry, stored_uses):
            monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now_s))
        read = names & (await server.clubs.read_uses(stored=True)).keys()
    assert (len(read), now_s) == (3, READ_USES_S * 3 / 4)


async def test_the_uses_of_clubs_that_are_not_loaded_are_told(tmp_path: Path) -> None:
    async with running(tmp_path / "x.db") as server:
        chess, _ = await create(server, "chess", "go")
        for name in ("ada", "bob"):
            chess.arena.recorder.record(NameUsed(name, "00", digest_of("key", "00"), 0))
        await chess.log.wait(chess.log.last)
        before = await server.clubs.read_uses(stored=True)
        assert before["chess"].used is not None
    async with running(tmp_path / "x.db") as server:
        assert server.clubs.get_loaded("chess") is None
        uses = await server.clubs.read_uses(stored=True)
        assert uses["chess"] == before["chess"]
        assert uses["go"].used == Quotas(0, 0, 0, 0, 0)
        assert server.clubs.get_loaded("chess") is None
        assert set(await server.clubs.read_uses(stored=False)) == {"main"}
