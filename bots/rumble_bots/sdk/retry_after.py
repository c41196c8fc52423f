"""Waiting times of a client while a server, or the node that leads a club, is being replaced."""

from http import HTTPStatus

REPLACED = (HTTPStatus.MISDIRECTED_REQUEST, HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE)
"""HTTP statuses sent by a server, or by a proxy in front of it, while it is being replaced."""
LEAST_S, SOON_S, LATEST_S = 0.1, 1.0, 10.0
"""Time in s before the next try: the minimum, the time if the answer has no valid `Retry-After`, and the maximum."""


def retry_delay_s(retry_after: str | None) -> float:
    """Return the time in s until the next try.

    `retry_after` is the value of an answer's header `Retry-After`, or None.
    """
    text = retry_after or ""
    return min(LATEST_S, max(LEAST_S, float(text))) if text.isascii() and text.isdigit() else SOON_S
