"""Checks of the head of an HTTP request (first line and headers), made before the web sees the request."""

from http import HTTPStatus
from typing import NamedTuple

from rumble_protocol.secret import is_made

from rumble_server.limits.source import Headers

MOST_URL_BYTES = 4_096
"""Maximum size in bytes of a path with its query. Long paths are slow, because many routes are compared with them."""
MOST_QUERY_FIELDS = 64
"""Maximum number of fields in a query. The web unpacks all fields before any check, and needs some 10 us for each."""
HEADERS_OF_A_REQUEST = 32
"""Number of headers that count as a further request. A request with twice as many headers counts as three requests.

Browsers send about 15 headers.
"""
TOO_MANY = "too many connections from your address\n"


class Refusal(NamedTuple):
    """A refusal of a request."""

    status: HTTPStatus
    text: str
    reason: str
    """The reason as one word."""
    header: bytes = b""
    """Further header lines, if any."""


TOO_MANY_CONNECTIONS = Refusal(HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY, "connections")
TOO_MANY_REQUESTS = Refusal(
    HTTPStatus.TOO_MANY_REQUESTS, "too many requests from your address\n", "requests", b"Retry-After: 60\r\n"
)


def too_large(most_bytes: int) -> Refusal:
    """Return the refusal of a request with more than `most_bytes` outside of its body."""
    text = f"the headers of a request are at most {most_bytes} bytes\n"
    return Refusal(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, text, "header_bytes")


def refusal_of_url(url: bytes) -> Refusal | None:
    """Check the size of a path with its query. Return the refusal, or None if the size is acceptable."""
    if len(url) > MOST_URL_BYTES:
        return Refusal(HTTPStatus(414), f"a path and its query are at most {MOST_URL_BYTES} bytes\n", "url_bytes")
    if url.partition(b"?")[2].count(b"&") >= MOST_QUERY_FIELDS:
        return Refusal(HTTPStatus(414), f"a query has at most {MOST_QUERY_FIELDS} fields\n", "query_fields")
    return None


def requests_in_headers(headers: Headers) -> int:
    """Return the number of further requests that a request counts as, because of the number of its headers."""
    return len(headers) // HEADERS_OF_A_REQUEST


def refusal_of_upgrade(http_version: str, headers: Headers) -> Refusal | None:
    """Check the form of an upgrade request. Return the refusal, or None if the form is acceptable."""
    if http_version != "1.1":
        return Refusal(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "an upgrade needs HTTP/1.1\n", "bad_request")
    for name, value in headers:
        if name == b"transfer-encoding" or (name == b"content-length" and value.strip() != b"0"):
            return Refusal(HTTPStatus.BAD_REQUEST, "an upgrade has no body\n", "bad_request")
    return None


def shows_made_token(headers: Headers) -> bool:
    """Return true if a request has a token in the form of Rumble's tokens. The web checks the token later."""
    authorization = next((value for name, value in headers if name == b"authorization"), b"")
    scheme, _, token = authorization.decode("latin-1").partition(" ")
    return scheme.lower() == "bearer" and is_made(token.strip())
