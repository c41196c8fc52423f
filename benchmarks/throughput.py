"""CPU of a move on the whole server, beside a validating echo. `python benchmarks/throughput.py`

The ratio is the echo's CPU for a round trip divided by the server's for a move, its log and its child processes
included. The echo's messages have the size of the game's. Echo and server play by turns, under the same load.

    python benchmarks/throughput.py --against PATH

compares with the server of another checkout instead; its ratio is our CPU divided by theirs.

    python benchmarks/throughput.py --db

compares this server on PostgreSQL with itself on SQLite, and says whether it reaches the goal's share of
SQLite's turns a second. PostgreSQL's CPU counts as the server's. A cluster of its own is started, with fsync, on a
Unix socket.

In each round both servers start anew, and then play by turns, a second each, while the other stands still. A round's
ratio is the median over its pairs of seconds, which are too close for the machine to change.
"""

import argparse
import asyncio
import statistics
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import uvloop
from load import Measured, Message, Tally, connect, connect_all, measure
from options import options_of
from servers import RUMBLE, Running, echoing, serving

from tests.postgres.cluster import Cluster, cluster

WARM_S = 1.0
"""Time in s for which a load plays before the measurement, but at most as long as the measurement."""
MOST_CYCLES = 1000
"""Maximum number of cycles of a tournament, so that few bots do not finish it before they are measured."""
MOST_ROUNDS = 400
"""Number of rounds of a tournament of tables, which are made before the first match."""
SLICE_S = 1.0
"""Time in s for which a server plays before the turn changes, about."""
SETTLE_S = 0.1
"""Maximum time in s until pending messages have come to their end, when bots stand still."""
PATIENT = {"move_ms": 60_000}
"""Time control for bots that stand still for a while: none may lose on time."""
SEGMENTS = 48
"""Number of WAL segments of 16 MB that a cluster of its own can use again; no measurement needs as many."""
GOAL = 0.9
"""The least share of SQLite's turns a second that PostgreSQL is to have."""


@dataclass(frozen=True, slots=True)
class Load:
    """The amount of play: raw bots, each with up to `matches` at once."""

    game: str
    bots: int = 40
    matches: int = 4
    seconds: float = 5.0
    seats: int = 2
    key: str = ""
    """The key of all bots; empty: the names stay open."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A server to measure: the server of this checkout or of another checkout, or a program with the same commands."""

    name: str
    source: Path | None = None
    program: Sequence[str] = RUMBLE
    postgres: Cluster | None = None
    """The cluster in which a database is made for the run; None: the run has a file."""
    bots: int | None = None
    """Number of bots; None: the load's number."""

    @asynccontextmanager
    async def playing(self, load: Load, tally: Tally) -> AsyncIterator[Running]:
        """Run the server with a load that plays."""
        load, made = replace(load, bots=self.bots or load.bots), self.postgres
        database = None if made is None else made.socket_url(made.database().rpartition("/")[2])
        async with serving(database, source=self.source, program=self.program) as running:
            if made is not None and made.process is not None:
                running = replace(running, database=made.process.pid)
            await play(running, load, tally, time_control=PATIENT)
            yield running


