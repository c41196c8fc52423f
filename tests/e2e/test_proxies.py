"""The proxies of docs/OPERATING.md, unchanged but for addresses: bots play through them, and pages and streams pass."""

import asyncio
import re
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from rumble_bots.reference.remote import RemoteReferenceBot
from rumble_bots.sdk.serve import serve

from tests.e2e.processes import PATIENCE_S, RUMBLE, Server, clean_environment, free_port, running, serving
from tests.needs import need
from tests.server.certificates import Authority
from tests.test_operating import found

pytestmark = pytest.mark.e2e
NAME = "rumble.example.org"


def nginx(text: str, folder: Path, port: int, upstream: int, cert: str, key: str) -> list[str]:
    """Write the configuration of nginx, and return its command."""
    text = re.sub(r"listen 443 ssl", f"listen 127.0.0.1:{port} ssl", text)
    text = text.replace("127.0.0.1:8765", f"127.0.0.1:{upstream}").replace(
        f"server_name {NAME}", "server_name 127.0.0.1"
    )
    text = re.sub(r"(ssl_certificate\s+).*;", rf"\1{cert};", text)
    text = re.sub(r"(ssl_certificate_key\s+).*;", rf"\1{key};", text)
    return nginx_command(text, folder)


def nginx_command(text: str, folder: Path) -> list[str]:
    """Write a file of conf.d, and return the command of an nginx with no other file."""
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log stderr;\nevents {{}}\n"
        f"http {{\naccess_log off;\ngzip on;\ngzip_proxied any;\n{places}{text}\n}}\n"  # as some systems have it
    )
    return [need("nginx"), "-p", str(folder), "-c", str(file)]


def caddy(text: str, folder: Path, port: int, upstream: int, cert: str, key: str) -> list[str]:
    """Write the configuration of Caddy, and return its command."""
    text = text.replace(f"{NAME} {{", f"https://127.0.0.1:{port} {{\n\tbind 127.0.0.1\n\ttls {cert} {key}")
    text = text.replace("reverse_proxy 127.0.0.1:8765", f"reverse_proxy 127.0.0.1:{upstream}")
    file = folder / "Caddyfile"
    file.write_text(f"{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{text}")
    return [need("caddy"), "run", "--config", str(file), "--adapter", "caddyfile"]


@contextmanager
def proxied(command: list[str], folder: Path, base: str, context: ssl.SSLContext) -> Any:
    """Run a proxy, and yield a browser that goes through it."""
    environment = clean_environment(folder, {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)})
    with running(command, environment, folder / "proxy.log") as process:
        transport = httpx.HTTPTransport(verify=context, retries=10)  # until the proxy listens
        with httpx.Client(base_url=base, transport=transport, timeout=PATIENCE_S) as browser:
            yield browser
        assert process.poll() is None, (folder / "proxy.log").read_text()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--allow-host", "127.0.0.1", "--behind-proxy", "127.0.0.1")
    with serving(tmp_path_factory.mktemp("server"), *options) as running:
        yield running


@pytest.mark.parametrize(("language", "configure"), [("nginx", nginx), ("caddyfile", caddy)])
@pytest.mark.slow
def test_bots_play_and_visitors_watch_by_a_proxy(
    language: str, configure: Callable[..., list[str]], server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, port = Authority(), free_port()
    cert, key = authority.issue(tmp_path)
    trusted = tmp_path / "trusted.pem"
    trusted.write_bytes(authority.pem)
    base, cup = f"https://127.0.0.1:{port}", f"cup-{language}"
    command = configure(found(language).text, tmp_path, port, server.port, cert, key)
    server.tournament("create", cup, "--game", "tictactoe", "--cycles", "2", "--start-at-bots", "2")
    with proxied(command, tmp_path, base, authority.context) as browser:
        assert NAME in found(language).text
        assert browser.get("/healthz").json() == {"status": "ok", "reason": ""}
        assert browser.get("/metrics").status_code == 401, "who comes by a proxy is not on this machine"
        page, invited = (browser.get(f"/tournaments/{cup}{query}") for query in ("", "?invite=hush"))
        assert [each.status_code for each in (page, invited)] == [200, 200]
        assert page.headers["Content-Encoding"] == "gzip"
        assert "Content-Encoding" not in invited.headers, "the length of a compressed page can tell what is in it"
        with browser.stream("GET", f"/api/tournaments/{cup}/events") as events:
            stream = events.iter_bytes()
            told = b""
            while b"event: snapshot" not in told:
                told += next(stream)  # a proxy that buffers would hold the event back forever
            environment = clean_environment(tmp_path, {"SSL_CERT_FILE": str(trusted)})
            command = [
                *RUMBLE,
                "bot",
                "random",
                "--server",
                base,
                "--join",
                cup,
                "--name",
                f"random-{language}",
                "--quiet",
            ]
            with running(command, environment, tmp_path / "bot.log") as bot:
                monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
                monkeypatch.setenv("RUMBLE_CONFIG_DIR", str(tmp_path / "config"))
                minimax = serve(RemoteReferenceBot("minimax"), base, name=f"minimax-{language}", join=cup)
                assert asyncio.run(asyncio.wait_for(minimax, PATIENCE_S)).status == "finished"
                assert bot.wait(PATIENCE_S) == 0
            while b'"status":"finished"' not in told:
                told += next(stream)
    assert server.tournament("standings", cup)["status"] == "finished"
