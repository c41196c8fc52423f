"""A client of the HTTP API, for the commands of hosts and administrators. Each error is a line of text for the user."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support.event_stream import StreamEvent, StreamLost, parse

if TYPE_CHECKING:
    import ssl

    import httpx

TIMEOUT_S = 30.0
"""Maximum wait for a server's answer, in s; then the command fails."""
SILENT_S = 12.0
"""Maximum silence of a stream, in s; then the connection counts as lost. A server sends a sign of life every 5 s."""
PATIENCE_S = 30.0
"""Time in s for which a command repeats its request while the server is being replaced."""
NOT_READABLE = (ValueError, RecursionError)
"""Errors of `json.loads` for text that is no JSON, or is nested too deeply."""


def api_path(*parts: str) -> str:
    """Join the parts of a path below `/api/`, each quoted."""
    return "/".join(quote(part, safe="") for part in parts)


def _trusted() -> "ssl.SSLContext | bool":
    """Return the argument `verify` for httpx: a TLS context or True. Raises CliError.

    If the variable SSL_CERT_FILE names a file, the context trusts the authorities in the file. Otherwise the argument
    is True, for the usual authorities. httpx reads SSL_CERT_FILE only if `trust_env` is true, but `trust_env` is false
    for a server on this machine. Therefore this function reads the variable.
    """
    import ssl

    file = os.environ.get("SSL_CERT_FILE")
    try:
        return ssl.create_default_context(cafile=file) if file else True
    except (OSError, ssl.SSLError) as error:
        raise CliError(f"SSL_CERT_FILE: cannot read {file}: {error.strerror or error}", ExitCode.USAGE) from None


