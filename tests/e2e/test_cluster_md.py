"""docs/CLUSTER.md as a reader does it: a database with a club moves to PostgreSQL, and is taken care of there."""

import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.docs_blocks import ROOT, Block, are_commands, blocks, check_page, commands, is_file
from tests.e2e.processes import (
    PATIENCE_S,
    RUMBLE,
    Server,
    announced_port,
    clean_environment,
    free_port,
    path_with_programs,
    running,
)
from tests.e2e.test_proxies import nginx_command
from tests.e2e.test_three_nodes import Stream, leader, nodes, until
from tests.postgres.cluster import Cluster, cluster, programs, run

PAGE = ROOT / "docs" / "CLUSTER.md"
ADMINISTRATOR = "the-administrator-s-token"
PASSWORD = "a-password-of-its-own"
HOW = "--game connect4 --cycles 12 --start-at-bots 2"
PROGRAMS = ("pg_dump", "pg_basebackup", "mkdir", "mv", "cp", "touch", "echo")


def is_tried(block: Block) -> None:
    """Check nothing: a test does what the block says."""


def test_every_block_is_what_it_claims() -> None:
    elsewhere = {"elsewhere: it needs Docker": is_tried, "file:": is_file}  # tests/e2e/test_compose_cluster.py
    assert check_page(PAGE, {"sql": is_tried, "sh": are_commands("export", *PROGRAMS), **elsewhere}) == 14


def lines(marker: str) -> list[str]:
    found = [each for each in blocks(PAGE) if each.marker == marker]
    return [line for each in found for line in (commands(each) if each.language == "sh" else each.text.splitlines())]


class Reader:
    """Somebody who types the page's commands, with this machine's addresses in place of the page's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        path = f"{path_with_programs(folder / 'programs')}:{programs()}"
        self.environment = clean_environment(folder, {"PATH": path, "RUMBLE_ADMIN_TOKEN": ADMINISTRATOR})
        self.environment |= {"RUMBLE_SERVER": f"http://127.0.0.1:{self.port}", "RUMBLE_HOUSE": "none"}

    def run(self, line: str, more: Mapping[str, str] | None = None) -> str:
        """Type one line, and return what it prints."""
        done = subprocess.run(
            ["sh", "-c", line.replace("8765", str(self.port))],
            cwd=self.folder,
            env={**self.environment, **(more or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
        return done.stdout

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Have the server run, with the settings so far."""
        log = self.folder / "serve.log"
        with running(["rumble", "serve", "--port", str(self.port)], self.environment, log) as process:
            assert announced_port(process, log) == self.port
            yield

    def ask(self, path: str) -> httpx.Response:
        return httpx.get(f"{self.environment['RUMBLE_SERVER']}{path}", timeout=PATIENCE_S).raise_for_status()


