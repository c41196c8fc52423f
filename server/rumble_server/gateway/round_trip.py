"""Linux's measurements of a connection: the round trip, and the time for which the newest data lay unread.

A `Connection` asks for both to tell network delay from thinking time. The program at the peer cannot lengthen them.
"""

import asyncio
import socket
import sys
from collections.abc import Callable

MIN_RTT_OFFSET, MIN_RTT_BYTES = 148, 4
"""Place of `tcpi_min_rtt`, in microseconds, in Linux's `struct tcp_info` (include/uapi/linux/tcp.h)."""
LAST_DATA_OFFSET, LAST_DATA_BYTES = 52, 4
"""Place of `tcpi_last_data_recv`, the time since data came in, in ms."""
UNMEASURED = 0xFFFFFFFF


def kernel_round_trip_ms(transport: asyncio.BaseTransport) -> int | None:
    """Return the minimum of recent round trips in ms, rounded up; None where the kernel does not report it."""
    own = transport.get_extra_info("socket")
    option = getattr(socket, "TCP_INFO", None)
    if own is None or option is None:
        return None
    return read_round_trip_ms(lambda size: own.getsockopt(socket.IPPROTO_TCP, option, size))


def kernel_unread_ms(transport: asyncio.BaseTransport) -> int | None:
    """Return the age in ms of the newest data that came in; None where the kernel does not report it.

    A peer that sends more after an answer makes this age shorter, and never longer.
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
    """Read the round trip from the start of `struct tcp_info`; None if it is too short or has no measurement yet."""
    end = MIN_RTT_OFFSET + MIN_RTT_BYTES
    try:
        info = read_info(end)
    except OSError:
        return None
    microseconds = int.from_bytes(info[MIN_RTT_OFFSET:end], sys.byteorder)
    if len(info) < end or microseconds == UNMEASURED:
        return None
    return (microseconds + 999) // 1000
