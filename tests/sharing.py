"""How workers share the tests: a group of tests runs on one worker, in order.

A group is a module, so that what its tests share is built once, or a folder of `TOGETHER` with its guests. The groups
that take longest come first, so that no worker is left alone with one at the end.
"""

from collections.abc import Sequence

import pytest
from xdist.scheduler import LoadScopeScheduling

TOGETHER = ("tests/browser/", "tests/hostile/")
"""Folders whose tests share servers and a browser. The tests of `tests/hostile` have limits of time, too."""
GUESTS = {"tests/test_site.py": "tests/browser/"}
"""Modules that share with a folder of `TOGETHER`: the site that both read is built once."""
FIRST = (
    *TOGETHER,
    "tests/e2e/",
    "tests/bots/starters/",
    "tests/server/cli/",
    "tests/simulation/",
    "tests/server/store/",
)
"""Folders with long modules, in the order in which they begin; all others follow."""
FEW = 3
"""The most files of tests that one process runs: to start workers takes longer than these."""


class GroupScheduling(LoadScopeScheduling):  # type: ignore[misc,unused-ignore]
    """Groups, each given whole to a worker that is free, in the order of collection."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def group_of(nodeid: str) -> str:
    """Return the name of a test's group."""
    module = nodeid.partition("::")[0]
    return next((folder for folder in TOGETHER if module.startswith(folder)), GUESTS.get(module, module))


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests with those of `FIRST` in front, otherwise in their order."""
    last = len(FIRST)
    return sorted(
        items, key=lambda item: next((n for n, folder in enumerate(FIRST) if item.nodeid.startswith(folder)), last)
    )


def are_few(paths: Sequence[str]) -> bool:
    """Return whether pytest was given so few files that one process runs them sooner than several."""
    return len(paths) <= FEW and all(path.partition("::")[0].endswith(".py") for path in paths)
