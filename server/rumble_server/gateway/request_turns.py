"""Time budgets for HTTP: requests wait for their turn in the event loop as frames do (`read_fairness.py`).

A request also waits for its turn when it goes on after a wait, until its answer begins. Otherwise many requests that
waited for the same read or write would all go on in one turn.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from functools import partial
from http import HTTPStatus
from types import coroutine
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rumble_server.gateway.read_fairness import ReadFairness

STOPS = "the server stops\n"


class RequestTurns:
    """ASGI middleware that lets a request, each part of its body, and its answer wait until its address is served."""

    def __init__(self, app: ASGIApp, turns: ReadFairness) -> None:
        self._app = app
        self._turns = turns

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        turns, client = self._turns, scope.get("client")
        address = client[0] if client else ""

        has_begun = waits = False

        async def receive_in_turn() -> Message:
            nonlocal waits
            message = await receive()
            waits = True
            await turns.come(address)
            waits = False
            return message

        async def send_noted(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await turns.come(address)
            app = self._app(scope, receive_in_turn, send_noted)
            await _resumed(app, lambda: has_begun or waits or turns.has_time(), partial(turns.come, address))
        except asyncio.CancelledError:  # raised when the server stops without this answer
            if not has_begun:
                await PlainTextResponse(STOPS, HTTPStatus.SERVICE_UNAVAILABLE)(scope, receive, send)


@coroutine
def _resumed(
    task: Awaitable[None], may_go_on: Callable[[], bool], come: Callable[[], Coroutine[Any, Any, None]]
) -> Generator[Any, None, None]:
    """Run `task`. Whenever a wait of `task` ends and `may_go_on` returns false, first wait for `come`."""
    steps = task.__await__()
    step: Callable[[], Any] = partial(next, steps)
    while True:
        try:
            waited_for = step()
        except StopIteration:
            return
        try:
            yield waited_for
            if not may_go_on():
                yield from come().__await__()
        except BaseException as error:  # noqa: BLE001  # of the wait, such as a cancellation; `task` handles it
            step = partial(steps.throw, error)
        else:
            step = partial(next, steps)
