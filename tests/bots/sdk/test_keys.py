import errno
import json
import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_bots import Address, BadKey, BadName
from rumble_bots.sdk.keys import check_key, config_folder, keep_key, kept_key, key_file

from tests.bots.sdk.test_address import clubs

SERVER = Address("localhost", 8765)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUMBLE_CONFIG_DIR", str(tmp_path / "config"))
    return tmp_path / "config"


def test_a_key_is_made_once_per_server_and_name(folder: Path) -> None:
    key = kept_key(SERVER, "ann")
    assert len(key) >= 32
    assert kept_key(Address("127.0.0.1", 8765), "Ann") == key
    assert kept_key(SERVER, "bob") != key
    assert kept_key(Address("localhost", 1), "ann") != key
    assert config_folder() == folder


@given(clubs, clubs, st.sampled_from(["ann", "c", "main", "fun"]), st.sampled_from(["ann", "Ann", "c", "main", "fun"]))
def test_two_clubs_of_a_server_share_no_key(club: str, other: str, name: str, of_other: str) -> None:
    one, two = replace(SERVER, club=club), replace(SERVER, club=other)
    is_same = (club, name) == (other, of_other.lower())
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUMBLE_CONFIG_DIR", folder)
        assert (kept_key(one, name) == kept_key(two, of_other)) == is_same


def test_the_keys_of_main_are_where_they_were_before_there_were_clubs(folder: Path) -> None:
    file = folder / "keys" / "localhost_8765" / "ann.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"server": "http://localhost:8765", "name": "ann", "key": "k" * 16}))
    assert kept_key(Address.parse("localhost:8765/c/main/"), "ann") == "k" * 16
    assert kept_key(Address.parse("localhost:8765/c/fun"), "ann") != "k" * 16
    assert (folder / "keys" / "localhost_8765" / "c" / "fun" / "ann.json").exists()


def test_only_the_user_can_read_a_key_and_no_other_file_is_left() -> None:
    key = kept_key(SERVER, "ann")
    file = key_file(SERVER, "ann")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text()) == {"server": "http://localhost:8765", "name": "ann", "key": key}
    assert [path.name for path in file.parent.iterdir()] == ["ann.json"]


def test_programs_that_start_at_once_use_one_key() -> None:
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: kept_key(SERVER, "ann"), range(16)))) == 1


def test_a_key_is_made_once_also_on_a_file_system_without_hard_links(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: Path, target: Path) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    key = kept_key(SERVER, "ann")
    assert kept_key(SERVER, "ann") == key
    keep_key(SERVER, "ann", "k" * 16)
    file = key_file(SERVER, "ann")
    assert json.loads(file.read_text())["key"] == key, "the first key stays"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["ann.json"]


def test_a_key_file_that_another_program_is_filling_is_read_a_moment_later(monkeypatch: pytest.MonkeyPatch) -> None:
    file = key_file(SERVER, "ann")
    file.parent.mkdir(parents=True)
    file.touch()
    monkeypatch.setattr(time, "sleep", lambda _: file.write_text(json.dumps({"key": "k" * 16})))
    assert kept_key(SERVER, "ann") == "k" * 16


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"key": 1}', b'{"key": "short"}', b"\0", b"\xff\xfe"])
def test_a_damaged_file_is_told_and_kept(content: bytes) -> None:
    file = key_file(SERVER, "ann")
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    with pytest.raises(BadKey, match=r"ann\.json is damaged") as raised:
        kept_key(SERVER, "ann")
    assert "\n" not in str(raised.value)
    assert file.read_bytes() == content


def test_the_error_where_no_key_can_be_kept_says_how_to_give_one(folder: Path) -> None:
    folder.write_text("a file where the folder should be")
    with pytest.raises(BadKey, match=r"cannot keep a key in .* give one by --key or RUMBLE_KEY"):
        kept_key(SERVER, "ann")


@pytest.mark.parametrize("name", ["", "../ann", ".ann", "ann bob", "a" * 33, "ann\n", "änn"])
def test_names_that_no_server_takes(name: str) -> None:
    with pytest.raises(BadName, match="is not a name"):
        kept_key(SERVER, name)


def test_keys_that_no_server_takes() -> None:
    assert check_key("k" * 16) == "k" * 16
    for key in ("k" * 15, "k" * 129):
        with pytest.raises(BadKey, match="16 to 128"):
            check_key(key)
