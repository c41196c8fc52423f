"""Tests affected by a change: changed tests, and tests that import changed files, but no others."""

import subprocess
from pathlib import Path

import pytest

from tests.affected import ROOT, affected, concerned, importers, imports_of, python_files
from tests.needs import need

FILES = {
    "engine/rumble_engine/__init__.py": "",
    "engine/rumble_engine/a.py": "",
    "engine/rumble_engine/b.py": "from rumble_engine.a import A\n",
    "engine/rumble_engine/c.py": "from rumble_engine import b\n",
    "engine/rumble_engine/d.py": "import rumble_engine.c\n",
    "tests/helper.py": "def help():\n    from rumble_engine.a import A\n",
    "tests/test_a.py": "import rumble_engine.a\n",
    "tests/test_b.py": "import rumble_engine.b\n",
    "tests/test_c.py": "import rumble_engine.c\n",
    "tests/test_d.py": "import rumble_engine.d\n",
    "tests/test_helped.py": "from tests.helper import help\n",
    "tests/test_page.py": 'PAGE = "docs/page.md"\n',
    "docs/page.md": "A page.\n",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a repository with one commit."""
    need("git")
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    who = ("-c", "user.name=ann", "-c", "user.email=ann@example.org")
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "All"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def test_an_unknown_revision_is_told_in_git_s_words(checkout: Path) -> None:
    with pytest.raises(SystemExit, match="bad revision 'nonsense'"):
        concerned(checkout, "nonsense")


def test_nothing_changed_concerns_nothing(checkout: Path) -> None:
    assert concerned(checkout) == []


def test_a_source_concerns_its_importers_nearest_first(checkout: Path) -> None:
    (checkout / "engine/rumble_engine/a.py").write_text("A = 1\n")
    tests = [f"tests/test_{name}.py" for name in ("a", "helped", "b")]
    assert concerned(checkout) == ["*engine/rumble_engine/a.py", *tests]
    imported_by = importers(checkout, python_files(checkout))
    assert affected(["engine/rumble_engine/c.py"], imported_by) == ["tests/test_c.py", "tests/test_d.py"]


def test_a_test_that_changed_is_marked_and_a_helper_concerns_tests_that_import_it(checkout: Path) -> None:
    (checkout / "tests/test_new.py").write_text("")
    (checkout / "tests/helper.py").write_text("")
    assert concerned(checkout) == ["*tests/helper.py", "*tests/test_new.py", "tests/test_helped.py"]
    (checkout / "tests/helper.py").unlink()
    assert concerned(checkout) == ["*tests/test_new.py"], "what is gone cannot be run"


def test_a_page_concerns_the_tests_that_name_it(checkout: Path) -> None:
    (checkout / "docs/page.md").write_text("Another.\n")
    assert concerned(checkout) == ["tests/test_page.py"]


def test_the_names_of_this_checkout_s_modules_are_those_that_are_imported() -> None:
    files = python_files(ROOT)
    assert files["rumble_engine"] == "engine/rumble_engine/__init__.py"
    assert files["tests.affected"] == "tests/affected.py"
    names = set(imports_of(ROOT / "tests" / "server" / "limits" / "test_bans.py"))
    assert "server/rumble_server/limits/bans.py" in {files[name] for name in names if name in files}
