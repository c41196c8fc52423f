"""Guessing tokens, keys and invitations: wrong tries are counted by address, and an owner is never locked out."""

import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from rumble_server.limits.bounds import Bounds

from tests.e2e.processes import RUMBLE, TOKEN, clean_environment
from tests.hostile.attacker import Attacker, RawBot
from tests.hostile.target import Target

pytestmark = [pytest.mark.e2e, pytest.mark.long]

MOST = Bounds().wrong_tries_per_minute
TRIES = MOST + 10
REFILLED = 5
"""Number of tries that a bucket may regain while a test runs."""
UNAUTHORIZED, TOO_MANY_REQUESTS, TOO_MANY_MESSAGES, WRONG_KEY = 401, 429, 4008, 4003
KEY, GUESS, INVITE = "key-of-the-owner-of-this-name", "guess-number-{:04}-of-a-thief", "4711"


@pytest.mark.parametrize("scheme", ["Bearer {}", "Bot owner:{}"])
def test_tokens_and_keys_are_not_guessed_by_http(server: Target, attacker: Attacker, scheme: str) -> None:
    """Every further try is refused, with the right secret, too; elsewhere the host is still let in."""
    path = "/api/matches/cup.1.1.1.1/transcript"
    tried = [attacker.ask(path, authorization(scheme.format(GUESS.format(number)))) for number in range(TRIES)]
    assert_cut_off(tried, UNAUTHORIZED, TOO_MANY_REQUESTS)
    assert attacker.ask("/api/host", authorization(f"Bearer {TOKEN}")) == TOO_MANY_REQUESTS
    assert attacker.ask("/api/tournaments") == 200
    assert server.attacker().ask("/api/host", authorization(f"Bearer {TOKEN}")) == 200


def assert_cut_off(answers: Sequence[int | None], wrong: int, refused: int, most: int = MOST) -> None:
    """Assert the number of wrong tries, and that further tries were refused; a slow machine may allow some more."""
    assert set(answers) == {wrong, refused}
    assert answers[:most] == [wrong] * most
    assert answers[-1] == refused
    assert answers.count(wrong) <= most + REFILLED


def authorization(value: str) -> str:
    return f"Authorization: {value}\r\n"


def try_key(attacker: Attacker, name: str, key: str) -> int | None:
    """Log in, and return the close code; None if the login was accepted."""
    with attacker.login(name, key=key) as bot:
        return None if bot.until("session", "error")["type"] == "session" else bot.closed()


def test_keys_of_many_names_are_not_guessed(server: Target, attacker: Attacker) -> None:
    """Wrong keys count by address, whatever the name; the owners get in from other addresses."""
    owner, names = server.attacker(), [f"owned-{number}" for number in range(4)]
    assert [try_key(owner, name, KEY) for name in names] == [None] * len(names)
    codes = [try_key(attacker, names[number % len(names)], GUESS.format(number)) for number in range(TRIES)]
    assert_cut_off(codes, WRONG_KEY, TOO_MANY_MESSAGES)
    assert [try_key(owner, name, KEY) for name in names] == [None] * len(names)


def test_the_wrong_tries_of_others_do_not_lock_an_owner_out(attacker: Attacker) -> None:
    """A thief behind the same router guesses at many names; who has once shown the right key is let in each time."""
    assert try_key(attacker, "neighbour", KEY) is None
    for number in range(TRIES):
        try_key(attacker, f"honest-{number % 6 + 1}", GUESS.format(number))
    for number in range(MOST - REFILLED):
        assert try_key(attacker, "neighbour", GUESS.format(number)) == WRONG_KEY
    assert [try_key(attacker, "neighbour", KEY) for _ in range(17)] == [None] * 17


def test_a_key_that_was_once_right_is_exchanged_and_no_guess_keeps_its_bot_away(attacker: Attacker) -> None:
    """A thief at the same address shows wrong keys for the name all the time: the bot's own is not looked at."""
    with attacker.login("exchanged", key=KEY, exchange_key=True) as bot:
        made = str(bot.until("session")["made_key"])
    codes = [try_key(attacker, "exchanged", GUESS.format(number)) for number in range(TRIES)]
    assert_cut_off(codes, WRONG_KEY, TOO_MANY_MESSAGES)
    assert [try_key(attacker, "exchanged", key) for key in (KEY, made)] == [TOO_MANY_MESSAGES, None]


