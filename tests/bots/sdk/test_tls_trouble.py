"""A connection that fails by TLS, or for lack of TLS, says which, with advice."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rumble_bots.sdk.address import Address
from rumble_bots.sdk.transport import Unreachable, connect
from rumble_server.cli.output.errors import CliError
from rumble_server.cli.support.api_client import ApiClient

from tests.server.certificates import Authority


@asynccontextmanager
async def a_server(context: ssl.SSLContext | None) -> AsyncIterator[int]:
    """Run a server that refuses every request; yield its port."""

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(take, "127.0.0.1", 0, ssl=context) as listener:
        yield listener.sockets[0].getsockname()[1]


@pytest.mark.parametrize(
    ("name", "secure", "says"),
    [
        ("127.0.0.1", False, "http://{} speaks TLS: write https://{}"),
        ("127.0.0.1", True, "certificate of https://{}: .*self.signed.*; SSL_CERT_FILE=FILE.pem names one to trust"),
        (None, True, r"https://{} does not speak TLS \(\w+\): write http://{}"),
        (None, False, "http://{} answers 400,"),
    ],
)
async def test_a_failed_connection_says_whether_tls_or_plain_http_is_wrong(
    tmp_path: Path, name: str | None, secure: bool, says: str
) -> None:
    context = None if name is None else ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if context is not None and name is not None:
        context.load_cert_chain(*Authority().issue(tmp_path, name))
    async with a_server(context) as port:
        place = f"127.0.0.1:{port}"
        with pytest.raises(Unreachable, match=says.format(place, place)):
            await connect(Address("127.0.0.1", port, secure))
        client = ApiClient(f"{'https' if secure else 'http'}://{place}")
        with pytest.raises(CliError, match=says.format(place, place)):
            await asyncio.to_thread(client.get, "tournaments")


async def test_a_proxy_that_answers_plain_http_on_its_port_of_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    """As usual proxies do, with 400."""
    monkeypatch.setattr("rumble_bots.sdk.tls_trouble._speaks_tls", lambda _: True)
    async with a_server(None) as port:
        place = f"127.0.0.1:{port}"
        with pytest.raises(Unreachable, match=f"^http://{place} speaks TLS: write https://{place}$"):
            await connect(Address("127.0.0.1", port))
