"""Two measurements of a connection by Linux: its shortest round trip, and the time since data last came in.

`Connection` uses the measurements to separate network delay from a bot's thinking time. The bot's program can lengthen
neither of the measured times.
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
"""Offset and size, in bytes, of `tcpi_last_data_recv` in `struct tcp_info`: the time in ms since data last came in."""
UNMEASURED = 0xFFFFFFFF


def kernel_round_trip_ms(transport: asyncio.BaseTransport) -> int | None:
    """Return the shortest recent round trip in ms, rounded up; None if the kernel gives no value."""
    own = transport.get_extra_info("socket")
    option = getattr(socket, "TCP_INFO", None)
    if own is None or option is None:
        return None
    return read_round_trip_ms(lambda size: own.getsockopt(socket.IPPROTO_TCP, option, size))


def kernel_unread_ms(transport: asyncio.BaseTransport) -> int | None:
    """Return the time in ms since data last came in; None if the kernel gives no value.

    If a bot sends more data after an answer, the time gets shorter. The bot gains only from a longer time.
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
    """Read the shortest round trip in ms from the first bytes of `struct tcp_info`; None without a measurement.

    `read_info(size)` returns the first `size` bytes of the struct.
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