def test_wrong_tries_of_all_kinds_count_together(attacker: Attacker) -> None:
    """Half of the tries come by HTTP, half by WebSocket."""
    try_key(attacker, "both-ways", KEY)
    for number in range(MOST // 2):
        assert attacker.ask("/api/host", authorization(f"Bearer {GUESS.format(number)}")) == UNAUTHORIZED
    codes = [try_key(attacker, f"honest-{number % 6 + 1}", GUESS.format(number)) for number in range(MOST)]
    assert_cut_off(codes, WRONG_KEY, TOO_MANY_MESSAGES, MOST // 2)


def code_of_join(bot: RawBot, tournament: str, invite: str) -> str | None:
    """Show an invitation, and return the code of the error; None if the connection has ended."""
    if bot.code is not None:
        return None
    bot.say(type="join", tournament=tournament, invite=invite)
    error = next((each for each in bot.messages() if each["type"] == "error"), None)
    return None if error is None else str(error["code"])


def test_invitations_are_not_guessed(server: Target, attacker: Attacker) -> None:
    """A code of four digits; who comes again and again is refused, and a bot of the field is not."""
    cup = server.create(invite=INVITE)
    member = server.attacker().login("member", key=KEY, join=cup, invite=INVITE)
    with member:
        member.until("joined")
        wrong = refused = 0
        for number in range(3):
            with attacker.login(f"guesser-{number}", key=KEY) as bot:
                bot.until("session")
                codes = Counter(code_of_join(bot, cup, f"{number}{guess:03}") for guess in range(MOST))
                wrong, refused = wrong + codes["invite_required"], refused + codes["too_many_messages"]
        assert wrong <= MOST + REFILLED
        assert refused
        member.say(type="join", tournament=cup)
        assert member.until("joined", "error")["type"] == "joined"


def test_one_tournament_is_not_guessed_from_many_addresses(server: Target, attacker: Attacker) -> None:
    """Wrong tries for a tournament have a bound a minute; the tournament's own bots come and go as before."""
    cup, wrong = server.create(invite=INVITE), 0
    with server.attacker().login("insider", key=KEY, join=cup, invite=INVITE) as insider:
        insider.until("joined")
    most = Bounds().wrong_invites_per_tournament
    for number in range(most // (MOST - 1) + 3):
        with server.attacker().login(f"one-of-many-{number}", key=KEY) as bot:
            bot.until("session")
            for guess in range(MOST - 1):
                wrong += code_of_join(bot, cup, f"{number}x{guess}") == "invite_required"
    assert wrong <= most + REFILLED
    with server.attacker().login("insider", key=KEY, join=cup) as insider:
        assert insider.until("joined", "error")["type"] == "joined"


def test_guesses_leave_a_line_and_no_secret_in_the_log(server: Target, attacker: Attacker) -> None:
    logged = len(server.log)
    for number in range(TRIES):
        attacker.ask("/api/host", authorization(f"Bearer {GUESS.format(number)}"))
    assert re.search(rf"{re.escape(attacker.address)}\b", server.log[logged:])
    assert "of-a-thief" not in server.log
    assert TOKEN not in server.log


def test_a_short_host_token_is_refused_beyond_loopback(tmp_path: Path) -> None:
    """Use 192.0.2.1, a documentation address (RFC 5737) at which nothing can listen."""
    command = [
        *RUMBLE,
        "serve",
        "--host",
        "192.0.2.1",
        "--db",
        str(tmp_path / "rumble.db"),
        "--host-token",
        "elevenchars",
    ]
    done = subprocess.run(command, env=clean_environment(tmp_path), capture_output=True, text=True, timeout=30)
    assert (done.returncode, len(done.stderr.splitlines())) != (0, 0)
    assert "host-token" in done.stderr
    assert "12" in done.stderr
