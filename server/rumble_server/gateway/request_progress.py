"""How far the newest request of an HTTP connection has been received, and how large the request is. Sans-I/O."""

from rumble_server.limits.source import Headers

HEADER_OVERHEAD = 32
"""Number of bytes counted for each header in addition to its text, as in HTTP/2 (RFC 9113, section 6.5.2)."""
BYTES_OF_A_REQUEST = 1_024
"""Number of bytes of a refused request that count as a further request. With twice as many bytes, a refused request
counts as three requests."""


class RequestProgress:
    """The progress of the newest request. The parser's callbacks tell each step."""

    __slots__ = ("_headers", "is_in_body", "is_in_head", "number", "other_bytes")

    def __init__(self) -> None:
        self.number = 0
        """Number of the request on its connection, from 1; 0 before the first request."""
        self.is_in_head = True
        """True while the headers are received, or before the first request."""
        self.is_in_body = False
        """True from the end of the headers to the end of the body, if the web answers the request."""
        self.other_bytes = 0
        """Number of bytes of the request outside of its body."""
        self._headers: Headers = ()

    def begin(self, headers: Headers) -> None:
        """Begin the next request. The parser adds the headers of the request to `headers`."""
        self.number += 1
        self._headers = headers
        self.is_in_head, self.is_in_body = True, False
        self.other_bytes = 0

    @property
    def is_coming(self) -> bool:
        """True if a part of the request has still to be received."""
        return self.is_in_head or self.is_in_body

    @property
    def has_head(self) -> bool:
        """True if the headers of this request or of an earlier one are complete."""
        return self.number > 1 or (self.number == 1 and not self.is_in_head)

    @property
    def size(self) -> int:
        """Size of the request in bytes: bytes outside of its body, and `HEADER_OVERHEAD` for each header so far."""
        return self.other_bytes + HEADER_OVERHEAD * len(self._headers)

    @property
    def requests_if_refused(self) -> int:
        """The number of requests that the request counts as, if it is refused."""
        return 1 + self.size // BYTES_OF_A_REQUEST
