"""The help of every command tells each option, argument and command within the width of the terminal."""

from collections.abc import Iterator
from typing import Any

import pytest
import typer
from rumble_server.cli.main import COMMANDS, MOST_COLUMNS, load
from rumble_server.cli.support.creating import create_command
from rumble_server.cli.support.options import LOCAL_SERVER
from rumble_server.tournament.config import TournamentConfig
from typer.core import TyperGroup

from tests.server.cli.run_here import Captured, printed


def every_command() -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the words of every command and its definition."""
    for name in COMMANDS:
        command = load(name)
        yield (name,), command
        if isinstance(command, TyperGroup):
            context = typer.Context(command)
            yield from (((name, each), command.resolve_command(context, [each])[1]) for each in command.commands)


@pytest.mark.parametrize("columns", [80, 120])
def test_every_help_fits_and_tells_everything(columns: int, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for words, command in every_command():
        shown = printed(capsys, *words, "--help")
        lines = shown.splitlines()
        assert lines[0].startswith(f"Usage: rumble {' '.join(words)} [OPTIONS]")
        assert max(map(len, lines)) <= min(columns, MOST_COLUMNS), words
        assert "\x1b" not in shown
        text = "".join(shown.split())  # a line may end at a hyphen
        for each in command.params:
            assert "".join((each.help or "").split()) in text, (words, each.name)
        assert "  -h, --help" in shown
        if isinstance(command, TyperGroup):
            assert set(command.commands) <= set(shown.split())


def test_one_server_is_the_default_of_all_commands_for_a_server() -> None:
    clients = [command for words, command in every_command() if words != ("check",)]  # the kit is a server itself
    assert {each.default for client in clients for each in client.params if each.name == "server"} == {LOCAL_SERVER}


def test_a_tournament_has_an_option_for_each_field_with_its_default() -> None:
    about = {param.name: param.help for param in create_command().params}
    default = TournamentConfig(name="x", game="tictactoe")
    times = default.time_control.model_dump()
    assert about.keys() >= {*TournamentConfig.model_fields, *times} - {"time_control", "settings"}
    keys = ("cycles", "legs", "challengers", "replays", "seed", "illegal_retries", "away_ms", "away_clock", "absent_ms")
    for name in (*times, *keys, "bench_after", "openings", "format", "acceleration"):
        value = times[name] if name in times else getattr(default, name)
        assert f" By default {value}." in about[name], (name, about[name])
    assert default.points == [1, 0.5, 0]
    assert " By default 1,0.5,0; above two seats places." in about["points"]
    for name in ("rated", "listed"):
        assert getattr(default, name)
        assert " By default yes." in about[name]
