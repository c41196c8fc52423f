"""Checks of two request headers: the encodings that a client accepts, and the answers that the client has already."""


def takes_gzip(accept_encoding: str) -> bool:
    """Return whether `accept_encoding` gives gzip a weight above 0, and at least the weight of `identity`.

    In the header, `*` stands for all codings that are not named. A weight is `;q=` and a number from 0 to 1 (RFC 9110,
    12.5.3).
    """
    weights: dict[str, float] = {}
    for each in accept_encoding.lower().split(","):
        coding, _, weight = each.replace(" ", "").partition(";q=")
        try:
            weights[coding] = float(weight or 1)
        except ValueError:
            weights[coding] = 0.0
    wanted = weights.get("gzip", weights.get("*", 0.0))
    return wanted > 0 and wanted >= weights.get("identity", 0.0)


def has_etag(if_none_match: str, etag: str) -> bool:
    """Return whether the header `if_none_match` names `etag`, or has a `*`.

    A weak tag and a strong tag with the same text count as equal (RFC 9110, 13.1.2).
    """
    known = [each.strip().removeprefix("W/") for each in if_none_match.split(",")]
    return etag.removeprefix("W/") in known or "*" in known
