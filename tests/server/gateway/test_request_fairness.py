"""No request, and no number of requests, holds up the loop for long in an iteration."""

import asyncio
import gc
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from rumble_server.gateway.request_fairness import RequestFairness

from tests.server.gateway.iterating_loop import Loop


class Iterations:
    """Iterations of the loop that always have time, with a log of the requests' questions."""

    def __init__(self) -> None:
        self.asked: list[bool] = []
        """The questions in order: true if the request had begun."""

    async def wait_for_time(self, _address: str, *, has_begun: bool = False) -> None:
        self.asked.append(has_begun)


async def receive() -> Any:
    return {"body": "read"}


async def send(_message: Any) -> None:
    """Drop the answer."""


async def test_requests_beyond_the_time_of_an_iteration_wait_and_go_on_one_in_each() -> None:
    loop, answered = Loop(), list[str]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        answered.append(f"{scope['client'][0]} {(await receive())['body']}")

    web = RequestFairness(app, loop.fairness(2))
    requests = [{"type": "http", "client": (address, 1)} for address in ("ann", "ann", "ann", "ben")]
    tasks = [asyncio.create_task(web(scope, receive, send)) for scope in requests]
    tasks[1].cancel()
    told = []
    while not all(task.done() for task in tasks):
        for _ in range(3):
            await asyncio.sleep(0)
        told.append(len(answered))
        loop.iterate()
    assert sorted(answered) == ["ann read", "ann read", "ben read"]
    assert max(after - before for before, after in pairwise([0, *told])) == 1


@pytest.mark.parametrize("error", [None, RuntimeError("it failed")])
async def test_requests_that_waited_for_the_same_go_on_within_the_time_of_an_iteration(
    error: RuntimeError | None,
) -> None:
    loop, answered, cancelled = Loop(), list[int](), list[int]()
    made: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        try:
            with suppress(RuntimeError):
                await asyncio.shield(made)
        except asyncio.CancelledError:
            cancelled.append(scope["number"])
            raise
        answered.append(scope["number"])
        await send({"type": "http.response.start"})
        await asyncio.sleep(0)
        await send({"type": "http.response.body"})

    web = RequestFairness(app, loop.fairness(3))
    scopes = [{"type": "http", "client": ("ann", 1), "number": number} for number in range(8)]
    tasks = [asyncio.create_task(web(scope, receive, send)) for scope in scopes]
    for _ in range(20):
        await asyncio.sleep(0)
        loop.iterate()
    tasks[0].cancel()
    if error is None:
        made.set_result(None)
    else:
        made.set_exception(error)
    told = [0]
    while not all(task.done() for task in tasks[1:]):
        for _ in range(4):
            await asyncio.sleep(0)
        told.append(len(answered))
        loop.iterate()
    assert sorted(answered) == list(range(1, 8))
    assert max(after - before for before, after in pairwise(told)) <= 3
    assert cancelled == [0]


async def test_a_request_asks_for_time_once_after_each_wait_until_its_answer_begins() -> None:
    async def late() -> Any:
        await asyncio.sleep(0)
        return await receive()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await asyncio.sleep(0)
        await send({"type": "http.response.start"})
        await asyncio.sleep(0)

    fairness: Any = Iterations()
    await RequestFairness(app, fairness)({"type": "http"}, late, send)
    assert fairness.asked == [False, False, True], "the beginning, the body, and the wait"


async def test_a_request_that_is_cancelled_while_it_waits_for_time_ends_at_once() -> None:
    ended = list[str]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        try:
            async with asyncio.timeout(0.01):
                await asyncio.sleep(0)
        except TimeoutError:
            ended.append("late")
        await send({"type": "http.response.start"})

    class Never(Iterations):
        async def wait_for_time(self, address: str, *, has_begun: bool = False) -> None:
            await Iterations.wait_for_time(self, address, has_begun=has_begun)
            if len(self.asked) == 2:
                await asyncio.Event().wait()

    fairness: Any = Never()
    await RequestFairness(app, fairness)({"type": "http"}, receive, send)
    assert ended == ["late"]


async def test_a_request_that_began_is_served_before_new_requests_of_its_address() -> None:
    loop, served = Loop(), list[str]()
    fairness = loop.fairness(1)

    async def work(name: str, *, has_begun: bool) -> None:
        await fairness.wait_for_time("ann", has_begun=has_begun)
        served.append(name)

    fairness.claim_time()
    tasks = [asyncio.create_task(work(f"new {number}", has_begun=False)) for number in range(3)]
    await asyncio.sleep(0)
    tasks.append(asyncio.create_task(work("begun", has_begun=True)))
    while not all(task.done() for task in tasks):
        await asyncio.sleep(0)
        loop.iterate()
    assert served == ["begun", "new 0", "new 1", "new 2"]


@pytest.mark.usefixtures("without_collector")
async def test_a_failed_wait_leaves_no_reference_cycle() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(failed.set_exception, RuntimeError("it failed"))
        try:
            await failed
        finally:
            del failed

    async def garbage(web: Any) -> int:
        gc.collect()
        for _ in range(10):
            with pytest.raises(RuntimeError, match="it failed"):
                await web({"type": "http"}, receive, send)
        return gc.collect()

    fairness: Any = Iterations()
    assert await garbage(RequestFairness(app, fairness)) == await garbage(app)
