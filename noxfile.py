"""The checks of this repository as tasks. `nox -l` lists the tasks, `nox` runs the usual tasks, `nox -s lint` runs one.

The tasks `newest` and `releases` make an environment of their own. All other tasks use the active environment
(`pip install -e '.[dev]'`). `.ci/run` is the gate, which runs tasks in order.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import nox
from packaging.requirements import Requirement

IN_PROCESS = ("-m", "not e2e and not long")
"""Options of pytest that leave out tests which start a browser, processes or sockets."""
DIFFERS = (
    *("tests/protocol", "tests/bots/sdk", "tests/server/gateway", "tests/server/store", "tests/server/web"),
    *(
        "tests/server/cli",
        "tests/server/clubs",
        "tests/server/test_app.py",
        "tests/server/test_restart.py",
        "tests/server/host/test_tls.py",
        "tests/engine/test_conformance.py",
    ),
)
"""Tests of parts that depend on the version of Python: annotations for pydantic, asyncio, TLS, sqlite3, commands."""
NEWER = ("3.14", "3.13", "3.12")
"""Versions of Python that `newest` looks for, in this order."""
PRIVATE = ("websockets", "uvicorn", "py4swiss")
"""Libraries whose private parts Rumble uses. `releases` tries the oldest and the newest release of each."""
OF_PRIVATE = (
    "tests/server/gateway",
    "tests/server/test_app.py",
    "tests/server/test_restart.py",
    "tests/server/host/test_tls.py",
    "tests/server/tournament/pairs",
)
"""Tests of the code that uses these private parts."""
NO_TESTS = 5
"""Exit code of pytest if no test was selected."""
MOST_FILES = 60
"""Maximum number of unchanged files of tests that `quick` runs in half a minute. `test` runs all files."""

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
    """Check the import contracts between packages."""
    session.run("lint-imports")


@nox.session
def test(session: nox.Session) -> None:
    """Run all tests, or the given tests: `nox -s test -- tests/engine -k hex`."""
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session
def quick(session: nox.Session) -> None:
    """Check the difference from a commit (HEAD, or `nox -s quick -- REV`).

    Check the format of all files. Run the tests of modules that differ or import such a module. Check the types of
    these modules and tests at the same time.
    """
    session.run("ruff", "check", "--quiet", ".")
    session.run("ruff", "format", "--quiet", "--check", ".")
    files = str(session.run("python", "-m", "tests.affected", *session.posargs, silent=True)).split()
    changed = [file[1:] for file in files if file.startswith("*")]
    others = [file for file in files if not file.startswith("*")]
    own, near = [file for file in changed if Path(file).name.startswith("test_")], others[:MOST_FILES]
    command = ["mypy", *changed, *near] if changed or near else ["true"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as typing:
        if own:
            session.run("python", "-m", "pytest", "-q", "-m", "not long", *own, env={"RUMBLE_SLOW": "1"})
        if near:
            session.run("python", "-m", "pytest", "-q", *IN_PROCESS, *near, success_codes=[0, NO_TESTS])
        session.log(f"left to the whole run: {len(others) - len(near)} files of tests that are further away")
        told = typing.communicate()[0].rstrip()
    session.log(told)
    if typing.returncode:
        session.error("the types are wrong")


@nox.session
def newest(session: nox.Session) -> None:
    """Run the tests that another Python may break, with the newest Python found."""
    python = next(filter(None, map(interpreter, NEWER)), sys.executable)
    with environment(session, python, "-e", ".[test,postgres]", RUMBLE_SLOW="1") as run:
        run("pytest", "-p", "no:cacheprovider", *(session.posargs or (*IN_PROCESS, *DIFFERS)))


@nox.session
def coverage(session: nox.Session) -> None:
    """Run all tests but the long ones, report their branch coverage, and fail below the floor."""
    session.run("python", "-m", "pytest", "-m", "not long", "--cov", *session.posargs, env={"RUMBLE_SLOW": "1"})


@nox.session
def long(session: nox.Session) -> None:
    """Run all tests, also the long ones, at full size."""
    session.run("python", "-m", "pytest", *session.posargs, env={"RUMBLE_LONG": "1"})


@nox.session
def releases(session: nox.Session) -> None:
    """Try the oldest permitted and the newest releases of the libraries whose private parts Rumble uses."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [each for each in map(Requirement, project["dependencies"]) if each.name in PRIVATE]
    oldest = [f"{each.name}=={next(s.version for s in each.specifier if s.operator == '>=')}" for each in wanted]
    with environment(session, sys.executable, "-e", ".[test]") as run:
        for libraries in (oldest, ["--upgrade", *PRIVATE]):
            run("pip", "install", "--quiet", *libraries)
            run("pytest", "-q", "-p", "no:cacheprovider", *OF_PRIVATE)


@nox.session
def site(session: nox.Session) -> None:
    """Build the site into the folder site/, or another: `nox -s site -- -d FOLDER`. A broken link is an error."""
    session.run("mkdocs", "build", "--strict", *session.posargs, env={"NO_MKDOCS_2_WARNING": "1"})


@contextmanager
def environment(session: nox.Session, python: str, *wanted: str, **variables: str) -> Iterator[Callable[..., object]]:
    """Install `wanted` in a new environment of `python`. Yield a function that runs a module in the environment."""
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
