"""Tells the service manager (systemd) that this process is ready, still runs, or stops.

Without a service manager, nothing is sent.
"""

import logging
import os
import socket

log = logging.getLogger(__name__)

SOCKET = "NOTIFY_SOCKET"
"""The environment variable with the address of the manager's socket; an address that begins with `@` has no file."""
WATCHDOG = "WATCHDOG_USEC"
"""The environment variable with the watchdog's time in us.

After this time without a sign of life, the service manager ends the process.
"""
IDLE_S = 60.0
"""Time in s between two signs of life if no watchdog is set."""


def beat_s() -> float:
    """Return the time in s between two signs of life: half of the watchdog's time."""
    given = os.environ.get(WATCHDOG, "")
    return int(given) / 2_000_000 if given.isdecimal() and int(given) else IDLE_S


def tell_ready() -> None:
    """Tell the service manager that the server listens, or stands by. The watchdog counts from this message on."""
    _tell(b"READY=1")


def tell_alive() -> None:
    """Tell the service manager that the event loop still runs."""
    _tell(b"WATCHDOG=1")


def tell_stopping() -> None:
    """Tell the service manager that the server drains."""
    _tell(b"STOPPING=1")


def _tell(state: bytes) -> None:
    address = os.environ.get(SOCKET)
    if not address:
        return
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.setblocking(False)
            manager.connect(f"\0{address[1:]}" if address.startswith("@") else address)
            manager.send(state)
    except OSError as error:
        log.warning("the service manager was not told %s: %s", state.decode(), error)
