"""The progress of the requests of a connection."""

from rumble_server.gateway.request_progress import RequestProgress


def test_before_the_first_request_its_headers_are_awaited() -> None:
    request = RequestProgress()
    assert (request.number, request.is_in_head, request.is_coming, request.has_head) == (0, True, True, False)


def test_a_request_comes_until_its_body_is_complete_and_the_connection_then_has_had_a_head() -> None:
    request = RequestProgress()
    seen = []
    for _ in range(2):
        request.begin([])
        seen.append((request.is_coming, request.has_head))
        request.is_in_head, request.is_in_body = False, True
        seen.append((request.is_coming, request.has_head))
        request.is_in_body = False
        seen.append((request.is_coming, request.has_head))
    assert seen == [(True, False), (True, True), (False, True), (True, True), (True, True), (False, True)]
    assert request.number == 2


def test_a_large_request_counts_as_several_and_the_next_begins_anew() -> None:
    request, counts = RequestProgress(), []
    for size in (0, 1_023, 1_024, 10_000):
        request.begin([])
        request.other_bytes += size
        counts.append(request.requests_if_refused)
    assert counts == [1, 1, 2, 10]


def test_each_header_counts_more_than_its_bytes_when_the_parser_adds_it() -> None:
    request, headers = RequestProgress(), list[tuple[bytes, bytes]]()
    assert request.size == 0
    request.begin(headers)
    request.other_bytes += 100
    headers += [(b"a", b"b")] * 3
    assert request.size == 100 + 3 * 32
    request.begin([])
    assert request.size == 0
