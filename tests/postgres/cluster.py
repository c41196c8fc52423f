"""A PostgreSQL cluster for tests: made by `initdb`, on a loopback port and a Unix socket, and removed after the tests.

PostgreSQL refuses to run as root, so root's tests run the server as another user. A guard (tests/postgres/guard.py)
ends the server and removes its folder when this process ends, even if it is killed.
"""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import psutil

from tests.e2e.processes import free_port
from tests.needs import missing, need_module
from tests.postgres.guard import left_of
from tests.waiting import wait_until

PATIENCE_S = 60.0
"""Time in s within which the server must start or end."""
SETTINGS: Mapping[str, object] = {
    "listen_addresses": "127.0.0.1",
    "dynamic_shared_memory_type": "mmap",  # in the folder, which is removed at the end
    "max_connections": 200,
    "log_line_prefix": "%m [%p] %d ",
}
USER = "tests"


def programs() -> Path:
    """Return the folder of PostgreSQL's programs, from PATH, or the newest of Debian's. Skip the test without it."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return debian[-1].parent if debian else missing("PostgreSQL is not installed: apt-get install postgresql")


def stranger() -> str | None:
    """Return the user that the server runs as if this process is root's; None for the same user."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    return missing("PostgreSQL refuses to run as root, and there is no other user")


