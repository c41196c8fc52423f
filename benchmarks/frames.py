"""Gain of the gateway's own code for plain text frames over the library's. `python benchmarks/frames.py`

Two servers play by turns: the real server, and a server that leaves every frame to the sans-I/O protocol of
`websockets`. The result is the ratio of their CPU a turn.
"""

import sys

from rumble_server.cli.__main__ import main as rumble
from rumble_server.gateway import upgrade
from rumble_server.gateway.connection import Connection
from rumble_server.gateway.frame_reader import FrameReader
from throughput import Contender, compare, options_of_load, read_load
from websockets.protocol import State


class LibraryConnection(Connection):
    """A connection whose frames are all parsed and built by `websockets`."""

    def data_received(self, data: bytes) -> None:
        self._reader.feed(data)
        self._read()

    def send(self, frame: bytes) -> None:
        if self.transport is None or self.protocol.state is not State.OPEN:
            return
        self.protocol.send_text(frame)
        self._unsent += self.protocol.data_to_send()
        if len(self._unsent) == 1:
            self._shared.outbox.add(self)


def main() -> None:
    options = read_load(options_of_load(__doc__, games="tictactoe,connect4", seconds=4.0, rounds=9))
    library = Contender("library", program=(__file__, "--as-server"))
    for load in options.loads:
        compare(Contender("own"), library, load, options.rounds)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as-server"]:
        vars(upgrade)["Connection"] = LibraryConnection
        setattr(FrameReader, "_simple_text", lambda _: None)  # noqa: B010  # mypy refuses a plain assignment
        sys.argv[1:2] = []
        sys.exit(rumble())
    main()
