"""Three nodes on one PostgreSQL: each serves every club, whoever leads it, and another leads when that one dies."""

import json
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
import pytest
from rumble_protocol import SUBPROTOCOL
from rumble_protocol.codes import CloseCode
from rumble_protocol.secret import is_made
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.e2e.nodes import nodes as proxied_nodes
from tests.e2e.processes import (
    ADMIN_TOKEN,
    PATIENCE_S,
    RUMBLE,
    TOKEN,
    Server,
    announced_port,
    clean_environment,
    free_port,
    running,
)
from tests.postgres.cluster import run
from tests.server.web.test_needs import ANY_NODE

pytestmark = [pytest.mark.e2e, pytest.mark.long]
SECRET = "cluster-secret-of-the-tests"
LEASE_MS = 2000


@dataclass
class Node:
    """A node, and its process."""

    server: Server
    process: subprocess.Popen[str]
    log: Path

    def leads(self) -> list[str]:
        if self.process.poll() is not None:
            return []
        return list(httpx.get(f"{self.server.url}/readyz", timeout=PATIENCE_S).json()["leads"])


@contextmanager
def nodes(
    folder: Path, url: str, count: int, lease_ms: int = LEASE_MS, more: Mapping[str, str] | None = None
) -> Iterator[list[Node]]:
    """Run nodes; `more` are settings."""
    with ExitStack() as stack:
        each = []
        for number in range(count):
            port, log = free_port(), folder / f"node{number}.log"
            settings = {
                "RUMBLE_DB": url,
                "RUMBLE_CLUSTER_SECRET": SECRET,
                "RUMBLE_NODE_ADDRESS": f"http://127.0.0.1:{port}",
                "RUMBLE_HOST_TOKEN": TOKEN,
                "RUMBLE_ADMIN_TOKEN": ADMIN_TOKEN,
                "RUMBLE_HOUSE": "none",
                **(more or {}),
            }
            command = [*RUMBLE, "serve", "--port", str(port), "--lease-ms", str(lease_ms), "--grace-ms", "3000"]
            environment = clean_environment(folder, settings)
            process = stack.enter_context(running(command, environment, log))
            each.append(Node(Server(announced_port(process, log), folder), process, log))
        yield each
    for node in each:
        assert "Traceback" not in node.log.read_text(), node.log.read_text()


def until(what: Callable[[], object]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < end_s, "it did not happen"
        time.sleep(0.05)


def is_led(club: str, node: Node) -> bool:
    return club in node.leads()


def leader(each: list[Node], club: str = "main") -> Node:
    until(lambda: sum(club in node.leads() for node in each) == 1)
    return next(node for node in each if club in node.leads())


@contextmanager
def bots(folder: Path, each: list[Node], tournament: str) -> Iterator[None]:
    """A bot at each node, that comes back however often its connection ends."""
    with ExitStack() as stack:
        for number, node in enumerate(each):
            command = [*RUMBLE, "bot", "random", "--server", node.server.url, "--name", f"bot{number}"]
            log = folder / f"bot{number}.log"
            stack.enter_context(running([*command, "--join", tournament], clean_environment(folder), log))
        yield


class Stream(threading.Thread):
    """The feed of a tournament as a visitor gets it, until that is over; `text` has what came."""

    def __init__(self, server: Server, tournament: str) -> None:
        super().__init__(daemon=True)
        self.text = ""
        self._url = f"{server.url}/api/tournaments/{tournament}/events"
        self.start()

    @property
    def is_over(self) -> bool:
        return '"status":"finished"' in self.text

    def run(self) -> None:
        with suppress(httpx.HTTPError), httpx.stream("GET", self._url, timeout=PATIENCE_S) as answer:
            for piece in answer.iter_text():
                self.text += piece
                if self.is_over:
                    return


def status_of(node: Node, tournament: str) -> dict[str, object]:
    answer = httpx.get(f"{node.server.url}/api/tournaments/{tournament}", timeout=PATIENCE_S)
    return dict(answer.json()) if answer.status_code == 200 else {"status": answer.status_code}


def test_bots_at_three_nodes_play_on_when_the_leader_dies(tmp_path: Path, postgres_url: str) -> None:
    with nodes(tmp_path, postgres_url, 3) as each:
        first = leader(each)
        others = [node for node in each if node is not first]
        created = others[0].server.tournament(
            "create", "Friday", "--game", "connect4", "--cycles", "12", "--start-at-bots", "2"
        )
        tournament = str(created["id"])
        with bots(tmp_path, others, tournament):
            streams = [Stream(node.server, tournament) for node in others]
            until(lambda: run(postgres_url, "SELECT count(*) > 40 FROM log WHERE tournament = %s", [tournament])[0][0])
            until(lambda: all("event: match_over" in stream.text for stream in streams))
            ((epoch,),) = run(postgres_url, "SELECT epoch FROM clubs WHERE club = 'main'")
            first.process.send_signal(signal.SIGKILL)
            second = leader(others)
            assert run(postgres_url, "SELECT epoch FROM clubs WHERE club = 'main'")[0][0] > epoch
            until(lambda: status_of(others[1], tournament)["status"] == "finished")
            for stream in streams:
                stream.join(PATIENCE_S)
                assert stream.is_over
                assert stream.text.count("retry: ") == 1, "it is one stream"
        results = httpx.get(f"{second.server.url}/api/tournaments/{tournament}/export.json", timeout=PATIENCE_S).json()
        assert results


def test_what_is_over_is_answered_by_any_node_while_nobody_leads(tmp_path: Path, postgres_url: str) -> None:
    with nodes(tmp_path, postgres_url, 2, lease_ms=60_000, more={"RUMBLE_LEADERLESS_LOGIN_MS": "100"}) as each:
        first = leader(each)
        epoch = run(postgres_url, "SELECT epoch FROM clubs")
        (other,) = [node for node in each if node is not first]
        for name, names in (("over", ["--start-at-bots", "2"]), ("open", [])):
            first.server.tournament("create", name, "--game", "tictactoe", *names)
        with bots(tmp_path, each, "over"):
            until(lambda: status_of(other, "over")["status"] == "finished")
        paths = [
            "/tournaments/over",
            "/tournaments/over/matches",
            "/tournaments/over/audit",
            "/matches/over.1.1.1.1",
            "/matches/over.1.1.1.1/board.svg",
            "/api/tournaments/over",
            "/api/tournaments/over/standings",
            "/api/tournaments/over/matches",
            "/api/tournaments/over/export.json",
            "/api/matches/over.1.1.1.1",
            "/api/matches/over.1.1.1.1/transcript",
        ]
        with httpx.Client(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=PATIENCE_S) as host:
            before = [host.get(f"{first.server.url}{path}").raise_for_status().text for path in paths]
            first.process.kill()
            first.process.wait(PATIENCE_S)
            here = other.server.url
            after = [host.get(f"{here}{path}").raise_for_status().text for path in paths]
            own = [host.get(f"{here}/metrics").raise_for_status().text for _ in range(2)]
        for path, old, new in zip(paths, before, after, strict=True):
            if path.startswith("/api"):  # pages have made names in them
                assert old == new, path
        assert status_of(other, "over")["status"] == "finished"
        for path in sorted(ANY_NODE):
            method = "POST" if path == "/api/games/{game}/board" else "GET"
            asked = f"{here}{path.format(game='tictactoe', kind='svg', tournament='open')}"
            shown = httpx.request(method, asked, json={"state": {"board": 9 * "."}}, timeout=PATIENCE_S)
            assert shown.status_code == 200, (path, shown.text)
        assert httpx.get(f"{here}/write?join=over", timeout=PATIENCE_S).status_code == 200
        assert "rumble_clubs 0.0" in own[0]
        with httpx.stream("GET", f"{here}/api/tournaments/over/events", timeout=PATIENCE_S) as answer:
            assert "snapshot" in next(text for text in answer.iter_text() if "event" in text)
        for path in ("/", "/write?join=open", "/tournaments/open", "/api/tournaments", "/api/tournaments/open/events"):
            answer = httpx.get(f"{here}{path}", timeout=PATIENCE_S)
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1"), path
            kind = "application/json" if path.startswith("/api") else "text/html; charset=utf-8"
            assert answer.headers["Content-Type"] == kind
        assert run(postgres_url, "SELECT epoch FROM clubs") == epoch, "nobody has led since"


def test_a_node_that_alone_cannot_reach_the_database_shows_what_is_live(tmp_path: Path) -> None:
    with proxied_nodes(tmp_path, 2, "--lease-ms", str(LEASE_MS)) as running_nodes:
        first = running_nodes.leader(PATIENCE_S)
        (other,) = [node for node in running_nodes.each if node is not first]
        for name in ("known", "new"):
            first.server.tournament("create", name, "--game", "tictactoe")
        tournaments = f"{other.server.url}/api/tournaments"
        until(lambda: answer_of(f"{tournaments}/known") == 200)
        other.way.hold()
        assert answer_of(f"{tournaments}/new") == 200
        assert answer_of(f"{other.server.url}/docs") == 200
        with httpx.stream("GET", f"{tournaments}/new/events", timeout=PATIENCE_S) as feed:
            assert feed.status_code == 200
        other.way.flow()


def answer_of(url: str) -> int:
    """Return the status of an answer; 0: there was none."""
    try:
        return httpx.get(url, timeout=PATIENCE_S).status_code
    except httpx.TransportError:
        return 0


def test_clubs_are_led_by_different_nodes_and_served_by_all(tmp_path: Path, postgres_url: str) -> None:
    with nodes(tmp_path, postgres_url, 2) as each:
        first = leader(each)
        (other,) = [node for node in each if node is not first]
        headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
        for name in ("one", "two"):
            made = httpx.post(f"{other.server.url}/api/clubs", json={"name": name}, headers=headers, timeout=PATIENCE_S)
            assert made.status_code in (200, 201), made.text
        until(lambda: httpx.get(f"{other.server.url}/c/one/api/tournaments", timeout=PATIENCE_S).status_code == 200)
        assert "one" in other.leads(), "who is asked first leads"
        until(lambda: httpx.get(f"{first.server.url}/c/one/api/tournaments", timeout=PATIENCE_S).status_code == 200)
        assert "one" not in first.leads()
        token = [*RUMBLE, "club", "token", "one", "--server", first.server.url, "--admin-token", ADMIN_TOKEN]
        made_token = subprocess.run(
            token, env=clean_environment(tmp_path), timeout=PATIENCE_S, capture_output=True, text=True
        )
        assert (made_token.returncode, is_made(made_token.stdout.strip())) == (0, True), made_token.stderr
        for node in each:
            tokens = {name: f"{node.server.url}/api/clubs/{name}/tokens" for name in ("main", "one", "two", "three")}
            asked = {"name": f"desk-{node.server.port}"}
            told = {name: httpx.post(url, json=asked, headers=headers, timeout=10) for name, url in tokens.items()}
            assert {name: answer.status_code for name, answer in told.items()} == {
                "main": 201,
                "one": 201,
                "two": 201,
                "three": 404,
            }
            host = {"Authorization": f"Bearer {told['one'].json()['token']}"}
            shown = httpx.get(f"{node.server.url}/c/one/api/host", headers=host, timeout=PATIENCE_S)
            assert shown.status_code == 200, "who is led elsewhere has it, too"
            assert httpx.post(tokens["one"], json=asked, headers=host, timeout=PATIENCE_S).status_code == 401
        httpx.post(
            f"{other.server.url}/c/one/api/tournaments",
            json={"name": "Friday", "game": "tictactoe", "start_at_bots": 9},
            headers=headers,
            timeout=PATIENCE_S,
        ).raise_for_status()

        def used(node: Node) -> list[tuple[int, bool] | None]:
            """What both clubs use; None where the node that knows it has not told it in time."""
            told = httpx.get(f"{node.server.url}/api/clubs", headers=headers, timeout=PATIENCE_S).json()["clubs"]
            uses = [club["used"] for club in sorted(told, key=lambda club: club["name"]) if club["name"] != "main"]
            return [None if use is None else (use["tournaments"], use["bytes"] > 0) for use in uses]

        for node in each:
            until(lambda node=node: used(node) == [(1, True), (0, True)])  # type: ignore[misc]
        missing = httpx.get(f"{first.server.url}/c/three/api/tournaments", timeout=PATIENCE_S)
        assert missing.status_code == 404
        ((first_id,),) = run(postgres_url, "SELECT node FROM clubs WHERE club = 'main'")
        drain = [*RUMBLE, "node", "drain", str(first_id), "--db", postgres_url]
        subprocess.run(drain, env=clean_environment(tmp_path), timeout=PATIENCE_S, check=True)
        until(lambda: sorted(other.leads()) == ["main", "one", "two"])
        until(lambda: httpx.get(f"{first.server.url}/api/tournaments", timeout=PATIENCE_S).status_code == 200)
        assert first.leads() == []


def test_nodes_that_do_not_lead_main_follow_what_it_says_of_clubs(tmp_path: Path, postgres_url: str) -> None:
    with nodes(tmp_path, postgres_url, 2) as each:
        first = leader(each)
        (other,) = [node for node in each if node is not first]
        with httpx.Client(headers={"Authorization": f"Bearer {ADMIN_TOKEN}"}, timeout=PATIENCE_S) as administrator:
            clubs = f"{first.server.url}/api/clubs"
            administrator.post(clubs, json={"name": "one"}).raise_for_status()
            until(lambda: administrator.get(f"{other.server.url}/c/one/").status_code == 200)
            until(lambda: other.leads() == ["one"])
            administrator.patch(f"{clubs}/one", json={"title": "The first"}).raise_for_status()
            until(lambda: "The first" in administrator.get(f"{other.server.url}/c/one/").text)
            with ExitStack() as stack:
                bot_urls = [node.server.bot_url.replace("/bot", "/c/one/bot") for node in each]
                bots = [stack.enter_context(connect(url, subprotocols=[Subprotocol(SUBPROTOCOL)])) for url in bot_urls]
                for bot in bots:
                    assert json.loads(bot.recv())["club"] == "one"
                administrator.delete(f"{clubs}/one").raise_for_status()
                for bot in bots:
                    with pytest.raises(ConnectionClosed) as closed:
                        bot.recv(PATIENCE_S)
                    assert closed.value.rcvd is not None
                    assert closed.value.rcvd.code == CloseCode.CLUB_REMOVED
            pages = [f"{node.server.url}/c/one/" for node in each]
            until(lambda: [administrator.get(page).status_code for page in pages] == [404, 404])
            for node in each:
                command = [*RUMBLE, "bot", "random", "--join", "x", "--server", f"{node.server.url}/c/one"]
                late = subprocess.run(command, env=clean_environment(tmp_path), capture_output=True, timeout=PATIENCE_S)
                assert (late.returncode, late.stderr.count(b"\n")) == (1, 1), late.stderr
                assert b"this club was removed (4004)" in late.stderr
            until(lambda: other.leads() == [])


def test_a_club_that_nobody_uses_needs_no_leader_and_is_led_where_it_is_used_next(
    tmp_path: Path, postgres_url: str
) -> None:
    with nodes(tmp_path, postgres_url, 2, more={"RUMBLE_IDLE_CLUB_MS": "300"}) as each:
        first = leader(each)
        (other,) = [node for node in each if node is not first]
        for name in ("one", "two"):
            headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
            clubs = f"{first.server.url}/api/clubs"
            httpx.post(clubs, json={"name": name}, headers=headers, timeout=PATIENCE_S).raise_for_status()
        login = {"type": "login", "name": "ada", "key": "the whole key of ada"}
        for node in (first, other):
            with connect(node.server.bot_url.replace("/bot", "/c/one/bot")) as bot:
                bot.send(json.dumps(login))
                while json.loads(bot.recv(PATIENCE_S))["type"] != "session":
                    pass
                until(partial(is_led, "one", node))
                assert httpx.get(f"{node.server.url}/c/two/", timeout=PATIENCE_S).status_code == 200, "it is waited for"
                until(lambda: not is_led("two", first) and not is_led("two", other))
                assert "one" in node.leads(), "a bot is there"
            until(lambda: run(postgres_url, "SELECT node FROM clubs WHERE club = 'one'") == [(None,)])
        wrong = {**login, "key": "the key of another bot"}
        with connect(first.server.bot_url.replace("/bot", "/c/one/bot")) as bot:
            bot.send(json.dumps(wrong))
            while (told := json.loads(bot.recv(PATIENCE_S)))["type"] != "error":
                pass
            assert told["code"] == "bad_key"


def test_a_node_that_is_stopped_hands_over_at_once(tmp_path: Path, postgres_url: str) -> None:
    with nodes(tmp_path, postgres_url, 2) as each:
        first = leader(each)
        (other,) = [node for node in each if node is not first]
        ((epoch,),) = run(postgres_url, "SELECT epoch FROM clubs")
        first.process.terminate()
        until(lambda: other.leads() == ["main"])
        assert run(postgres_url, "SELECT epoch FROM clubs")[0][0] > epoch
        assert first.process.wait(PATIENCE_S) == 0


def test_a_club_moves_and_its_bots_stay_connected(tmp_path: Path, postgres_url: str) -> None:
    with nodes(tmp_path, postgres_url, 2) as each:
        first = leader(each)
        (other,) = [node for node in each if node is not first]
        created = first.server.tournament(
            "create", "Friday", "--game", "connect4", "--cycles", "8", "--start-at-bots", "2"
        )
        tournament = str(created["id"])
        with bots(tmp_path, each, tournament):
            until(lambda: run(postgres_url, "SELECT count(*) > 20 FROM log WHERE tournament = %s", [tournament])[0][0])
            move = [*RUMBLE, "club", "move", "main", other.server.url, "--db", postgres_url]
            subprocess.run(move, env=clean_environment(tmp_path), timeout=PATIENCE_S, check=True)
            until(lambda: other.leads() == ["main"])
            until(lambda: status_of(first, tournament)["status"] == "finished")
        for number in range(2):
            told = (tmp_path / f"bot{number}.log").read_text()
            assert "reconnect" not in told, told
