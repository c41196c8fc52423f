"""A session: what each frame of a bot is answered, every error and close code that it can give, and the limits."""

import json
from typing import Any

import pytest
from rumble_engine import Termination, game_names
from rumble_protocol.codes import CloseCode, ErrorCode
from rumble_protocol.server_messages import Limits
from rumble_server.bounds import Bounds
from rumble_server.limits.door import Door
from rumble_server.match.facts import FrameSeen, MoveMade

from tests.server.world import Bot, World

KEY = "correct-horse-battery"
OTHER = "another-horse-battery"
BEYOND: dict[str, Any] = {"is_local": False, "address": "203.0.113.7"}


def in_play(world: World, **login: Any) -> tuple[Bot, Bot]:
    """Two bots in a match: the one to move, and the one that waits."""
    world.create(start_at_bots=2, legs=2)
    bots = [world.login(name, join="friday", **login) for name in ("ann", "ben")]
    bots.sort(key=lambda bot: not bot.inbox.all("turn"))
    for bot in bots:
        bot.heard()
    return bots[0], bots[1]


# --- welcome and login ---


def test_the_server_speaks_first_and_says_what_it_allows() -> None:
    (welcome,) = World().connect().heard()
    assert welcome == {
        "type": "welcome",
        "protocol": 1,
        "server": "test",
        "features": ["away_clock"],
        "limits": {
            "frame_bytes": 65_536,
            "login_ms": 10_000,
            "unsolicited_per_minute": 120,
            "ping_ms": 20_000,
            "pong_ms": 120_000,
            "max_matches": 64,
        },
        "games": list(game_names()),
    }


@pytest.mark.parametrize(("key", "is_open"), [(None, True), (KEY, False)])
def test_a_login_is_answered_by_a_session(key: str | None, is_open: bool) -> None:
    bot = World().connect()
    bot.heard()
    bot.login("Ann", key=key)
    assert bot.heard() == [
        {"type": "session", "name": "Ann", "open": is_open, "max_matches": 1, "matches": [], "tournaments": []}
    ]


@pytest.mark.parametrize(("asked", "granted"), [(1, 1), (5, 5), (6, 5), (10**6, 5)])
def test_as_many_matches_are_granted_as_asked_for_up_to_the_limit(asked: int, granted: int) -> None:
    bot = World(limits=Limits(max_matches=5)).login("ann", max_matches=asked)
    assert bot.last("session")["max_matches"] == granted


def test_a_session_tells_of_open_matches_and_of_tournaments_that_are_not_over() -> None:
    world = World()
    mover, waiter = in_play(world)
    monday = world.create(name="Monday", game="connect4")
    over = world.create(name="Over")
    for tournament in (monday, over):
        mover.say(type="join", tournament=tournament.id)
    world.organiser.end(over.id, cancelled=True)
    mover.drop()
    session = world.login(mover.name).last("session")
    assert session["matches"] == ["friday.1.1.1.1"]
    assert session["tournaments"] == [
        {"id": "friday", "game": "tictactoe", "status": "running"},
        {"id": "monday", "game": "connect4", "status": "lobby"},
    ]
    assert waiter.inbox.frames[-1]["code"] == "opponent_away"


def test_a_login_that_joins_gets_its_session_first() -> None:
    world = World()
    world.create()
    assert world.login("ann", join="friday").inbox.kinds() == ["welcome", "session", "joined"]


@pytest.mark.parametrize(
    ("join", "code"),
    [
        ({"join": "nowhere"}, "unknown_tournament"),
        ({"join": "private"}, "invite_required"),
        ({"join": "private", "invite": "wrong"}, "invite_required"),
        ({"join": "begun"}, "tournament_closed"),
    ],
)
def test_a_failed_join_leaves_the_login_standing(join: dict[str, str], code: str) -> None:
    world = World()
    world.create(name="private", invite="sesame")
    world.create(name="begun", start_at_bots=2)
    world.logins("ben", "cid", join="begun")
    bot = world.login("ann", **join)
    assert bot.inbox.kinds() == ["welcome", "session", "error"]
    assert (bot.error(), bot.last("error")["fatal"]) == (code, False)
    bot.say(type="join", tournament="private", invite="sesame")
    assert bot.inbox.kinds() == ["joined"]