@dataclass(slots=True)
class Cluster:
    """A cluster. Its server may be ended, killed and started again; databases in it are cheap."""

    folder: Path
    fsync: bool = False
    settings: Mapping[str, object] = field(default_factory=dict)
    """Settings of postgresql.conf in addition to `SETTINGS`."""
    password: str = field(default_factory=lambda: secrets.token_hex(8))
    port: int = 0
    process: "subprocess.Popen[bytes] | None" = None
    _programs: Path = field(default_factory=programs)
    _user: str | None = field(default_factory=stranger)
    _databases: int = 0
    _free: list[str] = field(default_factory=list)
    """URLs of lent databases that are back and empty again."""

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> str:
        """Text of the server's log."""
        return (self.folder / "log").read_text(errors="replace")

    def initialise(self) -> None:
        """Make the files of the cluster."""
        self._own(self.folder)
        secret = self.folder / "password"
        secret.write_text(self.password)
        self._own(secret)
        made = ("--auth=scram-sha-256", f"--pwfile={secret}", f"--username={USER}", "--no-locale", "--encoding=UTF8")
        self._finish("initdb", "--no-sync", "--pgdata", str(self.data), *made)

    def follow(self, url: str) -> None:
        """Make the files of a standby, as a copy of the running cluster at `url`."""
        self._own(self.folder)
        how = ("--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync")
        self._finish("pg_basebackup", "--pgdata", str(self.data), "--dbname", url, *how)

    def promote(self) -> None:
        """Promote a standby, and return when it takes writes."""
        assert self.run("SELECT pg_promote()") == [(True,)], self.log

    def start(self) -> None:
        """Start the server on the port of its first start, and wait until it takes connections."""
        self.port = self.port or free_port()
        given = {**SETTINGS, "fsync": self.fsync, "port": self.port, "unix_socket_directories": self.folder}
        given |= self.settings
        options = [word for name, value in given.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self.process = self._spawn("postgres", "-D", str(self.data), *options, out=log.fileno())
        assert wait_until(self._is_ready, PATIENCE_S), f"PostgreSQL did not start: {self.log}"

    def stop(self, how: int = signal.SIGINT) -> None:
        """End the server: SIGINT ends connections, SIGTERM waits for their end, SIGQUIT skips the checkpoint."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(PATIENCE_S)
            self.process = None

    def restart(self) -> None:
        """End the server and its connections, and start it again."""
        self.stop()
        self.start()

    def kill(self) -> None:
        """Kill every process of the server, as the death of its machine would."""
        assert self.process is not None
        family = self._processes()
        for process in family:
            process.suspend()  # before one of them can see another die
        for process in family:
            process.kill()
        self.process.wait(PATIENCE_S)
        self.process = None
        assert left_of(family, PATIENCE_S) == []

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop every process of the server for a block: no answers come, and connections stay open."""
        family = self._processes()
        for process in family:
            process.suspend()
        try:
            yield
        finally:
            for process in reversed(family):
                process.resume()

    def shell(self, line: str) -> None:
        """Run a shell command as the server's user, with the environment to reach the server."""
        found = {"PGHOST": str(self.folder), "PGPORT": str(self.port), "PGUSER": USER, "PGPASSWORD": self.password}
        path = f"{self._programs}:{os.environ['PATH']}"
        self._finish("/bin/sh", "-c", line, environment={**found, "PATH": path})

    def database(self) -> str:
        """Create a database, and return its URL."""
        self._databases += 1
        name = f"test_{self._databases}"
        self.run(f'CREATE DATABASE "{name}"')
        return self.url(name)

    @contextmanager
    def lent(self) -> Iterator[str]:
        """Yield the URL of an empty database for a block.

        The database is emptied and lent again: creating a database takes longer than most tests, and 12 MB in 300
        files.
        """
        import psycopg

        url = self._free.pop() if self._free else self.database()
        yield url
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("""SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()""")
            connection.execute(f'ALTER DATABASE "{url.rpartition("/")[2]}" RESET ALL'.encode())
            connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        self._free.append(url)

    def url(self, database: str = "postgres") -> str:
        """Return the URL of a database over TCP, with the password."""
        return f"postgresql://{USER}:{self.password}@127.0.0.1:{self.port}/{database}"

    def socket_url(self, database: str = "postgres") -> str:
        """Return the URL of a database over the Unix socket, with the password."""
        return (
            f"postgresql://{USER}:{self.password}@/{database}?host={quote(str(self.folder), safe='')}&port={self.port}"
        )

    def run(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run a statement on a connection of its own, and return the rows."""
        return run(self.url(database), statement)

    def _processes(self) -> list[psutil.Process]:
        """Return the server's process, followed by its children."""
        assert self.process is not None
        server = psutil.Process(self.process.pid)
        return [server, *server.children()]

    def _is_ready(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.log
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) > 7 and lines[0] == str(self.process.pid) and lines[7].strip() == "ready"

    def _own(self, path: Path) -> None:
        if self._user:
            shutil.chown(path, self._user)

    def _finish(self, program: str, *words: str, environment: Mapping[str, str] | None = None) -> None:
        done = self._spawn(program, *words, environment=environment)
        printed = done.communicate(timeout=PATIENCE_S)[0]
        assert done.returncode == 0, printed.decode()

    def _spawn(
        self, program: str, *words: str, out: int = subprocess.PIPE, environment: Mapping[str, str] | None = None
    ) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [str(self._programs / program), *words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for the tests, which then end the server
            env=environment or {name: value for name, value in os.environ.items() if not name.startswith("PG")},
            **self._as_user(),
        )

    def _as_user(self) -> dict[str, Any]:
        if self._user is None:
            return {}
        return {"user": self._user, "group": pwd.getpwnam(self._user).pw_gid, "extra_groups": []}


@contextmanager
def cluster(
    *, fsync: bool = False, settings: Mapping[str, object] | None = None, kind: Callable[..., Cluster] = Cluster
) -> Iterator[Cluster]:
    """Make and start a cluster for a block. Skip the test without PostgreSQL or its client library."""
    need_module("psycopg", "postgres")
    programs(), stranger()
    with _folder() as folder:
        made = kind(folder, fsync, settings or {})
        with _ending(made):
            made.initialise()
            made.start()
            yield made


@contextmanager
def standby(primary: Cluster, way: int) -> Iterator[Cluster]:
    """Make and start a standby of a cluster for a block. It gets commits through the port `way`."""
    with _folder() as folder:
        made = Cluster(folder, primary.fsync, primary.settings, primary.password)
        with _ending(made):
            made.follow(through(primary.url(), way))
            made.start()
            streams = [("streaming",)]
            follows = wait_until(lambda: primary.run("SELECT state FROM pg_stat_replication") == streams, PATIENCE_S)
            assert follows, made.log
            yield made


@contextmanager
def _folder() -> Iterator[Path]:
    """Yield a folder for a block; at the end, even by a kill, the folder and any server in it go."""
    folder = Path(tempfile.mkdtemp(prefix="rumble-pg-"))  # short, because paths of Unix sockets must be
    guard = subprocess.Popen([sys.executable, "-m", "tests.postgres.guard", str(folder)], **_GUARD)
    try:
        yield folder
    finally:
        guard.communicate(timeout=PATIENCE_S)


@contextmanager
def _ending(made: Cluster) -> Iterator[None]:
    try:
        yield
    finally:
        made.stop(signal.SIGQUIT)


_GUARD: dict[str, Any] = {"stdin": subprocess.PIPE, "cwd": Path(__file__).parents[2], "start_new_session": True}


def run(url: str, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
    """Run a statement in the database of a URL, on a connection of its own, and return the rows."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement, values or None)  # without values, psycopg takes a % literally
        return cursor.fetchall() if cursor.description else []


def through(url: str, port: int) -> str:
    """Return the URL of the same database through another port of this machine, such as a proxy's."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{parts.netloc.rpartition(':')[0]}:{port}"))
