"""Standings and ratings: recording a result, rating a live field, and files of 100,000 results.

python benchmarks/standings.py

Exits with 1 where a promise is broken: a result costs the same in a field of 1,000 as in one of 10, the ratings of 100
bots after each result take under 100 ms, the loop waits no longer than 20 ms for a field of 1,000, and a file of
100,000 results is answered in seconds.
"""

import csv
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from rumble_server.cli.main import ONE_THREAD
from rumble_server.results.ratings import rate_tally
from rumble_server.results.result import Result
from rumble_server.results.standings import WinLossStandings
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import BotJoined, TournamentCreated
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.feed.ranker import Ranker

RESULTS = 20_000
MOST_RATIO, MOST_RATING_MS, MOST_HELD_MS, MOST_FILE_S = 2.0, 100.0, 20.0, 10.0


def some_results(bots: int, count: int) -> list[Result]:
    lot = random.Random(bots)
    names = [f"bot-{number:04}" for number in range(bots)]
    scores = ((1.0, 0.0), (0.5, 0.5), (0.0, 1.0))
    results = []
    for number in range(count):
        first, second = lot.sample(names, 2)
        results.append(Result((first, second), lot.choice(scores), match_id=f"m.{number}"))
    return results


def median_ns(bots: int) -> float:
    """Return the median time of `WinLossStandings.add` in ns, when every bot is known."""
    results = some_results(bots, RESULTS)
    standings = WinLossStandings({name for result in results for name in result.seats})
    times = []
    for result in results:
        began = time.perf_counter_ns()
        standings.add(result)
        times.append(time.perf_counter_ns() - began)
    return median(times)


def rating_ms(bots: int, rounds: int) -> float:
    """Return the median time in ms to rate a field after a result, following a double round-robin."""
    standings = WinLossStandings()
    for result in some_results(bots, bots * (bots - 1)):
        standings.add(result)
    times = []
    for result in some_results(bots, rounds):
        standings.add(result)
        began = time.perf_counter_ns()
        rate_tally(standings.tally.snapshot())
        times.append((time.perf_counter_ns() - began) / 1e6)
    return median(times)


def held_ms(bots: int) -> float:
    """Return how long reading the standings holds the event loop, in ms: the snapshot, not the work on a thread."""
    config = TournamentConfig(name="Large", game="tictactoe")
    tournament = Tournament(TournamentCreated("large", config, 0))
    results = some_results(bots, 20 * bots)
    for name in sorted({name for result in results for name in result.seats}):
        tournament.apply(BotJoined("large", name, 0))
    for result in results:
        tournament.standings.add(result)
    ranker = Ranker(lambda: 0, lambda task, done: None)
    began = time.perf_counter_ns()
    ranker.refresh(tournament)
    return (time.perf_counter_ns() - began) / 1e6


def file_s(command: str, path: Path) -> float:
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "rumble_server.cli", command, str(path), "--json"],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - began


def main() -> int:
    os.environ.setdefault(ONE_THREAD, "1")  # as every command of `rumble` does; numpy is not imported yet
    broken = []

    def tell(what: str, value: str, kept: bool) -> None:
        print(f"{what:<52}{value:>14}   {'ok' if kept else 'BROKEN'}")
        if not kept:
            broken.append(what)

    small, large = median_ns(10), median_ns(1000)
    print(f"{'recording a result, 10 bots':<52}{small:>11,.0f} ns")
    print(f"{'recording a result, 1,000 bots':<52}{large:>11,.0f} ns")
    tell("ratio", f"{large / small:.2f} x", large / small < MOST_RATIO)
    rated = rating_ms(100, 20)
    tell("ratings of 100 bots after a result", f"{rated:.1f} ms", rated < MOST_RATING_MS)
    held = held_ms(1000)
    tell("the loop is held, reading standings of 1,000 bots", f"{held:.1f} ms", held < MOST_HELD_MS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.csv"
        with path.open("w", newline="") as out:
            writer = csv.writer(out)
            writer.writerows((*result.seats, f"{result.scores[0]:g}") for result in some_results(200, 100_000))
        for command in ("standings", "ratings"):
            seconds = file_s(command, path)
            tell(f"rumble {command} on 100,000 results", f"{seconds:.2f} s", seconds < MOST_FILE_S)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
