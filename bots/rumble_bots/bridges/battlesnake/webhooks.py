"""Requests to a Battlesnake. Connections are reused, and answers are limited in time and size."""

import asyncio
from collections.abc import Mapping
from typing import Any, Literal, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from rumble_bots.sdk.address import LOOPBACK
from rumble_bots.sdk.errors import BadAddress, BadProgram

DETAILS_MS = 30_000
"""Maximum time in ms for the first answer of a Battlesnake. A machine in the cloud may need time to wake up."""
MOST_BYTES = 64 * 1024
"""Maximum size of an answer in bytes. Usual answers have less than 1 KiB."""
MOST_PORT = 65535
API_VERSION = "1"
"""The only version of Battlesnake's API."""


class Details(BaseModel):
    """The answer to `GET /`, with only the field needed by the bridge."""

    apiversion: str | int


class Moved(BaseModel):
    """The answer to `POST /move`."""

    move: Literal["up", "down", "left", "right"]
    shout: str | None = None


T = TypeVar("T", bound=BaseModel)


class NoAnswer(Exception):
    """The error for a request without a valid answer.

    The text is the rest of a sentence that begins with "the Battlesnake".
    """


class Webhooks:
    """The Battlesnake at the address `url`. Raises BadAddress if `url` is not an HTTP address.

    Raises BadProgram if the proxy that the environment names cannot be used.
    """

    def __init__(self, url: str) -> None:
        try:
            parsed = httpx.URL(url.strip() if "://" in url else f"http://{url.strip()}")
            host = parsed.host
        except (httpx.InvalidURL, UnicodeError) as error:
            raise BadAddress(f"{url!r} is not the address of a Battlesnake ({error})") from None
        if parsed.scheme not in ("http", "https") or not host or (parsed.port or 0) > MOST_PORT:
            raise BadAddress(f"{url!r} is not the address of a Battlesnake: write http://host:port")
        self.url = str(parsed).rstrip("/")
        try:
            self._client = httpx.AsyncClient(
                headers={"Accept-Encoding": "identity"},  # an answer of bounded size stays small
                timeout=None,  # `_ask` bounds the whole request
                limits=httpx.Limits(max_connections=None),
                trust_env=host not in LOOPBACK,
            )
        except (httpx.InvalidURL, ImportError, ValueError):  # the text may have a part of the proxy's password
            raise BadProgram(
                f"no Battlesnake at {self.url}: the proxy that the environment names cannot be used"
            ) from None

    async def check(self) -> None:
        """Request the Battlesnake's details. Raises BadProgram if no Battlesnake answers."""
        try:
            answer = await self._ask("GET", self.url, DETAILS_MS)
            version = str(_read(Details, answer).apiversion)
        except NoAnswer as problem:
            raise BadProgram(f"no Battlesnake at {self.url}: it {problem}") from None
        if version != API_VERSION:
            raise BadProgram(f"the Battlesnake at {self.url} has apiversion {version!r}, not {API_VERSION!r}")

    async def move(self, body: Mapping[str, Any], timeout_ms: int) -> Moved:
        """Request a move. Raises NoAnswer."""
        return _read(Moved, await self._ask("POST", f"{self.url}/move", timeout_ms, body))

    async def event(self, name: Literal["start", "end"], body: Mapping[str, Any], timeout_ms: int) -> None:
        """Report the start or end of a game. The content of the answer does not matter. Raises NoAnswer."""
        await self._ask("POST", f"{self.url}/{name}", timeout_ms, body)

    async def close(self) -> None:
        await self._client.aclose()

    async def _ask(self, method: str, url: str, timeout_ms: int, body: Mapping[str, Any] | None = None) -> bytes:
        content = b""
        try:
            async with (
                asyncio.timeout(timeout_ms / 1000),
                self._client.stream(method, url, json=body) as answer,
            ):
                if answer.status_code != httpx.codes.OK:
                    raise NoAnswer(f"answers with status {answer.status_code}, not 200")
                async for part in answer.aiter_raw():
                    content += part
                    if len(content) > MOST_BYTES:
                        raise NoAnswer(f"answers with more than {MOST_BYTES // 1024} KiB")
        except TimeoutError:
            raise NoAnswer(f"did not answer within {timeout_ms} ms") from None
        except (httpx.HTTPError, ExceptionGroup) as error:  # a group for a proxy's port above `MOST_PORT`
            raise NoAnswer(f"cannot be reached ({str(error) or type(error).__name__})") from None
        return content


def _read(model: type[T], content: bytes) -> T:
    """Parse an answer. Raises NoAnswer, with the first validation error in its text."""
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        at = "".join(str(each) for each in problem["loc"][:1]) or "the answer"
        raise NoAnswer(f"answers wrongly: {at}: {problem['msg']}") from None
