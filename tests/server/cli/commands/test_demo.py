"""`rumble demo` of every format, with real processes; and its choice of bots."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import get_type_hints

import pytest
from rumble_engine import get_game
from rumble_server.app import Server
from rumble_server.cli.commands.demo import demo
from rumble_server.cli.main import run
from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.output.tables import TABLE_RECORD
from rumble_server.cli.practice import demonstration
from rumble_server.cli.practice.demonstration import entrant_names, expand_counts
from rumble_server.cli.processes import bot_process
from rumble_server.cli.processes.bot_process import BotSpec
from rumble_server.tournament.formats import FORMATS

from tests.server.cli.run_here import Captured, printed, printed_json, refused
from tests.server.web.export_schema import check_export


def test_many_of_a_kind() -> None:
    assert expand_counts(["random:3", "minimax"]) == ["random", "random", "random", "minimax"]
    assert expand_counts(["mine.py:ai", "mine.py:ai:2"]) == ["mine.py:ai"] * 3
    assert entrant_names(expand_counts(["random:2", "minimax"])) == ["random-1", "random-2", "minimax"]
    for many in ("5000", "9" * 20):
        with pytest.raises(CliError, match="room for 4096"):
            expand_counts([f"random:{many}"])


def test_the_help_names_every_format() -> None:
    *others, last = FORMATS
    option, *_ = get_type_hints(demo, include_extras=True)["format_"].__metadata__
    assert option.help == f"{', '.join(others)} or {last}."


def test_a_demo_that_waits_for_another_server_ends_by_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    async def stand_by(_: Server, stopping: asyncio.Event) -> bool:
        signal.raise_signal(signal.SIGINT)
        await asyncio.wait_for(stopping.wait(), 5)
        return False

    monkeypatch.setattr(Server, "start", stand_by)
    assert run(["demo"]) == ExitCode.INTERRUPTED


@asynccontextmanager
async def bots_of_this_process(commands: Sequence[list[str]]) -> AsyncIterator[list[asyncio.subprocess.Process]]:
    """Run the bots of these commands on the loop of the server."""
    async with asyncio.TaskGroup() as group:
        for *_, server, join, text in commands:
            specs = [BotSpec(**spec) for spec in json.loads(text)]
            group.create_task(bot_process.play(specs, server, join))
        yield []


@pytest.mark.e2e
@pytest.mark.parametrize("format_", ["round-robin", "knockout"])
def test_a_demo_at_tables_ends_with_places(capsys: Captured, monkeypatch: pytest.MonkeyPatch, format_: str) -> None:
    monkeypatch.setattr(demonstration, "bot_processes", bots_of_this_process)
    monkeypatch.setattr(type(get_game("snakes")), "seats", 3)
    output = printed(capsys, "demo", "--game", "snakes", "--format", format_, "--bots", "random:4", "--exit")
    _, _, header, *bots, legend = output.splitlines()
    assert header.startswith("  ".join(("#  name    ", "points", *TABLE_RECORD)))
    assert len(bots) == 4
    assert "PLACES most first places" in legend
    assert "128 bots at most" in refused(capsys, 2, "demo", "--game", "snakes", "--bots", "random:129")


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("format_", "bots", "matches"),
    [("swiss", "random:16", 4 * 8 * 2), ("knockout", "random:8", None), ("gauntlet", "random:3,minimax", 3 * 2)],
)
@pytest.mark.slow
def test_a_demo_of_every_format_runs_to_its_end(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, format_: str, bots: str, matches: int | None
) -> None:
    monkeypatch.setattr(demonstration, "MOST_PROCESSES", 2)
    if format_ != "swiss":  # the swiss alone shows that processes of bots are started, shared and ended
        monkeypatch.setattr(demonstration, "bot_processes", bots_of_this_process)
    document = printed_json(capsys, "demo", "--format", format_, "--bots", bots, "--exit")
    check_export(document)
    assert document["tournament"]["status"] == "finished"
    assert document["tournament"]["format"] == format_
    assert len(document["standings"]) == len(document["tournament"]["names"])
    assert len(document["matches"]) == document["tournament"]["matches_total"]
    if matches is not None:
        assert len(document["matches"]) == matches
    assert {match["termination"] for match in document["matches"]} == {"normal"}
    assert any("infos" in match for match in document["matches"]) == ("minimax" in bots)
