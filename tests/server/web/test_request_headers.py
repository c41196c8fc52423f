"""The headers of requests are read by RFC 9110."""

import pytest
from rumble_server.web.request_headers import has_etag, takes_gzip


@pytest.mark.parametrize(
    "header",
    [
        "gzip",
        "br, GZIP;q=0.5",
        "identity;q=0, gzip; q=1.0",
        "*",
        "br, *;q=0.1",
        "gzip;q=0.5, identity;q=0.5",
        "gzip, zstd",
    ],
)
def test_gzip_is_taken(header: str) -> None:
    assert takes_gzip(header)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "br",
        "gzip;q=0",
        "gzip;q=0.000",
        "gzip;q=much",
        "x-gzip",
        "*;q=0",
        "*, gzip;q=0",
        "gzip;q=0, *",
        "gzip;q=0.2, identity;q=0.8",
    ],
)
def test_gzip_is_not_taken(header: str) -> None:
    assert not takes_gzip(header)


@pytest.mark.parametrize("header", ['"a"', 'W/"a"', '"b", W/"a"', "*"])
def test_an_answer_is_known(header: str) -> None:
    assert has_etag(header, '"a"')
    assert has_etag(header, 'W/"a"')


@pytest.mark.parametrize("header", ["", '"b"', "a", '"a', 'W/"b", "c"'])
def test_an_answer_is_not_known(header: str) -> None:
    assert not has_etag(header, '"a"')
