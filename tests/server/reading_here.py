"""The process that reads the log, in the process of the test: one of its own would take half a second to start."""

import pickle
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

from rumble_server.host.side_process import SideProcess
from rumble_server.store.log.reader import LogReader
from rumble_server.store.log.rebuilt_tournaments import RebuiltTournaments, use

Given = TypeVarTuple("Given")
Made = TypeVar("Made")


def passed_on(value: Made) -> Made:
    """Return a value as another process would receive it: pickled and unpickled."""
    received: Made = pickle.loads(pickle.dumps(value))
    return received


class ReadingHere(SideProcess):
    """A stand-in for the process that reads the log. It pickles tasks and answers, as the process would."""

    def __init__(self, _: object, open_reader: Callable[[], LogReader], most_results: int) -> None:
        super().__init__()
        self._rebuilt = RebuiltTournaments(passed_on(open_reader), most_results)

    async def run(self, task: Callable[[*Given], Made], *given: *Given) -> Made:
        use(self._rebuilt)
        asked, about = passed_on((task, given))
        return passed_on(asked(*about))

    async def close(self) -> None:
        self._rebuilt.close()
