"""Waiting times of a client while a server, or the node that plays a club, is being replaced."""

from http import HTTPStatus

REPLACED = (HTTPStatus.MISDIRECTED_REQUEST, HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE)
"""Answers of the server, or of a proxy before it, during the replacement."""
LEAST_S, SOON_S, LATEST_S = 0.1, 1.0, 10.0
"""Time in s before the next try: the minimum, the default without a `Retry-After`, and the maximum."""


def seconds_of(retry_after: str | None) -> float:
    """Return the time in s until the next try, by the `Retry-After` of an answer with a status of `REPLACED`."""
    told = retry_after or ""
    return min(LATEST_S, max(LEAST_S, float(told))) if told.isascii() and told.isdigit() else SOON_S
