"""Two measurements of a connection by Linux: its shortest round trip, and the time since data last came in.

`Connection` uses the measurements to separate network delay from a bot's thinking time. The bot's program can lengthen
neither of the measured times.
"""

import asyncio
import socket
import sys

OPTION = getattr(socket, "TCP_INFO", None) if sys.platform.startswith("linux") else None
"""The socket option that returns `struct tcp_info` (include/uapi/linux/tcp.h); None if the system is not Linux."""
MIN_RTT_OFFSET = 148
"""Offset in bytes of `tcpi_min_rtt` in the struct, a time in microseconds."""
LAST_DATA_OFFSET = 52
"""Offset in bytes of `tcpi_last_data_recv` in the struct, the time in ms since data last came in."""
FIELD_BYTES = 4
UNMEASURED = 0xFFFFFFFF


def kernel_round_trip_ms(transport: asyncio.BaseTransport) -> int | None:
    """Return the shortest recent round trip in ms, rounded up; None if the kernel gives no value."""
    microseconds = _field(transport, MIN_RTT_OFFSET)
    return None if microseconds is None or microseconds == UNMEASURED else (microseconds + 999) // 1000


def kernel_unread_ms(transport: asyncio.BaseTransport) -> int | None:
    """Return the time in ms since data last came in; None if the kernel gives no value.

    If a bot sends more data after an answer, the time gets shorter. The bot gains only from a longer time.
    """
    return _field(transport, LAST_DATA_OFFSET)


def _field(transport: asyncio.BaseTransport, offset: int) -> int | None:
    """Return a field of `struct tcp_info`; None if the kernel does not report the field."""
    sock = transport.get_extra_info("socket")
    if sock is None or OPTION is None:
        return None
    end = offset + FIELD_BYTES
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, OPTION, end)
    except OSError:
        return None
    return int.from_bytes(info[offset:end], sys.byteorder) if len(info) == end else None
