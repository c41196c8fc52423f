"""Crowds from one address: each crowd has a bound, and a class behind one router is not locked out."""

import contextlib
from pathlib import Path

import pytest
from rumble_server.limits.bounds import Bounds

from tests.hostile.attacker import Attacker, RawBot, is_open
from tests.hostile.conftest import NAMES_PER_HOUR
from tests.hostile.honest import honest_field
from tests.hostile.target import Target, target, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.long]

CROWD = 1_100
DESCRIPTORS = 1_024
SOURCES = 40
KEY = "key-of-someone-in-the-crowd"
INVITE = "ROOM-12-OPEN"
TOO_MANY_MESSAGES = 4008


def test_1100_silent_sockets_do_not_close_a_server_with_1024_descriptors(tmp_path: Path) -> None:
    """Sockets of one address are mostly refused; idle sockets of many addresses are shed, and a log line reports it."""
    few = ("sh", "-c", f'ulimit -n {DESCRIPTORS} && exec "$@"', "sh")
    with target(tmp_path, before=few) as server, honest_field(server, tmp_path / "honest", cycles=4) as field:
        for sources in (1, SOURCES):
            with contextlib.ExitStack() as opened:
                attackers, sockets = [server.attacker() for _ in range(sources)], []
                for number in range(CROWD):
                    with contextlib.suppress(ConnectionError):
                        sockets.append(opened.enter_context(attackers[number % sources].socket()))
                field.assert_unharmed()
                assert server.attacker().ask("/healthz") == 200
                most = min(sources * Bounds().strangers_per_address, DESCRIPTORS)
                assert wait_until(lambda: sum(map(is_open, sockets)) <= most)  # noqa: B023
        assert "open files run out" in server.log
        field.finish()


def enter(attacker: Attacker, name: str, **more: str) -> RawBot:
    """Log in, and return the bot after the answer; its close code is None after an accepted login."""
    bot = attacker.login(name, key=KEY, **more)
    if bot.until("session", "error")["type"] == "error":
        bot.closed()
    return bot


def test_a_class_behind_one_router_gets_in(server: Target, attacker: Attacker) -> None:
    """An address has used up names and connections; a bot with a valid invitation has buckets of its own."""
    cup = server.create(invite=INVITE)
    with contextlib.ExitStack() as opened:
        for number in range(NAMES_PER_HOUR + 1):
            bot = opened.enter_context(enter(attacker, f"greedy-{number}"))
        assert bot.code == TOO_MANY_MESSAGES
        for number in range(40):
            pupil = opened.enter_context(enter(attacker, f"pupil-{number}", join=cup, invite=INVITE))
            assert pupil.until("joined", "error")["type"] == "joined"
        with enter(attacker, "stranger", join=cup, invite="wrong") as stranger:
            assert stranger.code == TOO_MANY_MESSAGES
