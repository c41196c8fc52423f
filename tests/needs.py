"""What tests need besides Python: without it they are skipped and say why, and fail where the variable `CI` is set."""

import importlib.util
import os
import shutil
from typing import NoReturn

import pytest


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
