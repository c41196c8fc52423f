"""Every source file has a test in the first place to look, or a row in CONTRIBUTING.md with its tests and a reason."""

import ast
import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.test_repository import PACKAGES, ROOT

MARKER = "<!-- table: sources that are tested elsewhere -->"


def expanded(path: str) -> list[str]:
    """Expand each `{a,b}` of a path, as a shell does."""
    braces = re.search(r"\{([^{}]*)\}", path)
    if braces is None:
        return [path]
    before, after = path[: braces.start()], path[braces.end() :]
    return [each for word in braces[1].split(",") for each in expanded(f"{before}{word}{after}")]


def paths_in(cell: str) -> list[str]:
    return [path for text in re.findall("`([^`]+)`", cell) for path in expanded(text)]


class Row(NamedTuple):
    """A row of the table. A test may have a `*`."""

    sources: list[str]
    tests: list[str]
    reason: str


def rows_of(page: str) -> list[Row]:
    _, marker, rest = page.partition(MARKER)
    assert marker, f"the page has no {MARKER}"
    lines = [line for line in rest.strip().partition("\n\n")[0].splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    return [Row(paths_in(sources), paths_in(tests), "".join(reason)) for sources, tests, *reason in cells]


_IMPORT = re.compile(r"^ *(?:from ([\w.]+) )?import (?:\(([^)]*)\)|(.+))", re.MULTILINE)


def imports(text: str) -> list[tuple[str, str]]:
    """Return the imports of a file as (module, name in the module); the module is empty for `import name`."""
    names = ((module, re.sub("#.*", "", several + one).split(",")) for module, several, one in _IMPORT.findall(text))
    return [(module, name.split()[0]) for module, listed in names for name in listed if name.strip()]


class File:
    """A Python file, which is read on first use."""

    def __init__(self, path: Path, root: Path) -> None:
        self.path = path
        self.name = path.relative_to(root).as_posix()
        parts = path.relative_to(root).with_suffix("").parts[1:]
        self.module = ".".join(parts[:-1] if parts[-1:] == ("__init__",) else parts)

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text(encoding="utf-8"))

    @cached_property
    def imports(self) -> list[tuple[str, str]]:
        return imports(self.path.read_text(encoding="utf-8"))

    @cached_property
    def imported(self) -> set[str]:
        """Imported names: `a.b` and `a.b.c` for `from a.b import c`."""
        return {each for module, name in self.imports for each in (module, f"{module}.{name}".lstrip("."))}

    @property
    def only_declares(self) -> bool:
        """True if the file has nothing to test: constants, types, and classes without working methods."""
        return all(_declares(each) for each in self.tree.body) and not any(
            isinstance(node, ast.Lambda | ast.comprehension) for node in ast.walk(self.tree)
        )


def _declares(node: ast.stmt) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Assign() | ast.AnnAssign() | ast.Pass():
            return True
        case ast.Expr(ast.Constant()):
            return True
        case ast.ClassDef() | ast.If(ast.Name("TYPE_CHECKING"), orelse=[]):
            return all(_declares(each) for each in node.body)
        case ast.FunctionDef(name="__init__"):
            return all(isinstance(each, ast.Assign | ast.AnnAssign | ast.Expr) for each in node.body)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return all(isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) for each in node.body)
    return False


class Sources:
    """The files of some packages, and the tests that reach each file."""

    def __init__(self, root: Path, packages: Iterable[Path]) -> None:
        self._root = root
        paths = sorted(path for package in packages for path in package.rglob("*.py"))
        self.files = {file.module: file for file in (File(path, root) for path in paths)}
        self._tests: dict[Path, list[File]] = {}

    def own_test(self, file: File) -> Path:
        """Return the test file named after a source. A package's `__init__.py` counts under the package's name."""
        path = file.path
        return self._folder(file) / f"test_{path.parent.name if path.stem == '__init__' else path.stem}.py"

    def needs_row(self, file: File) -> bool:
        if file.path.name == "__init__.py" and not any(
            isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for each in file.tree.body
        ):
            return False
        return not (self.is_tested(file) or file.only_declares or self._is_part_of_one(file))

    def is_tested(self, file: File) -> bool:
        """Return whether a test has the file's name, or imports from it in the mirrored folder or the folder above."""
        if self.own_test(file).is_file():
            return True
        folder, package = self._folder(file), file.module.rpartition(".")[0]
        exports = self.files[package].imports if package in self.files else []
        exported = {file.module, *(f"{package}.{name}" for module, name in exports if module == file.module)}
        near = [folder] if len(file.path.relative_to(self._root).parts) <= 3 else [folder, folder.parent]
        return any(exported & test.imported for each in near for test in self._tests_in(each))

    def _is_part_of_one(self, file: File) -> bool:
        """Return whether exactly one module imports the file, from its folder or the folder above, and is tested."""
        importers = [
            each for each in self.files.values() if file.module in each.imported and each.path.name != "__init__.py"
        ]
        folder = file.path.parent
        return (
            len(importers) == 1 and importers[0].path.parent in (folder, folder.parent) and self.is_tested(importers[0])
        )

    def _folder(self, file: File) -> Path:
        """Return the folder of tests that mirrors a source's folder."""
        top, _, *folders, _ = file.path.relative_to(self._root).parts
        return self._root.joinpath("tests", top, *folders)

    def _tests_in(self, folder: Path) -> list[File]:
        if folder not in self._tests:
            self._tests[folder] = [File(path, self._root) for path in sorted(folder.glob("test_*.py"))]
        return self._tests[folder]


