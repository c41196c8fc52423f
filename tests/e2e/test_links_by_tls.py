"""Links by TLS: the proxies of docs/OPERATING.md in front of a node that leads, and who is trusted by environment."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from rumble_server.cluster.link_connection import LinkError
from rumble_server.cluster.links import Links

from tests.e2e.processes import PATIENCE_S, clean_environment, free_port, running
from tests.e2e.test_proxies import caddy, nginx
from tests.server.certificates import Authority
from tests.server.cluster.test_links import SECRET, EdgeNode, Leader, play_friday
from tests.server.gateway.served import served, until
from tests.test_operating import found

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(("language", "configure"), [("nginx", nginx), ("caddyfile", caddy)])
async def test_a_link_goes_by_a_proxy_whose_authority_the_environment_names(
    language: str, configure: Callable[..., list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, port = Authority(), free_port()
    cert, key = authority.issue(tmp_path)
    trusted = tmp_path / "trusted.pem"
    trusted.write_bytes(authority.pem)
    address = f"https://127.0.0.1:{port}"
    async with served() as first, served() as second:
        leader, node = Leader(first), EdgeNode(second, "edge")
        command = configure(found(language).text, tmp_path, port, first.port, cert, key)
        environment = clean_environment(tmp_path, {"XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)})
        with running(command, environment, tmp_path / "proxy.log"):
            monkeypatch.delenv("SSL_CERT_FILE", raising=False)
            stranger, told = Links("stranger", "same", SECRET, 5.0), ""
            async with asyncio.timeout(PATIENCE_S):
                while "certificate" not in told.lower():  # until the proxy listens
                    with pytest.raises(LinkError) as refusal:
                        await stranger.connect(address)
                    told = str(refusal.value)
            assert "\n" not in told
            monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
            node.links.follow(node.edge, address, 1)
            await until(lambda: not node.edge.is_leaderless)
            assert await play_friday(leader, node) == ["normal", "normal"]
            node.links.close()
            leader.links.close()
