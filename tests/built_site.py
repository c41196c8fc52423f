"""Builds the site as `nox -s site` does, in a process that may not use the network."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests.docs_blocks import ROOT
from tests.needs import need_module

OFFLINE = """
import runpy, sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        sys.exit(f"the site wants the network: {event} {arguments}")
sys.addaudithook(refuse)
sys.argv[0] = "mkdocs"
runpy.run_module("mkdocs", run_name="__main__")
"""


@cache
def build_site(folder: Path) -> Path:
    """Build the site into `folder/site`, once per process, and return the folder. Skip without the extra `docs`."""
    folder /= "site"
    for module in ("mkdocs", "material", "mkdocstrings_handlers"):
        need_module(module, "docs")
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder
