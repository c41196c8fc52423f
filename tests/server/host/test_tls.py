"""TLS of a server: bots and house bots play over TLS, and the certificate is exchanged meanwhile."""

import asyncio
import os
import re
import signal
import ssl
import subprocess
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest
from rumble_protocol.clubs import MAIN
from rumble_server.app import Server, StartError
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.cli.main import run
from rumble_server.cli.processes.house import HouseProcesses
from rumble_server.config import ServerConfig
from rumble_server.host.tls import Certificate, CertificateError, read_leaf, trusting
from rumble_server.tournament.config import TournamentConfig
from trustme import KeyType

from tests.e2e.processes import PATIENCE_S, RUMBLE, clean_environment, running
from tests.needs import need
from tests.server import whole_server
from tests.server.certificates import Authority
from tests.server.clubs.test_registry import Bot


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


def shown(server_url: str) -> str:
    """Return the certificate that a server shows."""
    host, _, port = server_url.removeprefix("https://").partition(":")
    return ssl.get_server_certificate((host, int(port)))


def serving(tmp_path: Path, authority: Authority, **config: Any) -> AbstractAsyncContextManager[Server]:
    cert, key = authority.issue(tmp_path)
    return whole_server.running(tmp_path / "rumble.db", HouseProcesses, tls_cert=cert, tls_key=key, **config)


async def bot_of(server: Server, authority: Authority) -> Bot:
    bot = await Bot.of(server, MAIN, authority.context, name="ann", key="a-key-of-this-bot")
    await bot.hears("session")
    return bot