@dataclass(frozen=True, slots=True)
class Echo:
    """The echo. Its clients have as many pending messages as bots have matches that wait for a move."""

    name: str = "echo"

    @asynccontextmanager
    async def playing(self, load: Load, tally: Tally) -> AsyncIterator[Running]:
        """Run the echo with a load that plays."""
        async with echoing(load.game, load.seats) as running:
            bots = [await connect(running, "/", tally, None) for _ in range(load.bots)]
            for number in range(load.bots * load.matches // 2):
                bots[number % load.bots].say(first_move(f"bench.1.{number}.1.1"))
            yield running


def first_move(match: str) -> Message:
    """Return the move that an echo answers with its first turn of the match."""
    return {"type": "move", "match": match, "turn_id": "1.1", "move": "a"}


async def play(running: Running, load: Load, tally: Tally, names: str = "bot", **config: object) -> str:
    """Start a tournament, a long round-robin unless `config` says otherwise, and return its id."""
    much = {"cycles": MOST_CYCLES} if load.seats == 2 else {"seats": load.seats, "rounds": MOST_ROUNDS}
    tournament = await running.create(game=load.game, **{**much, **config})
    await connect_all(running, tally, (login(f"{names}{each}", load, tournament) for each in range(load.bots)))
    async with running.api() as host:
        (await host.post(f"/api/tournaments/{tournament}/start")).raise_for_status()
    await tally.begun.wait()  # the rounds of tables are made by a search
    return tournament


def login(name: str, load: Load, tournament: str) -> Message:
    """Return the login of a bot that joins a tournament."""
    login = {"type": "login", "name": name, "join": tournament, "max_matches": load.matches}
    return login | ({"key": load.key} if load.key else {})


Pairs = tuple[list[Measured], list[Measured]]
"""The measurements of two servers in a round."""


async def in_turn(contenders: Sequence[Contender | Echo], load: Load) -> Pairs:
    """Measure two servers by turns, each for the load's seconds in all; the other stands still meanwhile."""
    slices = max(1, round(load.seconds / SLICE_S))
    async with AsyncExitStack() as stack:
        playing, pairs = list[tuple[Tally, Running]](), (list[Measured](), list[Measured]())
        for contender in contenders:
            tally = Tally()
            playing.append((tally, await stack.enter_async_context(contender.playing(load, tally))))
            await asyncio.sleep(min(WARM_S, load.seconds))
            tally.pause()
        for number in range(slices):
            for each in (0, 1) if number % 2 else (1, 0):
                await asyncio.sleep(SETTLE_S)
                tally, running = playing[each]
                tally.go_on()
                pairs[each].append(await measure(tally, running, load.seconds / slices))
                tally.pause()
        return pairs


def report(game: str, name: str, rows: Sequence[Measured]) -> str:
    """Describe the medians of several measurements."""
    figures = ((row.rate, row.cpu_us, row.turn_size, row.client_share) for row in rows)
    rate, cpu_us, size, share = (statistics.median(each) for each in zip(*figures, strict=True))
    return (
        f"{game:10} {name:8} {rate:8,.0f} turns/s  {cpu_us:6.1f} us of server CPU a turn  {size:5.0f} bytes a turn"
        f"  client {share:.0%} of a core"
    )


def spread(ratios: Sequence[float]) -> str:
    """Describe ratios by their median, minimum and maximum."""
    return f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"


def compare(ours: Contender, other: Contender | Echo, load: Load, rounds: int, goal: float | None = None) -> None:
    """Measure two servers by turns, and print figures, ratios and whether the rates reach a goal."""
    measured = list[Pairs]()
    for number in range(rounds):
        order = [ours, other] if number % 2 else [other, ours]
        pairs = uvloop.run(in_turn(order, load))
        measured.append(pairs if number % 2 else (pairs[1], pairs[0]))
    for each in (1, 0):
        print(report(load.game, (ours, other)[each].name, list(chain(*(pairs[each] for pairs in measured)))))

    def ratios(figure: Callable[[Measured], float]) -> list[float]:
        """Return the ratio of a figure in each round."""
        return [statistics.median(figure(a) / figure(b) for a, b in zip(*pairs, strict=True)) for pairs in measured]

    costs, over = ratios(lambda each: each.cpu_us), f"{ours.name}/{other.name}"
    if isinstance(other, Echo):
        costs, over = [1 / each for each in costs], f"{other.name}/{ours.name}"
    rates = ratios(lambda each: each.rate)
    print(
        f"{load.game:10} CPU a turn {over} {spread(costs)}, turns/s {ours.name}/{other.name} {spread(rates)}",
        flush=True,
    )
    if goal is not None:
        share = statistics.median(rates)
        print(
            f"{load.game:10} {ours.name} has {share:.3f} of {other.name}'s turns a second, the goal is {goal}:"
            f" {'met' if share >= goal else 'NOT MET'}",
            flush=True,
        )


@contextmanager
def own_cluster() -> Iterator[Cluster]:
    """Start a PostgreSQL cluster, whose commits are on disk like SQLite's.

    The cluster has WAL segments to use again, like an older cluster: a new cluster fills each segment with zeros first.
    """
    with cluster(fsync=True, settings={"min_wal_size": f"{SEGMENTS * 16}MB"}) as made:
        for _ in range(SEGMENTS):
            made.run("SELECT pg_logical_emit_message(true, '', ''), pg_switch_wal()")
        made.run("CHECKPOINT")
        yield made


def options_of_load(about: str | None, *, games: str, seconds: float, rounds: int) -> argparse.ArgumentParser:
    """Return a parser of the options of a load; games have commas between them, and `--matches` is of a bot at once."""
    return options_of(about, games=games, bots=40, matches=4, seats=2, seconds=seconds, rounds=rounds)


def read_load(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Read the options of a load from the command line; `loads` has a load for each game."""
    options = parser.parse_args()
    own = options.bots, options.matches, options.seconds, options.seats
    options.loads = [Load(game, *own) for game in options.games.split(",")]
    print(
        f"{options.bots} bots of {options.matches} matches at once, {options.rounds} rounds of {options.seconds:g} s,"
        " medians"
    )
    return options


def main() -> None:
    parser = options_of_load(__doc__, games="tictactoe,connect4,chess", seconds=5.0, rounds=3)
    parser.add_argument("--against", type=Path, metavar="PATH", help="Another checkout, to compare with.")
    parser.add_argument("--db", action="store_true", help="Compare PostgreSQL with SQLite.")
    options = read_load(parser)
    if not options.db:
        other = Echo() if options.against is None else Contender("theirs", options.against.resolve())
        for load in options.loads:
            compare(Contender("ours"), other, load, options.rounds)
        return
    with own_cluster() as made:
        for load in options.loads:
            ours, other = Contender("postgres", postgres=made), Contender("sqlite")
            compare(ours, other, load, options.rounds, GOAL)


if __name__ == "__main__":
    main()
