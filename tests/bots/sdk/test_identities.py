from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_bots import Address
from rumble_bots.sdk.identities import known_elsewhere, remember
from rumble_bots.sdk.keys import kept_key

from tests.bots.sdk.test_address import clubs

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


@given(clubs, clubs, st.sampled_from([OLD, NEW]))
def test_the_key_of_another_club_is_never_offered(club: str, other: str, at: Address) -> None:
    of_club, of_other = replace(OLD, club=club), replace(at, club=other)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUMBLE_CONFIG_DIR", folder)
        kept_key(of_other, "ann")
        remember(of_other, "1d")
        offered = of_other.http_base if club == other and at != OLD else None
        assert known_elsewhere(of_club, "1d", "ann") == offered


def test_a_file_that_names_another_club_is_damaged(folder: Path) -> None:
    other = replace(OLD, club="other")
    kept_key(other, "ann")
    remember(OLD, "1d")
    (file,) = (folder / "servers").iterdir()
    file.write_text(file.read_text().replace(OLD.http_base, other.http_base))
    assert known_elsewhere(NEW, "1d", "ann") is None


@pytest.mark.parametrize("damage", ["", "[]", '{"server": 7, "identity": "1d"}', '{"identity": "1d"}'])
def test_a_damaged_file_says_nothing_and_is_written_again(folder: Path, damage: str) -> None:
    kept_key(OLD, "ann")
    remember(OLD, "1d")
    (file,) = (folder / "servers").iterdir()
    file.write_text(damage)
    assert known_elsewhere(NEW, "1d", "ann") is None
    remember(OLD, "1d")
    assert known_elsewhere(NEW, "1d", "ann") == OLD.http_base
