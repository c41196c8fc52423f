"""Functions that fail, to test that an error is noticed and holds nothing up; and notes of calls."""

import itertools
import sys
from collections.abc import Callable
from math import inf
from types import FrameType
from typing import Any

import pytest


def fail(*_: object) -> Any:
    raise RuntimeError("a bug of the test")


def raising(error: BaseException) -> Callable[..., Any]:
    """Return a function that raises an error, whatever its arguments."""

    def call(*_: object) -> Any:
        raise error

    return call


def failing_once(work: Callable[..., Any]) -> Callable[..., Any]:
    """Return `work` with an error in place of the first call."""
    calls = itertools.count()
    return lambda *given: work(*given) if next(calls) else fail()


def fail_if(
    patch: pytest.MonkeyPatch,
    owner: Any,
    name: str,
    is_bad: Callable[..., bool],
    times: float = inf,
    error: Exception | None = None,
) -> list[tuple[Any, ...]]:
    """Let a function fail at its first `times` calls for which `is_bad` returns true; return the failed calls."""
    right, failed = getattr(owner, name), list[tuple[Any, ...]]()

    def call(*given: Any, **named: Any) -> Any:
        if len(failed) < times and is_bad(*given):
            failed.append(given)
            raise error or RuntimeError("a bug of the test")
        return right(*given, **named)

    patch.setattr(owner, name, call)
    return failed


def note_calls(patch: pytest.MonkeyPatch, owner: Any, name: str) -> list[tuple[Any, ...]]:
    """Return a list that gets the arguments of each call of a function; a method's first argument is its object."""
    right, calls = getattr(owner, name), list[tuple[Any, ...]]()

    def call(*given: Any) -> Any:
        calls.append(given)
        return right(*given)

    patch.setattr(owner, name, call)
    return calls


def calls_during(work: Callable[[], object], *events: str) -> list[str]:
    """Return the names of the callers (`c_call`) and the called functions (`call`) at these events of `work`."""
    calls = list[str]()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event in events:
            calls.append(frame.f_code.co_qualname)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls
