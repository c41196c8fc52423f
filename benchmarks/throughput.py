"""Throughput of the whole server as a ratio to that of a validating echo. `python benchmarks/throughput.py`

The two alternate several times, each in its own process under the same load; quote the ratio. It uses loopback only,
and ends by itself after about a minute and a half.
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import uvloop
from load import LoadBot, Tally, measure, text_frame

TOKEN = "benchmark-token"
MOVE = b'{"type":"move","match":"friday.1.1.1.1","turn_id":"1.1","move":"a"}'


def start(*command: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True)


async def connect(
    port: int, login: dict[str, object] | None, tally: Tally, path: str, bot: Callable[..., LoadBot] = LoadBot
) -> LoadBot:
    host = f"127.0.0.1:{port}"
    loop = asyncio.get_running_loop()
    made = bot(host, login, tally, path=path)
    await loop.create_connection(lambda: made, "127.0.0.1", port)
    await asyncio.wait_for(made.ready.wait(), 10)
    return made


async def echo(clients: int, seconds: float) -> tuple[float, float]:
    process = start(str(Path(__file__).with_name("echo_server.py")))
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline())
        tally = Tally()
        bots = [await connect(port, None, tally, "/") for _ in range(clients)]
        for bot in bots:
            assert bot.transport is not None
            bot.transport.write(text_frame(MOVE))
        await asyncio.sleep(0.5)
        return await measure(tally, process.pid, seconds)
    finally:
        process.kill()
        process.wait()


@dataclass(frozen=True, slots=True)
class Running:
    """A server whose bots play one tournament as fast as they can."""

    process: "subprocess.Popen[str]"
    page: str
    tournament: str

    @property
    def port(self) -> int:
        return int(self.page.rpartition(":")[2])


@asynccontextmanager
async def playing(
    game: str,
    clients: int,
    tally: Tally,
    max_matches: int = 2,
    bot: Callable[..., LoadBot] = LoadBot,
    program: Sequence[str] = ("-m", "rumble_server.cli.main"),
) -> AsyncIterator[Running]:
    with tempfile.TemporaryDirectory(prefix="rumble-") as folder:
        options = ("--port", "0", "--house", "none", "--db", f"{folder}/bench.db", "--host-token", TOKEN)
        process = start(*program, "serve", *options)
        assert process.stdout is not None
        try:
            page = process.stdout.readline().split()[-1].rstrip("/")
            async with httpx.AsyncClient(base_url=page, headers={"Authorization": f"Bearer {TOKEN}"}) as host:
                body = {"name": "bench", "game": game, "cycles": 100}
                reply = await host.post("/api/tournaments", json=body)
                running = Running(process, page, reply.raise_for_status().json()["id"])
                for number in range(clients):
                    login = {"type": "login", "name": f"bot{number}", "join": running.tournament}
                    await connect(running.port, {**login, "max_matches": max_matches}, tally, "/bot", bot)
                (await host.post(f"/api/tournaments/{running.tournament}/start")).raise_for_status()
            yield running
        finally:
            process.kill()
            process.wait()


async def rumble(game: str, clients: int, seconds: float) -> tuple[float, float]:
    tally = Tally()
    async with playing(game, clients, tally) as running:
        await asyncio.sleep(0.5)
        return await measure(tally, running.process.pid, seconds)


async def main(clients: int, seconds: float, rounds: int) -> None:
    figures: dict[str, list[tuple[float, float]]] = {"echo": [], "connect4": [], "tictactoe": []}
    for _ in range(rounds):
        figures["echo"].append(await echo(clients, seconds))
        for game in ("connect4", "tictactoe"):
            figures[game].append(await rumble(game, clients, seconds))
    print(f"{clients} clients, {rounds} rounds of {seconds:g} s, medians")
    for name, rows in figures.items():
        rate = statistics.median(row[0] for row in rows)
        cpu = statistics.median(row[1] for row in rows)
        ratios = [row[0] / base[0] for row, base in zip(rows, figures["echo"], strict=True)]
        cpu_ratios = [base[1] / row[1] for row, base in zip(rows, figures["echo"], strict=True)]
        print(
            f"{name:10} {rate:8.0f} turns/s  {cpu:6.1f} us of server CPU a turn"
            f"  ratio {statistics.median(ratios):.2f} (by CPU {statistics.median(cpu_ratios):.2f})"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    uvloop.run(main(options.clients, options.seconds, options.rounds))
