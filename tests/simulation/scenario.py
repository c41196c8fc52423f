"""The scenario of one simulation, drawn from its seed: players, their faults, and the weather.

Each kind of trouble is on or off for a whole seed. Some seeds therefore combine rare troubles, and some show bugs
that need calm surroundings.
"""

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from rumble_engine import get_game
from rumble_server.limits.bounds import Bounds

from tests.simulation.bots import BotPlan
from tests.simulation.disk import DiskWeather
from tests.simulation.faults import FAULTS
from tests.simulation.host import TournamentPlan
from tests.simulation.network import NetworkWeather

CONTROLS: tuple[dict[str, int], ...] = (
    {"move_ms": 300},
    {"move_ms": 1000},
    {"move_ms": 10_000},
    {"bank_ms": 1500, "increment_ms": 100},
    {"bank_ms": 5000},
    {"bank_ms": 60_000, "increment_ms": 1000},
    {"move_ms": 50, "bank_ms": 2000},
    {"move_ms": 100, "bank_ms": 3000, "increment_ms": 50},
)
GAMES: tuple[tuple[str, dict[str, int]], ...] = (
    ("tictactoe", {}),
    ("tictactoe", {}),
    ("tictactoe", {}),
    ("connect4", {"columns": 4, "rows": 4, "connect": 3}),
)
OTHER_GAMES: tuple[tuple[str, dict[str, int]], ...] = (
    ("dilemma", {"rounds": 4, "noise": 20}),
    ("dilemma", {"rounds": 6}),
    *(("snakes", {"size": 7, "turns": turns}) for turns in (5, 10, 20)),
    ("backgammon", {"turns": 10}),
)
"""Games of joint moves and of chance, each with its settings."""
OTHER_SHARE = 0.25
"""Share of tournaments with a game of `OTHER_GAMES`."""
HIDING_SHARE = 0.08
"""Share of tournaments with a game that hides something, instead of the game drawn before."""
TABLE_SHARE = 0.9
"""Share of tables among the tournaments of a game for tables that have enough bots."""
MOST_SEATS = 4
LESSON_SHARE = 0.15
"""Share of scenarios with a lesson."""
FORMATS = (*("round-robin",) * 5, "gauntlet", "swiss", "knockout")
NAMES = ("ada", "bo", "Cy", "dee", "Eve", "fay")


@dataclass(frozen=True, slots=True)
class Scenario:
    """All choices of one simulation."""

    seed: int
    tournaments: tuple[TournamentPlan, ...]
    bots: tuple[BotPlan, ...]
    network: NetworkWeather
    disk: DiskWeather
    grace_ms: int
    kill_each_ms: int | None
    """Average time in ms between two kills of the server."""
    drain_each_ms: int | None
    """Average time in ms between two stops in good order."""
    down_ms: int
    """Maximum time in ms that the server is down."""
    stall_each_ms: int | None
    stall_ms: int
    full_each_ms: int | None
    full_ms: int
    calm_at_ms: int
    """Time in ms after which only bots cause trouble."""
    bounds: Bounds


def scenario(seed: int) -> Scenario:
    """Draw the scenario of a seed."""
    random, clocks = Random(f"scenario {seed}"), Random(f"clocks {seed}")

    def sometimes(chance: float, value: Any, otherwise: Any) -> Any:
        return value if random.random() < chance else otherwise

    names = tuple(f"cup{number}" for number in range(1, sometimes(0.15, 2, 1) + 1))
    host = sometimes(0.3, 1.0, 0.0)
    games = Random(f"games {seed}")
    hiding = Random(f"hiding {seed}")
    plans = tuple(_hiding(hiding, _tournament(random, clocks, games, name, host)) for name in names)
    tournaments, bots = _lesson(Random(f"lesson {seed}"), plans, _bots(random, names))
    return Scenario(
        seed=seed,
        tournaments=tuple(_with_tables(games, plan, bots) for plan in tournaments),
        bots=_workers(Random(f"workers {seed}"), bots),
        network=_network(random, proxied=clocks.random() < 0.3),
        disk=DiskWeather(
            write_ms=random.choice((0, 1, 5, 30)),
            hang=sometimes(0.2, 0.02, 0.0),
            hang_ms=random.choice((500, 5000)),
            kill_at_write=sometimes(0.3, random.choice((0.005, 0.03)), 0.0),
        ),
        grace_ms=random.choice((0, 500, 3000, 30_000)),
        kill_each_ms=sometimes(0.6, random.choice((500, 1500, 5000, 15_000)), None),
        drain_each_ms=sometimes(0.2, 6000, None),
        down_ms=random.choice((50, 1000, 10_000, 60_000)),
        stall_each_ms=sometimes(0.2, 2000, None),
        stall_ms=random.choice((50, 500, 3000)),
        full_each_ms=sometimes(0.2, 4000, None),
        full_ms=random.choice((500, 5000)),
        calm_at_ms=random.choice((10_000, 30_000, 90_000)),
        bounds=Bounds(excused_ms=clocks.choice((300, 2000, 10_000)), proxied_lag_ms=clocks.choice((10, 100, 10_000))),
    )