def test_who_does_not_log_in_in_time_is_closed() -> None:
    world = World(limits=Limits(login_ms=500))
    bot = world.connect()
    world.run(499)
    assert bot.link.closed is None
    world.run(1)
    assert bot.link.closed is CloseCode.NO_LOGIN


def test_who_is_logged_in_or_gone_is_not_closed_for_that() -> None:
    world = World()
    bot, gone = world.login("ann"), world.connect()
    gone.drop()
    world.run()
    assert bot.link.closed is gone.link.closed is None


def test_failed_logins_do_not_put_the_time_off() -> None:
    world = World()
    bot = world.connect()
    world.run(9_000)
    bot.login("no good")
    assert bot.error() == "bad_name"
    world.run(1_000)
    assert bot.link.closed is CloseCode.NO_LOGIN


# --- errors ---


@pytest.mark.parametrize("name", ["", "-", "a b", "x" * 33, "é"])
def test_a_bad_name_may_be_corrected_on_the_same_connection(name: str) -> None:
    bot = World().login(name)
    assert (bot.error(), bot.last("error")["fatal"]) == ("bad_name", False)
    bot.login("good")
    assert bot.last("session")["name"] == "good"


@pytest.mark.parametrize(
    "message",
    [
        {"type": "join", "tournament": "friday"},
        {"type": "leave", "tournament": "friday"},
        {"type": "move", "match": "m", "turn_id": "t", "move": "4"},
        {"type": "resign", "match": "m"},
        {"type": "challenge", "against": "ben", "game": "tictactoe"},
    ],
    ids=lambda message: str(message["type"]),
)
def test_before_the_login_nothing_else_is_possible(message: dict[str, str]) -> None:
    bot = World().connect()
    bot.say(**message)
    assert bot.error() == "not_logged_in"
    assert bot.link.closed is None


def test_a_connection_logs_in_once() -> None:
    bot = World().login("ann")
    bot.login("ben")
    assert (bot.error(), bot.last("error")["fatal"]) == ("already_logged_in", False)
    assert "ann" in bot.last("error")["message"]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("hello", None),
        ("[]", None),
        ("{}", None),
        ('{"type": "dance"}', "type"),
        ('{"type": "login", "name": "ann", "jion": "friday"}', "jion"),
        ('{"type": "login"}', "name"),
        ('{"type": "login", "name": 5}', "name"),
        ('{"type": "login", "name": "ann", "key": "short"}', "key"),
        ('{"type": "login", "name": "ann", "max_matches": 0}', "max_matches"),
        ('{"type": "login", "name": "ann", "omit": ["state"]}', "omit.0"),
        ('{"type": "join", "tournament": ""}', "tournament"),
        ('{"type": "move", "match": "m", "turn_id": "t", "move": 4}', "move"),
    ],
)
def test_what_is_no_message_is_told_with_the_field_that_is_wrong(text: str, field: str | None) -> None:
    for bot in (World().connect(), World().login("zoe")):
        bot.say_text(text)
        assert bot.error() == "bad_message"
        assert [problem["field"] for problem in bot.last("error")["detail"]] == ([field] if field else [])
        assert bot.link.closed is None


@pytest.mark.parametrize("kind", ["join", "leave"])
def test_a_tournament_that_is_not_there(kind: str) -> None:
    bot = World().login("ann")
    bot.say(type=kind, tournament="nowhere")
    assert bot.error() == "unknown_tournament"


def test_resigning_what_one_does_not_play_is_an_error() -> None:
    world = World()
    mover, _ = in_play(world)
    stranger = world.login("zoe")
    for match in ("nonsense", "friday.1.1.1.1"):
        stranger.say(type="resign", match=match)
        assert stranger.error() == "bad_message"
        assert stranger.last("error")["detail"][0]["field"] == "match"
    mover.say(type="resign", match="friday.1.1.1.1")
    assert mover.heard()[0]["termination"] == "resignation"


