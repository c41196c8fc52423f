"""The TCP proxy for tests: the fate of bytes and connections, and of a commit whose answer never came."""

import gc
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

import pytest

from tests.postgres.cluster import Cluster, run, through
from tests.postgres.proxy import Fate, Proxy, proxy
from tests.waiting import wait_until

pytestmark = pytest.mark.e2e
PATIENCE_S = 10.0


@contextmanager
def echoing() -> Iterator[Proxy]:
    """Yield a proxy to an echo server."""

    def echo(taken: socket.socket) -> None:
        with closing(taken):
            try:
                while data := taken.recv(1 << 16):
                    taken.sendall(data)
            except ConnectionError:
                pass

    def serve() -> None:
        while True:
            try:
                taken = server.accept()[0]
            except OSError:
                return
            threading.Thread(target=echo, args=[taken], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        try:
            with proxy(server.getsockname()[1]) as made:
                yield made
        finally:
            server.shutdown(socket.SHUT_RDWR)


def client(to: Proxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", to.port), PATIENCE_S)


def hears_nothing(sock: socket.socket) -> bool:
    """Return true if nothing arrives for a while."""
    sock.settimeout(0.2)
    try:
        sock.recv(100)
    except TimeoutError:
        return True
    finally:
        sock.settimeout(PATIENCE_S)
    return False


def test_bytes_pass_both_ways_and_ends_too() -> None:
    def send() -> None:
        sock.sendall(b"x" * 3_000_000)
        sock.shutdown(socket.SHUT_WR)

    with echoing() as between, client(between) as sock:
        threading.Thread(target=send).start()
        came = bytearray()
        while data := sock.recv(1 << 16):
            came += data
        assert came == b"x" * 3_000_000


def test_a_cut_resets_connections_and_a_refusal_resets_new_connections() -> None:
    with echoing() as between, client(between) as sock:
        sock.sendall(b"one")
        assert sock.recv(100) == b"one"
        assert between.cut() == 1
        with pytest.raises(ConnectionResetError):
            sock.recv(100)
        between.refuse()
        with pytest.raises(ConnectionResetError), client(between) as refused:
            refused.recv(100)
        between.accept()
        with client(between) as accepted:
            accepted.sendall(b"two")
            assert accepted.recv(100) == b"two"


@pytest.mark.long
def test_no_connection_that_comes_at_the_end_is_left_open() -> None:
    """An unclosed connection would be a warning, and warnings are errors."""
    for _ in range(60):
        came, ended = threading.Event(), threading.Event()

        def come(between: Proxy, came: threading.Event, ended: threading.Event) -> None:
            while not ended.is_set():
                with suppress(OSError), client(between):
                    came.set()

        with echoing() as between:
            coming = threading.Thread(target=come, args=[between, came, ended])
            coming.start()
            assert came.wait(PATIENCE_S)
        ended.set()
        coming.join()
    gc.collect()


@pytest.mark.parametrize("way", ["to_server", "to_client"])
def test_held_bytes_come_later_and_swallowed_bytes_never(way: str) -> None:
    with echoing() as between, client(between) as sock:
        between.hold(way)  # type: ignore[arg-type]
        sock.sendall(b"one")
        assert hears_nothing(sock)
        between.flow()
        assert sock.recv(100) == b"one"
        between.swallow()
        sock.sendall(b"two")
        assert hears_nothing(sock)
        between.flow()
        sock.sendall(b"three")
        assert sock.recv(100) == b"three"


@pytest.mark.parametrize("fate", Fate)
@pytest.mark.slow
def test_a_commit_whose_answer_never_came(fate: Fate, postgres: Cluster, postgres_url: str) -> None:
    import psycopg

    run(postgres_url, "CREATE TABLE made (number int)")
    with proxy(postgres.port) as between:
        connection = psycopg.connect(through(postgres_url, between.port), autocommit=True)
        cut = between.cut_by(lambda sent: b"INSERT" in sent, fate)
        assert connection.execute("SELECT 1").fetchall() == [(1,)]
        with pytest.raises(psycopg.OperationalError):
            connection.execute("INSERT INTO made VALUES (7)")
        cut.wait()

        def rows() -> list[tuple[int]]:
            return run(through(postgres_url, between.port), "SELECT number FROM made")

        match fate:
            case Fate.UNSENT:
                assert rows() == []
            case Fate.DONE:
                assert rows() == [(7,)]
            case Fate.SENT:
                assert wait_until(rows)
            case Fate.LATE:
                assert rows() == []
                cut.release()
                assert wait_until(rows)
        assert rows() == ([] if fate is Fate.UNSENT else [(7,)])
