"""What the kernel measures of a connection, which the program at the other end cannot make longer.

These are its round trip, and how long the newest data lay unread while the server did something else.
"""

import asyncio
import socket
import sys
from collections.abc import Callable

MIN_RTT_OFFSET, MIN_RTT_BYTES = 148, 4
"""Where `tcpi_min_rtt`, in microseconds, is in Linux's `struct tcp_info` (include/uapi/linux/tcp.h)."""
LAST_DATA_OFFSET, LAST_DATA_BYTES = 52, 4
"""Where `tcpi_last_data_recv` is, the time since data came in, in ms."""
UNMEASURED = 0xFFFFFFFF


def kernel_round_trip_ms(transport: asyncio.BaseTransport) -> int | None:
    """Return the least recent round trip in ms, rounded up; None where the kernel does not tell it."""
    own = transport.get_extra_info("socket")
    option = getattr(socket, "TCP_INFO", None)
    if own is None or option is None:
        return None
    return read_round_trip_ms(lambda size: own.getsockopt(socket.IPPROTO_TCP, option, size))


def kernel_unread_ms(transport: asyncio.BaseTransport) -> int | None:
    """Return for how long the newest data that came in has been there, in ms; None where the kernel does not tell it.

    A peer that sends more after an answer makes that time shorter, and never longer.
    """
    own = transport.get_extra_info("socket")
    option = getattr(socket, "TCP_INFO", None)
    if own is None or option is None or not sys.platform.startswith("linux"):
        return None
    end = LAST_DATA_OFFSET + LAST_DATA_BYTES
    try:
        info = own.getsockopt(socket.IPPROTO_TCP, option, end)
    except OSError:
        return None
    return int.from_bytes(info[LAST_DATA_OFFSET:end], sys.byteorder) if len(info) == end else None


def read_round_trip_ms(read_info: Callable[[int], bytes]) -> int | None:
    """Read the round trip from as many bytes of `struct tcp_info`; None if it is too short or holds none yet."""
    end = MIN_RTT_OFFSET + MIN_RTT_BYTES
    try:
        info = read_info(end)
    except OSError:
        return None
    microseconds = int.from_bytes(info[MIN_RTT_OFFSET:end], sys.byteorder)
    if len(info) < end or microseconds == UNMEASURED:
        return None
    return (microseconds + 999) // 1000
