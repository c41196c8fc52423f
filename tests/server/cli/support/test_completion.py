"""Completion in a shell: commands, options and values, of every command."""

from pathlib import Path

import pytest
from rumble_bots.reference import REFERENCE_BOTS
from rumble_server.cli.main import run
from rumble_server.tournament.formats import FORMATS

from tests.server.cli.run_here import Captured


def completed(monkeypatch: pytest.MonkeyPatch, capsys: Captured, line: str) -> list[str]:
    """Return bash's completions of the last word of a line."""
    words = line.split(" ")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    monkeypatch.setenv("_RUMBLE_COMPLETE", "complete_bash")
    with pytest.raises(SystemExit) as ended:
        run([])
    assert ended.value.code == 0
    return capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("rumble t", ["tournament", "token"]),
        ("rumble tournament re", ["resume", "remove", "reset-key", "replay"]),
        ("rumble tournament create Fri --game hex --away", ["--away-ms", "--away-clock"]),
        ("rumble tournament create Fri --format k", ["knockout"]),
        ("rumble tournament create Fri --pairing-rules ", ["dutch-2025", "dutch-2026", "tables"]),
        ("rumble bridge ", ["stdio", "uci", "gtp", "gomocup", "battlesnake"]),
        ("rumble play --game c", ["checkers", "chess", "connect4"]),
        ("rumble battle random m", ["minimax", "mcts"]),
        ("rumble demo --bots random,mi", ["random,minimax"]),
        ("rumble demo --format k", ["knockout"]),
        ("rumble ask ", list(REFERENCE_BOTS)),
        ("rumble tournament create Fri --format ", list(FORMATS)),
        ("rumble serve --ping", ["--ping-ms"]),
        ("rumble bot nothing-like-it", []),
    ],
)
def test_a_line_is_completed(line: str, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    assert completed(monkeypatch, capsys, line) == words


def test_a_script_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr("typer._completion_shared._get_shell_name", lambda: "bash")
    with pytest.raises(SystemExit) as ended:
        run(["--install-completion"])
    assert ended.value.code == 0
    assert "bash completion installed" in capsys.readouterr().out
    assert "complete_bash" in (tmp_path / ".bash_completions/rumble.sh").read_text()
