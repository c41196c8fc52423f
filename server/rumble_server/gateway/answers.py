"""The bytes of answers that a connection gives without the web: refusals, and answers to questions of proxies."""

from http import HTTPStatus


def text_answer(status: HTTPStatus, text: str, header: bytes = b"") -> bytes:
    """Return the last answer on a connection: a text. `header` has further header lines, if any."""
    head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: text/plain; charset=utf-8\r\n".encode()
    body = text.encode()
    return head + header + b"Content-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body)


def empty_answer(status: HTTPStatus, header: bytes, *, is_last: bool) -> bytes:
    """Return an answer without a body. `header` has further header lines. With `is_last`, the connection then ends."""
    length = b"" if status is HTTPStatus.NO_CONTENT else b"Content-Length: 0\r\n"
    ending = b"Connection: close\r\n\r\n" if is_last else b"\r\n"
    return b"HTTP/1.1 %d %s\r\n%s%s%s" % (status, status.phrase.encode(), header, length, ending)
