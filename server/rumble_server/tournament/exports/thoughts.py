"""The bots' thoughts about their moves (`infos` of a match), as comments for PGN and SGF."""

from collections.abc import Mapping
from typing import Any


def comment(info: Mapping[str, Any] | None) -> str:
    """Return a comment such as `+0.35/12 1.2s, 3120 nodes, pv e2e4 e7e5`, with only the parts that are known.

    The first part (score, depth, time) is written as cutechess writes it.
    """
    if not info:
        return ""
    score, depth, time_ms = (info.get(name) for name in ("score", "depth", "time_ms"))
    first = "" if score is None else f"{score + 0.0:+.2f}"
    if depth is not None:
        first = f"{first}/{depth}" if first else f"depth {depth}"
    if time_ms is not None:
        first = f"{first} {f'{time_ms / 1000:.3f}'.rstrip('0').rstrip('.')}s".lstrip()
    nodes = "" if info.get("nodes") is None else f"{info['nodes']} nodes"
    line = " ".join(["pv", *info["pv"]]) if info.get("pv") else ""
    return printable(", ".join(part for part in (first, nodes, line) if part))


def printable(text: str) -> str:
    """Return the text with a space in place of each unprintable character."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
