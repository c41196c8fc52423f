"""Answers about what does not change any more, kept for the next who asks; and each made once for all who ask.

The answers of all clubs share one bound in bytes, so every key begins with the name of its club.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Any

from rumble_server.fair_queue import Crowded, asker_now


class KeptAnswers:
    """Answers by key, `most_bytes` in all; beyond it the one used longest ago goes."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._answers: OrderedDict[Hashable, bytes] = OrderedDict()
        self.size = 0
        """Bytes kept."""
        self._making: dict[Hashable, asyncio.Future[Any]] = {}

    async def get(self, key: Hashable, make: Callable[[], Awaitable[Any]], *, keep: bool = True) -> Any:
        """Return the answer of this key, made unless it is kept or being made. Only bytes are kept, and with `keep`.

        Raises Crowded, and what making it raises.
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
            except Crowded:  # the share of whoever asked first is used up
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
