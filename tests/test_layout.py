"""Every source file has a test file of its name at the mirrored place, or a row in CONTRIBUTING.md with its tests."""

import ast
import re
from collections.abc import Iterable
from pathlib import Path

from tests.test_repository import PACKAGES, ROOT

MARKER = "<!-- table: sources without a test file of their name -->"


def expanded(path: str) -> list[str]:
    """Expand each `{a,b}` of a path, as a shell does."""
    braces = re.search(r"\{([^{}]*)\}", path)
    if braces is None:
        return [path]
    before, after = path[: braces.start()], path[braces.end() :]
    return [each for word in braces[1].split(",") for each in expanded(f"{before}{word}{after}")]


def paths_in(cell: str) -> list[str]:
    return [path for text in re.findall("`([^`]+)`", cell) for path in expanded(text)]


def rows_of(page: str) -> list[tuple[list[str], list[str]]]:
    """Return the rows of the marked table: sources, and what tests them. A test may have a `*`."""
    _, marker, rest = page.partition(MARKER)
    assert marker, f"the page has no {MARKER}"
    lines = [line for line in rest.strip().partition("\n\n")[0].splitlines() if line.startswith("| `")]
    cells = [line.strip("| ").split(" | ") for line in lines]
    return [(paths_in(sources), paths_in(tests)) for sources, tests in cells]


def own_test(source: Path) -> Path:
    """Return the test file of a source file's name. That of a package's `__init__.py` has the name of the package."""
    top, _, *folders, _ = source.parts
    return Path("tests", top, *folders, f"test_{source.parent.name if source.stem == '__init__' else source.stem}.py")


def needs_tests(path: Path) -> bool:
    """Return whether a file is more than an `__init__.py` that only exports."""
    defines = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return path.name != "__init__.py" or any(isinstance(each, defines) for each in tree.body)


def problems(root: Path, packages: Iterable[Path], page: str) -> list[str]:
    """Return what is wrong with the test files of these packages, or with the table."""
    found, listed = [], set()
    for sources, tests in rows_of(page):
        found += [f"{test}: there is no such test" for test in tests if not list(root.glob(test))]
        for source in sources:
            if not (root / source).is_file():
                found.append(f"{source}: there is no such file")
            elif (root / own_test(Path(source))).is_file():
                found.append(f"{source}: it has a test file of its name, and needs no row")
            elif source in listed or not tests:
                found.append(f"{source}: it has two rows, or one without a test")
            listed.add(source)
    for path in sorted(file for package in packages for file in package.rglob("*.py")):
        name, test = path.relative_to(root).as_posix(), own_test(path.relative_to(root))
        if needs_tests(path) and not (root / test).is_file() and name not in listed:
            found.append(f"{name}: there is neither {test} nor a row in CONTRIBUTING.md")
    return found


def test_every_source_file_has_a_test_file_of_its_name_or_a_row() -> None:
    assert problems(ROOT, PACKAGES, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")) == []


def test_each_way_to_be_wrong_is_found(tmp_path: Path) -> None:
    files = {
        "engine/rumble_engine/__init__.py": "from a import b\n",
        "engine/rumble_engine/games/__init__.py": "def load(): ...\n",
        "engine/rumble_engine/games/{chess,hex,go}.py": "",
        "tests/engine/games/test_{hex,go}.py": "",
    }
    for names, text in files.items():
        for name in expanded(names):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
    table = f"{MARKER}\n\n| source | tested by |\n|---|---|\n"
    package = tmp_path / "engine" / "rumble_engine"
    games, tests = "engine/rumble_engine/games", "tests/engine/games"

    def told(*rows: str) -> list[str]:
        return [problem.partition(": ")[2][:18] for problem in problems(tmp_path, [package], table + "\n".join(rows))]

    good = f"| `{games}/{{__init__,chess}}.py` | `{tests}/test_*.py` |"
    assert told(good) == []
    assert told() == ["there is neither t", "there is neither t"]
    assert told(good, f"| `{games}/nim.py` | `{tests}/test_go.py` |") == ["there is no such f"]
    assert told(good, f"| `{games}/hex.py` | `{tests}/test_go.py` |") == ["it has a test file"]
    assert told(good.replace("test_*", "test_nim")) == ["there is no such t"]
    assert told(good, good) == ["it has two rows, o"] * 2
