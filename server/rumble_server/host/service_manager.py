"""Messages to the service manager (systemd): this process is ready, is alive, or is stopping.

Nothing is sent if the process runs without a service manager.
"""

import logging
import os
import socket

log = logging.getLogger(__name__)

SOCKET = "NOTIFY_SOCKET"
"""Environment variable with the address of the service manager's socket.

An address that begins with `@` is an abstract socket, which has no file.
"""
WATCHDOG = "WATCHDOG_USEC"
"""Environment variable with the watchdog's time in microseconds.

If the process gives no sign of life for this time, the service manager ends it.
"""
IDLE_S = 60.0
"""Time in s between two signs of life if there is no watchdog."""


def beat_s() -> float:
    """Return the time in s between two signs of life: half of the watchdog's time, or `IDLE_S`."""
    given = os.environ.get(WATCHDOG, "")
    return int(given) / 2_000_000 if given.isdecimal() and int(given) else IDLE_S


def tell_ready() -> None:
    """Tell the service manager that the server listens, or stands by. The watchdog starts with this message."""
    _tell(b"READY=1")


def tell_alive() -> None:
    """Tell the service manager that the event loop is still running."""
    _tell(b"WATCHDOG=1")


def tell_stopping() -> None:
    """Tell the service manager that the server is draining."""
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
