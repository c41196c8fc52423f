"""docs/CLUSTER.md as a reader does it: a database moves to PostgreSQL, and three nodes are set up in ten commands."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.docs_blocks import ROOT, Block, are_commands, blocks, check_page, commands, is_a_drawing
from tests.e2e.processes import (
    PATIENCE_S,
    RUMBLE,
    announced_port,
    clean_environment,
    free_port,
    path_with_programs,
    running,
)
from tests.e2e.proxies import FILES, proxied
from tests.e2e.stub_nodes import stub_nodes
from tests.e2e.test_node_proxies import text_of
from tests.needs import need
from tests.postgres.cluster import Cluster, cluster, programs, run
from tests.server.certificates import Authority
from tests.waiting import until

PAGE = ROOT / "docs" / "CLUSTER.md"
ADMINISTRATOR = "the-administrator-s-token"
PASSWORD = "a-password-of-its-own"
HOW = "--game connect4 --cycles 12 --start-at-bots 2"
LONG = "--game hex --cycles 1000 --start-at-bots 2"
"""Options of a tournament that outlasts the test."""
PROGRAMS = ("pg_dump", "pg_basebackup", "mkdir", "mv", "cp", "touch", "echo", "nginx")
NODES = ("node1", "node2", "node3")


def is_tried(block: Block) -> None:
    """Check nothing: a test runs the commands of the block."""


def test_every_block_passes_its_check() -> None:
    special = {"elsewhere: it needs Docker": is_tried, "drawing": is_a_drawing}  # tests/test_containers.py
    assert check_page(PAGE, {"sql": is_tried, "sh": are_commands("export", *PROGRAMS), **special}) == 15


def lines(marker: str) -> list[str]:
    found = [each for each in blocks(PAGE) if each.marker == marker]
    return [line for each in found for line in (commands(each) if each.language == "sh" else each.text.splitlines())]


class Reader:
    """A reader who types the page's commands with this machine's addresses."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        path = f"{path_with_programs(folder / 'programs')}:{programs()}"
        self.environment = clean_environment(folder, {"PATH": path, "RUMBLE_ADMIN_TOKEN": ADMINISTRATOR})
        self.environment |= {"RUMBLE_SERVER": f"http://127.0.0.1:{self.port}", "RUMBLE_HOUSE": "none"}

    def run(self, line: str, more: Mapping[str, str] | None = None) -> str:
        """Type one line, and return its output."""
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

    def set_up_database(self, postgres: Cluster) -> None:
        """Follow the page's advice on PostgreSQL, and adopt its settings."""
        statements = lines("as PostgreSQL's administrator")
        assert PASSWORD in "".join(statements)
        for undone in ("DROP DATABASE IF EXISTS rumble", "DROP ROLE IF EXISTS rumble"):  # left over from another test
            postgres.run(undone)
        for statement in statements:
            postgres.run(statement)
        url, passwords = (line.partition("=")[2].strip('"') for line in lines("settings of a server on PostgreSQL"))
        secret = self.folder / Path(passwords).name
        secret.write_text(f"*:*:*:rumble:{PASSWORD}\n")
        secret.chmod(0o600)
        here = url.replace("db.example.org", f"127.0.0.1:{postgres.port}").replace("verify-full", "prefer")
        assert here != url
        self.environment |= {"RUMBLE_DB": here, "PGPASSFILE": str(secret)}

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Run the server with the settings so far."""
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

    reader.set_up_database(postgres)
    (copy,) = lines("with the settings, and no server running")
    assert "copied and compared: 2 clubs" in reader.run(copy)
    shutil.move(tmp_path / "rumble.db", tmp_path / "rumble-before.db")
    with reader.serving():
        assert reader.ask("/c/beginners/api/tournaments/monday").json() == before
        verify, prune, dump = lines("with the settings, beside a server")
        assert "no damage" in reader.run(verify)
        assert "pruned 0 tournaments" in reader.run(prune)
        reader.run(dump)
        (list_nodes,) = lines("with the settings, from anywhere")
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
            """Type the commands of a block, with this cluster's folders."""
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


