"""The checks of this repository as tasks: `nox -l` lists them, `nox` runs the usual ones, `nox -s lint` runs one.

They use the active environment (`pip install -e '.[dev]'`), except those that make their own. `.ci/run` calls them all.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import nox

IN_PROCESS = ("-m", "not e2e", "--ignore=tests/browser", "-p", "no:cacheprovider")
"""The options of pytest that leave out tests which start a browser or processes."""
SERVERS = (
    *("-m", "e2e and not long", "-p", "no:cacheprovider"),
    *("tests/server/cluster", "tests/server/store", "tests/server/test_app.py", "tests/server/test_clubs.py"),
)
"""Tests of servers, nodes and databases that run in the process of the tests."""
NEWER = ("3.14", "3.13", "3.12")
"""The Pythons that `coverage` looks for, in this order."""

nox.options.default_venv_backend = "none"
nox.options.sessions = ["lint", "types", "contracts", "test"]


@nox.session
def lint(session: nox.Session) -> None:
    """Check the code by ruff, and its format."""
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Check types by mypy."""
    session.run("mypy", *session.posargs)


@nox.session
def scripts(session: nox.Session) -> None:
    """Check the types of the pages' scripts by tsc, which `npm install typescript` brings."""
    session.run("tsc", "--project", "jsconfig.json")


@nox.session
def contracts(session: nox.Session) -> None:
    """Check which package may import which."""
    session.run("lint-imports")


@nox.session
def test(session: nox.Session) -> None:
    """Run the tests, or those given: `nox -s test -- tests/engine -k hex`."""
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """Run the tests that start no browser and no processes, and servers in this process, on the newest Python found.

    Report their branch coverage. The others have limits of time that a measured process would miss on a busy machine.
    """
    newest = next(filter(None, map(interpreter, NEWER)), sys.executable)
    with environment(session, newest, "-e", ".[test,openspiel,postgres]") as run:
        run("coverage", "run", "-m", "pytest", *IN_PROCESS, *session.posargs)
        if not session.posargs:
            run("coverage", "run", "--append", "-m", "pytest", *SERVERS)
        run("coverage", "report", "--skip-covered")


@nox.session
def site(session: nox.Session) -> None:
    """Build the site into the folder site/, or another: `nox -s site -- -d FOLDER`. A broken link is an error."""
    session.run("mkdocs", "build", "--strict", *session.posargs, env={"NO_MKDOCS_2_WARNING": "1"})


@contextmanager
def environment(session: nox.Session, python: str, *wanted: str, **variables: str) -> Iterator[Callable[..., object]]:
    """Install what is wanted in a new environment of this Python, and give what runs one of its modules there."""
    with tempfile.TemporaryDirectory() as folder:
        session.run(python, "-m", "venv", folder)
        given = {**variables, "PATH": f"{folder}/bin:{os.environ['PATH']}"}

        def run(*arguments: str) -> object:
            return session.run(str(Path(folder, "bin", "python")), "-m", *arguments, env=given)

        run("pip", "install", "--quiet", *wanted)
        yield run


def interpreter(version: str) -> str | None:
    """Return the path of a Python that runs and has this version. A pyenv shim may be there and not run."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for found in (shutil.which(f"python{version}"), *pyenv.glob(f"{version}.*/bin/python")):
        told = found and subprocess.run([found, "--version"], capture_output=True, text=True).stdout
        if told and told.startswith(f"Python {version}."):
            return str(found)
    return None
