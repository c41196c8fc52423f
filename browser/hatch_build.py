"""Collect the files of `rumble_browser/data`: Pyodide, CodeMirror as one script, the engine and two reference bots."""

import gzip
import json
import shutil
import subprocess
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BROWSER = Path(__file__).parent
REPOSITORY = BROWSER.parent
DATA = BROWSER / "rumble_browser" / "data"
PACKAGES = (
    "pyodide@0.29.5",  # from 0.30 on, its main script is a module, which classic workers cannot import everywhere
    "codemirror@6.0.2",
    "@codemirror/lang-javascript@6.2.5",
    "@codemirror/lang-python@6.2.1",
    "esbuild@0.28.2",
)
PYODIDE = ("pyodide.asm.js", "pyodide.asm.wasm", "pyodide.js", "python_stdlib.zip")
ENGINE = (
    "engine/rumble_engine/**/*.py",
    "bots/rumble_bots/knowledge/*.py",
    # Without `__init__.py`, so that only what is used is imported, and pydantic is not needed.
    *(f"bots/rumble_bots/reference/{name}.py" for name in ("errors", "heuristic", "random_bot", "reference_bot")),
    "bots/rumble_bots/reference/winner.py",
    "bots/rumble_bots/search/base.py",
)


class Hook(BuildHookInterface[Any]):
    """Builds the files before they are packed into the wheel. Raises CalledProcessError if npm or esbuild fails."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        shutil.rmtree(DATA, ignore_errors=True)
        DATA.mkdir()
        with tempfile.TemporaryDirectory() as folder:
            quiet = ("--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error")
            subprocess.run([str(shutil.which("npm")), "install", "--prefix", folder, *quiet, *PACKAGES], check=True)
            modules = Path(folder, "node_modules")
            for name in PYODIDE:
                _pack(name, (modules / "pyodide" / name).read_bytes())
            # Without the packages, which no worker could fetch.
            lock = json.loads((modules / "pyodide" / "pyodide-lock.json").read_bytes())
            _pack("lock.json", json.dumps({**lock, "packages": {}}).encode())
            # The entry is beside the modules, because esbuild looks for modules in the folders above it.
            entry, made = Path(folder, "editor.js"), Path(folder, "made.js")
            shutil.copy(BROWSER / "editor.js", entry)
            esbuild = modules / ".bin" / "esbuild"
            options = ("--bundle", "--minify", "--format=esm", "--target=es2022", "--legal-comments=none")
            subprocess.run([str(esbuild), str(entry), *options, f"--outfile={made}"], check=True)
            _pack("editor.js", made.read_bytes())
        with zipfile.ZipFile(DATA / "engine.zip", "w", zipfile.ZIP_DEFLATED) as engine:
            for pattern in ENGINE:
                for path in sorted(REPOSITORY.glob(pattern)):
                    engine.write(path, Path(*path.relative_to(REPOSITORY).parts[1:]))
            engine.write(BROWSER / "rumble_browser" / "worker.py", "rumble_worker.py")
            engine.writestr("botrumble-0.dist-info/METADATA", "Metadata-Version: 2.1\nName: botrumble\nVersion: 0\n")
            engine.writestr("botrumble-0.dist-info/entry_points.txt", _games())


def _pack(name: str, content: bytes) -> None:
    if name.endswith(".zip"):
        (DATA / name).write_bytes(content)
    else:
        (DATA / f"{name}.gz").write_bytes(gzip.compress(content, mtime=0))


def _games() -> str:
    """Return the entry points of the games, by which the engine finds them."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    games = project["entry-points"]["rumble.games"]
    return "[rumble.games]\n" + "".join(f"{name} = {place}\n" for name, place in games.items())
