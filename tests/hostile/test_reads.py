"""Cheap requests with much work: the work is bounded, and neither play nor writing waits for it."""

import contextlib
import socket
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.hostile.attacker import Attacker, play_out, statuses
from tests.hostile.conftest import STREAMS
from tests.hostile.target import Target, target, wait_until

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


def test_streams_of_one_address(attacker: Attacker) -> None:
    """Event streams have a bound: a further stream is refused, ordinary requests are not."""
    with contextlib.ExitStack() as opened:
        answers = list[int]()
        for _ in range(STREAMS + 3):
            sock = opened.enter_context(attacker.socket())
            sock.sendall(attacker.get("/api/tournaments/cup/events"))
            answers += statuses(sock.recv(1 << 12))
        assert answers == [OK] * STREAMS + [TOO_MANY_REQUESTS] * 3
        assert attacker.ask("/api/tournaments") == OK


def test_a_stream_behind_which_requests_wait_ends_with_its_connection(attacker: Attacker) -> None:
    """Each such stream would otherwise hold a place of its address, and be written to, for good."""
    for _ in range(3 * STREAMS):
        with attacker.socket() as sock:
            sock.sendall(attacker.get("/api/tournaments/cup/events") + attacker.get("/healthz"))
            assert statuses(sock.recv(1 << 12))[0] in (OK, TOO_MANY_REQUESTS)
    assert wait_until(lambda: streams(attacker) == [OK])


def streams(attacker: Attacker) -> list[int]:
    """Ask for a stream, and return the status of the answer."""
    with attacker.socket() as sock:
        sock.sendall(attacker.get("/api/tournaments/cup/events"))
        return statuses(sock.recv(1 << 12))


def test_answers_that_nobody_reads_end(server: Target, attacker: Attacker) -> None:
    """Clients that leave an answer unread lose their connection."""
    path = "/protocol.json"
    with contextlib.ExitStack() as opened:
        for _ in range(5):
            sock = opened.enter_context(attacker.socket())
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            sock.sendall(attacker.get(path) * 80)
        told = 'rumble_refusals_total{reason="unread"} 5.0'
        assert wait_until(lambda: told in server.host.get("/metrics").text)
    assert attacker.ask(path) == OK
