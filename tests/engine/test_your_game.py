"""The template for a new game: installed as a separate package, the game is found and passes the conformance kit."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.test_repository import PROJECT

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

TEMPLATE = Path(__file__).parents[2] / "docs" / "examples" / "your-game"


def python(*arguments: str, path: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(path)}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the template installed by pip, without its dependencies."""
    folder = tmp_path_factory.mktemp("installed")
    pip = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation")
    python(*pip, "--target", str(folder), str(TEMPLATE), path=folder)
    return folder


def test_the_template_depends_on_the_distribution_with_the_engine() -> None:
    template = tomllib.loads((TEMPLATE / "pyproject.toml").read_text(encoding="utf-8"))
    assert template["project"]["dependencies"] == [PROJECT["project"]["name"]]


@pytest.mark.parametrize("settings", ["{}", '{"last": "loses"}'])
def test_the_game_of_the_template_passes_the_kit(installed: Path, settings: str) -> None:
    said = python("-m", "rumble_engine.conformance", "nim", "--playouts", "50", "--settings", settings, path=installed)
    assert said.startswith("nim passes: 50 playouts, ")


def test_the_game_of_the_template_is_listed_with_our_games(installed: Path) -> None:
    said = python("-c", "import rumble_engine; print(*rumble_engine.game_names())", path=installed)
    assert {"nim", "tictactoe"} <= set(said.split())


def test_building_the_template_leaves_nothing_behind() -> None:
    found = {path.relative_to(TEMPLATE).as_posix() for path in TEMPLATE.rglob("*") if "__pycache__" not in path.parts}
    assert found == {"pyproject.toml", "rumble_nim", "rumble_nim/__init__.py", "rumble_nim/py.typed"}
