"""The checker finds every bug that is put into the server on purpose, and says what is wrong."""

import re
from collections.abc import Iterator

import pytest

from tests.simulation.bugs import BUGS, Bug
from tests.simulation.leaks import LEAKS
from tests.simulation.run import run_seed

WITHIN = 200
"""Number of seeds tried when a bug's own seed no longer shows it after a change of the server."""


@pytest.mark.parametrize(("bug", "said", "shown_by"), [*BUGS, *LEAKS], ids=lambda given: getattr(given, "__name__", ""))
def test_the_simulation_finds_a_planted_bug(
    bug: Bug, said: str, shown_by: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bug(monkeypatch)
    assert any(re.search(said, problem) for problem in _problems(shown_by)), f"not found in {WITHIN} seeds"


def _problems(first: int) -> Iterator[str]:
    for seed in (first, *range(WITHIN)):
        failure = run_seed(seed)
        yield from () if failure is None else failure.problems