class Site:
    """Three nodes and nginx, set up by the page's commands, each on its own port of this machine."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.ports = {name: free_port() for name in (*NODES, "proxy")}
        self.front = f"http://127.0.0.1:{self.ports['proxy']}"
        *exports, self._serve = lines("on each node, with the settings above")
        self.tokens = dict(line.removeprefix("export ").split("=") for line in exports)
        reader.environment |= {**self.tokens, "RUMBLE_SERVER": self.front}

    @contextmanager
    def node(self, name: str) -> Iterator[None]:
        """Run a node."""
        here = {
            "node1:8765": f"127.0.0.1:{self.ports[name]}",
            "10.0.0.9": "127.0.0.1",
            "0.0.0.0": "127.0.0.1",
            "http://rumble.example.org": self.front,
        }
        line = self._serve
        for old, new in here.items():
            assert old in line
            line = line.replace(old, new)
        log = self.reader.folder / f"{name}.log"
        command = [*line.split(), "--port", str(self.ports[name])]
        with running(command, self.reader.environment, log) as process:
            assert announced_port(process, log) == self.ports[name]
            yield
        assert "Traceback" not in log.read_text(), log.read_text()

    @contextmanager
    def proxy(self) -> Iterator[None]:
        """Run nginx with the page's configuration."""
        copy, check, start = lines("on the machine of the proxy")
        assert (check, start) == ("nginx -t", "nginx -s reload")  # `proxied` runs nginx with other files
        file = ROOT / copy.split()[1]
        assert file.name == FILES["nginx"]
        nodes: Any = [SimpleNamespace(port=self.ports[name]) for name in NODES]
        port = self.ports["proxy"]
        with proxied("nginx", text_of("nginx", port, nodes), port, self.reader.folder):
            yield

    def leads(self) -> dict[str, list[str]]:
        """Return the clubs that each node leads, by the page's command."""
        (command,) = lines("with the settings, from anywhere")
        rows = [line.split("  ") for line in self.reader.run(command).splitlines()]
        names = {f"http://127.0.0.1:{port}": name for name, port in self.ports.items()}
        return {names[address]: leads.removeprefix("leads ").split(", ") for _, address, leads in rows}

    def leader_of(self, club: str) -> str | None:
        """Return the node that leads a club."""
        return next((name for name, clubs in self.leads().items() if club in clubs), None)


@pytest.mark.e2e
@pytest.mark.long
def test_three_nodes_in_ten_commands(postgres: Cluster, tmp_path: Path) -> None:
    """A club's tournament goes on while the club moves, its node is drained, and the node stops."""
    need("nginx")
    markers = (
        "as PostgreSQL's administrator",
        "settings of a server on PostgreSQL",
        "on each node, with the settings above",
        "on the machine of the proxy",
        "with the settings, from anywhere",
    )
    assert sum(len(lines(marker)) for marker in markers) == 11, "`nginx -t` only looks whether the file is right"
    reader = Reader(tmp_path)
    reader.set_up_database(postgres)
    site = Site(reader)
    with ExitStack() as stack:
        nodes = {name: stack.enter_context(ExitStack()) for name in NODES}
        for name, node in nodes.items():
            node.enter_context(site.node(name))
        stack.enter_context(site.proxy())
        until(lambda: httpx.get(f"{site.front}/", timeout=PATIENCE_S).status_code == 200)
        assert set(site.leads()) == set(NODES)
        reader.run("rumble club create chess")
        club = f"--server {site.front}/c/chess"
        until(lambda: httpx.get(f"{site.front}/c/chess/", timeout=PATIENCE_S).status_code == 200)
        host = {"RUMBLE_HOST_TOKEN": site.tokens["RUMBLE_ADMIN_TOKEN"]}
        reader.run(f"rumble tournament create cup {LONG} {club}", host)
        for name in ("ann", "ben"):
            bot = [*RUMBLE, "bot", "random", "--name", name, "--join", "cup", *club.split()]
            stack.enter_context(running(bot, reader.environment, tmp_path / f"{name}.log"))

        def played() -> int:
            answer = httpx.get(f"{site.front}/c/chess/api/tournaments/cup", timeout=PATIENCE_S)
            return sum(row["played"] for row in answer.json()["standings"]) if answer.status_code == 200 else -1

        def goes_on() -> None:
            before = played()
            until(lambda: played() > max(0, before))

        goes_on()
        move, drain = lines("with the settings, for a node and a club")
        to = next(name for name in NODES if name != site.leader_of("chess"))
        reader.run(move.replace("node2:8765", f"127.0.0.1:{site.ports[to]}"))
        until(lambda: site.leader_of("chess") == to)
        goes_on()
        reader.run(drain.replace("node1:8765", f"127.0.0.1:{site.ports[to]}"))
        until(lambda: site.leads()[to] == ["nothing: it is drained"])
        goes_on()
        gone = site.leader_of("chess")
        assert gone not in (None, to)
        nodes[str(gone)].close()
        (last,) = set(NODES) - {to, gone}
        until(lambda: site.leads() == {to: ["nothing: it is drained"], last: ["chess", "main"]})
        goes_on()
        bots = httpx.get(f"{site.front}/c/chess/api/tournaments/cup", timeout=PATIENCE_S).json()["standings"]
        assert {row["name"]: row["faults"] for row in bots} == {"ann": {}, "ben": {}}


