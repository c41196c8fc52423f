"""Time budgets for HTTP: requests wait for time in the event loop as frames do (`read_fairness.py`).

Before its answer begins, a request may wait for something else, such as the database. After each such wait, the request
waits for time again. Otherwise many requests that wait for the same read or write would all go on in one iteration.
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


class RequestFairness:
    """ASGI middleware in which a request waits until the event loop has time for the client's address.

    The request waits for time at its beginning, and after each part of its body. Until the answer begins, the request
    also waits for time after each wait for something else, such as the database.
    """

    def __init__(self, app: ASGIApp, fairness: ReadFairness) -> None:
        self._app = app
        self._fairness = fairness

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        fairness, client = self._fairness, scope.get("client")
        address = client[0] if client else ""

        is_answering = is_receiving = False

        async def receive_in_budget() -> Message:
            nonlocal is_receiving
            is_receiving = True
            try:
                message = await receive()
                await fairness.wait_for_time(address)
                return message
            finally:
                is_receiving = False

        async def send_noted(message: Message) -> None:
            nonlocal is_answering
            is_answering = True
            await send(message)

        try:
            await fairness.wait_for_time(address)
            app = self._app(scope, receive_in_budget, send_noted)
            come = partial(fairness.wait_for_time, address, has_begun=True)
            await _resumed(app, lambda: is_answering or is_receiving, come)
        except asyncio.CancelledError:  # raised when the server stops without this answer
            if not is_answering:
                await PlainTextResponse(STOPS, HTTPStatus.SERVICE_UNAVAILABLE)(scope, receive, send)


@coroutine
def _resumed(
    task: Awaitable[None], may_go_on: Callable[[], bool], come: Callable[[], Coroutine[Any, Any, None]]
) -> Generator[Any, None, None]:
    """Run `task`. If `may_go_on` returns false after a wait of `task`, await `come()` before `task` goes on.

    After a cancelled wait, `task` goes on at once.
    """
    steps = task.__await__()
    step: Callable[[], Any] = partial(next, steps)
    while True:
        try:
            waited_for = step()
        except StopIteration:
            return
        finally:
            del step  # here and below: an error refers to this frame, so the frame must not refer to the error
        error: BaseException | None = None
        try:
            try:
                yield waited_for
            except Exception as failure:  # noqa: BLE001  # of the wait; `task` handles it, but may have to wait first
                error = failure
            if not may_go_on():
                yield from come().__await__()
        except BaseException as cancellation:  # noqa: BLE001  # `task` handles it
            error = cancellation
        step = partial(next, steps) if error is None else partial(steps.throw, error)
        del error, waited_for