def test_leaving_when_it_is_over_is_refused() -> None:
    world = World()
    world.create()
    bot = world.login("ann", join="friday")
    world.organiser.end("friday", cancelled=True)
    bot.say(type="leave", tournament="friday")
    assert bot.error() == "tournament_closed"


@pytest.mark.parametrize("match", ["nonsense", "friday.1.1.1.2", "friday.1.1.1.1"])
def test_a_move_in_a_match_one_does_not_play_is_rejected(match: str) -> None:
    world = World()
    in_play(world)
    stranger = world.login("zoe")
    stranger.say(type="move", match=match, turn_id="1.1", move="4")
    assert stranger.inbox.frames[-1] == {
        "type": "rejected",
        "match": match,
        "turn_id": "1.1",
        "code": "unknown_match",
        "message": "you have no open match of this id",
        "your_turn": False,
        "remaining_ms": None,
    }


def test_every_frame_is_answered_except_a_move_that_counts() -> None:
    world = World()
    mover, waiter = in_play(world)
    for text in ("nonsense", '{"type": "dance"}', json.dumps({"type": "login", "name": "x"})):
        mover.say_text(text)
        assert mover.inbox.kinds() == ["error"]
    waiter.move("4", turn=mover.last("turn"))
    assert waiter.inbox.kinds() == ["rejected"]
    mover.move("4")
    assert (mover.heard(), waiter.inbox.kinds()) == ([], ["turn"])


# --- names and keys ---


def test_a_wrong_key_is_closed_and_does_not_disturb_who_is_connected() -> None:
    world = World()
    bot = world.login("ann", key=KEY)
    thief = world.login("ANN", key=OTHER)
    assert (thief.error(), thief.last("error")["fatal"], thief.link.closed) == ("bad_key", True, CloseCode.WRONG_KEY)
    assert bot.link.closed is None
    bot.say(type="join", tournament="nowhere")
    assert bot.error() == "unknown_tournament"


def test_a_protected_name_asks_for_its_key() -> None:
    world = World()
    world.login("ann", key=KEY)
    bot = world.login("ann")
    assert (bot.error(), bot.link.closed) == ("key_required", None)
    bot.login("ann", key=KEY)
    assert bot.last("session")["open"] is False


def test_from_beyond_this_machine_a_name_needs_a_key() -> None:
    bot = World().connect(**BEYOND)
    bot.login("ann")
    assert (bot.error(), bot.link.closed) == ("key_required", None)
    bot.login("ann", key=KEY)
    assert bot.last("session")["open"] is False


def test_unless_the_host_allows_open_names() -> None:
    bot = World(open_names=True).connect(**BEYOND)
    bot.login("ann")
    assert bot.last("session")["open"] is True


def wrong_keys(world: World, name: str, times: int, **link: Any) -> list[Bot]:
    bots = []
    for _ in range(times):
        bot = world.connect(**link)
        bot.login(name, key=OTHER)
        bots.append(bot)
    return bots


def test_wrong_keys_are_limited_by_address_whatever_the_names() -> None:
    world = World(door=Door(Bounds(wrong_tries_per_minute=4)))
    world.login("ann", key=KEY)
    world.login("ben", key=KEY)
    tried = [*wrong_keys(world, "ann", 2, address="192.0.2.1"), *wrong_keys(world, "ben", 2, address="192.0.2.1")]
    assert {bot.link.closed for bot in tried} == {CloseCode.WRONG_KEY}
    refused = world.connect(address="192.0.2.1")
    refused.login("ann", key=KEY)
    assert (refused.error(), refused.last("error")["fatal"]) == ("too_many_messages", True)
    assert refused.link.closed is CloseCode.TOO_MANY_MESSAGES
    assert world.arena.door.refusals.counts == {"wrong_key": 4, "too_many_wrong_tries": 1}
    elsewhere = world.connect(address="192.0.2.2")
    elsewhere.login("Ann", key=KEY)
    assert elsewhere.last("session")["name"] == "ann"
    world.run(60_000)
    (again,) = wrong_keys(world, "ann", 1, address="192.0.2.1")
    assert again.link.closed is CloseCode.WRONG_KEY


