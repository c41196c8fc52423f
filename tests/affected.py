"""A change and the tests it concerns: `python -m tests.affected [REV]` lists Python files, the nearest tests first.

A change is every difference from REV (HEAD), with new files; `*` stands before changed files. The change concerns a
file of tests that imports a changed file, directly or through one source. Helpers of tests count as part of the tests
that import them. Tests further away are left to the whole run. A changed file other than Python (a template, a page,
a sample) concerns the tests whose text contains the file's name.
"""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ("engine", "protocol", "server", "bots")
REACH = 2
"""Maximum number of imports between a changed source and a file of tests; helpers of tests do not count."""


def changed_files(root: Path, revision: str) -> list[str]:
    """Return the existing files that differ from a revision, and new files that are not ignored."""
    differ = _git(root, "diff", "--name-only", "--diff-filter=d", "--relative", revision, "--")
    return sorted({*differ, *_git(root, "ls-files", "--others", "--exclude-standard")})


def _git(root: Path, *arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr.strip())
    return done.stdout.splitlines()


def python_files(root: Path) -> dict[str, str]:
    """Return the files of sources and tests by the names of their modules."""
    found = {}
    for top in (*SOURCES, "tests"):
        base = root if top == "tests" else root / top
        for path in (root / top).rglob("*.py"):
            parts = path.relative_to(base).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.relative_to(root).as_posix()
    return found


def imports_of(path: Path) -> Iterator[str]:
    """Yield the names of all modules that a file imports, and of all names imported from modules."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)


def importers(root: Path, files: Mapping[str, str]) -> dict[str, set[str]]:
    """Return, for each file, the files that import it."""
    found: dict[str, set[str]] = {file: set() for file in files.values()}
    for file in files.values():
        for name in imports_of(root / file):
            if name in files:
                found[files[name]].add(file)
    return found


def is_tests(file: str) -> bool:
    """Return whether a file contains tests, rather than helpers."""
    return file.startswith("tests/") and Path(file).name.startswith("test_") and file.endswith(".py")


def affected(changed: Iterable[str], imported_by: Mapping[str, set[str]], reach: int = REACH) -> list[str]:
    """Return the files of tests within `reach` imports of the changed ones, the nearest first."""
    distance: dict[str, int] = {}
    now = {file for file in changed if file in imported_by}
    for steps in range(reach + 1):
        following: set[str] = set()
        while now:
            file = now.pop()
            if file not in distance:
                distance[file] = steps
                for importer in imported_by[file]:
                    (now if file.startswith("tests/") else following).add(importer)
        now = following
    return sorted(filter(is_tests, distance), key=lambda file: (distance[file], file))


def naming(root: Path, changed: Iterable[str]) -> list[str]:
    """Return the files of tests whose text contains the name of a changed file other than Python."""
    names = [Path(file).name for file in changed if not file.endswith(".py")]
    tests = [path for path in (root / "tests").rglob("test_*.py") if names]
    return sorted(
        path.relative_to(root).as_posix()
        for path in tests
        if any(name in text for text in [path.read_text(encoding="utf-8")] for name in names)
    )


def concerned(root: Path, revision: str = "HEAD") -> list[str]:
    """Return the changed Python files, each with `*`, and then the files of tests that the change concerns."""
    changed = changed_files(root, revision)
    near = affected(changed, importers(root, python_files(root)))
    own = [file for file in changed if file.endswith(".py")]
    return [*[f"*{file}" for file in own], *dict.fromkeys(f for f in [*near, *naming(root, changed)] if f not in own)]


if __name__ == "__main__":
    print("\n".join(concerned(ROOT, *sys.argv[1:])))