def problems(root: Path, packages: Iterable[Path], page: str) -> list[str]:
    """Return all problems with the test files of some packages, and with the table."""
    found, listed, sources = [], set(), Sources(root, packages)
    by_name = {file.name: file for file in sources.files.values()}
    for row in rows_of(page):
        found += [f"{test}: there is no such test" for test in row.tests if not list(root.glob(test))]
        if not row.tests or not row.reason:
            found.append(f"{', '.join(row.sources)}: the row has no test, or no reason")
        for source in row.sources:
            if source not in by_name:
                found.append(f"{source}: there is no such file")
            elif not sources.needs_row(by_name[source]):
                found.append(f"{source}: it needs no row")
            elif source in listed:
                found.append(f"{source}: it has two rows")
            listed.add(source)
    for name, file in by_name.items():
        if name not in listed and sources.needs_row(file):
            test = sources.own_test(file).relative_to(root).as_posix()
            found.append(f"{name}: there is neither {test}, nor a test near it that imports it, nor a row")
    return found


def test_every_source_file_is_tested_at_the_same_place_or_has_a_row() -> None:
    assert problems(ROOT, PACKAGES, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")) == []


# --- the rule itself ---

GAMES = "engine/rumble_engine/games"
NEAR = "tests/engine/games"
LOGIC = "def play():\n    return 1\n"
NO_TEST = ["chess.py: there is neither tests/engine/games/test_chess.py,"]


def problems_in(folder: Path, files: dict[str, str], *rows: str) -> list[str]:
    """Return the problems of a small package: `FILE: the first words`."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    table = f"{MARKER}\n\n| source | tested by | reason |\n|---|---|---|\n"
    found = problems(folder, [folder / "engine" / "rumble_engine"], table + "\n".join(rows))
    parts = (each.partition(": ") for each in found)
    return [f"{Path(name).name}: {' '.join(what.split()[:4])}" for name, _, what in parts]


def test_a_module_with_logic_needs_a_test_of_its_name(tmp_path: Path) -> None:
    assert problems_in(tmp_path, {f"{GAMES}/chess.py": LOGIC}) == NO_TEST
    assert problems_in(tmp_path, {f"{NEAR}/test_chess.py": ""}) == []


def test_a_package_that_defines_something_needs_a_test_of_its_name(tmp_path: Path) -> None:
    assert problems_in(tmp_path, {f"{GAMES}/__init__.py": "from rumble_engine import board\n"}) == []
    assert len(problems_in(tmp_path, {f"{GAMES}/__init__.py": LOGIC})) == 1
    assert problems_in(tmp_path, {f"{NEAR}/test_games.py": ""}) == []


@pytest.mark.parametrize(
    ("test", "text", "counts"),
    [
        (f"{NEAR}/test_rules.py", "from rumble_engine.games.chess import play\n", True),
        (f"{NEAR}/test_rules.py", "from rumble_engine.games import hex, chess as it  # both\n", True),
        (f"{NEAR}/test_rules.py", "from rumble_engine.games import (\n    hex,\n    chess,\n)\n", True),
        (f"{NEAR}/test_rules.py", "def test_it():\n    import rumble_engine.games.chess\n", True),
        (f"{NEAR}/test_rules.py", "from rumble_engine.games import play\n", True),  # the package exports it
        (f"{NEAR}/test_rules.py", "from rumble_engine.games import other\n", False),
        (f"{NEAR}/test_rules.py", "from rumble_engine.games.chess_960 import play\n", False),
        ("tests/engine/test_games.py", "from rumble_engine.games.chess import play\n", True),
        ("tests/engine/other/test_rules.py", "from rumble_engine.games.chess import play\n", False),
        (f"{NEAR}/helpers.py", "from rumble_engine.games.chess import play\n", False),
    ],
)
def test_a_test_near_a_module_that_imports_from_the_module_counts(
    tmp_path: Path, test: str, text: str, counts: bool
) -> None:
    exports = "from rumble_engine.games.chess import play as play\nfrom rumble_engine.games.go import other\n"
    files = {f"{GAMES}/__init__.py": exports, f"{GAMES}/chess.py": LOGIC, test: text}
    assert problems_in(tmp_path, files) == ([] if counts else NO_TEST)


DECLARATIONS = """\
from typing import TYPE_CHECKING, Protocol
if TYPE_CHECKING:
    from rumble_engine import State
MOST = 5
"How many."
class Reader(Protocol):
    most: int = MOST
    def read(self) -> str:
        "Read it."
    async def close(self) -> None: ...
class WrongError(ValueError):
    def __init__(self, code: int) -> None:
        super().__init__("wrong")
        self.code = code
"""


@pytest.mark.parametrize(
    ("more", "counts"),
    [
        ("", True),
        (LOGIC, False),
        ("class Twice:\n    def of(self, number):\n        return 2 * number\n", False),
        ("class Long(Exception):\n    def __init__(self, text):\n        if text:\n            pass\n", False),
        ("SQUARES = [number * number for number in range(9)]\n", False),
        ("KEY = lambda each: -each\n", False),
        ("print(MOST)\n", False),
    ],
)
def test_a_module_that_only_declares_needs_no_test(tmp_path: Path, more: str, counts: bool) -> None:
    assert problems_in(tmp_path, {f"{GAMES}/chess.py": DECLARATIONS + more}) == ([] if counts else NO_TEST)


@pytest.mark.parametrize(
    ("users", "counts"),
    [
        ([f"{GAMES}/board.py"], True),
        (["engine/rumble_engine/board.py"], True),
        (["engine/rumble_engine/other/board.py"], False),
        ([f"{GAMES}/board.py", f"{GAMES}/moves.py"], False),
        ([], False),
    ],
)
def test_a_part_of_one_module_that_is_tested_needs_no_test(tmp_path: Path, users: list[str], counts: bool) -> None:
    uses = "from rumble_engine.games.chess import play\n" + LOGIC
    own = [user.replace("engine/rumble_engine", "tests/engine").replace("/b", "/test_b") for user in users]
    files = {**dict.fromkeys(users, uses), **dict.fromkeys(own, ""), f"{NEAR}/test_moves.py": ""}
    assert problems_in(tmp_path, {f"{GAMES}/chess.py": LOGIC, **files}) == ([] if counts else NO_TEST)


def test_a_part_of_a_module_that_is_not_tested_needs_a_test(tmp_path: Path) -> None:
    uses = "from rumble_engine.games.chess import play\n" + LOGIC
    found = problems_in(tmp_path, {f"{GAMES}/chess.py": LOGIC, f"{GAMES}/board.py": uses})
    assert found == ["board.py: there is neither tests/engine/games/test_board.py,", *NO_TEST]


def test_each_way_in_which_a_row_is_wrong_is_found(tmp_path: Path) -> None:
    files = {f"{GAMES}/{name}.py": LOGIC for name in ("chess", "go", "hex")} | {f"{NEAR}/test_hex.py": ""}
    good = f"| `{GAMES}/{{go,chess}}.py` | `{NEAR}/test_*.py` | They are one. |"
    assert problems_in(tmp_path, files, good) == []
    assert len(problems_in(tmp_path, {})) == 2
    assert problems_in(tmp_path, {}, good, good) == ["go.py: it has two rows", "chess.py: it has two rows"]
    for row, problem in (
        (f"| `{GAMES}/nim.py` | `{NEAR}/test_hex.py` | Why. |", "nim.py: there is no such"),
        (f"| `{GAMES}/hex.py` | `{NEAR}/test_hex.py` | Why. |", "hex.py: it needs no row"),
    ):
        assert problems_in(tmp_path, {}, good, row) == [problem]
    assert problems_in(tmp_path, {}, good.replace("test_*", "test_nim")) == ["test_nim.py: there is no such"]
    for row in (good.replace("They are one.", ""), good.replace(f"`{NEAR}/test_*.py`", "")):
        assert problems_in(tmp_path, {}, row) == ["chess.py: the row has no"]


def test_a_public_class_name_of_the_server_exists_once() -> None:
    places: dict[str, list[str]] = {}
    for path in (ROOT / "server").rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(path.name)
    assert len(places) > 100
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