def test_who_has_shown_the_right_key_is_not_locked_out_by_others_of_its_address() -> None:
    world = World(door=Door(Bounds(wrong_tries_per_minute=4, wrong_keys_of_owner_per_minute=2)))
    ann = world.connect(**BEYOND)
    ann.login("ann", key=KEY)
    world.login("ben", key=KEY)
    assert wrong_keys(world, "ben", 5, **BEYOND)[-1].error() == "too_many_messages"
    for _ in range(3):
        ann.drop()
        ann = world.connect(**BEYOND)
        ann.login("Ann", key=KEY)
        assert ann.last("session")["name"] == "ann"
    *_, refused = wrong_keys(world, "ann", 3, **BEYOND)
    assert refused.error() == "too_many_messages", "its own bucket has an end, too"


def test_a_key_for_a_name_that_is_open_or_new_is_no_try() -> None:
    world = World(door=Door(Bounds(wrong_tries_per_minute=1)))
    world.login("ben", key=KEY)
    world.login("ann")
    wrong_keys(world, "ben", 2, address="127.0.0.1")
    for name in ("ann", "cid"):
        assert world.login(name, key=KEY).last("session")["name"] == name


# --- new names, banned names, open names ---


def test_new_names_are_limited_by_address_and_that_outlives_connections() -> None:
    world = World(door=Door(Bounds(names_per_hour=2)))

    def newcomer(name: str, **link: Any) -> Bot:
        bot = world.connect(**{**BEYOND, **link})
        bot.login(name, key=KEY)
        bot.drop()
        return bot

    assert [newcomer(name).link.closed for name in ("ann", "ben")] == [None, None]
    third = newcomer("cid")
    assert (third.error(), third.last("error")["fatal"]) == ("too_many_messages", True)
    assert third.link.closed is CloseCode.TOO_MANY_MESSAGES
    assert world.arena.names.get("cid") is None
    assert world.arena.door.refusals.counts == {"names": 1}
    assert newcomer("Ann").last("session")["name"] == "ann", "a name that is there is not new"
    assert newcomer("cid", address="203.0.113.8").link.closed is None
    world.run(3_600_000)
    assert newcomer("dan").link.closed is None


def test_a_valid_invitation_has_a_bucket_of_its_own() -> None:
    world = World(door=Door(Bounds(names_per_hour=1, invited_names_per_hour=2)))
    world.create(invite="sesame")
    bots = {}
    for name, invite in [("ann", None), ("ben", None), ("cid", "wrong"), ("dan", "sesame"), ("eve", "sesame")]:
        bots[name] = world.connect(**BEYOND)
        bots[name].login(name, key=KEY, join="friday", invite=invite)
    assert [name for name, bot in bots.items() if bot.link.closed is None] == ["ann", "dan", "eve"]
    assert bots["dan"].link.invited_to == bots["eve"].link.invited_to == "friday"
    assert bots["ann"].link.invited_to is None
    last = world.connect(**BEYOND)
    last.login("fay", key=KEY, join="friday", invite="sesame")
    assert last.error() == "too_many_messages"


def test_loopback_is_exempt_unless_the_bounds_hold_there_too() -> None:
    for limited, closed in ((False, None), (True, CloseCode.TOO_MANY_MESSAGES)):
        world = World(door=Door(Bounds(names_per_hour=1, limit_loopback=limited)))
        assert [world.login(name).link.closed for name in ("ann", "ben")] == [None, closed]


def test_a_key_shown_for_an_open_name_is_told_that_it_protects_nothing() -> None:
    world = World()
    assert world.login("ann").inbox.all("notice") == []
    (notice,) = world.login("ann", key=KEY).inbox.all("notice")
    assert (notice["code"], notice["tournament"]) == ("name_open", None)
    assert world.login("ben", key=KEY).inbox.all("notice") == []


# --- invitations ---


