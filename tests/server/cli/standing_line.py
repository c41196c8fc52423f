"""A line of standings, for tests of tables."""

from typing import Any

from rumble_protocol.feed_messages import Standing


def standing(**changed: Any) -> Standing:
    """Return the line of the bot `a`, which won a match and drew another, with changed fields."""
    record = {"points": 1.5, "played": 2, "wins": 1, "draws": 1, "losses": 0, "faults": {}}
    return Standing.model_validate({"rank": 1, "name": "a", **record, "tiebreaks": {}, "decided_by": "", **changed})
