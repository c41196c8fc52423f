"""Cheap requests with much work: neither play nor writing waits for it."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.hostile.attacker import Attacker, play_out
from tests.hostile.target import Target

pytestmark = [pytest.mark.e2e, pytest.mark.long]

COUNT = 1_080
"""Matches of the large tournament: more than a page of the API."""
SMALL = {"game": "hex", "settings": {"size": 2, "swap": False}, "openings": "none"}
"""A game of three plies."""
KINDS = ("json", "csv", "pgn")
AT_ONCE = 8
OK = 200
KEY = "key-of-bots-of-large-tournaments"


def test_exports_at_once_hold_up_nothing(server: Target, attacker: Attacker) -> None:
    """Eight exports at once, and the boards of old matches, of a large tournament while another is played."""
    large = server.create(start_at_bots=2, cycles=COUNT // 2, **SMALL)
    first, second = (attacker.login(name, key=KEY, join=large, max_matches=32) for name in ("much-1", "much-2"))
    with first, second:
        play_out(first, second)
    listed = server.host.get(f"/api/tournaments/{large}/matches").json()
    assert (listed["total"], len(listed["matches"])) == (COUNT, COUNT)
    paths = [f"/api/tournaments/{large}/export.{kind}" for kind in KINDS] * 4
    paths += [f"/matches/{match['id']}" for match in listed["matches"][:: COUNT // 8]]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = Counter(pool.map(lambda path: server.attacker().ask(path), paths))
    assert answers == {OK: len(paths)}
    assert server.host.get("/readyz").status_code == OK
    assert not [fact for fact in server.facts() if fact["fact"] == "tournament_paused"]
