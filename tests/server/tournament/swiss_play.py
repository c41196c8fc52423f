"""Playing a tournament that is paired by results, with hazards on the way."""

from contextlib import suppress
from random import Random

from rumble_server.tournament import commands
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.pairs.plan import Round

from tests.server.tournament.leader import Leader

SCORES = ((1.0, 0.0), (0.5, 0.5), (0.0, 1.0))


def pair_next(leader: Leader) -> bool:
    """Pair the next round if it is due. Return whether there is one."""
    task = leader.tournament.pairing_task()
    if task is None:
        return False
    paired = task()
    assert isinstance(paired, Round)
    leader.record(leader.tournament.round_fact(paired, leader.now_ms))
    return bool(paired.pairings)


def play_swiss(leader: Leader, random: Random, rounds: int = 99, *, hazards: bool = False) -> None:
    """Play at most `rounds` rounds. With `hazards` bots get byes, withdraw, and miss matches."""
    for number in range(1, rounds + 1):
        if hazards:
            _strike(leader, random, number)
        pair_next(leader)
        if not leader.tournament.has_open_matches and not leader.due():
            if leader.tournament.is_complete:
                return
            continue  # half-point byes leave no bot to pair
        _play_round(leader, random)
        leader.come(*leader.tournament.field)


def _play_round(leader: Leader, random: Random) -> None:
    while leader.tournament.has_open_matches:
        if not leader.due() and not leader.tournament.running:
            leader.pass_ms(leader.tournament.config.absent_ms)
        for match in list(leader.tournament.running):
            leader.finish(match, random.choice(SCORES))


def _strike(leader: Leader, random: Random, number: int) -> None:
    names = list(leader.tournament.field)
    for name in random.sample(names, 3):
        kind = random.choice(["bye", "leave", "away", "nothing"])
        if kind == "bye":
            at = number + random.randint(0, 1)
            with suppress(CommandRefused):  # the bot left, or there is no such round
                leader.record(commands.give_half_bye(leader.tournament, name, at, leader.now_ms))
        elif kind == "leave" and sum(not each.withdrawn for each in leader.tournament.field.values()) > 4:
            leader.record(commands.leave(leader.tournament, name, leader.now_ms))
        elif kind == "away":
            leader.go(name)
