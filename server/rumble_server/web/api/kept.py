"""A cache of answers that never change, such as answers about tournaments that are over.

Requests that ask for the same answer at the same time share its making. The answers of all clubs share a bound in
bytes, so every key begins with the name of the club.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Any

from rumble_server.fair_queue import Crowded, asker_now


class KeptAnswers:
    """Answers by key, of at most `most_bytes` in all; beyond this bound the least recently used answers are dropped."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._answers: OrderedDict[Hashable, bytes] = OrderedDict()
        self.size = 0
        """Size of the kept answers in bytes."""
        self._making: dict[Hashable, asyncio.Future[Any]] = {}

    async def get(self, key: Hashable, make: Callable[[], Awaitable[Any]], *, keep: bool = True) -> Any:
        """Return the answer of a key; call `make` unless the answer is kept or already being made.

        Only answers that are bytes are kept, and only with `keep`. Raises Crowded, and the errors of `make`.
        """
        asker_now().begin()
        while (kept := self._answers.get(key)) is None:
            making = self._making.get(key)
            is_own = making is None
            if making is None:
                making = self._making[key] = asyncio.ensure_future(make())
                making.add_done_callback(lambda made: self._take(key, made, keep=keep))
            try:
                return await asyncio.shield(making)
            except Crowded:  # the maker's address has used up its share; another address tries again with its own
                if is_own:
                    raise
        self._answers.move_to_end(key)
        return kept

    def _take(self, key: Hashable, made: "asyncio.Future[Any]", *, keep: bool) -> None:
        del self._making[key]
        if made.cancelled() or made.exception() is not None or not keep or not isinstance(made.result(), bytes):
            return
        answer: bytes = made.result()
        self._answers[key] = answer
        self.size += len(answer)
        while self.size > self._most_bytes:
            _, oldest = self._answers.popitem(last=False)
            self.size -= len(oldest)