def joining(world: World, name: str, invite: str, **link: Any) -> str | None:
    """Have a bot join with this code; return the code of the error, if it is one."""
    bot = world.connect(**{**BEYOND, **link})
    bot.login(name, key=KEY)
    bot.say(type="join", tournament="friday", invite=invite)
    assert bot.link.closed is None
    return bot.error() if bot.inbox.frames[-1]["type"] == "error" else None


def test_wrong_invitations_are_limited_by_address() -> None:
    world = World(door=Door(Bounds(wrong_tries_per_minute=3)))
    world.create(invite="sesame")
    tried = [joining(world, "ann", f"try {number}") for number in range(3)]
    assert tried == ["invite_required"] * 3
    assert joining(world, "ann", "sesame") == "too_many_messages", "whatever the code is"
    assert joining(world, "ben", "sesame", address="203.0.113.8") is None
    world.run(60_000)
    assert joining(world, "ann", "sesame") is None


def test_wrong_invitations_are_limited_by_tournament_and_refuse_no_bot_of_its_field() -> None:
    world = World(door=Door(Bounds(wrong_invites_per_tournament=3)))
    world.create(invite="sesame")
    assert joining(world, "ann", "sesame") is None
    for number in range(3):
        assert joining(world, f"bot-{number}", "wrong", address=f"192.0.2.{number}") == "invite_required"
    assert joining(world, "ben", "sesame", address="198.51.100.1") == "too_many_messages"
    assert joining(world, "ann", "wrong") is None
    back = world.connect(**BEYOND)
    back.login("ann", key=KEY, join="friday")
    assert (back.link.closed, back.inbox.kinds()[-1]) == (None, "joined")
    assert back.link.invited_to == "friday", "its key is known from there, so it needs no code"


def test_an_invitation_in_a_login_is_one_try() -> None:
    world = World(door=Door(Bounds(wrong_tries_per_minute=2)))
    world.create(invite="sesame")
    codes = []
    for name in ("ann", "ben", "cid", "dan"):
        bot = world.connect(**BEYOND)
        bot.login(name, key=KEY, join="friday", invite="sesame" if name == "dan" else "wrong")
        codes.append((bot.error(), bot.link.closed))
    assert codes == [("invite_required", None)] * 2 + [("too_many_messages", None)] * 2
    assert world.arena.door.refusals.counts["wrong_invite"] == 2


def test_the_log_never_holds_a_key_or_an_invitation() -> None:
    world = World()
    mover, _ = in_play(world)
    mover.login("ann", key=KEY)
    mover.say(type="join", tournament="friday", invite="sesame-open", surprise=True)
    mover.say_text(f'{{"key": "{KEY}", "invite" : "sesame-open')
    logged = " ".join(repr(fact) for fact in world.log.facts)
    assert KEY not in logged
    assert "sesame" not in logged
    assert "***" in logged


# --- limits ---


def test_the_message_limit_is_of_the_name_and_outlives_its_connections() -> None:
    world = World(limits=Limits(unsolicited_per_minute=6))
    mover, waiter = in_play(world)
    for _ in range(2):  # the login was the first of the six
        mover.say(type="join", tournament="friday")
    mover.drop()
    back = world.login(mover.name.upper())
    for _ in range(2):
        back.say(type="join", tournament="friday")
    assert back.link.closed is None
    back.drop()
    refused = world.login(mover.name)
    assert (refused.error(), refused.last("error")["fatal"]) == ("too_many_messages", True)
    assert refused.link.closed is CloseCode.TOO_MANY_MESSAGES
    assert waiter.inbox.all("match_over") == [], "a refusal at the door forfeits nothing"
    world.run(10_000)
    back = world.login(mover.name)
    assert back.last("session")["matches"] == ["friday.1.1.1.1"]
    back.say(type="join", tournament="friday")
    assert back.error() == "too_many_messages"
    assert waiter.last("match_over")["termination"] == Termination.FLOOD


