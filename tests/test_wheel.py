"""The wheel has all files of the packages and no others, and works when installed."""

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.test_repository import PACKAGES, PROJECT, ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, built from the sources."""
    folder = tmp_path_factory.mktemp("dist")
    python("-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT))
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the wheel unpacked as pip installs it, without dependencies."""
    folder = tmp_path_factory.mktemp("installed")
    python("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(folder), str(wheel))
    return folder


def python(*arguments: str, path: Sequence[Path] = ()) -> str:
    """Run Python with `path` first on its search path, and return its output."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(folder) for folder in path)}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def test_the_wheel_has_every_file_of_the_packages_and_nothing_else(wheel: Path) -> None:
    wanted = {
        str(Path(package.name, path.relative_to(package)))
        for package in PACKAGES
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    wanted |= set(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"].values())
    about = {name for name in names(wheel) if ".dist-info/" in name}
    assert names(wheel) - about == wanted
    assert {f"{package.name}/py.typed" for package in PACKAGES} <= wanted
    assert any(name.endswith("/licenses/LICENSE") for name in about)


def test_the_wheel_has_the_files_that_are_not_python(wheel: Path) -> None:
    folders = {str(Path(name).parent) for name in names(wheel) if not name.endswith((".py", ".typed"))}
    assert {
        "rumble_server/web/pages/templates",
        "rumble_server/web/static",
        "rumble_bots/data",
        "rumble_server/starters/data/javascript",
    } <= folders


def test_the_installed_packages_are_the_ones_that_run(installed: Path) -> None:
    modules = [package.name for package in PACKAGES]
    ask = f"import {', '.join(modules)}\nfor module in ({', '.join(modules)}): print(module.__file__)"
    assert python("-c", ask, path=[installed]).split() == [str(installed / name / "__init__.py") for name in modules]


def test_the_installed_command_knows_the_game_and_the_data_of_a_bot(installed: Path) -> None:
    asked = ["ask", "perfect", "--game", "tictactoe", "--position", "X....O.XO", "--json"]
    (entry,) = (installed / "bin").glob("rumble*")
    assert json.loads(python(str(entry), *asked, path=[installed]))["move"] == "2"


def test_the_installed_command_writes_starters(installed: Path, tmp_path: Path) -> None:
    (entry,) = (installed / "bin").glob("rumble*")
    python(str(entry), "new", "mine", "--language", "go", "--dir", str(tmp_path), path=[installed])
    assert {path.name for path in (tmp_path / "mine").iterdir()} == {"strategy.go", "bot.go", "go.mod", "README.md"}


def test_links_of_its_readme_work_from_a_package_page(wheel: Path) -> None:
    """Each relative link becomes absolute and leads to an existing file; a picture's link gives the picture."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = archive.read(name).decode()
    assert "Description-Content-Type: text/markdown\n" in metadata
    home, version = PROJECT["project"]["urls"]["Repository"], PROJECT["project"]["version"]
    assert f"Project-URL: Repository, {home}\n" in metadata
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)]+)\)", metadata)
    assert len(links) == len(re.findall(r"\]\(", readme)) > 10
    for picture, link in links:
        kind, tag, path = link.removeprefix(f"{home}/").split("/", 2)
        assert (kind, tag) == ("raw" if picture else "blob", f"v{version}")
        assert (ROOT / path).is_file(), link
