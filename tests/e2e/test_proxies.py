"""The proxies of docs/OPERATING.md, unchanged but for addresses: bots play through them, and pages and streams pass."""

import asyncio
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from rumble_bots.reference.remote import RemoteReferenceBot
from rumble_bots.sdk.serve import serve

from tests.e2e.processes import PATIENCE_S, RUMBLE, Server, clean_environment, free_port, running, serving
from tests.e2e.proxies import proxied
from tests.server.certificates import Authority
from tests.test_operating import found

pytestmark = pytest.mark.e2e
NAME = "rumble.example.org"


def nginx(text: str, port: int, upstream: int, cert: str, key: str) -> str:
    """Return the configuration of an nginx on this machine."""
    text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
    text = text.replace("127.0.0.1:8765", f"127.0.0.1:{upstream}").replace(
        f"server_name {NAME}", "server_name 127.0.0.1"
    )
    text = re.sub(r"(ssl_certificate\s+).*;", rf"\1{cert};", text)
    text = re.sub(r"(ssl_certificate_key\s+).*;", rf"\1{key};", text)
    # Some systems pack all answers.
    return f"error_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\ngzip on;\ngzip_proxied any;\n{text}\n}}\n"


def caddy(text: str, port: int, upstream: int, cert: str, key: str) -> str:
    """Return the configuration of a Caddy on this machine."""
    text = text.replace(f"{NAME} {{", f"https://127.0.0.1:{port} {{\n\tbind 127.0.0.1\n\ttls {cert} {key}")
    return text.replace("reverse_proxy 127.0.0.1:8765", f"reverse_proxy 127.0.0.1:{upstream}")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--allow-host", "127.0.0.1", "--behind-proxy", "127.0.0.1")
    with serving(tmp_path_factory.mktemp("server"), *options) as running:
        yield running


@pytest.mark.parametrize(("proxy", "language", "configure"), [("nginx", "nginx", nginx), ("caddy", "caddyfile", caddy)])
@pytest.mark.slow
def test_bots_play_and_visitors_watch_by_a_proxy(
    proxy: str,
    language: str,
    configure: Callable[..., str],
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    authority, port = Authority(), free_port()
    cert, key = authority.issue(tmp_path)
    trusted = tmp_path / "trusted.pem"
    trusted.write_bytes(authority.pem)
    base, cup = f"https://127.0.0.1:{port}", f"cup-{language}"
    text = configure(found(language).text, port, server.port, cert, key)
    server.tournament("create", cup, "--game", "tictactoe", "--cycles", "2", "--start-at-bots", "2")
    with (
        proxied(proxy, text, port, tmp_path),
        httpx.Client(base_url=base, verify=authority.context, timeout=PATIENCE_S) as browser,
    ):
        assert NAME in found(language).text
        assert browser.get("/healthz").json() == {"status": "ok", "reason": ""}
        assert browser.get("/metrics").status_code == 401, "who comes by a proxy is not on this machine"
        page, invited = (browser.get(f"/tournaments/{cup}{query}") for query in ("", "?invite=hush"))
        assert [each.status_code for each in (page, invited)] == [200, 200]
        assert page.headers["Content-Encoding"] == "gzip"
        assert "Content-Encoding" not in invited.headers, "the length of a compressed page can tell what is in it"
        with browser.stream("GET", f"/api/tournaments/{cup}/events") as events:
            stream = events.iter_bytes()
            received = b""
            while b"event: snapshot" not in received:
                received += next(stream)  # a proxy that buffers would hold the event back forever
            environment = clean_environment(tmp_path, {"SSL_CERT_FILE": str(trusted)})
            options = ["--server", base, "--join", cup, "--name", f"random-{language}", "--quiet"]
            with running([*RUMBLE, "bot", "random", *options], environment, tmp_path / "bot.log") as bot:
                monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
                monkeypatch.setenv("RUMBLE_CONFIG_DIR", str(tmp_path / "config"))
                minimax = serve(RemoteReferenceBot("minimax"), base, name=f"minimax-{language}", join=cup)
                assert asyncio.run(asyncio.wait_for(minimax, PATIENCE_S)).status == "finished"
                assert bot.wait(PATIENCE_S) == 0
            while b'"status":"finished"' not in received:
                received += next(stream)
    assert server.tournament("standings", cup)["status"] == "finished"