def test_strangers_are_limited_by_connection_and_by_address_and_that_costs_no_bot_anything() -> None:
    world = World(door=Door(Bounds(stranger_messages_per_minute=8)), limits=Limits(unsolicited_per_minute=5))
    world.create(start_at_bots=2)
    ann = world.connect(**BEYOND)
    ann.login("ann", key=KEY, join="friday")
    ben = world.login("ben", join="friday")
    closed = []
    for _ in range(3):
        stranger = world.connect(**BEYOND)
        for _ in range(7):
            stranger.say(type="join", tournament="friday")
        closed.append((len(stranger.inbox.all("error")), stranger.last("error")["code"], stranger.link.closed))
    refused = ("too_many_messages", CloseCode.TOO_MANY_MESSAGES)
    assert closed == [(6, *refused), (3, *refused), (1, *refused)]
    newcomer = world.connect(**BEYOND)
    newcomer.login("cid", key=KEY)
    assert newcomer.link.closed is CloseCode.TOO_MANY_MESSAGES
    ann.drop()
    ann = world.connect(**BEYOND)
    ann.login("ann", key=KEY)
    assert ann.last("session")["matches"] == ["friday.1.1.1.1"], "its key was shown from there"
    assert ben.inbox.all("match_over") == []
    assert world.connect(address="203.0.113.8").inbox.kinds() == ["welcome"]


def test_a_login_without_room_for_its_connection_is_refused() -> None:
    world = World()
    bot = world.connect(**BEYOND)
    bot.link.has_room = False
    bot.login("ann", key=KEY)
    assert (bot.error(), bot.link.closed) == ("too_many_messages", CloseCode.TOO_MANY_MESSAGES)
    assert world.arena.names.get("ann") is None
    assert world.arena.door.refusals.counts == {"connections": 1}


def test_messages_that_answer_no_turn_are_limited_and_one_too_many_loses_every_open_match() -> None:
    world = World(limits=Limits(unsolicited_per_minute=5))
    mover, waiter = in_play(world)
    for _ in range(4):  # the login was the first of the five
        waiter.say(type="join", tournament="friday")
    assert waiter.inbox.kinds() == ["joined"] * 4
    waiter.say(type="join", tournament="friday")
    told = waiter.heard()
    assert [frame["type"] for frame in told] == ["match_over", "error"]
    assert (told[0]["termination"], told[1]["code"], told[1]["fatal"]) == ("flood", "too_many_messages", True)
    assert waiter.link.closed is CloseCode.TOO_MANY_MESSAGES
    assert mover.last("match_over")["winner"] == mover.last("match_start")["seat"]
    over = world.arena.tournaments["friday"].results["friday.1.1.1.1"]
    assert (over.termination, over.seats[over.at_fault[0]]) == (Termination.FLOOD, waiter.name)
    assert world.arena.matches.live == {}, "no match starts with a bot that is being closed"
    facts = len(world.log.facts)
    waiter.say(type="join", tournament="friday")
    assert len(world.log.facts) == facts


@pytest.mark.parametrize("text", ["nonsense", json.dumps({"type": "login", "name": "-"})])
def test_before_the_login_too(text: str) -> None:
    bot = World(limits=Limits(unsolicited_per_minute=5)).connect()
    for _ in range(5):
        bot.say_text(text)
        assert bot.link.closed is None
    bot.say_text(text)
    assert (bot.error(), bot.link.closed) == ("too_many_messages", CloseCode.TOO_MANY_MESSAGES)


def test_a_move_that_answers_an_open_turn_is_never_limited() -> None:
    world = World(limits=Limits(unsolicited_per_minute=2))
    world.create(start_at_bots=2, cycles=50)
    bots = [world.connect(), world.connect()]
    for bot, name in zip(bots, ("ann", "ben"), strict=True):
        bot.play(lambda turn: str(turn["legal"][0]))
        bot.login(name, join="friday")
    world.run(1)
    assert world.arena.tournaments["friday"].status == "finished"
    moves = [fact for fact in world.log.facts if isinstance(fact, MoveMade)]
    assert sum(len(bot.inbox.all("turn")) for bot in bots) == len(moves) > 400


