"""What the gateway's own code for plain text frames gains over the library's. `python benchmarks/frames.py`

Two servers alternate several times: the server as it is, and one that leaves every frame to the sans-I/O protocol of
`websockets`. The result is the ratio of their CPU a turn. It ends by itself after about four minutes.
"""

import argparse
import asyncio
import statistics
import sys
from typing import Final

import uvloop
from load import Tally, measure
from rumble_server import app
from rumble_server.cli.main import main as rumble
from rumble_server.gateway.connection import Connection
from throughput import playing
from websockets.protocol import State

GAMES: Final = ("tictactoe", "connect4")
PROGRAMS: Final = {"own": ("-m", "rumble_server.cli.main"), "library": (__file__, "--as-server")}


class LibraryConnection(Connection):
    """A connection whose frames are all parsed and built by `websockets`."""

    def data_received(self, data: bytes) -> None:
        self._parse(data)

    def send(self, frame: bytes) -> None:
        if self._transport is None or self._protocol.state is not State.OPEN:
            return
        self._protocol.send_text(frame)
        self._unsent += self._protocol.data_to_send()
        if len(self._unsent) == 1:
            self._outbox.add(self)


async def cpu_us(program: str, game: str, clients: int, seconds: float) -> float:
    """Measure the CPU of a server in us a turn."""
    tally = Tally()
    async with playing(game, clients, tally, program=PROGRAMS[program]) as running:
        await asyncio.sleep(0.5)
        return (await measure(tally, running.process.pid, seconds))[1]


async def main(clients: int, seconds: float, rounds: int) -> None:
    print(f"{clients} clients, {rounds} rounds of {seconds:g} s, medians of server CPU a turn")
    for game in GAMES:
        pairs = [[await cpu_us(program, game, clients, seconds) for program in PROGRAMS] for _ in range(rounds)]
        own, library = (statistics.median(each) for each in zip(*pairs, strict=True))
        ratios = sorted(pair[0] / pair[1] for pair in pairs)
        spread = f"{ratios[0]:.3f} to {ratios[-1]:.3f}"
        print(
            f"{game:10} own {own:5.1f} us  library {library:5.1f} us  ratio {statistics.median(ratios):.3f} ({spread})"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as-server"]:
        vars(app)["Connection"] = LibraryConnection
        sys.argv[1:2] = []
        sys.exit(rumble())
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    uvloop.run(main(options.clients, options.seconds, options.rounds))
