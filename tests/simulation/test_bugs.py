"""The checker finds the bugs that are put into the server on purpose, within so many seeds, and says what is wrong."""

import re
from collections.abc import Iterator

import pytest

from tests.simulation.bugs import BUGS, Bug
from tests.simulation.run import run_seed

WITHIN = 200
USUAL = BUGS[::3]
"""Those that the usual run looks for."""


@pytest.mark.parametrize(
    ("bug", "said"),
    [
        pytest.param(bug, said, id=bug.__name__, marks=[] if (bug, said) in USUAL else [pytest.mark.long])
        for bug, said in BUGS
    ],
)
def test_finds(bug: Bug, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bug(monkeypatch)
    assert any(re.search(said, problem) for problem in _problems()), f"not found in {WITHIN} seeds"


def _problems() -> Iterator[str]:
    for seed in range(WITHIN):
        failure = run_seed(seed)
        yield from () if failure is None else failure.problems