@pytest.mark.parametrize("what", ["stale", "unknown"])
def test_moves_that_answer_nothing_draw_on_the_limit(what: str) -> None:
    world = World(limits=Limits(unsolicited_per_minute=10))
    _, waiter = in_play(world)
    match = "friday.1.1.1.1" if what == "stale" else "nonsense"
    for _ in range(20):
        waiter.say(type="move", match=match, turn_id="old", move="4")
    assert waiter.link.closed is CloseCode.TOO_MANY_MESSAGES
    assert len(waiter.inbox.all("rejected")) <= 10


def test_who_keeps_to_the_limit_is_never_closed() -> None:
    world = World(limits=Limits(unsolicited_per_minute=60))
    bot = world.login("ann")
    for _ in range(1000):
        world.run(1000)
        bot.say(type="join", tournament="nowhere")
    assert bot.link.closed is None


# --- closing ---


def test_a_session_that_is_closed_says_and_hears_nothing_more() -> None:
    world = World()
    bot = world.login("ann")
    bot.session.close(CloseCode.DRAINING)
    bot.session.close(CloseCode.BINARY_FRAME)
    world.arena.players["ann"].send(b"{}")
    world.gateway._sessions.send(bot.session.id, b"{}")
    bot.say(type="join", tournament="nowhere")
    assert bot.link.closed is CloseCode.DRAINING
    assert bot.inbox.frames[-1]["type"] == "session"


def test_a_close_waits_for_what_must_be_told_before_it() -> None:
    world = World()
    _, waiter = in_play(world)
    world.log.stuck = True
    waiter.say(type="resign", match="friday.1.1.1.1")
    waiter.session.close(CloseCode.DRAINING)
    assert (waiter.link.closed, waiter.heard()) == (None, [])
    world.log.unstick()
    assert (waiter.link.closed, waiter.inbox.kinds()[0]) == (CloseCode.DRAINING, "match_over")


def test_news_of_the_disk_does_not_wait_for_the_disk() -> None:
    world = World()
    world.create(start_at_bots=2, legs=1)
    ann, _ = world.logins("ann", "ben", join="friday")
    world.log.stuck = True
    ann.say(type="resign", match="friday.1.1.1.1")
    ann.heard()
    session = world.arena.players["ann"].session
    assert session is not None
    session.send_now(b'{"type":"notice","code":"disk","tournament":null,"match":null,"message":"full"}')
    assert ann.inbox.kinds() == ["notice"]


def test_all_open_sessions_are_closed_at_the_end() -> None:
    world = World()
    bots = [world.connect(), world.connect(), world.login("ann")]
    bots[0].drop()
    world.gateway.close_all(CloseCode.DRAINING)
    assert [bot.link.closed for bot in bots] == [None, CloseCode.DRAINING, CloseCode.DRAINING]


def test_a_silent_bot_is_cut_except_while_its_clock_runs() -> None:
    world = World()
    mover, waiter = in_play(world)
    stranger = world.connect()
    for bot in (mover, waiter, stranger):
        bot.session.silent()
    assert (mover.link.was_cut, waiter.link.was_cut, stranger.link.was_cut) == (False, True, True)
    mover.move("4")
    mover.session.silent()
    assert mover.link.was_cut


def test_a_measurement_before_the_login_is_kept_by_the_link_alone() -> None:
    World().connect().session.round_trip(50)


# --- what a match's transcript needs ---


def test_frames_that_belong_to_no_match_are_kept_with_those_being_played() -> None:
    world = World()
    mover, _ = in_play(world)
    mover.say_text("nonsense " * 1000)
    seen = [fact for fact in world.log.facts if isinstance(fact, FrameSeen)][-2:]
    assert [(fact.sender, fact.match) for fact in seen] == [("bot", "friday.1.1.1.1"), ("server", "friday.1.1.1.1")]
    assert seen[0].frame == ("nonsense " * 1000)[:2048]
    assert seen[0].bytes == 9000
    assert json.loads(seen[1].frame)["code"] == ErrorCode.BAD_MESSAGE


def test_frames_of_a_bot_that_plays_nothing_are_not_kept() -> None:
    world = World()
    bot = world.login("ann")
    facts = len(world.log.facts)
    bot.say_text("nonsense")
    assert len(world.log.facts) == facts
