"""When a client comes again to a server that is there, but is being replaced, or the part of it that plays a club."""

from http import HTTPStatus

REPLACED = (HTTPStatus.MISDIRECTED_REQUEST, HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE)
"""What is answered meanwhile, by the server or by a proxy before it."""
LEAST_S, SOON_S, LATEST_S = 0.1, 1.0, 10.0
"""Seconds before the next try: the least that the answer may say, those where it does not say, and the most."""


def seconds_of(retry_after: str | None) -> float:
    """Return in how many seconds to try again, by the header of an answer that is among `REPLACED`."""
    told = retry_after or ""
    return min(LATEST_S, max(LEAST_S, float(told))) if told.isascii() and told.isdigit() else SOON_S
