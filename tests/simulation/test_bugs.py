"""The checker finds every bug that is put into the server on purpose, and says what is wrong."""

import re

import pytest

from tests.simulation.bugs import BUGS, Bug
from tests.simulation.leaks import LEAKS
from tests.simulation.run import complaints

WITHIN = 200
"""Number of seeds tried when a bug's own seed no longer shows it after a change of the server."""


@pytest.mark.parametrize(("bug", "said", "shown_by"), [*BUGS, *LEAKS], ids=lambda given: getattr(given, "__name__", ""))
def test_the_simulation_finds_a_planted_bug(
    bug: Bug, said: str, shown_by: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bug(monkeypatch)
    assert any(re.search(said, problem) for problem in complaints(shown_by, WITHIN)), f"not found in {WITHIN} seeds"
