"""One match against another bot, asked for by a bot."""

from typing import Any

import pytest
from rumble_server.arena import challenges
from rumble_server.arena.challenges import LONGEST_MS

from tests.server.arena.playing import first_legal
from tests.server.frames import Frame
from tests.server.world import Bot, World


def challenge(bot: Bot, **given: Any) -> Frame:
    bot.say(**{"type": "challenge", "against": "ben", "game": "tictactoe", **given})
    return bot.inbox.frames[-1]


def two(world: World, **other: Any) -> tuple[Bot, Bot]:
    ann, ben = world.login("ann"), world.login("ben", **{"challenges": True, **other})
    return ann, ben


@pytest.mark.parametrize("seat", [0, 1])
def test_a_challenge_is_an_unlisted_unrated_tournament_of_one_match(seat: int) -> None:
    world = World()
    ann, ben = two(world)
    challenge(ann, seat=seat, game="connect4", settings={"columns": 5}, time_control={"bank_ms": 7000})
    tournament = world.arena.tournaments["challenge-ann-ben"]
    assert (tournament.config.listed, tournament.config.rated, tournament.config.legs) == (False, False, 1)
    for bot in (ann, ben):
        assert bot.last("joined")["tournament"] == "challenge-ann-ben"
        assert bot.last("joined")["settings"] == {"columns": 5, "rows": 6, "connect": 4}
        assert bot.last("joined")["time_control"]["bank_ms"] == 7000
        bot.play(first_legal)
    assert ann.last("match_start")["seat"] == seat
    (ann if seat == 0 else ben).move("a")
    world.run()
    assert ann.last("tournament_over")["status"] == "finished"
    assert len(tournament.results) == 1


def test_without_a_seat_the_lot_decides() -> None:
    seats = set()
    for seed in range(20):
        ann, _ = two(World(seed=seed))
        challenge(ann)
        seats.add(ann.last("match_start")["seat"])
    assert seats == {0, 1}


def test_one_challenge_is_open_at_a_time() -> None:
    world = World()
    ann, ben = two(world, max_matches=4)
    challenge(ann)
    challenge(ann)
    assert ann.error() == "unavailable"
    for bot in (ann, ben):
        bot.play(first_legal)
    ann.say(type="resign", match=ann.last("match_start")["match"])
    assert challenge(ann)["type"] != "error"
    assert ann.last("joined")["tournament"] == "challenge-ann-ben-2"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"against": "zoe"}, "unknown_bot"),
        ({"against": "not a name"}, "unknown_bot"),
        ({"against": "cid"}, "unknown_bot"),
        ({"against": "ann"}, "unknown_bot"),
        ({"game": "poker"}, "unknown_game"),
        ({"settings": {"columns": 5}}, "bad_settings"),
        ({"game": "connect4", "settings": {"columns": 1}}, "bad_settings"),
        ({"game": "connect4", "settings": {"columns": "5"}}, "bad_settings"),
        ({"seat": 2}, "bad_settings"),
        ({"time_control": {"move_ms": LONGEST_MS + 1}}, "bad_settings"),
        ({"time_control": {"move_ms": 1000, "bank_ms": LONGEST_MS + 1}}, "bad_settings"),
    ],
)
def test_a_challenge_that_cannot_be(given: dict[str, Any], code: str) -> None:
    world = World()
    ann, _ = two(world)
    world.login("cid")
    challenge(ann, **given)
    assert ann.error() == code
    assert world.arena.tournaments == {}
    assert challenge(ann)["type"] != "error", "the next one may be"


@pytest.mark.parametrize(("bound", "message"), [("MOST_CHALLENGES", "here"), ("MOST_AT_ONE_BOT", "challenge ben")])
def test_no_more_challenges_are_open_than_a_server_can_hold(
    bound: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(challenges, bound, 2)
    world = World()
    world.login("ben", challenges=True)
    guests = world.logins("ann", "cid", "dan")
    for guest in guests:
        challenge(guest)
    assert guests[-1].error() == "unavailable"
    assert message in guests[-1].last("error")["message"]
    assert len(world.arena.tournaments) == 2
    guests[0].say(type="resign", match=guests[0].last("match_start")["match"])
    assert challenge(guests[-1])["type"] != "error"


def test_a_bot_is_only_challenged_to_what_it_plays() -> None:
    world = World()
    ann, _ = two(world, games=["connect4"])
    challenge(ann)
    assert ann.error() == "unavailable"
    assert ann.last("error")["message"] == "ben does not play tictactoe"
    assert world.arena.tournaments == {}
    assert challenge(ann, game="connect4")["type"] != "error"


def test_a_bot_that_is_not_connected_cannot_be_challenged() -> None:
    world = World()
    ann, ben = two(world)
    ben.drop()
    challenge(ann)
    assert ann.error() == "unknown_bot"
