"""Challenges: a stranger with many names and long clocks closes no bot to others, and holds no tournament up."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from rumble_server.limits.bounds import Bounds

from tests.hostile.attacker import Attacker, Message, RawBot
from tests.hostile.target import Target, target, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.long]

NAMES = 64
MOST = Bounds().challenges_per_address_at_one_bot
HOUSE = "house-random"
KEY = "key-of-challengers"
TWO_HOURS = {"move_ms": 3_600_000, "bank_ms": 3_600_000}
SHORT = {"bank_ms": 60_000}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """A server with a house bot."""
    with target(tmp_path_factory.mktemp("house"), house="random") as running:
        assert wait_until(lambda: HOUSE in running.host.get("/api/opponents").text)
        yield running


def challenge(bot: RawBot, against: str, time_control: dict[str, int]) -> Message:
    """Challenge a bot; return the answer."""
    bot.say(type="challenge", against=against, game="tictactoe", time_control=time_control)
    return bot.until("joined", "error")


def test_64_names_with_two_hour_clocks_leave_a_house_bot_open(server: Target) -> None:
    with ExitStack() as opened:
        stranger, other, third = (server.attacker() for _ in range(3))
        bots = [opened.enter_context(stranger.login(f"name-{number}", key=KEY)) for number in range(NAMES)]
        answers = [challenge(bot, HOUSE, TWO_HOURS) for bot in bots]
        assert [answer["type"] for answer in answers].count("joined") == MOST
        assert {answer["code"] for answer in answers if answer["type"] == "error"} == {"unavailable"}
        late = opened.enter_context(other.login("patient", key=KEY))
        assert challenge(late, HOUSE, TWO_HOURS)["code"] == "unavailable"
        quick = opened.enter_context(third.login("quick", key=KEY))
        assert challenge(quick, HOUSE, SHORT)["type"] == "joined"


def test_a_challenge_takes_no_place_that_a_tournament_needs(server: Target) -> None:
    """A bot of one match at a time, challenged before its tournament starts, must play the tournament all the same."""
    cup = server.create(legs=1)
    attacker, home = server.attacker(), server.attacker()
    entrant = home.login("entrant", key=KEY, join=cup, challenges=True, max_matches=1)
    rival = home.login("rival", key=KEY, join=cup)
    with entrant, rival, attacker.login("idler", key=KEY) as idler:
        entrant.until("joined")
        rival.until("joined")
        challenge(idler, "entrant", TWO_HOURS)
        server.start_tournament(cup)
        assert entrant.until("match_start", tournament=cup)["tournament"] == cup


def test_a_challenged_bot_can_leave(server: Target) -> None:
    home: Attacker = server.attacker()
    with home.login("challenged", key=KEY, challenges=True) as bot, server.attacker().login("idler", key=KEY) as idler:
        bot.until("session")
        tournament = challenge(idler, "challenged", TWO_HOURS)["tournament"]
        bot.until("match_start")
        bot.say(type="leave", tournament=tournament)
        assert bot.until("left", "error")["type"] == "left"
