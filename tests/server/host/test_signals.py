"""Signals in child processes."""

import subprocess
import sys

CHILD = """
import signal
from rumble_server.host.signals import ignore_stop_signals
ignore_stop_signals()
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    if hasattr(signal, name):
        signal.raise_signal(getattr(signal, name))
print("alive")
"""


def test_a_child_ignores_the_signals_that_stop_the_server() -> None:
    ended = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=False)
    assert ended.stdout == "alive\n"
