"""Functions that fail, to test that an error is noticed and holds nothing up."""

import itertools
from collections.abc import Callable
from typing import Any


def fail(*_: object) -> Any:
    raise RuntimeError("a bug of the test")


def failing_once(work: Callable[..., Any]) -> Callable[..., Any]:
    """Return `work` with an error in place of the first call."""
    calls = itertools.count()

    def called(*given: Any) -> Any:
        if next(calls) == 0:
            raise RuntimeError("a bug of the test")
        return work(*given)

    return called
