"""Plain TCP on loopback, the control of delays: it shows the wait for the processors of other processes.

An echo answers in a process of its own; a relay passes data on to the echo, in a third process.
"""

import asyncio
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from time import perf_counter
from typing import cast

import uvloop

EVERY_S = 0.005
"""Time between two echoes, in s."""
SIZE = 100
"""Bytes of an echo: about the size of a move."""


class Echo(asyncio.Protocol):
    """Sends back all received data."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.to = self.transport

    def data_received(self, data: bytes) -> None:
        self.to.write(data)


class Relay(Echo):
    """Passes data on to a port, and answers back."""

    def __init__(self, port: int) -> None:
        self._port = port

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.transport.pause_reading()
        self._connecting = asyncio.get_running_loop().create_task(self._connect())

    async def _connect(self) -> None:
        _, there = await asyncio.get_running_loop().create_connection(Echo, "127.0.0.1", self._port)
        self.to, there.to = there.transport, self.transport
        self.transport.resume_reading()


@contextmanager
def echo_and_relay() -> Iterator[tuple[int, int]]:
    """Run an echo and a relay to it. Yield their ports."""
    context, processes, ports = multiprocessing.get_context("spawn"), [], list[int]()
    try:
        for _ in range(2):
            ours, theirs = context.Pipe()
            processes.append(context.Process(target=_serve, args=(theirs, *ports), daemon=True))
            processes[-1].start()
            ports.append(ours.recv())
        yield ports[0], ports[1]
    finally:
        for each in processes:
            each.terminate()


def _serve(tell: Connection, *ports: int) -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Relay(*ports) if ports else Echo(), "127.0.0.1", 0)
        tell.send(server.sockets[0].getsockname()[1])
        await loop.create_future()

    uvloop.run(run())


async def echoes(port: int, took_ms: list[float]) -> None:
    """Measure how long plain TCP takes to a port and back, in ms, until it is cancelled."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while True:
        began_s = perf_counter()
        writer.write(b"x" * SIZE)
        await reader.readexactly(SIZE)
        took_ms.append((perf_counter() - began_s) * 1000)
        await asyncio.sleep(EVERY_S)


def middle_and_tail(took_ms: list[float]) -> tuple[float, float]:
    """Return the median and the p99."""
    took_ms = sorted(took_ms)
    return took_ms[len(took_ms) // 2], took_ms[int(len(took_ms) * 0.99)]
