"""Tasks of many addresses at a queue: the number of tasks served before a given task, and refusals."""

import asyncio
from collections import Counter
from contextvars import copy_context

import pytest
from rumble_server.host.fair_queue import MOST_WAITING_TASKS, Asker, Crowded, FairQueue, set_asker


class Desk:
    """A queue before tasks that take an iteration of the event loop each."""

    def __init__(self) -> None:
        self.queue = FairQueue()
        self.served: list[str] = []
        self.inside = self.most_inside = 0

    async def _serve(self, asker: Asker) -> None:
        set_asker(asker)
        async with self.queue.service():
            self.inside += 1
            self.most_inside = max(self.most_inside, self.inside)
            await asyncio.sleep(0)
            self.inside -= 1
            self.served.append(asker.address)

    def ask(self, address: str, *, asker: Asker | None = None) -> asyncio.Task[None]:
        return asyncio.create_task(self._serve(asker or Asker(address)), context=copy_context())


async def outcomes(tasks: list[asyncio.Task[None]]) -> Counter[str]:
    return Counter(type(each).__name__ for each in await asyncio.gather(*tasks, return_exceptions=True))


async def test_one_task_of_each_address_is_served_in_turn() -> None:
    desk = Desk()
    many = [desk.ask("many") for _ in range(30)]
    await asyncio.sleep(0)
    few = [desk.ask("one"), desk.ask("other"), desk.ask("one")]
    assert await outcomes(many + few) == {"NoneType": 33}
    assert desk.served[2:7] == ["many", "one", "other", "many", "one"]


async def test_only_tasks_of_the_asker_with_most_waiting_tasks_are_sent_away() -> None:
    desk = Desk()
    many = [desk.ask("many") for _ in range(10 * MOST_WAITING_TASKS)]
    await asyncio.sleep(0)
    late = [desk.ask(f"late-{number}") for number in range(MOST_WAITING_TASKS // 2)]
    assert await outcomes(late) == {"NoneType": len(late)}
    assert (await outcomes(many))["Crowded"] > 9 * MOST_WAITING_TASKS
    assert desk.served.index("late-0") <= 3


async def test_an_answer_that_has_begun_is_ended_first_and_is_not_sent_away() -> None:
    desk, begun = Desk(), Asker("many")
    await desk.ask("", asker=begun)
    desk.served.clear()
    waiting = [desk.ask("many") for _ in range(MOST_WAITING_TASKS)]
    await asyncio.sleep(0)
    rest = [desk.ask("", asker=begun), *(desk.ask("many") for _ in range(9))]
    await rest[0]
    assert len(desk.served) <= 3
    assert (await outcomes(waiting + rest))["Crowded"] == 8


async def test_cancelled_tasks_hold_nobody_up() -> None:
    desk = Desk()
    served, gone, called, last = (desk.ask(each) for each in ("served", "gone", "called", "last"))
    await asyncio.sleep(0)
    gone.cancel()
    await served
    called.cancel()
    assert await outcomes([gone, called, last]) == {"CancelledError": 2, "NoneType": 1}
    assert desk.served == ["served", "last"]


async def test_a_task_sent_away_and_then_cancelled_gives_no_turn_away() -> None:
    desk = Desk()
    many = [desk.ask("many") for _ in range(MOST_WAITING_TASKS + 1)]
    await asyncio.sleep(0)
    others = [desk.ask("other"), desk.ask("other")]  # the second sends the last of `many` away
    asyncio.get_running_loop().call_soon(many[-1].cancel)
    assert await outcomes(many + others) == {"NoneType": MOST_WAITING_TASKS + 2, "CancelledError": 1}
    assert desk.most_inside == 1


async def test_a_request_is_asked_once_whether_it_has_a_share_and_spends_it() -> None:
    desk, spent = Desk(), list[int]()
    asker = Asker("one", lambda: not spent, spent.append)
    for _ in range(3):
        await desk.ask("", asker=asker)
    assert len(spent) == 3
    assert min(spent) >= 1
    with pytest.raises(Crowded):
        await desk.ask("", asker=Asker("one", lambda: not spent))
