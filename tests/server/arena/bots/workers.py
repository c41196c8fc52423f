"""Workers of the bot ann, and matches for them."""

from typing import Any

from rumble_server.tournament.tournament import Tournament

from tests.server.arena.playing import NAMES
from tests.server.world import Bot, World


def workers(world: World, *names: str, **login: Any) -> list[Bot]:
    return [world.login("ann", worker=worker, **login) for worker in names]


def gauntlet(world: World, **given: Any) -> Tournament:
    """Create a tournament in which ann meets each other bot once."""
    return world.create(**{"format": "gauntlet", "challengers": 1, "legs": 1, "openings": "none", **given})


def start(world: World, tournament: Tournament, *opponents: str) -> None:
    """Begin the tournament with ann and these opponents."""
    world.logins(*opponents, join=tournament.id, max_matches=4)
    with world.arena.transaction:
        world.arena.lifecycle.begin(tournament, ("ann", *opponents))
    world.end_iteration()


def playing(world: World, opponents: int = 1, *, names: tuple[str, ...] = ("one", "two"), **given: Any) -> list[Bot]:
    """Return workers of ann, with a match each as far as there are opponents."""
    login = given.pop("login", {})
    tournament = gauntlet(world, **given)
    bots = workers(world, *names, join=tournament.id, **login)
    start(world, tournament, *NAMES[1 : opponents + 1])
    return bots


def facts(world: World, kind: type) -> list[Any]:
    return [fact for fact in world.log.facts if isinstance(fact, kind)]


def absent_since_ms(tournament: Tournament) -> int | None:
    return tournament.field["ann"].absent_since_ms


def busy(bots: list[Bot]) -> list[Bot]:
    """Return the bots, those with a match first."""
    return sorted(bots, key=lambda bot: not bot.inbox.all("match_start"))
