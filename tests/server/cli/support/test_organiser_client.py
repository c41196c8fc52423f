from typing import Any

import httpx
import pytest
from rumble_server.cli.support.errors import CliError
from rumble_server.cli.support.organiser_client import OrganiserClient, api_path


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
        OrganiserClient(server).get("tournaments")
    assert refused.value.message.endswith(f"RUMBLE_HOST_TOKEN ({whence})")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (httpx.Response(502, text="<h1>Bad Gateway</h1>"), "answers 502, and not as a Rumble server does"),
        (httpx.Response(500, json={"detail": "else"}), "answers 500, and not as a Rumble server does"),
        (httpx.Response(200, text="<h1>Hello</h1>"), "answers 200, and not as a Rumble server does"),
        (httpx.ReadTimeout("slow"), "did not answer within"),
    ],
)
def test_something_else_answers(monkeypatch: pytest.MonkeyPatch, answer: httpx.Response | Exception, says: str) -> None:
    def request(*_: Any, **__: Any) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(httpx.Client, "request", request)
    with pytest.raises(CliError, match=says):
        OrganiserClient("127.0.0.1:1").get("tournaments")
