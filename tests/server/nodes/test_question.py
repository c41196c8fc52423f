"""The answers to a proxy's question about the leader of a club."""

from http import HTTPStatus

import pytest
from rumble_server.nodes.lease import Lease
from rumble_server.nodes.question import LeaderAnswers
from rumble_server.store.postgres.lease_statements import ClubRow, Executed, LookedUp, NodeRow


class Clubs:
    """The port `LeaseCommands` that carries out no command."""

    def __getattr__(self, name: str) -> object:
        return lambda *_: None


class Asked:
    """The answers of node `a`, leader of `own`; `b` leads main, nobody leads `free`, and the leader of `late` died."""

    def __init__(self) -> None:
        self.held = True
        self.wanted: list[str] = []
        self.request_leader = self.wanted.append
        self.lease = lease = Lease("a", 1000, lambda _: None, Clubs(), 0)  # type: ignore[arg-type]
        lease.wake(0)
        lease.on_answer(Executed(1), 1)
        nodes = NodeRow("a", "http://10.0.0.1:8765"), NodeRow("b", "http://10.0.0.2:8765")
        rows = {"main": ClubRow("b", 1), "own": ClubRow("a", 1), "late": ClubRow("dead", 1)}
        lease.on_answer(LookedUp(nodes, rows), 2)
        lease.on_answer(Executed(None), 3)
        self.address = nodes[0].address
        self.question = LeaderAnswers(self, {*rows, "free"}.__contains__)  # type: ignore[arg-type]

    def has_valid_lease(self) -> bool:
        return self.held

    def ask(self, uri: str, *more: tuple[bytes, bytes], name: bytes = b"x-original-uri") -> tuple[int, str] | None:
        answer = self.question.answer([(b"host", b"x"), (name, uri.encode()), *more])
        return None if answer is None else (int(answer[0]), answer[1].decode().strip())


A, B = (f"Rumble-Leader: http://10.0.0.{number}:8765" for number in (1, 2))
AGAIN = "Retry-After: 1"


@pytest.mark.parametrize(
    ("uri", "answer"),
    [
        ("/", (204, B)),
        ("/api/tournaments?x=/c/own/", (204, B)),
        ("/c/own/bot", (204, A)),
        ("/c/own", (204, A)),
        ("/c/%6fwn/", (204, A)),
        ("/docs", (204, A)),
        ("/healthz", (204, A)),
        ("/c/free/", (503, AGAIN)),
        ("/c/late/x", (503, AGAIN)),
        ("/c/unknown/", (204, B)),
    ],
)
@pytest.mark.parametrize("name", [b"x-original-uri", b"x-forwarded-uri"])
def test_the_answer_names_the_leader_of_the_club_of_a_path(uri: str, answer: tuple[int, str], name: bytes) -> None:
    assert Asked().ask(uri, name=name) == answer


def test_a_club_that_nobody_leads_is_wanted() -> None:
    asked = Asked()
    for uri in ("/c/free/", "/c/late/", "/c/own/", "/c/unknown/"):
        asked.ask(uri)
    assert asked.wanted == ["free", "late"]


def test_a_node_without_its_lease_knows_no_leader() -> None:
    asked = Asked()
    asked.held = False
    assert [asked.ask(uri) for uri in ("/c/own/", "/", "/docs", "/healthz")] == [(HTTPStatus.BAD_GATEWAY, AGAIN)] * 4


def test_a_question_that_was_forwarded_is_not_answered() -> None:
    asked = Asked()
    assert asked.ask("/", (b"x-forwarded-for", b"192.0.2.1")) is None
    assert asked.ask("/", (b"forwarded", b"for=192.0.2.1")) is None
    assert asked.question.answer([(b"host", b"x")]) is None, "it asks about no path"
