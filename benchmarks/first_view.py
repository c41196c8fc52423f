"""The first view of a finished tournament of 100 bots on a phone. `python benchmarks/first_view.py --lighthouse FILE`

A server plays the tournament, and Lighthouse (12 or later; its mobile preset, which makes network and processor slow)
opens its page several times. The output has the largest paint, the bytes on the wire and the requests of each time, and
their medians. `npm install lighthouse@12`, in a folder of its own, brings `node_modules/.bin/lighthouse`; the browser
is named by CHROME_PATH, or found by Lighthouse. Loopback only.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import uvloop
from load import Tally
from options import options_of
from servers import serving
from throughput import Load, play

CHROME = "--chrome-flags=--headless=new --no-sandbox --disable-gpu"
LONGEST_S = 120


def view(lighthouse: str, url: str) -> tuple[float, float, float]:
    """Open a page as Lighthouse does. Return the time of the largest paint in ms, the bytes and the requests."""
    with tempfile.TemporaryDirectory(prefix="rumble-") as folder:
        file = Path(folder, "report.json")
        options = ("--quiet", "--only-categories=performance", "--output=json", f"--output-path={file}", CHROME)
        subprocess.run([lighthouse, url, *options], stdin=subprocess.DEVNULL, check=True, timeout=LONGEST_S)
        audits: dict[str, Any] = json.loads(file.read_text())["audits"]
    paint, weight = (audits[name]["numericValue"] for name in ("largest-contentful-paint", "total-byte-weight"))
    return paint, weight, len(audits["network-requests"]["details"]["items"])


async def main(options: argparse.Namespace) -> None:
    tally = Tally(until=options.bots)
    async with serving() as running:
        tournament = await play(running, Load("tictactoe", options.bots), tally, cycles=1, legs=1)
        await tally.ended()
        views = []
        print(f"{'largest paint':>13} {'bytes':>9} {'requests':>9}")
        for _ in range(options.times):
            url = f"{running.page}/tournaments/{tournament}"
            views.append(await asyncio.to_thread(view, options.lighthouse, url))
            show(*views[-1])
        print("median")
        show(*map(statistics.median, zip(*views, strict=True)))


def show(paint_ms: float, size: float, requests: float) -> None:
    print(f"{paint_ms / 1000:11.2f} s {size:9,.0f} {requests:9.0f}", flush=True)


if __name__ == "__main__":
    parser = options_of(__doc__, bots=100, times=3)
    parser.add_argument("--lighthouse", required=True, help="the program")
    uvloop.run(main(parser.parse_args()))
