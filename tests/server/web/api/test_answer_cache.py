"""Answers are kept up to a bound in bytes, and made once for all simultaneous requests."""

import asyncio
from functools import partial

import pytest
from rumble_server.host.fair_queue import Crowded
from rumble_server.web.api.answer_cache import AnswerCache


class Kitchen:
    """Makes answers, and counts them."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.go_on = asyncio.Event()

    async def make(self, answer: str) -> bytes:
        self.made.append(answer)
        await self.go_on.wait()
        if answer == "bad":
            raise ValueError("it cannot be made")
        return answer.encode()


async def test_readers_at_the_same_time_get_one_answer() -> None:
    kitchen, kept = Kitchen(), AnswerCache(100)
    asked = [asyncio.create_task(kept.get("key", lambda: kitchen.make("answer"))) for _ in range(8)]
    await asyncio.sleep(0)
    asked[0].cancel()
    kitchen.go_on.set()
    assert await asyncio.gather(*asked[1:]) == [b"answer"] * 7
    assert await kept.get("key", lambda: kitchen.make("another")) == b"answer"
    assert kitchen.made == ["answer"]


async def test_the_answer_used_longest_ago_goes() -> None:
    kitchen, kept = Kitchen(), AnswerCache(8)
    kitchen.go_on.set()
    for key in ("aaaa", "bbbb", "aaaa", "cccc"):
        assert await kept.get(key, partial(kitchen.make, key)) == key.encode()
    assert kept.answers.size == 8
    assert await kept.get("aaaa", lambda: kitchen.make("again")) == b"aaaa"
    assert await kept.get("bbbb", lambda: kitchen.make("again")) == b"again"
    assert await kept.get("long", lambda: kitchen.make("longer than all")) == b"longer than all"
    assert kept.answers.size == 0, "an answer larger than the bound is not kept"


async def test_an_error_is_not_kept() -> None:
    kitchen, kept = Kitchen(), AnswerCache(100)
    kitchen.go_on.set()
    for _ in range(2):
        with pytest.raises(ValueError, match="cannot be made"):
            await kept.get("key", lambda: kitchen.make("bad"))
    assert kitchen.made == ["bad", "bad"]


async def test_readers_are_answered_although_a_reader_at_the_same_time_is_refused() -> None:
    kitchen, kept = Kitchen(), AnswerCache(100)

    async def refused() -> bytes:
        await kitchen.go_on.wait()
        raise Crowded

    first = asyncio.create_task(kept.get("key", refused))
    await asyncio.sleep(0)
    others = [asyncio.create_task(kept.get("key", lambda: kitchen.make("answer"))) for _ in range(3)]
    await asyncio.sleep(0)
    kitchen.go_on.set()
    assert await asyncio.gather(*others) == [b"answer"] * 3
    assert kitchen.made == ["answer"]
    with pytest.raises(Crowded):
        await first


async def test_an_answer_that_may_change_is_shared_while_it_is_made_and_not_kept() -> None:
    kitchen, kept = Kitchen(), AnswerCache(100)
    kitchen.go_on.set()
    make = partial(kitchen.make, "page")
    assert await asyncio.gather(*(kept.get("key", make, keep=False) for _ in range(3))) == [b"page"] * 3
    assert await kept.get("key", make, keep=False) == b"page"
    assert (kitchen.made, kept.answers.size) == (["page"] * 2, 0)
