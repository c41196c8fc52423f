"""Bots as zips, unpacked and run as pupils do: in a folder with a space and an umlaut, without installed packages."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest
from rumble_server.cli.main import run
from rumble_server.starters.starter import STARTERS, Language

from tests.bots.starters.building import Missing, go_proxy, look_for, tool_path
from tests.e2e.processes import ADMIN_TOKEN, Server, clean_environment, serving
from tests.needs import LONG, missing

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

PATIENCE_S = 240.0
LANGUAGES = [language for language in STARTERS if LONG or language is not Language.CPP]
"""Languages of the zips: C++ takes half a minute of a core, so only long runs have it."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("server"), "--admin-token", ADMIN_TOKEN) as server:
        yield server


def bare_path(folder: Path) -> str:
    """Return PATH with a `python3` in front that has no installed packages."""
    folder.mkdir()
    (folder / "python3").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -S -E "$@"\n')
    (folder / "python3").chmod(0o755)
    return os.pathsep.join([str(folder), tool_path()])


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_unpacked_zip_plays_by_one_command(language: Language, server: Server, tmp_path: Path) -> None:
    try:
        look_for(language)
    except Missing as lacking:
        missing(str(lacking))
    cup = f"cup-{language}"
    hosting = ("--server", server.url, "--host-token", ADMIN_TOKEN)
    assert run(["tournament", "create", cup, "--game", "connect4", "--start-at-bots", "2", *hosting]) == 0
    assert run(["tournament", "house", cup, "heuristic", *hosting]) == 0
    form = {"language": language, "tournament": cup, "name": f"{language}-pupil"}
    packed = httpx.post(f"{server.url}/join/zip", data=form).raise_for_status().content
    folder = tmp_path / "Bücher von Jürgen"
    ZipFile(BytesIO(packed)).extractall(folder)
    variables = {"PATH": bare_path(tmp_path / "bin"), **(go_proxy(tmp_path) if language is Language.GO else {})}
    command = ["sh", str(folder / "bot" / "run.sh")]
    environment = clean_environment(tmp_path, variables)
    done = subprocess.run(
        command,
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (match, *_) = httpx.get(f"{server.url}/api/tournaments/{cup}/matches").raise_for_status().json()["matches"]
    assert (f"{language}-pupil" in match["seats"], match["termination"]) == (True, "normal")
