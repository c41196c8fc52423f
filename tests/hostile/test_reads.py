"""Cheap requests that cost much: they are bounded, and neither play nor writing waits for them."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from rumble_server.bounds import Bounds

from tests.hostile.attacker import Attacker
from tests.hostile.honest import NAMES, honest_field
from tests.hostile.target import target

pytestmark = pytest.mark.e2e

CYCLES = 36
"""A double round-robin of six bots so often has 1,080 matches: more than one page of the API."""
KINDS = ("json", "csv", "pgn")
AT_ONCE = 8
OK, TOO_MANY_REQUESTS = 200, 429


def test_exports_at_once_hold_up_nothing(tmp_path: Path) -> None:
    """Eight exports, and the boards of old matches, of a large tournament while another is played."""
    with target(tmp_path) as server:
        with honest_field(server, tmp_path / "large", cycles=CYCLES, think_ms=0) as field:
            facts = field.finish()
        large, count = field.tournament, len(NAMES) * (len(NAMES) - 1) * CYCLES
        assert sum(fact["fact"] == "match_over" for fact in facts) == count
        matches = [fact["match"] for fact in facts if fact["fact"] == "match_over"]
        paths = [f"/api/tournaments/{large}/export.{kind}" for kind in KINDS] * 4
        paths += [f"/matches/{match}" for match in matches[:: count // 8]]
        with honest_field(server, tmp_path / "small", cycles=4) as field:
            with ThreadPoolExecutor(AT_ONCE) as pool:
                answers = Counter(pool.map(lambda path: server.attacker().ask(path), paths))
                field.assert_unharmed()
            assert answers == {OK: len(paths)}
            assert server.host.get("/readyz").status_code == OK
            listed = server.host.get(f"/api/tournaments/{large}/matches").json()
            assert (listed["total"], len(listed["matches"])) == (count, count)
            field.finish()
        assert not [fact for fact in server.facts() if fact["fact"] == "tournament_paused"]


def test_costly_requests_of_one_address(attacker: Attacker) -> None:
    """Beyond so many a minute they are refused; what is cheap is not."""
    most = Bounds().costly_per_minute
    with ThreadPoolExecutor(AT_ONCE) as pool:
        paths = ["/api/tournaments/cup/export.csv"] * (most + 20)
        answers = Counter(pool.map(attacker.ask, paths))
    assert set(answers) == {OK, TOO_MANY_REQUESTS}
    assert most <= answers[OK] <= most + 10
    assert attacker.ask("/api/tournaments") == OK
