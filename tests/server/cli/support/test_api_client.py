import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from rumble_server.cli.output.errors import CliError
from rumble_server.cli.support.api_client import PATIENCE_S, ApiClient, api_path
from rumble_server.cli.support.event_stream import StreamLost

Refusing = Callable[..., ApiClient]


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    times: list[float] = []
    monkeypatch.setattr(time, "sleep", times.append)
    return times


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> Refusing:
    """The client of a server that answers its first requests with given statuses."""

    def client(*statuses: int, **headers: str) -> ApiClient:
        left = list(statuses)

        def send(_: httpx.Client, request: httpx.Request, **__: Any) -> httpx.Response:
            status = left.pop(0) if left else 200
            answer = {"done": True} if status == 200 else {"error": {"message": "not now"}}
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return httpx.Response(status, json=answer, headers=named, request=request)

        monkeypatch.setattr(httpx.Client, "send", send)
        return ApiClient("127.0.0.1:1")

    return client


def test_a_part_of_a_path_stays_one_part() -> None:
    assert api_path("tournaments", "no/pe", "start") == "tournaments/no%2Fpe/start"


@pytest.mark.parametrize(
    ("server", "asked", "whence"),
    [
        ("127.0.0.1:1/tournaments/cup", "http://127.0.0.1:1/api/tournaments", "the first `rumble serve` prints one"),
        (
            "ws://127.0.0.1:1/c/fun/bot",
            "http://127.0.0.1:1/c/fun/api/tournaments",
            "the administrator of the server makes one: rumble club token fun",
        ),
    ],
)
def test_a_club_has_an_api_of_its_own(monkeypatch: pytest.MonkeyPatch, server: str, asked: str, whence: str) -> None:
    def send(_: httpx.Client, request: httpx.Request, **__: Any) -> httpx.Response:
        assert str(request.url) == asked
        return httpx.Response(401, request=request)

    monkeypatch.setattr(httpx.Client, "send", send)
    with pytest.raises(CliError) as refused:
        ApiClient(server).get("tournaments")
    assert refused.value.message.endswith(f"RUMBLE_HOST_TOKEN ({whence})")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (httpx.Response(502, text="<h1>Bad Gateway</h1>"), "answers 502, and not as a Rumble server does"),
        (httpx.Response(500, json={"detail": "else"}), "answers 500, and not as a Rumble server does"),
        (httpx.Response(200, text="<h1>Hello</h1>"), "answers 200, and not as a Rumble server does"),
        (httpx.Response(200, text="[" * 9_999), "answers 200, and not as a Rumble server does"),
        (httpx.Response(404, text="[" * 9_999), "answers 404, and not as a Rumble server does"),
        (httpx.ReadTimeout("slow"), "did not answer within"),
        (httpx.InvalidURL("no such host can be"), r"no server answers at .* \(no such host can be\)"),
    ],
)
def test_something_else_answers(monkeypatch: pytest.MonkeyPatch, answer: httpx.Response | Exception, says: str) -> None:
    def request(*_: Any, **__: Any) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(httpx.Client, "request", request)
    with pytest.raises(CliError, match=says):
        ApiClient("127.0.0.1:1").get("tournaments")


@pytest.mark.parametrize("proxy", ["http://proxy:abc", "ftp://proxy", "http://pupil:se/cret@proxy:1", "socks5://proxy"])
def test_a_proxy_that_cannot_be_used_is_told_without_its_password(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    client = ApiClient("rumble.invalid:80")
    for ask in (lambda: client.get("tournaments"), lambda: next(client.events("feed", None))):
        with pytest.raises(CliError, match=r"^cannot reach http://rumble\.invalid:80: the proxy that the env"):
            ask()


def test_a_proxy_whose_host_cannot_be_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://a..b:1")
    client = ApiClient("rumble.invalid:80")
    with pytest.raises(CliError, match="no server answers at"):
        client.get("tournaments")
    with pytest.raises(StreamLost, match="no server answers at"):
        next(client.events("feed", None))


def test_a_token_of_other_characters_is_refused() -> None:
    client = ApiClient("127.0.0.1:1", "schlüssel")
    for ask in (lambda: client.get("tournaments"), lambda: next(client.events("feed", None))):
        with pytest.raises(CliError, match=r"^a host token has only plain characters$"):
            ask()


def test_a_command_asks_again_while_the_server_is_being_replaced(refusing: Refusing, slept: list[float]) -> None:
    assert refusing(503, 421, 502).get("tournaments") == {"done": True}
    assert refusing(503, 421, Retry_After="3").post("tournaments", {}) == {"done": True}
    assert slept == [1.0, 1.0, 1.0, 3.0, 3.0]


def test_a_command_that_may_have_been_done_is_not_sent_again(refusing: Refusing, slept: list[float]) -> None:
    with pytest.raises(CliError, match="not now"):
        refusing(502).post("tournaments", {})
    assert slept == []


def test_the_patience_of_a_command_ends(refusing: Refusing, slept: list[float]) -> None:
    with pytest.raises(CliError, match="not now"):
        refusing(*[503] * 100).get("tournaments")
    assert sum(slept) == PATIENCE_S


@pytest.mark.parametrize("status", [421, 502, 503])
def test_a_stream_tells_when_it_may_be_there_again(refusing: Refusing, status: int) -> None:
    with pytest.raises(StreamLost) as lost:
        next(refusing(status, Retry_After="2").events("tournaments/cup/events", None))
    assert lost.value.again_s == 2.0
