from pathlib import Path

import pytest
from rumble_bots import Address
from rumble_bots.sdk.identities import known_elsewhere, remember
from rumble_bots.sdk.keys import kept_key

OLD, NEW = Address("192.0.2.1", 8765), Address("192.0.2.7", 8765)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUMBLE_CONFIG_DIR", str(tmp_path))
    return tmp_path


def test_a_server_is_known_at_another_address_where_a_key_of_the_name_is_kept() -> None:
    remember(OLD, "1d")
    assert known_elsewhere(NEW, "1d", "Ann") is None, "no key is kept there"
    kept_key(OLD, "ann")
    assert known_elsewhere(NEW, "1d", "Ann") == "http://192.0.2.1:8765"
    assert known_elsewhere(NEW, "2e", "Ann") is None
    assert known_elsewhere(OLD, "1d", "Ann") is None, "that is this address"


def test_the_newest_identity_of_an_address_counts() -> None:
    kept_key(OLD, "ann")
    for identity in ("1d", "2e"):
        remember(OLD, identity)
    assert known_elsewhere(NEW, "1d", "ann") is None
    assert known_elsewhere(NEW, "2e", "ann") == OLD.http_base


@pytest.mark.parametrize("damage", ["", "[]", '{"server": 7, "identity": "1d"}', '{"identity": "1d"}'])
def test_a_damaged_file_says_nothing_and_is_written_again(folder: Path, damage: str) -> None:
    kept_key(OLD, "ann")
    remember(OLD, "1d")
    (file,) = (folder / "servers").iterdir()
    file.write_text(damage)
    assert known_elsewhere(NEW, "1d", "ann") is None
    remember(OLD, "1d")
    assert known_elsewhere(NEW, "1d", "ann") == OLD.http_base
