"""docs/FEED.md lists every event of the feed, and no other."""

import re
from pathlib import Path

from rumble_protocol.feed_messages import FEED_EVENTS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "FEED.md").read_text(encoding="utf-8")


def test_each_event_has_its_row() -> None:
    kinds = [str(event.model_fields["type"].default) for event in FEED_EVENTS]
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == kinds
