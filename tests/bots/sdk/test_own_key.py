"""A server that moves: its answers to bots, and the bots' return. Over real sockets on loopback."""

from pathlib import Path

import pytest
from rumble_bots import Address, BadKey, Refused, serve
from rumble_bots.sdk.keys import config_folder, kept_key
from rumble_bots.sdk.own_key import OwnKey
from rumble_protocol.clubs import MAIN
from rumble_protocol.secret import make_secret

from tests.bots.sdk.fake_server import FakeServer
from tests.bots.sdk.first import First

pytestmark = pytest.mark.e2e
KEY = "k" * 16


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUMBLE_CONFIG_DIR", str(tmp_path))
    monkeypatch.delenv("RUMBLE_KEY", raising=False)
    return tmp_path


@pytest.mark.parametrize("club", [MAIN, "fun"])
async def test_the_owner_of_a_name_comes_back_to_a_server_that_has_moved(club: str) -> None:
    async with FakeServer(matches=0, identity="1d", club=club).listening() as old:
        await serve(First(), old.address, name="ann", join="cup")
    key = kept_key(Address.parse(old.address), "ann")
    async with FakeServer(matches=0, identity="1d", key=key, club=club).listening() as new:
        with pytest.raises(Refused) as refused:
            await serve(First(), new.address, name="ann", join="cup")
        assert refused.value.code == "bad_key"
        assert f"--same-server http://{old.address} logs in with the key kept for that" in str(refused.value)
        await serve(First(), new.address, name="ann", join="cup", same_server=old.address)
        await serve(First(), new.address, name="ann", join="cup")
    assert [login.key == key for login in new.logins] == [False, True, True], "never by itself, and kept when accepted"


async def test_another_server_gets_no_key_and_no_hint() -> None:
    async with FakeServer(matches=0, identity="1d").listening() as old:
        await serve(First(), old.address, name="ann", join="cup")
    for identity in ("2e", ""):
        async with FakeServer(identity=identity, refuse_key=True).listening() as other:
            with pytest.raises(Refused) as refused:
                await serve(First(), other.address, name="ann", join="cup")
            assert "same-server" not in str(refused.value)
            assert other.logins[0].key != kept_key(Address.parse(old.address), "ann")


async def test_a_key_of_the_owner_s_own_leaves_no_file() -> None:
    async with FakeServer(matches=0, identity="1d").listening() as server:
        await serve(First(), server.address, name="ann", join="cup", key=KEY)
    assert list(config_folder().iterdir()) == []


def test_the_key_made_in_exchange_for_the_owner_s_is_kept_for_the_name() -> None:
    server = Address.parse("127.0.0.1:1")
    own = OwnKey.find(server, "ann", KEY, None)
    own.admitted("1d")
    assert own.made_key is None
    own.admitted("1d", made := make_secret())
    assert OwnKey.find(server, "Ann", KEY, None).made_key == made
    assert OwnKey.find(server, "ben", KEY, None).made_key is None


async def test_there_is_no_key_for_the_other_address() -> None:
    with pytest.raises(BadKey, match=r"no key of ann is kept for http://192\.0\.2\.1:8765"):
        await serve(First(), "127.0.0.1:1", name="ann", join="cup", same_server="192.0.2.1:8765")


async def test_a_key_of_another_club_is_refused_and_the_right_address_told() -> None:
    kept_key(Address.parse("192.0.2.1:8765"), "ann")
    told = r"192\.0\.2\.1:8765 is the club main, .* --same-server http://192\.0\.2\.1:8765/c/fun$"
    with pytest.raises(BadKey, match=told):
        await serve(First(), "127.0.0.1:1/c/fun", name="ann", join="cup", same_server="192.0.2.1:8765")


async def test_a_folder_that_cannot_be_written_stops_no_bot(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with FakeServer(matches=0, identity="1d").listening() as server:
        kept_key(Address.parse(server.address), "ann")
        (folder / "servers").write_text("in the way")
        assert (await serve(First(), server.address, name="ann", join="cup")).reason == "over"
    assert "cannot keep what is known of" in caplog.text
