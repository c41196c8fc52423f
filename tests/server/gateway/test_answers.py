"""The bytes of answers without the web."""

from http import HTTPStatus

import pytest
from rumble_server.gateway.answers import empty_answer, text_answer


@pytest.mark.parametrize("header", [b"", b"Retry-After: 1\r\n"])
def test_a_text_is_a_last_answer_with_its_length(header: bytes) -> None:
    assert text_answer(HTTPStatus.BAD_REQUEST, "no\n", header) == (
        b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
        + header
        + b"Content-Length: 3\r\nConnection: close\r\n\r\nno\n"
    )


def test_the_length_of_a_text_is_in_bytes() -> None:
    """The reason of a ban may be in any language."""
    assert text_answer(HTTPStatus.FORBIDDEN, "für\n").partition(b"Content-Length: ")[2] == (
        b"5\r\nConnection: close\r\n\r\nf\xc3\xbcr\n"
    )


def test_an_answer_without_content_has_no_length() -> None:
    assert empty_answer(HTTPStatus.NO_CONTENT, b"A: b\r\n", is_last=False) == (
        b"HTTP/1.1 204 No Content\r\nA: b\r\n\r\n"
    )
    assert empty_answer(HTTPStatus.BAD_GATEWAY, b"A: b\r\n", is_last=True) == (
        b"HTTP/1.1 502 Bad Gateway\r\nA: b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )
