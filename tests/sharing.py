"""The sharing of tests among workers: a group of tests runs on one worker, in order.

A group is a module, so that its fixtures are built once, or a folder of `TOGETHER` with its guests. The longest groups
begin first, so that no worker is left alone with a long group at the end.
"""

from collections.abc import Sequence

import pytest
from xdist.scheduler import LoadScopeScheduling

TOGETHER = ("tests/browser/", "tests/hostile/")
"""Folders whose tests share servers and a browser. The tests of `tests/hostile` have time limits, too."""
LESSON = frozenset(f"tests/browser/test_{name}.py" for name in ("code_page", "join_page", "lan", "lesson", "me_page"))
"""Modules of `tests/browser` that are a group of their own: the folder is longer than any other group."""
GUESTS = {"tests/test_site.py": "tests/browser/"}
"""Modules that run with a folder of `TOGETHER`: both read the same built site."""
FIRST = (
    *TOGETHER,
    "tests/e2e/",
    "tests/bots/starters/",
    "tests/server/cli/",
    "tests/simulation/",
    "tests/server/store/",
)
"""Folders with long modules, in the order of their start; all other modules follow."""
FEW = 3
"""Maximum number of files of tests that one process runs; starting workers would take longer."""


class GroupScheduling(LoadScopeScheduling):  # type: ignore[misc,unused-ignore]
    """Scheduling of whole groups: each free worker gets the next group in the order of collection."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def group_of(nodeid: str) -> str:
    """Return the name of a test's group."""
    module = nodeid.partition("::")[0]
    if module in LESSON:
        return "lesson"
    return next((folder for folder in TOGETHER if module.startswith(folder)), GUESTS.get(module, module))


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests of `FIRST` in front, and the rest in the given order."""
    last = len(FIRST)
    return sorted(
        items, key=lambda item: next((n for n, folder in enumerate(FIRST) if item.nodeid.startswith(folder)), last)
    )


def are_few(paths: Sequence[str]) -> bool:
    """Return whether pytest was given so few files that one process is faster than several."""
    return len(paths) <= FEW and all(path.partition("::")[0].endswith(".py") for path in paths)
