"""Crowds from one address: each crowd has a bound, and a class behind one router is not locked out."""

import contextlib
from pathlib import Path

import pytest
from rumble_protocol.server_messages import Limits
from rumble_server.limits.bounds import Bounds

from tests.hostile.attacker import PING, PONG, Attacker, RawBot, Refused, frame, is_open, statuses
from tests.hostile.conftest import CONNECTIONS, NAMES_PER_HOUR, STRANGERS
from tests.hostile.honest import honest_field
from tests.hostile.target import Target, target, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.long]

CROWD = 1_100
DESCRIPTORS = 1_024
SOURCES = 40
KEY = "key-of-someone-in-the-crowd"
INVITE = "ROOM-12-OPEN"
REFILLED = 20
"""Number of messages that a bucket may regain while a test runs."""
TOO_MANY_REQUESTS, TOO_MANY_MESSAGES = 429, 4008


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


def test_strangers_of_one_address(attacker: Attacker) -> None:
    """Silent sockets up to the bound stay open, further sockets are refused."""
    with contextlib.ExitStack() as opened:
        sockets = [opened.enter_context(attacker.socket()) for _ in range(3 * STRANGERS)]
        assert wait_until(lambda: sum(map(is_open, sockets)) <= STRANGERS)
        assert sum(map(is_open, sockets)) == STRANGERS


def test_connections_of_one_address(attacker: Attacker) -> None:
    """Known connections have a bound: a further one is refused at its upgrade, request or login, until another goes."""
    with contextlib.ExitStack() as opened:
        bots = [opened.enter_context(enter(attacker, f"many-{number}")) for number in range(STRANGERS)]
        assert [bot.code for bot in bots] == [None] * STRANGERS
        for _ in range(CONNECTIONS - STRANGERS):
            sock = opened.enter_context(attacker.socket())
            sock.sendall(attacker.get("/healthz"))
            assert statuses(sock.recv(1 << 16)) == [200]
        assert attacker.ask("/healthz") == TOO_MANY_REQUESTS
        assert refusal_of_bot(attacker) in (TOO_MANY_REQUESTS, TOO_MANY_MESSAGES)
        bots.pop().sock.close()
        assert wait_until(lambda: refusal_of_bot(attacker) is None)


def test_one_more_stranger_waits_until_the_oldest_had_its_time(attacker: Attacker) -> None:
    """Control frames of strangers change nothing."""
    with contextlib.ExitStack() as opened:
        bots = [opened.enter_context(attacker.bot()) for _ in range(STRANGERS)]
        for bot in bots:
            bot.send(frame(PING, b"here"))
            assert (PONG, b"here") in bot.frames()
        assert refusal_of_bot(attacker) is None
        assert bots[0].closed() == 0


def refusal_of_bot(attacker: Attacker) -> int | None:
    """Return the status or the close code of a bot's refusal; None if the bot is let in."""
    try:
        with enter(attacker, "one-more") as bot:
            return bot.code
    except Refused as refused:
        return refused.status


def enter(attacker: Attacker, name: str, **more: str) -> RawBot:
    """Log in, and return the bot after the answer; its close code is None after an accepted login."""
    bot = attacker.login(name, key=KEY, **more)
    if bot.until("session", "error")["type"] == "error":
        bot.closed()
    return bot


def test_new_names_of_one_address(attacker: Attacker) -> None:
    codes = []
    for number in range(NAMES_PER_HOUR + 5):
        with enter(attacker, f"new-{attacker.port}-{number}") as bot:
            codes.append(bot.code)
    assert codes == [None] * NAMES_PER_HOUR + [TOO_MANY_MESSAGES] * 5
    with enter(attacker, f"new-{attacker.port}-0") as known:
        assert known.code is None


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


def code_of_answer(bot: RawBot) -> str | None:
    """Return the code of the next error; None if the connection ends."""
    error = next((each for each in bot.messages() if each["type"] == "error"), None)
    return None if error is None else str(error["code"])


def test_the_limit_of_messages_outlives_connections(attacker: Attacker) -> None:
    """A bot that reconnects has the rest of its minute's messages, and a further login is refused with that reason."""
    most, answered = Limits().unsolicited_per_minute, 0
    for _ in range(4):
        with attacker.login("chatty", key=KEY) as bot:
            if bot.until("session", "error")["type"] == "error":
                assert bot.closed() == TOO_MANY_MESSAGES
                break
            for _ in range(most // 2):
                bot.say(type="nonsense")
                answered += code_of_answer(bot) == "bad_message"
    else:
        pytest.fail("each connection has a minute of its own")
    assert answered <= most + REFILLED


def test_the_limit_of_messages_is_of_the_name(attacker: Attacker) -> None:
    """A flood under one name does not use up the messages of other names of the address."""
    most = Limits().unsolicited_per_minute
    with attacker.login("loud", key=KEY) as loud, attacker.login("calm", key=KEY) as calm:
        calm.until("session")
        for _ in range(most + 10):
            loud.say(type="nonsense")
        assert loud.closed() == TOO_MANY_MESSAGES
        calm.say(type="nonsense")
        assert calm.until("error")["code"] == "bad_message"
