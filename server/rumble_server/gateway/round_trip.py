"""Linux's measurements of a connection: the round trip, and the time for which the newest data lay unread.

A `Connection` uses both to tell network delay from thinking time. The peer's program cannot make either of them longer.
"""

import asyncio
import socket
import sys
from collections.abc import Callable

MIN_RTT_OFFSET, MIN_RTT_BYTES = 148, 4
"""Offset and size, in bytes, of `tcpi_min_rtt` in Linux's `struct tcp_info` (include/uapi/linux/tcp.h).

The field is a time in microseconds.
"""
LAST_DATA_OFFSET, LAST_DATA_BYTES = 52, 4
"""Offset and size, in bytes, of `tcpi_last_data_recv`, the time in ms since data last came in."""
UNMEASURED = 0xFFFFFFFF


def kernel_round_trip_ms(transport: asyncio.BaseTransport) -> int | None:
    """Return the minimum of recent round trips in ms, rounded up; None if the kernel reports no round trips."""
    own = transport.get_extra_info("socket")
    option = getattr(socket, "TCP_INFO", None)
    if own is None or option is None:
        return None
    return read_round_trip_ms(lambda size: own.getsockopt(socket.IPPROTO_TCP, option, size))


def kernel_unread_ms(transport: asyncio.BaseTransport) -> int | None:
    """Return the age in ms of the newest data that came in; None if the kernel does not report the age.

    A peer that sends more after an answer can only make this age shorter.
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
    """Read the round trip, in ms, from the start of `struct tcp_info`.

    `read_info` returns a given number of bytes of the struct. Return None without a measurement.
    """
    end = MIN_RTT_OFFSET + MIN_RTT_BYTES
    try:
        info = read_info(end)
    except OSError:
        return None
    microseconds = int.from_bytes(info[MIN_RTT_OFFSET:end], sys.byteorder)
    if len(info) < end or microseconds == UNMEASURED:
        return None
    return (microseconds + 999) // 1000