@pytest.mark.e2e
async def test_bots_and_house_bots_play_over_tls_while_the_certificate_changes(
    tmp_path: Path, authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path, authority, host_token="the-host-token") as server:
        assert server.url.startswith("https://127.0.0.1:")
        Organiser(server.arena).create(TournamentConfig(name="Friday", game="tictactoe", start_at_bots=2))
        async with httpx.AsyncClient(verify=authority.context, base_url=server.url, timeout=PATIENCE_S) as browser:
            ann = await bot_of(server, authority)
            await ann.say(type="join", tournament="friday")
            headers = {"Authorization": "Bearer the-host-token"}
            first = await asyncio.to_thread(shown, server.url)
            assert (await browser.get("/healthz")).status_code == 200

            authority.issue(tmp_path)
            server.reload()
            assert await asyncio.to_thread(shown, server.url) != first
            # The house bot comes after the change, and knows the new certificate; ann is on her old connection.
            added = await browser.post("/api/tournaments/friday/house", json={"bot": "random"}, headers=headers)
            assert added.status_code == 200
            assert (await ann.play())["bots"] == 2
            figures = (await browser.get("/metrics")).text
            assert 'rumble_connections{kind="bot"} ' in figures
            for name in ("turn_latency", "commit"):
                assert float(re.findall(rf"rumble_{name}_seconds_count (\S+)", figures)[0]) > 0
            await ann.close()
        assert [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []


@pytest.mark.e2e
async def test_a_bad_file_leaves_the_old_certificate(
    tmp_path: Path, authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path, authority) as server:
        first = await asyncio.to_thread(shown, server.url)
        (tmp_path / "key.pem").write_text("nothing")
        server.reload()
        assert await asyncio.to_thread(shown, server.url) == first
        await (await bot_of(server, authority)).close()
    assert [record.levelname for record in caplog.records if "the old certificate stays" in record.message] == ["ERROR"]


def test_house_bots_trust_this_very_certificate_under_any_name_and_no_other(
    tmp_path: Path, authority: Authority
) -> None:
    certificate = Certificate(*authority.issue(tmp_path, "rumble.example.org"))
    ours = trusting(certificate.leaf)
    assert shakes_hands(ours, certificate.context)
    # A different certificate, of the same authority and for the same name, is not ours.
    assert not shakes_hands(ours, Certificate(*authority.issue(tmp_path)).context)
    assert shakes_hands(trusting(certificate.leaf, read_leaf(str(tmp_path / "cert.pem"))), certificate.context)


def shakes_hands(client_context: ssl.SSLContext, server_context: ssl.SSLContext) -> bool:
    """Return whether a client and a server, in memory, agree on a connection."""
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = client_context.wrap_bio(down, up, server_hostname="127.0.0.1")
    server = server_context.wrap_bio(up, down, server_side=True)
    for _ in range(4):
        for side in (client, server):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
            except ssl.SSLError:
                return False
    return True


def test_a_certificate_with_another_kind_of_key_replaces_the_old_one(tmp_path: Path, authority: Authority) -> None:
    certificate = Certificate(*authority.issue(tmp_path, key_type=KeyType.ECDSA))
    old = trusting(certificate.leaf)
    authority.issue(tmp_path, key_type=KeyType.RSA)
    certificate.reload()
    assert shakes_hands(trusting(certificate.leaf), certificate.context)
    assert not shakes_hands(old, certificate.context)


@pytest.mark.parametrize(
    ("cert", "key", "expected"),
    [
        ("nowhere.pem", "key.pem", "cannot read .*nowhere.pem: No such file"),
        ("cert.pem", "nowhere.pem", "cannot read .*nowhere.pem: No such file"),
        ("key.pem", "key.pem", "key.pem has no certificate in PEM"),
        ("cert.pem", "other.pem", "cert.pem with the key .*other.pem: they do not belong together"),
        ("cert.pem", "text.pem", "cert.pem with the key .*text.pem: this is no certificate with a key in PEM"),
        ("cert.pem", None, "cannot use the certificate .*cert.pem: this is no certificate with a key in PEM"),
    ],
)
def test_a_bad_file_at_the_start_is_one_line(
    cert: str, key: str | None, expected: str, tmp_path: Path, authority: Authority, capsys: pytest.CaptureFixture[str]
) -> None:
    authority.issue(tmp_path)
    (tmp_path / "key.pem").rename(tmp_path / "other.pem")
    authority.issue(tmp_path)
    (tmp_path / "text.pem").write_text("nothing")
    paths = [str(tmp_path / cert), None if key is None else str(tmp_path / key)]
    with pytest.raises(CertificateError, match=expected):
        Certificate(str(paths[0]), paths[1])
    given = ["--tls-cert", str(paths[0])] + ([] if paths[1] is None else ["--tls-key", paths[1]])
    assert run(["serve", "--db", str(tmp_path / "rumble.db"), *given]) == 1
    complaint = capsys.readouterr().err
    assert re.search(expected, complaint)
    assert complaint.count("\n") == 1
    assert not (tmp_path / "rumble.db").exists()


def test_a_key_with_a_passphrase_asks_nobody(tmp_path: Path, authority: Authority) -> None:
    cert, key = authority.issue(tmp_path)
    encrypted = str(tmp_path / "encrypted.pem")
    command = [need("openssl"), "rsa", "-aes128", "-passout", "pass:sesame", "-in", key, "-out", encrypted]
    if "BEGIN EC" in Path(key).read_text():
        command[1] = "ec"
    subprocess.run(command, check=True, capture_output=True)
    with pytest.raises(CertificateError, match="without a passphrase"):
        Certificate(cert, encrypted)


def test_a_server_with_a_certificate_that_cannot_be_read_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="cannot read"):
        Server(ServerConfig(db=str(tmp_path / "x.db"), tls_cert=str(tmp_path / "nowhere.pem")))


@pytest.mark.e2e
@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there is no SIGHUP here")
@pytest.mark.slow
def test_a_hangup_exchanges_the_certificate_of_a_process(
    tmp_path: Path, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    cert, key = authority.issue(tmp_path)
    arguments = ["serve", "--port", "0", "--db", str(tmp_path / "x.db"), "--house", "none", "--tls-cert", cert]
    with running([*RUMBLE, *arguments, "--tls-key", key], clean_environment(tmp_path), tmp_path / "log") as process:
        assert process.stdout is not None
        url = next(line.split()[1] for line in process.stdout if line.startswith("page")).rstrip("/")
        while not next(process.stdout).startswith("listening"):
            pass
        trusted = tmp_path / "trusted.pem"
        trusted.write_bytes(authority.pem)
        command = ["tournament", "list", "--server", url]
        assert run(command) == 1
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        assert run(command) == 0
        first = shown(url)
        authority.issue(tmp_path)
        os.kill(process.pid, signal.SIGHUP)
        for _ in range(1000):  # each asking is a handshake; the signal is handled between two
            if shown(url) != first:
                break
        else:
            raise AssertionError("the old certificate stays")
        assert process.poll() is None