@pytest.mark.e2e
@pytest.mark.slow
@pytest.mark.parametrize("proxy", FILES)
def test_tls_to_the_nodes(proxy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page and the file's comments tell how to change the proxy's file for TLS."""
    need(proxy)
    authority, port = Authority(), free_port()
    trusted = tmp_path / "authority.pem"
    trusted.write_bytes(authority.pem)
    with (
        stub_nodes(3, authority.issue(tmp_path, "rumble.example.org")) as (site, nodes),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("SSL_CERT_FILE", str(trusted))
        text = text_of(proxy, port, nodes)
        for node in nodes:
            text = text.replace(f"http://127.0.0.1:{node.port} ", f"https://127.0.0.1:{node.port} ")
        if proxy == "nginx":
            text = text.replace("proxy_pass http://", "proxy_pass https://").replace("#proxy_ssl", "proxy_ssl")
            text = text.replace("/etc/ssl/certs/ca-certificates.crt", str(trusted))
        else:
            text = text.replace("#tls_server_name", "tls_server_name")
        site.leaders = {"main": nodes[0].address, "one": nodes[1].address}
        with proxied(proxy, text, port, tmp_path) as url:
            until(lambda: httpx.get(url, timeout=PATIENCE_S).status_code == 200)
            for club, path in (("main", "/x"), ("one", "/c/one/x")):
                assert httpx.get(f"{url}{path}", timeout=PATIENCE_S).json()["node"] == site.leaders[club]


@pytest.mark.e2e
@pytest.mark.slow
def test_nginx_behind_a_balancer(tmp_path: Path) -> None:
    """Nodes are told the address and the scheme of the balancer's client."""
    need("nginx")
    port = free_port()
    with stub_nodes(3) as (site, nodes):
        text = text_of("nginx", port, nodes).replace("#set_real_ip_from 10.0.0.0/8", "set_real_ip_from 127.0.0.0/8")
        text = text.replace("#real_ip_header", "real_ip_header").replace("$scheme", "https")
        site.leaders = {"main": nodes[0].address}
        with proxied("nginx", text, port, tmp_path) as url:
            until(lambda: httpx.get(url, timeout=PATIENCE_S).status_code == 200)
            nodes[0].served.clear()
            httpx.get(url, headers={"X-Forwarded-For": "192.0.2.1, 203.0.113.9"}, timeout=PATIENCE_S)
    (headers,) = nodes[0].served
    assert (headers["x-forwarded-for"], headers["x-forwarded-proto"]) == ("203.0.113.9", "https")
