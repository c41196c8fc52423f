"""Time budgets for HTTP: requests wait for their turn in the event loop as frames do (`read_fairness.py`)."""

import asyncio
from http import HTTPStatus

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rumble_server.gateway.read_fairness import ReadFairness

STOPS = "the server stops\n"


class RequestTurns:
    """ASGI middleware that lets a request, and each part of its body, wait until the request's address is served."""

    def __init__(self, app: ASGIApp, turns: ReadFairness) -> None:
        self._app = app
        self._turns = turns

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        turns, client = self._turns, scope.get("client")
        address = client[0] if client else ""

        has_begun = False

        async def receive_in_turn() -> Message:
            message = await receive()
            await turns.come(address)
            return message

        async def send_noted(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await turns.come(address)
            await self._app(scope, receive_in_turn, send_noted)
        except asyncio.CancelledError:  # raised when the server stops without this answer
            if not has_begun:
                await PlainTextResponse(STOPS, HTTPStatus.SERVICE_UNAVAILABLE)(scope, receive, send)