def _tournament(random: Random, clocks: Random, games: Random, name: str, host: float) -> TournamentPlan:
    game, settings = random.choice(GAMES)
    if games.random() < OTHER_SHARE:
        game, settings = games.choice(OTHER_GAMES)
    config: dict[str, Any] = {
        "name": name,
        "game": game,
        "settings": settings,
        "format": random.choice(FORMATS),
        "openings": random.choice(("auto", "suite", "none")),
        "late_join": False,
        "cycles": random.choice((1, 1, 1, 2)),
        "legs": random.choice((1, 2, 2)),
        "time_control": random.choice(CONTROLS),
        "seed": random.randrange(1000),
        "start_at_bots": random.choice((None, 2, 3)),
        "illegal_retries": random.choice((0, 0, 1, 3)),
        "away_ms": random.choice((0, 300, 1000, 3000, 30_000)),
        "away_clock": clocks.choice(("stands", "runs")),
        "absent_ms": random.choice((0, 500, 2000, 10_000)),
        "bench_after": random.choice((0, 2, 3, 10)),
    }
    if not get_game(game).in_turn and config["openings"] == "suite":
        config["openings"] = "auto"
    if config["format"] == "round-robin":
        config["late_join"] = random.random() < 0.2
    chances: dict[str, Any] = {what: random.choice((0.0, 0.1, 0.5)) * host for what in ("pause", "replay", "abort")}
    rare: dict[str, Any] = {what: random.choice((0.0, 0.0, 0.05)) * host for what in ("remove", "end", "cancel")}
    return TournamentPlan(config, **chances, **rare)


def _hiding(hiding: Random, plan: TournamentPlan) -> TournamentPlan:
    """Play a game that hides something, in some tournaments."""
    if hiding.random() >= HIDING_SHARE:
        return plan
    changes = {"game": "tokens", "settings": {"rounds": hiding.choice((4, 10))}, "openings": "none"}
    return replace(plan, config={**plan.config, **changes, "spectator_delay_ms": hiding.choice((0, 0, 500))})


def _with_tables(games: Random, plan: TournamentPlan, bots: tuple[BotPlan, ...]) -> TournamentPlan:
    """Play a game for tables at tables, in most tournaments with enough bots."""
    field = sum(plan.name in bot.tournaments for bot in bots)
    most = min(get_game(plan.config["game"]).most_seats, field, MOST_SEATS)
    if most < 3 or games.random() > TABLE_SHARE:
        return plan
    seats = games.randint(3, most)
    config = {**plan.config, "seats": seats, "late_join": False, "legs": 1, "openings": "auto"}
    if config["start_at_bots"] is not None:
        config["start_at_bots"] = max(seats - 1, config["start_at_bots"])
    if games.random() < 0.3:
        config["points"] = [5.0, 2.0, 1.0]
    return replace(plan, config=config)


def _bots(random: Random, tournaments: tuple[str, ...]) -> tuple[BotPlan, ...]:
    faulty = random.choice((0.0, 0.0, 0.3, 0.6))
    repeats = random.choice((0.0, 0.0, 0.05, 0.3))
    restarts = random.choice((0.0, 0.0, 0.05))
    think_ms = random.choice(((0, 2), (1, 50), (20, 200), (1, 1000)))
    challenges = random.random() < 0.15
    bots = []
    for name in NAMES[: random.choice((2, 2, 3, 3, 4, 4, 5, 6))]:
        joins = tuple(each for each in tournaments if random.random() < 0.8) or tournaments[:1]
        bot = BotPlan(
            name=name,
            tournaments=joins,
            key=random.choice((None, f"the secret key of {name}")),
            fault=random.choice(FAULTS) if random.random() < faulty else None,
            max_matches=random.choice((1, 1, 2, 3)),
            think_ms=think_ms,
            omit=random.choice(((), (), ("legal",), ("legal", "moves"))),
            repeat=repeats,
            restart=restarts,
            rivals=tuple(each for each in (*NAMES, "nobody") if each != name) if challenges else (),
            shouts=random.random() < 0.1,
        )
        bots.append(bot)
    return tuple(bots)


def _lesson(
    random: Random, tournaments: tuple[TournamentPlan, ...], bots: tuple[BotPlan, ...]
) -> tuple[tuple[TournamentPlan, ...], tuple[BotPlan, ...]]:
    """Make the first tournament of some scenarios a lesson, after which pupils are moved to a second tournament."""
    first, *others = tournaments
    if random.random() >= LESSON_SHARE:
        return tournaments, bots
    bots = tuple(replace(bot, key=f"the secret key of {bot.name}", follow=random.random() < 0.7) for bot in bots)
    pupils = tuple((bot.name, str(bot.key)) for bot in bots if first.name in bot.tournaments)
    lesson = replace(first, config={**first.config, "classroom": True}, pupils=pupils)
    config = {**lesson.config, "name": f"{first.name}-2", "start_at_bots": None}
    return (lesson, *others, replace(lesson, config=config, pupils=(), follows=first.name)), bots


def _workers(random: Random, bots: tuple[BotPlan, ...]) -> tuple[BotPlan, ...]:
    """Split some bots into several programs, in a third of all scenarios."""
    if random.random() < 2 / 3:
        return bots
    drop, pause_ms = random.choice((0.0, 0.03, 0.15)), random.choice((10, 500, 5000))
    return tuple(
        replace(plan, workers=random.choice((1, 2, 2, 3)), drop=drop, pause_ms=pause_ms)
        if random.random() < 0.6
        else plan
        for plan in bots
    )


def _network(random: Random, *, proxied: bool) -> NetworkWeather:
    return NetworkWeather(
        delay_ms=random.choice(((0, 0), (0, 2), (1, 20), (10, 60))),
        spike=random.choice((0.0, 0.0, 0.02)),
        spike_ms=random.choice((100, 2000)),
        life_ms=random.choice((None, None, 500, 2000, 8000)),
        notice_ms=random.choice((0, 50, 500)),
        half_open=random.choice((0.0, 0.0, 0.3)),
        half_open_ms=random.choice((500, 8000)),
        proxied=proxied,
    )
