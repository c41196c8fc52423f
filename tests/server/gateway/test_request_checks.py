"""The checks of a request's head, without sockets."""

import pytest
from rumble_protocol.secret import make_secret
from rumble_server.gateway.request_checks import (
    HEADERS_OF_A_REQUEST,
    MOST_QUERY_FIELDS,
    MOST_URL_BYTES,
    refusal_of_upgrade,
    refusal_of_url,
    requests_in_headers,
    shows_made_token,
    too_large,
)
from rumble_server.limits.source import Headers


def test_the_refusal_of_a_large_head_tells_the_bound() -> None:
    assert too_large(10_000) == (431, "the headers of a request are at most 10000 bytes\n", "header_bytes", b"")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (b"/", None),
        (b"/".ljust(MOST_URL_BYTES, b"x"), None),
        (b"/".ljust(MOST_URL_BYTES + 1, b"x"), "url_bytes"),
        (b"/?".ljust(MOST_URL_BYTES + 1, b"&"), "url_bytes"),
        (b"/?" + b"&".join([b"a=1"] * MOST_QUERY_FIELDS), None),
        (b"/?" + b"&".join([b"a=1"] * (MOST_QUERY_FIELDS + 1)), "query_fields"),
        (b"/" + b"&" * MOST_QUERY_FIELDS, None),
        (b"/?" + b"?&" * MOST_QUERY_FIELDS, "query_fields"),
    ],
    ids=range(8),
)
def test_a_long_path_or_a_query_of_many_fields_gets_414(url: bytes, reason: str | None) -> None:
    refusal = refusal_of_url(url)
    assert (refusal and (refusal[0], refusal[2])) == (reason and (414, reason))


@pytest.mark.parametrize(
    ("http_version", "headers", "status"),
    [
        ("1.1", [], None),
        ("1.1", [(b"host", b"localhost"), (b"content-length", b" 0 ")], None),
        ("1.1", [(b"content-length", b"3")], 400),
        ("1.1", [(b"content-length", b"0"), (b"content-length", b"")], 400),
        ("1.1", [(b"transfer-encoding", b"chunked")], 400),
        ("1.0", [], 505),
        ("1.0", [(b"content-length", b"3")], 505),
    ],
)
def test_an_upgrade_needs_http_1_1_and_has_no_body(http_version: str, headers: Headers, status: int | None) -> None:
    refusal = refusal_of_upgrade(http_version, headers)
    assert (refusal and (refusal[0], refusal[2])) == (status and (status, "bad_request"))


def test_many_headers_count_as_further_requests() -> None:
    most = HEADERS_OF_A_REQUEST
    assert [requests_in_headers([(b"a", b"")] * number) for number in (0, most - 1, most, 2 * most)] == [0, 0, 1, 2]


MADE = make_secret()


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([], False),
        ([("cookie", f"Bearer {MADE}")], False),
        ([("authorization", f"Bearer {MADE}")], True),
        ([("host", "localhost"), ("authorization", f"bearer   {MADE} ")], True),
        ([("authorization", f"Basic {MADE}")], False),
        ([("authorization", MADE)], False),
        ([("authorization", "Bearer a-token-of-ones-choice")], False),
        ([("authorization", f"Bearer {MADE}x")], False),
        ([("authorization", "Bearer \xff")], False),
        ([("authorization", "Basic x"), ("authorization", f"Bearer {MADE}")], False),
    ],
)
def test_a_made_token_is_known_by_its_form(headers: list[tuple[str, str]], expected: bool) -> None:
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    assert shows_made_token(raw) is expected
