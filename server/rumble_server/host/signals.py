"""Signals in child processes. This module imports very little, because every server waits for a child to start."""

import signal


def ignore_stop_signals() -> None:
    """Ignore SIGINT, SIGTERM and SIGHUP in this process. The signals are for the server, which drains first."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
