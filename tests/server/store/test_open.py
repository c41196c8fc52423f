"""Opening a database: the URL decides on the kind."""

import subprocess
import sys
from pathlib import Path

import pytest
from rumble_server.store import open as module
from rumble_server.store.errors import StoreError
from rumble_server.store.open import database_path, is_postgres, open_store
from rumble_server.store.sqlite.store import SqliteStore

from tests.server.store.disk import shut


def test_the_url_tells_the_kind_of_database(tmp_path: Path) -> None:
    urls = ["rumble.db", "sqlite:///a", "postgresql://a/b", "postgres://a/b"]
    assert [url for url in urls if is_postgres(url)] == urls[2:]
    store = open_store(f"sqlite:///{tmp_path / 'rumble.db'}")
    assert isinstance(store, SqliteStore)
    shut(store)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("rumble.db", "rumble.db"),
        ("/var/lib/rumble.db", "/var/lib/rumble.db"),
        ("sqlite:///rumble.db", "rumble.db"),
        ("sqlite:///data/rumble.db", "data/rumble.db"),
        ("sqlite:////var/lib/rumble.db", "/var/lib/rumble.db"),
    ],
)
def test_a_database_is_named_by_its_path_or_a_url(url: str, path: str) -> None:
    assert database_path(url) == path


@pytest.mark.parametrize("url", ["mysql://host/db", "sqlite://rumble.db", "sqlite:///", "sqlite://", "://x"])
def test_other_urls_are_refused_with_the_accepted_forms(url: str) -> None:
    with pytest.raises(StoreError, match="--db takes a path"):
        database_path(url)


def test_without_the_library_the_extra_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"postgresql:// needs an extra; .*pip install '\.\[postgres\]'") as refused:
        open_store("postgresql://localhost/rumble")
    assert "\n" not in str(refused.value)


@pytest.mark.slow
def test_a_server_on_sqlite_does_not_load_the_library_of_postgresql() -> None:
    program = f"import sys, {module.__name__}, rumble_server.app; print('psycopg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False\n"
