"""A cache of answers that never change, such as answers about tournaments that are over.

Requests for the same answer at the same time wait for a single computation. All clubs share a cache and its bound in
bytes, so every key begins with the name of a club.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

from rumble_server.host.fair_queue import Crowded, current_asker
from rumble_server.host.last_used import LastUsed

SHOWN_MS = 250
"""Time in ms for which requests share an answer about a running tournament. The feed has the same interval."""

T = TypeVar("T")


class AnswerCache:
    """Answers by key, of at most `most_bytes` in all; beyond this bound the least recently used answers are dropped."""

    def __init__(self, most_bytes: int) -> None:
        self.answers: LastUsed[Hashable, bytes] = LastUsed(most_bytes)
        self._making: dict[Hashable, asyncio.Future[Any]] = {}
        self._recent: WeakKeyDictionary[object, tuple[int, asyncio.Future[bytes]]] = WeakKeyDictionary()
        """The last answer about each object that may change, with the time in ms at which the answer was begun."""

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]], *, keep: bool = True) -> T:
        """Return the answer of a key.

        Call `make` if the answer is not in the cache, and is not being made for another request.
        An answer is kept only if `keep` is true and the answer is bytes. Raises Crowded, and the errors of `make`.
        """
        current_asker().begin()
        while (kept := self.answers.get(key)) is None:
            making = self._making.get(key)
            is_own = making is None
            if making is None:
                making = self._making[key] = asyncio.ensure_future(self._make(key, make, keep=keep))
            try:
                return cast(T, await asyncio.shield(making))
            except Crowded:  # the maker's address has used up its share; another address tries again with its own
                if is_own:
                    raise
        return cast(T, kept)

    async def recent(self, about: object, make: Callable[[], Awaitable[bytes]], now_ms: int) -> bytes:
        """Return an answer about an object that may still change, such as a running tournament.

        If the last answer about the object is younger than `SHOWN_MS`, return the last answer; otherwise call `make`.
        The last answer is kept as long as the object lives.
        """
        known = self._recent.get(about)
        if known is None or now_ms - known[0] >= SHOWN_MS:
            known = self._recent[about] = now_ms, asyncio.ensure_future(make())
        return await asyncio.shield(known[1])

    async def _make(self, key: Hashable, make: Callable[[], Awaitable[T]], *, keep: bool) -> T:
        try:
            answer = await make()
        finally:
            del self._making[key]
        if keep and isinstance(answer, bytes):
            self.answers.put(key, answer, len(answer))
        return answer
