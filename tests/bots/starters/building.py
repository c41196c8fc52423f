"""Starters as authors get them: written by `rumble new`, and built by the command in their README."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rumble_server.cli.main import run as rumble
from rumble_server.starters.starter import STARTERS, Language, Starter

from tests.needs import missing

PATIENCE_S = 240.0
"""Seconds that a build may take, with a compiler on a busy machine."""
PROGRAMS: Mapping[str, Mapping[str, str]] = {
    "python": {},
    "javascript": {"node": "nodejs"},
    "java": {"java": "default-jdk-headless"},
    "go": {"go": "golang-go"},
    "cpp": {"g++": "g++"},
    "shell": {"sh": "dash", "awk": "mawk"},
}
"""The tools that each language needs, with their Debian packages."""
HEADERS = {"boost/beast/websocket.hpp": "libboost-dev", "nlohmann/json.hpp": "nlohmann-json3-dev"}
FAST_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of a virtual machine that starts fast and optimises little."""
GO_MODULE, GO_VERSION = "github.com/gorilla/websocket", "v1.5.0"
GO_SOURCES = Path("/usr/share/gocode/src", GO_MODULE)
GO_PACKAGE = "golang-github-gorilla-websocket-dev"


class Missing(Exception):
    """A language cannot be tested here; the text names the package to install."""


@dataclass(frozen=True, slots=True)
class Built:
    """A starter that can be run, or the reason why it cannot."""

    starter: Starter
    folder: Path
    missing: str | None

    def command(self) -> Sequence[str]:
        """Return the command to run the starter from any folder. Where CI is set, missing tools are a failure."""
        if self.missing is not None:
            missing(self.missing)
        command = self.starter.run.replace("java ", f"java {FAST_JAVA} ", 1)
        return ["sh", "-c", f'cd "$0" && exec {command}', str(self.folder)]


def build(language: str, folder: Path) -> Built:
    """Write the starter into `folder` and build it. Raises AssertionError if its own sources do not build."""
    starter = STARTERS[Language(language)]
    lacking = None
    target = folder / f"{language}-bot"
    try:
        look_for(language)
        assert rumble(["new", target.name, "--language", language, "--dir", str(folder)]) == 0
        if starter.build is not None:
            _run(["sh", "-c", starter.build], target, go_proxy(folder) if language == "go" else {})
    except Missing as why:
        lacking = str(why)
    return Built(starter, target, lacking)


def tool_path() -> str:
    """Return PATH with this Python's programs first, as in an activated virtual environment."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def look_for(language: str) -> None:
    wanted = [package for program, package in PROGRAMS[language].items() if shutil.which(program) is None]
    if language == "go" and not GO_SOURCES.is_dir():
        wanted.append(GO_PACKAGE)
    if language == "cpp" and not wanted:
        wanted += [package for header, package in HEADERS.items() if not _has_header(header)]
    if wanted:
        raise Missing(f"not installed: apt-get install {' '.join(wanted)}")


def _has_header(header: str) -> bool:
    source = f"#if !__has_include(<{header}>)\n#error\n#endif\n"
    return subprocess.run(["g++", "-E", "-x", "c++", "-"], input=source, capture_output=True, text=True).returncode == 0


def go_proxy(folder: Path) -> dict[str, str]:
    """Return the environment in which `go` reads its only module from Debian's sources, as from a module proxy."""
    versions = folder / "goproxy" / GO_MODULE / "@v"
    versions.mkdir(parents=True)
    (versions / "list").write_text(f"{GO_VERSION}\n")
    (versions / f"{GO_VERSION}.info").write_text(json.dumps({"Version": GO_VERSION}))
    shutil.copyfile(GO_SOURCES / "go.mod", versions / f"{GO_VERSION}.mod")
    with zipfile.ZipFile(versions / f"{GO_VERSION}.zip", "w") as archive:
        for file in GO_SOURCES.rglob("*"):
            if file.is_file():
                archive.write(file, f"{GO_MODULE}@{GO_VERSION}/{file.relative_to(GO_SOURCES)}")
    return {
        "GOPROXY": (folder / "goproxy").as_uri(),
        "GOSUMDB": "off",
        "GOFLAGS": "-modcacherw",
        "GOMODCACHE": str(folder / "gomodules"),
    }


def _run(command: Sequence[str], folder: Path, extra: Mapping[str, str] | None = None) -> None:
    environment = {**os.environ, "PATH": tool_path(), **(extra or {})}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"
