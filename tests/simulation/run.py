"""Many simulated tournaments in a row: `python -m tests.simulation.run --seeds 20000 --from 0`.

Prints each seed that breaks a promise, and how. A seed replays exactly: `--seeds 1 --from SEED --show` prints the
trace and the log.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from traceback import format_exc

from tests.hidden.tokens import installed
from tests.simulation.checker import problems
from tests.simulation.cluster import simulate_cluster
from tests.simulation.scenario import scenario
from tests.simulation.world import Evidence, simulate

CHUNK = 50
MOST_FAILURES = 10
MOST_LINES = 8


@dataclass(frozen=True, slots=True)
class Failure:
    """Problems of one seed."""

    seed: int
    problems: list[str]

    def __str__(self) -> str:
        shown = [f"  {problem}" for problem in self.problems[:MOST_FAILURES]]
        return "\n".join((f"seed {self.seed} breaks {len(self.problems)} promises:", *shown))


def simulate_seed(seed: int, *, cluster: bool = False) -> Evidence:
    """Simulate a seed on one server, or on several nodes."""
    return simulate_cluster(seed) if cluster else simulate(scenario(seed))


def run_seed(seed: int, *, cluster: bool = False) -> Failure | None:
    """Simulate and check a seed. An exception of the server core counts as a broken promise."""
    try:
        with installed():
            found = problems(simulate_seed(seed, cluster=cluster))
    except Exception:  # noqa: BLE001  # any exception belongs to this seed
        found = [" | ".join(format_exc().split("\n")[-MOST_LINES:])]
    return Failure(seed, found) if found else None


def complaints(first: int, within: int, *, cluster: bool = False) -> Iterator[str]:
    """Yield the problems of the seed `first`, and then of the seeds below `within`."""
    for seed in (first, *range(within)):
        failure = run_seed(seed, cluster=cluster)
        yield from () if failure is None else failure.problems


def run_seeds(seeds: Sequence[int], *, cluster: bool = False) -> list[Failure]:
    """Return the failures of the given seeds."""
    return [failure for seed in seeds if (failure := run_seed(seed, cluster=cluster)) is not None]


def show(evidence: Evidence) -> Iterator[str]:
    """Yield the whole evidence of a simulation, line by line."""
    yield str(evidence.scenario)
    for entry in evidence.trace:
        yield f"{entry.at_ms} {entry.kind} {entry.wire} [{entry.written}] {entry.text}"
    yield from evidence.rows


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.run", description=__doc__)
    parser.add_argument("--seeds", type=int, default=2000, help="how many")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--cluster", action="store_true", help="on several nodes")
    parser.add_argument("--show", action="store_true", help="print everything that was seen, and the log")
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.seeds)
    if given.show:
        for seed in seeds:
            with installed():
                for line in show(simulate_seed(seed, cluster=given.cluster)):
                    print(line)
    began = time.perf_counter()
    chunks = [seeds[start : start + CHUNK] for start in range(0, len(seeds), CHUNK)]
    failures: list[Failure] = []
    with ProcessPoolExecutor(given.jobs) as pool:
        for found in pool.map(partial(run_seeds, cluster=given.cluster), chunks):
            for failure in found:
                print(failure, flush=True)
            failures += found
    print(f"{len(seeds)} seeds in {time.perf_counter() - began:.0f} s, {len(failures)} of them broken")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