@pytest.mark.e2e
@pytest.mark.long
def test_a_database_moves_to_postgresql(postgres: Cluster, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    with reader.serving():
        reader.run("rumble club create beginners")
        club = f"--server {reader.environment['RUMBLE_SERVER']}/c/beginners"
        host = {"RUMBLE_HOST_TOKEN": ADMINISTRATOR}
        reader.run(f"rumble tournament create monday --game tictactoe --start-at-bots 2 {club}", host)
        reader.run(" & ".join(f"rumble bot {bot} --join monday {club}" for bot in ("minimax", "random")) + " & wait")
        before = reader.ask("/c/beginners/api/tournaments/monday").json()
    assert before["status"] == "finished"
    assert sorted(row["name"] for row in before["standings"]) == ["minimax", "random"]

    for statement in lines("as PostgreSQL's administrator"):
        postgres.run(statement)
    assert PASSWORD in "".join(lines("as PostgreSQL's administrator"))
    url, passwords = (line.partition("=")[2].strip('"') for line in lines("settings of a server on PostgreSQL"))
    secret = tmp_path / Path(passwords).name
    secret.write_text(f"*:*:*:rumble:{PASSWORD}\n")
    secret.chmod(0o600)
    here = url.replace("db.example.org", f"127.0.0.1:{postgres.port}").replace("verify-full", "prefer")
    assert here != url
    reader.environment |= {"RUMBLE_DB": here, "PGPASSFILE": str(secret)}
    (copy,) = lines("with the settings, and no server running")
    assert "copied and compared: 2 clubs" in reader.run(copy)
    shutil.move(tmp_path / "rumble.db", tmp_path / "rumble-before.db")
    with reader.serving():
        assert reader.ask("/c/beginners/api/tournaments/monday").json() == before
        verify, prune, dump, list_nodes = lines("with the settings, beside a server")
        assert "no damage" in reader.run(verify)
        assert "pruned 0 tournaments" in reader.run(prune)
        reader.run(dump)
        assert "main" in reader.run(list_nodes)
        assert "beginners" in reader.run("rumble club list")
    assert not (tmp_path / "rumble.db").exists()
    restored = postgres.database()
    with_password = {"PGPASSWORD": postgres.password}
    reader.run(f"pg_restore --no-owner --dbname {restored} rumble.dump", with_password)
    assert postgres.run("SELECT count(*) FROM log", restored.rpartition("/")[2]) == postgres.run(
        "SELECT count(*) FROM log", "rumble"
    )


@pytest.mark.e2e
@pytest.mark.long
def test_a_database_goes_back_to_a_moment_of_a_tournament(tmp_path: Path) -> None:
    reader, moment = Reader(tmp_path), ""
    with cluster() as database:

        def do(block: str) -> None:
            """Do what the page says, in this cluster's folders."""
            for line in lines(block):
                here = line.replace("/backup", f"{database.folder}/backup").replace("2026-11-23 10:30:00 UTC", moment)
                here = here.replace("/var/lib/postgresql", str(database.folder))
                (database.run if line.startswith("ALTER") else database.shell)(here)

        @contextmanager
        def playing() -> Iterator[None]:
            with reader.serving(), ExitStack() as stack:
                if not moment:
                    reader.run(f"rumble tournament create cup {HOW}", {"RUMBLE_HOST_TOKEN": ADMINISTRATOR})
                for name in ("ann", "ben"):
                    bot = [*RUMBLE, "bot", "random", "--name", name, "--join", "cup"]
                    stack.enter_context(running(bot, reader.environment, tmp_path / f"{name}.log"))
                yield
                until(lambda: reader.ask("/api/tournaments/cup").json()["status"] == "finished")
                matches = reader.ask("/api/tournaments/cup/export.json").json()["matches"]
                assert [each["termination"] for each in matches] == 24 * ["normal"]

        def rows() -> int:
            return int(run(url, "SELECT count(*) FROM log WHERE tournament = 'cup'")[0][0])

        do("as PostgreSQL's user, before the first copy")
        do("as PostgreSQL's administrator, before the first copy")
        database.restart()
        do("as PostgreSQL's user, for each copy")
        reader.environment["RUMBLE_DB"] = url = database.database()
        with playing():
            until(lambda: rows() > 40)
            moment = str(database.run("SELECT now()::text")[0][0])
        every, epoch = rows(), run(url, "SELECT epoch FROM clubs")[0]
        database.stop()
        do("as PostgreSQL's user, with nothing running")
        database.start()
        until(lambda: database.run("SELECT pg_is_in_recovery()") == [(False,)])
        assert 40 < rows() < every
        with playing():
            assert run(url, "SELECT epoch FROM clubs")[0] > epoch


@pytest.mark.e2e
@pytest.mark.long
def test_nginx_leads_to_the_nodes_that_are_there(postgres_url: str, tmp_path: Path) -> None:
    """Bots play and a visitor watches by the one address, beside a node that has died and one that stands still."""
    front = Server(free_port(), tmp_path)
    (block,) = [each for each in blocks(PAGE) if each.language == "nginx"]
    with nodes(tmp_path, postgres_url, 3, more={"RUMBLE_BEHIND_PROXY": "127.0.0.1"}) as each:
        text = block.text.replace("listen 8765", f"listen 127.0.0.1:{front.port}")
        assert "proxy_read_timeout 8s" in text
        text = text.replace("proxy_read_timeout 8s", "proxy_read_timeout 1s")
        for number, node in enumerate(each, 1):
            text = text.replace(f"node{number}:8765", f"127.0.0.1:{node.server.port}")
        with running(nginx_command(text, tmp_path), clean_environment(tmp_path), tmp_path / "nginx.log"):
            until(lambda: answers(front))
            gone = next(node for node in each if node is not leader(each))
            gone.process.kill()
            created = front.tournament("create", "friday", "--game", "tictactoe", "--start-at-bots", "2")
            assert {httpx.get(f"{front.url}/readyz", timeout=PATIENCE_S).status_code for _ in range(9)} == {200}
            watching = Stream(front, str(created["id"]))
            until(lambda: "event: snapshot" in watching.text)
            first = leader(each)
            (silent,) = [node for node in each if node not in (gone, first)]
            silent.process.send_signal(signal.SIGSTOP)
            began_s = time.monotonic()
            with ThreadPoolExecutor(6) as visitors:  # so that some come to each node
                shown = list(visitors.map(lambda _: httpx.get(f"{front.url}/readyz", timeout=PATIENCE_S), range(6)))
            took_s = time.monotonic() - began_s
            silent.process.send_signal(signal.SIGCONT)
            assert [page.status_code for page in shown] == 6 * [200]
            assert 1 < took_s < 5, "some were held, and went to the next node then"
            assert watching.is_alive(), "a feed may be quiet for longer"
            command = [*RUMBLE, "bot", "random", "--server", front.url, "--join", "friday", "--name"]
            environment = clean_environment(tmp_path)
            with ExitStack() as stack:
                for name in ("alice", "bob"):
                    stack.enter_context(running([*command, name], environment, tmp_path / f"{name}.log"))
                watching.join(PATIENCE_S)
            assert watching.is_over


def answers(server: Server) -> bool:
    """Whether a node answers by this address."""
    try:
        return httpx.get(f"{server.url}/readyz", timeout=PATIENCE_S).status_code == 200
    except httpx.TransportError:
        return False
