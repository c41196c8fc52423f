"""Requirements of tests beside Python. Tests that lack one are skipped with a reason, or fail where `CI` is set.

`long_or` gives a test its small size, and its large size where RUMBLE_LONG is 1.
"""

import importlib.util
import os
import shutil
from typing import NoReturn, TypeVar

import pytest

LONG = os.environ.get("RUMBLE_LONG") == "1"
"""True if tests have their large sizes, and tests marked `long` run."""
SLOW = LONG or os.environ.get("RUMBLE_SLOW") == "1"
"""True if tests marked `slow` run."""
T = TypeVar("T")


def long_or(default: T, long: T) -> T:
    """Return a test's large size where RUMBLE_LONG is 1, and otherwise its small size."""
    return long if LONG else default


def missing(why: str) -> NoReturn:
    """Skip the test or the module for lack of something; fail instead where `CI` is set."""
    if os.environ.get("CI"):
        pytest.fail(f"{why}, and this run must not skip", pytrace=False)
    pytest.skip(why, allow_module_level=True)


def need(program: str, package: str | None = None) -> str:
    """Return the path of a program that a Debian package provides."""
    return shutil.which(program) or missing(f"{program} is not installed: apt-get install {package or program}")


def need_module(module: str, extra: str) -> None:
    """Require a library of an extra."""
    if importlib.util.find_spec(module) is None:
        missing(f"{module} is not installed: pip install '.[{extra}]'")
