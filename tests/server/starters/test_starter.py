"""The starters as files: their pages, the copies of `rumble new`, and the wheel."""

import re
import tomllib
from pathlib import Path

import pytest
from rumble_server.cli.main import run
from rumble_server.starters.starter import PLACEHOLDER, STARTERS, Language, Starter

from tests.command_line import parse_all
from tests.docs_blocks import ROOT, Block, blocks, check_page
from tests.server.cli.run_here import Captured, printed, refused

BOTS = ROOT / "bots"
ALL = pytest.mark.parametrize("starter", STARTERS.values(), ids=STARTERS)


@ALL
def test_the_readme_of_a_starter_tells_how_to_build_run_and_check(starter: Starter) -> None:
    def is_what_is_tested(block: Block) -> None:
        build, *rest = block.text.splitlines() if starter.build else ["", *block.text.splitlines()]
        assert build == (starter.build or "")
        variables = "RUMBLE_SERVER=127.0.0.1:8765 RUMBLE_JOIN=friday RUMBLE_NAME=my-bot"
        assert rest == [f"{variables} {starter.run}", f"rumble check -- {starter.run}"]
        parse_all(rest[1:])

    assert check_page(BOTS / starter.language / "README.md", {"sh": is_what_is_tested}) == 1


@ALL
def test_the_folder_of_a_starter_has_its_files_and_no_others(starter: Starter) -> None:
    made = {"bot", "go.sum", "Bot.class", "__pycache__"}
    there = {path.name for path in (BOTS / starter.language).iterdir()} - made
    assert there - {"bare_bot.py"} == set(starter.files)


@ALL
def test_a_starter_is_written_under_the_name_of_its_bot(starter: Starter, tmp_path: Path, capsys: Captured) -> None:
    assert run(["new", "Deep.Thought", "--language", starter.language, "--dir", str(tmp_path / "mine")]) == 0
    folder = tmp_path / "mine" / "Deep.Thought"
    for file in starter.files:
        source = (BOTS / starter.language / file).read_text(encoding="utf-8")
        assert (folder / file).read_text(encoding="utf-8") == source.replace("my-bot", "Deep.Thought")
    assert {path.name for path in folder.iterdir()} == set(starter.files)
    assert any(PLACEHOLDER in (BOTS / starter.language / file).read_text(encoding="utf-8") for file in starter.files)
    lines = [line.partition("  # ")[0].strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == f"cd {folder}"
    assert lines[1:-4] == ([starter.build] if starter.build else [])
    assert lines[-4:-2] == [f"rumble {command} -- {starter.run}" for command in ("check", "practice")]
    assert lines[-2].endswith(f" RUMBLE_NAME=Deep.Thought {starter.run}")
    assert lines[-1].endswith(f" $env:RUMBLE_NAME='Deep.Thought'; {starter.run}")
    parse_all(lines[-4:-2])


def test_the_last_command_joins_the_tournament_of_the_options(tmp_path: Path, capsys: Captured) -> None:
    options = ["--server", "http://192.0.2.1:8765", "--join", "cup", "--invite", "hush hush"]
    assert run(["new", "ada", "--dir", str(tmp_path), *options]) == 0
    variables = (
        r"RUMBLE_SERVER=192\.0\.2\.1:8765 RUMBLE_JOIN=cup RUMBLE_NAME=ada RUMBLE_KEY=\S{16,} RUMBLE_INVITE='hush hush'"
    )
    shown = capsys.readouterr().out
    assert re.search(rf"^{variables} python bot.py +#", shown, re.MULTILINE)
    assert re.search(r"; \$env:RUMBLE_INVITE='hush hush'; python bot.py  #", shown)
    shell = ["--server", "https://rumble.example", "--language", "shell"]
    line = printed(capsys, "new", "bob", "--dir", str(tmp_path), *shell)
    assert "\nRUMBLE_SERVER=https://rumble.example RUMBLE_JOIN=friday RUMBLE_NAME=bob rumble" in line
    club = ["--server", "http://192.0.2.1:8765/c/fun", "--language", "go"]
    assert run(["new", "eve", "--dir", str(tmp_path), *club]) == 0
    assert (
        "\nRUMBLE_SERVER=192.0.2.1:8765/c/fun RUMBLE_JOIN=friday RUMBLE_NAME=eve RUMBLE_KEY=" in capsys.readouterr().out
    )
    assert "RUMBLE_KEY" not in printed(capsys, "new", "cid", "--dir", tmp_path)
    assert run(["new", "dan", "--dir", str(tmp_path), "--server", "nowhere:x"]) == 2
    assert not (tmp_path / "dan").exists()


def test_nothing_is_overwritten(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "file").touch()
    for name in ("mine", "file"):
        line = refused(capsys, 1, "new", name, "--dir", tmp_path)
        assert line == f"rumble: {tmp_path / name} exists: choose another name, or another --dir\n"
        with pytest.raises(FileExistsError):
            STARTERS[Language.GO].write(name, tmp_path)
    assert list((tmp_path / "mine").iterdir()) == []


@pytest.mark.parametrize("name", ["a b", "", "../up", ".hidden", "x" * 33, "a/b"])
def test_a_name_that_no_server_would_take(name: str, tmp_path: Path, capsys: Captured) -> None:
    assert "is not a name" in refused(capsys, 2, "new", name, "--dir", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "file").touch()
    assert refused(capsys, 1, "new", "mine", "--dir", tmp_path / "file").count("\n") == 1


def test_the_command_knows_every_language() -> None:
    assert [language.value for language in Language] == list(STARTERS)


def test_the_table_of_the_readme_has_the_commands_of_each_starter() -> None:
    table = (BOTS / "README.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("| `")]
    assert [row[:4] + row[5:] for row in rows] == [
        [
            f"`{language}`",
            f"[{language}]({language})",
            f"`{starter.build}`" if starter.build else "",
            f"`{starter.run}`",
            f"`{starter.strategy}`",
        ]
        for language, starter in STARTERS.items()
    ]
    assert blocks(BOTS / "README.md") == []
    links = re.findall(r"\]\(([^)]+)\)", table)
    assert [link for link in links if not (BOTS / link).exists()] == []


def test_a_wheel_has_all_files_of_all_starters_and_the_bare_bot() -> None:
    files = [f"{language}/{file}" for language, starter in STARTERS.items() for file in starter.files]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"] == {
        f"bots/{file}": f"rumble_server/starters/data/{file}" for file in [*files, "python/bare_bot.py"]
    }
