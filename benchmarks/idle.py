"""Memory of an idle connection: many bots log in and wait. `python benchmarks/idle.py`"""

import argparse
import asyncio
import resource
import tempfile

import uvloop
from load import Tally, resident_kb
from throughput import connect, start


async def main(bots: int) -> None:
    with tempfile.TemporaryDirectory(prefix="rumble-") as folder:
        process = start(
            "-m", "rumble_server.cli.main", "serve", "--port", "0", "--house", "none", "--db", f"{folder}/bench.db"
        )
        assert process.stdout is not None
        try:
            port = int(process.stdout.readline().split()[-1].rstrip("/").rpartition(":")[2])
            tally = Tally()
            kept = [await connect(port, {"type": "login", "name": "warm"}, tally, "/bot")]
            await asyncio.sleep(0.5)
            before = resident_kb(process.pid)
            names = (f"bot{number}" for number in range(bots))
            kept += [await connect(port, {"type": "login", "name": name}, tally, "/bot") for name in names]
            await asyncio.sleep(1.0)
            after = resident_kb(process.pid)
            print(f"{bots} idle bots: {(after - before) / bots:.1f} KB each ({before} KB before, {after} KB after)")
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=2000)
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    uvloop.run(main(options.bots))
