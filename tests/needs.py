"""What tests need besides Python: without it they are skipped and say why, and fail where the variable `CI` is set.

What they need of time is here, too: `long_or` gives a test its small size, and its large one where RUMBLE_LONG is 1.
"""

import importlib.util
import os
import shutil
from typing import NoReturn, TypeVar

import pytest

LONG = os.environ.get("RUMBLE_LONG") == "1"
"""Whether tests have their large sizes, and those that are marked `long` run."""
SLOW = LONG or os.environ.get("RUMBLE_SLOW") == "1"
"""Whether tests that are marked `slow` run."""
T = TypeVar("T")


def long_or(default: T, long: T) -> T:
    """Return a test's large size where RUMBLE_LONG is 1, and its small one otherwise."""
    return long if LONG else default


def missing(why: str) -> NoReturn:
    """Skip the test, or the module, because something is not installed; fail instead where `CI` is set."""
    if os.environ.get("CI"):
        pytest.fail(f"{why}, and this run must not skip", pytrace=False)
    pytest.skip(why, allow_module_level=True)


def need(program: str, package: str | None = None) -> str:
    """Return the path of a program, which a Debian package brings."""
    return shutil.which(program) or missing(f"{program} is not installed: apt-get install {package or program}")


def need_module(module: str, extra: str) -> None:
    """Make sure of a library of an extra."""
    if importlib.util.find_spec(module) is None:
        missing(f"{module} is not installed: pip install '.[{extra}]'")
