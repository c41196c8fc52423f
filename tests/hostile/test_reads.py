"""Cheap requests with much work: the work is bounded, and neither play nor writing waits for it."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.hostile.attacker import Attacker, play_out
from tests.hostile.target import Target, target

pytestmark = [pytest.mark.e2e, pytest.mark.long]

COUNT = 1_080
"""Matches of the large tournament: more than a page of the API."""
SMALL = {"game": "hex", "settings": {"size": 2, "swap": False}, "openings": "none"}
"""A game of three plies."""
KINDS = ("json", "csv", "pgn")
AT_ONCE = 8
OK, TOO_MANY_REQUESTS = 200, 429
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


def test_the_work_of_one_address_is_bounded_and_holds_nobody_up(tmp_path: Path) -> None:
    """Pictures, boards, lists and exports count by their cost: only an address beyond its share is refused."""
    with target(tmp_path, "--reading-ms-per-minute", "100") as server:
        cup = server.create()
        paths = [f"/api/tournaments/{cup}/{each}" for each in ("matches", "export.csv")]
        paths += [f"/api/games/gomoku/board.svg?move={column}1" for column in "abcdefgh"]
        greedy, other = server.attacker(), server.attacker()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = Counter(pool.map(greedy.ask, paths * 20))
        assert set(answers) == {OK, TOO_MANY_REQUESTS}
        assert greedy.ask("/healthz") == OK
        assert other.ask(paths[0]) == OK
        assert 'rumble_refusals_total{reason="costly"}' in server.host.get("/metrics").text
