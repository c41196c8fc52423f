"""Tests that share servers stay together, long groups begin first, and few files need no workers."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.sharing import FIRST, TOGETHER, are_few, group_of, in_order


@pytest.mark.parametrize(
    ("nodeid", "group"),
    [
        ("tests/engine/test_game.py::test_a[x::y]", "tests/engine/test_game.py"),
        ("tests/browser/test_live.py::test_b", "tests/browser/"),
        ("tests/browser/test_site.py::test_c", "tests/browser/"),
        ("tests/test_site.py::test_d", "tests/browser/"),
    ],
)
def test_a_group_is_a_module_or_a_folder_that_shares_a_server(nodeid: str, group: str) -> None:
    assert group_of(nodeid) == group


def test_long_groups_begin_first_and_the_others_keep_their_order() -> None:
    names = ["tests/b.py::x", "tests/a.py::x", *[f"{folder}test_a.py::x" for folder in reversed(FIRST)]]
    items: Any = [SimpleNamespace(nodeid=name) for name in names]
    ordered = [item.nodeid for item in in_order(items)]
    assert ordered == [*[f"{folder}test_a.py::x" for folder in FIRST], "tests/b.py::x", "tests/a.py::x"]
    assert FIRST[: len(TOGETHER)] == TOGETHER


def test_few_files_need_no_workers_and_a_folder_does() -> None:
    assert are_few(["tests/test_a.py", "tests/test_b.py::test_c[1]"])
    assert not are_few(["tests/engine"])
    assert not are_few([f"tests/test_{name}.py" for name in "abcd"])
