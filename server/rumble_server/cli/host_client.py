"""The HTTP API from a shell: requests of a host, and errors as one line."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Self

import httpx
from rumble_bots.address import Address
from rumble_bots.keys import kept_key

from rumble_server.cli.errors import CliError, ExitCode

TIMEOUT_S = 30.0


class HostClient:
    """A server's API. Raises CliError for whatever goes wrong."""

    def __init__(self, server: str, host_token: str | None = None) -> None:
        address = Address.parse(server)
        self.base = address.http_base
        self._headers = {"Authorization": f"Bearer {host_token}"} if host_token else {}
        self._trust_env = not address.loopback
        """Proxies of the environment are for servers elsewhere."""

    @classmethod
    def of_bot(cls, server: str, name: str, key: str | None) -> Self:
        """The API for the owner of a bot: by the key given, or the one that the SDK keeps for the name."""
        client = cls(server)
        client._headers = {"Authorization": f"Bot {name}:{key or kept_key(Address.parse(server), name)}"}
        return client

    def get(self, path: str, **query: Any) -> Any:
        """What a GET answers, as data."""
        return self._json(self._send("GET", path, params=query))

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """What a POST answers, as data."""
        return self._json(self._send("POST", path, json=body))

    def download(self, path: str) -> bytes:
        """What a GET answers, as it is."""
        return self._send("GET", path).content

    def _send(self, method: str, path: str, **given: Any) -> httpx.Response:
        try:
            with httpx.Client(
                base_url=self.base, headers=self._headers, timeout=TIMEOUT_S, trust_env=self._trust_env
            ) as client:
                answer = client.request(method, f"/api/{path}", **given)
        except httpx.TimeoutException:
            raise CliError(f"the server at {self.base} did not answer within {TIMEOUT_S:g} s") from None
        except httpx.HTTPError as error:
            raise CliError(f"no server answers at {self.base} ({error})") from None
        except UnicodeEncodeError:
            raise CliError("a host token has only plain characters", ExitCode.USAGE) from None
        if answer.is_success:
            return answer
        is_usage = answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
        raise CliError(self._complaint(answer), ExitCode.USAGE if is_usage else ExitCode.FAILED)

    def _complaint(self, answer: httpx.Response) -> str:
        if answer.status_code == HTTPStatus.UNAUTHORIZED:
            if self._headers.get("Authorization", "").startswith("Bot "):
                return f"{self.base} knows no bot of this name with this key"
            if self._headers:
                return f"this is not the host token of {self.base}"
            return "this needs the host token: --host-token, or RUMBLE_HOST_TOKEN (`rumble serve` prints it)"
        try:
            return str(answer.json()["error"]["message"])
        except (ValueError, KeyError, TypeError):
            return self._stranger(answer)

    def _json(self, answer: httpx.Response) -> Any:
        try:
            return answer.json()
        except ValueError:
            raise CliError(self._stranger(answer)) from None

    def _stranger(self, answer: httpx.Response) -> str:
        return f"{self.base} answers {answer.status_code}, and not as a Rumble server does"