def _bearer(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


class ApiClient:
    """The HTTP API of a club. Paths are below `/api/`; `get` and `post` return JSON. Every error is a CliError."""

    def __init__(self, server: str, host_token: str | None = None) -> None:
        import httpx
        from rumble_bots.sdk.address import Address
        from rumble_bots.sdk.keys import kept_token

        address = self._address = Address.parse(server)
        self.base = address.http_base
        try:
            _ = httpx.URL(self.base).host
        except (UnicodeError, httpx.InvalidURL) as error:
            raise CliError(f"{server!r} is not a server address ({error})", ExitCode.USAGE) from None
        self._club = address.club
        self._chosen_token = host_token
        self._headers = _bearer(kept_token(address, host_token)) if host_token else {}
        self._trust_env = not address.loopback
        """True for a server on another machine: requests then go through the proxies that the environment names."""
        needs_tls = address.secure or self._trust_env  # even for a plain server: the proxy may have TLS
        self._verify = _trusted() if needs_tls else False  # loading authorities takes longer than most requests

    @classmethod
    def of_bot(cls, server: str, name: str, key: str | None) -> Self:
        """Make a client for the owner of the bot `name`. `key` is the bot's key; by default the key kept by the SDK."""
        from rumble_bots.sdk.keys import kept_key

        client = cls(server)
        client._headers = {"Authorization": f"Bot {name}:{key or kept_key(client._address, name)}"}
        return client

    def get(self, path: str, **query: Any) -> Any:
        return self._json(self._send("GET", path, params=query))

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        return self._json(self._send("POST", path, json=body))

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._json(self._send("PATCH", path, json=body))

    def delete(self, path: str) -> Any:
        return self._json(self._send("DELETE", path))

    def download(self, path: str) -> bytes:
        return self._send("GET", path).content

    def events(self, path: str, last_event_id: str | None) -> Iterator[StreamEvent]:
        """Yield the Server-Sent Events of a path. With `last_event_id`, yield only later events.

        Raises StreamLost if a new connection may help, and CliError otherwise.
        """
        import httpx
        from rumble_bots.sdk.retry_after import REPLACED, retry_delay_s

        headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
        try:
            with self._client(SILENT_S) as client, client.stream("GET", f"/api/{path}", headers=headers) as answer:
                if answer.status_code in REPLACED:
                    again_s = retry_delay_s(answer.headers.get("Retry-After"))
                    raise StreamLost(f"{self.base} is not available at the moment", again_s)
                if not answer.is_success:
                    answer.read()
                    raise CliError(self._error_text(answer))
                yield from parse(answer.iter_lines())
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise StreamLost(self._unanswered(error)) from None
        except NOT_READABLE:
            raise CliError(self._is_no_rumble(answer)) from None

    def _client(self, read_s: float) -> "httpx.Client":
        """Make a client of the server that waits at most `read_s` for the next bytes of an answer. Raises CliError."""
        import httpx

        try:
            return httpx.Client(
                base_url=self.base,
                headers=self._headers,
                timeout=httpx.Timeout(TIMEOUT_S, read=read_s),
                trust_env=self._trust_env,
                verify=self._verify,
            )
        except UnicodeEncodeError:
            raise CliError("a host token has only plain characters", ExitCode.USAGE) from None
        except (httpx.InvalidURL, ImportError, ValueError):  # the text may have a part of the proxy's password
            raise CliError(f"cannot reach {self.base}: the proxy that the environment names cannot be used") from None

    def _send(self, method: str, path: str, **kwargs: Any) -> "httpx.Response":
        """Send a request. Repeat it for at most `PATIENCE_S` while the server is being replaced. Raises CliError."""
        import httpx
        from rumble_bots.sdk.retry_after import REPLACED, retry_delay_s

        try:
            with self._client(TIMEOUT_S) as client:
                waited_s = 0.0
                while (answer := client.request(method, f"/api/{path}", **kwargs)).status_code in REPLACED:
                    again_s = retry_delay_s(answer.headers.get("Retry-After"))
                    waited_s += again_s
                    # A proxy may answer 502 although the server has carried out a command, so only a GET is repeated.
                    if waited_s > PATIENCE_S or (answer.status_code == HTTPStatus.BAD_GATEWAY and method != "GET"):
                        break
                    time.sleep(again_s)
                is_old = answer.status_code == HTTPStatus.UNAUTHORIZED and self._headers != _bearer(self._chosen_token)
                if is_old and self._chosen_token is not None:  # the kept token may belong to an earlier database
                    answer = client.request(method, f"/api/{path}", headers=_bearer(self._chosen_token), **kwargs)
        except httpx.TimeoutException:
            raise CliError(f"the server at {self.base} did not answer within {TIMEOUT_S:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:  # a UnicodeError for a proxy's host
            if isinstance(error, UnicodeEncodeError) and error.encoding == "utf-8":
                raise
            raise CliError(self._unanswered(error)) from None
        if answer.is_success:
            self._save_token(answer.headers.get("Rumble-Token"))
            return answer
        is_usage = answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
        raise CliError(self._error_text(answer), ExitCode.USAGE if is_usage else ExitCode.FAILED)

    def _unanswered(self, error: Exception) -> str:
        from rumble_bots.sdk.tls_trouble import tls_trouble

        problem = str(error) or type(error).__name__
        return tls_trouble(error, self._address) or f"no server answers at {self.base} ({problem})"

    def _save_token(self, made_token: str | None) -> None:
        """Save a token made by the server, if any. Later commands use the token in place of the host's choice.

        After many wrong tokens from an address, the server accepts there only tokens of its own making. So other people
        at the address cannot lock out a host who has such a token.
        """
        from rumble_bots.sdk.keys import token_file, write_private

        if made_token is not None and self._chosen_token is not None:
            with suppress(OSError):  # without the file, the next command shows the hand-chosen token again
                write_private(token_file(self._address, self._chosen_token), {"token": made_token}, replace=True)

    def _error_text(self, answer: "httpx.Response") -> str:
        if answer.status_code == HTTPStatus.UNAUTHORIZED:
            if self._headers.get("Authorization", "").startswith("Bot "):
                return f"{self.base} knows no bot of this name with this key"
            if self._headers:
                return f"this is not a host token of {self.base}"
            return f"this needs a host token: --host-token, or RUMBLE_HOST_TOKEN ({self._token_hint()})"
        try:
            return str(answer.json()["error"]["message"])
        except (*NOT_READABLE, KeyError, TypeError):
            return self._is_no_rumble(answer)

    def _token_hint(self) -> str:
        """Return a text that says where the user gets a host token of the club."""
        from rumble_protocol.clubs import MAIN

        if self._club == MAIN:
            return "the first `rumble serve` prints one"
        return f"the administrator of the server makes one: rumble club token {self._club}"

    def _json(self, answer: "httpx.Response") -> Any:
        try:
            return answer.json()
        except NOT_READABLE:
            raise CliError(self._is_no_rumble(answer)) from None

    def _is_no_rumble(self, answer: "httpx.Response") -> str:
        return f"{self.base} answers {answer.status_code}, and not as a Rumble server does"


class AdministratorClient(ApiClient):
    """The HTTP API of a server for its administrator.

    Requests go to the club main. A client made by `of_club` sends requests to another club. If the address `server`
    contains a club, this club is ignored.
    """

    def __init__(self, server: str, admin_token: str | None = None) -> None:
        from rumble_protocol.clubs import MAIN

        super().__init__(server, admin_token)
        self.base = replace(self._address, club=MAIN).http_base

    def of_club(self, club: str) -> Self:
        """Return a client that has the same token, and sends its requests to `club`."""
        other = copy(self)
        other.base = replace(self._address, club=club).http_base
        return other

    def _error_text(self, answer: "httpx.Response") -> str:
        if answer.status_code != HTTPStatus.UNAUTHORIZED:
            return super()._error_text(answer)
        if self._headers:
            return f"this is not the administrator's token of {self.base}"
        return (
            "this needs the administrator's token: --admin-token, or RUMBLE_ADMIN_TOKEN "
            "(the first `rumble serve` prints one)"
        )
