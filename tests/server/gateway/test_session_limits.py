"""Limits of an address, a name and an invitation in sessions, and the price of exceeding them."""

import json
from typing import Any

import pytest
from rumble_engine import Termination
from rumble_protocol.codes import CloseCode
from rumble_protocol.secret import is_made, make_secret
from rumble_protocol.server_messages import Limits
from rumble_server.arena.logins.claims import UNPLAYED_MS
from rumble_server.limits.admission import Admission
from rumble_server.limits.bounds import Bounds
from rumble_server.match.facts import MoveMade

from tests.server.arena.playing import first_legal
from tests.server.gateway.sessions import BEYOND, KEY, OTHER, in_play, playing
from tests.server.world import Bot, World

# --- names and keys ---


def test_a_login_with_a_wrong_key_is_closed_and_does_not_disturb_the_connected_bot() -> None:
    world = World()
    bot = world.login("ann", key=KEY)
    thief = world.login("ANN", key=OTHER)
    assert (thief.error(), thief.last("error")["fatal"], thief.link.closed) == ("bad_key", True, CloseCode.WRONG_KEY)
    assert bot.link.closed is None
    bot.say(type="join", tournament="nowhere")
    assert bot.error() == "unknown_tournament"


def test_from_beyond_this_machine_a_name_needs_a_key_unless_the_host_allows_open_names() -> None:
    bot = World().login("ann", BEYOND)
    assert (bot.error(), bot.link.closed) == ("key_required", None)
    assert World(open_names=True).login("ann", BEYOND).last("session")["open"] is True


def wrong_keys(world: World, name: str, times: int, **link: Any) -> list[Bot]:
    return [world.login(name, link, key=OTHER) for _ in range(times)]


def test_owner_of_the_right_key_is_not_locked_out_by_its_neighbours() -> None:
    world = World(admission=Admission(Bounds(wrong_tries_per_minute=4, wrong_keys_of_owner_per_minute=2)))
    ann = world.login("ann", BEYOND, key=KEY)
    world.login("ben", key=KEY)
    refused = wrong_keys(world, "ben", 5, **BEYOND)[-1]
    assert (refused.error(), refused.last("error")["fatal"]) == ("too_many_messages", True)
    assert refused.link.closed is CloseCode.TOO_MANY_MESSAGES
    for _ in range(3):
        ann.drop()
        ann = world.login("Ann", BEYOND, key=KEY)
        assert ann.last("session")["name"] == "ann"
    *_, refused = wrong_keys(world, "ann", 3, **BEYOND)
    assert refused.error() == "too_many_messages", "its own bucket has an end, too"


def test_a_key_for_a_name_that_is_open_or_new_is_no_try() -> None:
    world = World(admission=Admission(Bounds(wrong_tries_per_minute=1)))
    world.login("ben", key=KEY)
    world.login("ann")
    wrong_keys(world, "ben", 2, address="127.0.0.1")
    for name in ("ann", "cid"):
        assert world.login(name, key=KEY).last("session")["name"] == name


# --- new names, banned names, open names ---


def test_a_valid_invitation_has_a_bucket_of_its_own() -> None:
    world = World(admission=Admission(Bounds(names_per_hour=1, invited_names_per_hour=2)))
    world.create(invite="sesame")
    invites = {"ann": None, "ben": None, "cid": "wrong", "dan": "sesame", "eve": "sesame"}
    bots = {name: world.login(name, BEYOND, key=KEY, join="friday", invite=each) for name, each in invites.items()}
    assert [name for name, bot in bots.items() if bot.link.closed is None] == ["ann", "dan", "eve"]
    assert bots["dan"].link.invited_to == bots["eve"].link.invited_to == "friday"
    assert bots["ann"].link.invited_to is None
    fay = world.login("fay", BEYOND, key=KEY, join="friday", invite="sesame")
    assert (fay.error(), fay.link.closed) == ("too_many_messages", CloseCode.TOO_MANY_MESSAGES)
    assert (world.arena.names.get("fay"), world.arena.admission.refusals.counts["names"]) == (None, 3)


def test_a_refused_login_with_a_valid_invitation_is_not_invited() -> None:
    world = World()
    world.create(invite="sesame")
    world.login("ann", BEYOND, key=KEY)
    refused = world.login("ann", BEYOND, key="another-key-of-ann", join="friday", invite="sesame")
    assert (refused.error(), refused.link.invited_to) == ("bad_key", None)


def burned(world: World, number: int) -> None:
    """A holder of the invitation claims a name, and goes."""
    world.login(f"burned-{number}", BEYOND, key=KEY, join="friday", invite="sesame").drop()


def newcomers(world: World, *names: str) -> list[str]:
    """Log newcomers of the address in; return the names let into the tournament. Their bots stay."""
    for name in names:
        world.login(name, BEYOND, key=KEY, join="friday", invite="sesame")
    return [name for name in names if world.arena.is_connected(name)]


def test_names_that_are_claimed_and_do_not_play_keep_nobody_out() -> None:
    """238 names of an invitation's holder kept a class out; names that are connected or have played are kept."""
    bounds = Bounds(names_per_hour=3, invited_names_per_hour=3, freed_names_per_minute=3)
    world = World(admission=Admission(bounds))
    cup = world.create(invite="sesame", late_join=True)
    assert newcomers(world, "ann") == ["ann"]
    for number in range(5):
        burned(world, number)
    assert newcomers(world, "ben") == [], "a bot that was lost for a moment may come back"
    world.organiser.reset_key("burned-4")
    world.login("burned-4", {"address": "203.0.113.8"}, key=OTHER).drop()
    world.run(UNPLAYED_MS)
    assert newcomers(world, "ben", "cid") == ["ben", "cid"]
    assert list(cup.field) == ["ann", "burned-0", "burned-1", "burned-4", "ben", "cid"], "it is of another address now"
    assert world.arena.names.get("burned-3") is None
    assert world.arena.players.get("burned-3") is None
    assert newcomers(world, "burned-1") == ["burned-1"], "a name that gave way to nobody has its key"
    world.organiser.start(cup.id)
    world.login("dan", BEYOND, key=KEY)
    assert not world.arena.is_connected("dan"), "names in a tournament that goes on are kept"


def test_names_burned_without_an_invitation_take_no_place_of_invited_names() -> None:
    world = World(admission=Admission(Bounds(names_per_hour=4, invited_names_per_hour=1, freed_names_per_minute=1)))
    world.create(invite="sesame")
    burned(world, 0)
    for number in range(4):
        world.login(f"stranger-{number}", BEYOND, key=KEY).drop()
    world.run(UNPLAYED_MS)
    thieves = [world.login(f"thief-{number}", BEYOND, key=KEY) for number in range(2)]
    assert [thief.link.closed for thief in thieves] == [None, CloseCode.TOO_MANY_MESSAGES]
    assert newcomers(world, "ann") == ["ann"]


def test_a_key_shown_for_an_open_name_is_told_that_it_protects_nothing() -> None:
    world = World()
    assert world.login("ann").inbox.all("notice") == []
    (notice,) = world.login("ann", key=KEY).inbox.all("notice")
    assert (notice["code"], notice["tournament"]) == ("name_open", None)
    assert world.login("ben", key=KEY).inbox.all("notice") == []


# --- invitations ---


def joining(world: World, name: str, invite: str) -> str | None:
    """Have a bot join with this code; return the code of the error, if any."""
    bot = world.login(name, BEYOND, key=KEY)
    bot.say(type="join", tournament="friday", invite=invite)
    assert bot.link.closed is None
    return bot.error() if bot.inbox.frames[-1]["type"] == "error" else None


def test_wrong_invitations_are_limited_by_address_and_a_right_one_is_never_refused() -> None:
    world = World(admission=Admission(Bounds(wrong_codes_per_minute=3)))
    made = world.create(invite="4711").shared_invite or ""
    tried = [joining(world, "ann", f"{number:04}") for number in range(5)]
    assert tried == ["invite_required"] * 3 + ["too_many_messages"] * 2
    assert joining(world, "ann", "4711") is None
    assert joining(world, "ben", made) is None
    world.organiser.change_invite("friday", "4712")
    assert joining(world, "cid", made) == "invite_required", "an old link of the server's own is not counted"
    world.run(60_000)
    assert joining(world, "dan", "0001") == "invite_required"


def test_an_invitation_in_a_login_is_one_try() -> None:
    world = World(admission=Admission(Bounds(wrong_codes_per_minute=2)))
    world.create(invite="sesame")
    codes = []
    for name in ("ann", "ben", "cid", "dan"):
        invite = "sesame" if name == "dan" else "wrong"
        bot = world.login(name, BEYOND, key=KEY, join="friday", invite=invite)
        codes.append(bot.inbox.kinds()[-1] if name == "dan" else bot.error())
    assert codes == ["invite_required", "invite_required", "too_many_messages", "joined"]
    assert world.arena.admission.refusals.counts["wrong_code"] == 3


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
    assert waiter.inbox.all("match_over") == [], "a refused login forfeits nothing"
    world.run(10_000)
    assert world.login(mover.name).last("session")["matches"] == ["friday.1.1.1.1"]


def test_strangers_are_limited_by_connection_and_by_address_and_that_costs_no_bot_anything() -> None:
    world = World(admission=Admission(Bounds(stranger_messages_per_minute=8)), limits=Limits(unsolicited_per_minute=5))
    world.create(start_at_bots=2)
    ann = world.login("ann", BEYOND, key=KEY, join="friday")
    ben = world.login("ben", join="friday")
    closed = []
    for _ in range(3):
        stranger = world.connect(**BEYOND)
        for _ in range(7):
            stranger.say(type="join", tournament="friday")
        closed.append((len(stranger.inbox.all("error")), stranger.last("error")["code"], stranger.link.closed))
    refused = ("too_many_messages", CloseCode.TOO_MANY_MESSAGES)
    assert closed == [(6, *refused), (3, *refused), (1, *refused)]
    assert world.login("cid", BEYOND, key=KEY).link.closed is CloseCode.TOO_MANY_MESSAGES
    ann.drop()
    ann = world.login("ann", BEYOND, key=KEY)
    assert ann.last("session")["matches"] == ["friday.1.1.1.1"], "its key was shown from there"
    assert ben.inbox.all("match_over") == []
    assert world.connect(address="203.0.113.8").inbox.kinds() == ["welcome"]


def test_a_login_without_room_for_its_connection_is_refused() -> None:
    world = World()
    bot = world.connect(**BEYOND)
    bot.link.has_room = bot.link.has_invited_room = False
    bot.login("ann", key=KEY)
    assert (bot.error(), bot.link.closed) == ("too_many_messages", CloseCode.TOO_MANY_MESSAGES)
    assert world.arena.names.get("ann") is None
    assert world.arena.admission.refusals.counts == {"connections": 1}


def test_a_bot_comes_back_by_its_key_though_its_address_has_no_room() -> None:
    """Only the key is compared; wrong keys are counted as ever. Without a tournament the bot has one place."""
    world = World()
    world.create()
    world.login("ann", BEYOND, key=KEY, join="friday").drop()
    world.login("dan", BEYOND, key=KEY).drop()

    def again(name: str, key: str = KEY, worker: str | None = None) -> str:
        bot = world.connect(**BEYOND)
        bot.link.has_room = bot.link.has_invited_room = False
        bot.login(name, key=key, worker=worker)
        return bot.inbox.kinds()[-1]

    assert [again("ann"), again("ann", "guess-at-the-key-of-ann")] == ["session", "error"]
    assert [again("dan"), again("dan"), again("dan", worker="second")] == ["session", "session", "error"]
    assert world.arena.admission.refusals.counts == {"connections": 2, "wrong_key": 1}


def test_wrong_keys_of_neighbours_do_not_lock_out_an_exchanged_key() -> None:
    world = World(admission=Admission(Bounds(wrong_keys_of_owner_per_minute=2)))
    owner = world.login("ann", BEYOND, key=KEY, exchange_key=True)
    made = str(owner.last("session")["made_key"])
    assert is_made(made)
    owner.drop()

    def told(key: str) -> str:
        return world.login("ann", BEYOND, key=key).inbox.kinds()[-1]

    assert [told(f"guess-number-{number}-of-a-thief") for number in range(3)] == ["error"] * 3
    assert [told(KEY), told(made), told(make_secret())] == ["error", "session", "error"]
    assert "made_key" not in world.login("ann", key=made).last("session"), "it was not asked for"
    open_name = world.login("ben", exchange_key=True)
    assert open_name.last("session")["open"]
    assert "made_key" not in open_name.last("session")


def test_messages_that_answer_no_turn_are_limited_and_one_too_many_loses_every_open_match() -> None:
    world = World(limits=Limits(unsolicited_per_minute=5))
    mover, waiter = in_play(world)
    for _ in range(4):  # the login was the first of the five
        waiter.say(type="join", tournament="friday")
    assert waiter.inbox.kinds() == ["joined"] * 4
    waiter.say(type="join", tournament="friday")
    told = waiter.heard()
    assert [frame["type"] for frame in told] == ["error", "match_over"]
    assert (told[0]["code"], told[0]["fatal"], told[1]["termination"]) == ("too_many_messages", True, "flood")
    assert waiter.link.closed is CloseCode.TOO_MANY_MESSAGES
    assert mover.last("match_over")["winner"] == mover.last("match_start")["seat"]
    over = world.tournament("friday").results["friday.1.1.1.1"]
    assert (over.termination, over.seats[over.at_fault[0]]) == (Termination.FLOOD, waiter.name)
    assert world.arena.matches.live == {}, "no match starts with a bot that is being closed"
    facts = len(world.log.facts)
    waiter.say(type="join", tournament="friday")
    assert len(world.log.facts) == facts


@pytest.mark.parametrize("text", ["nonsense", json.dumps({"type": "login", "name": "-"})])
def test_messages_before_the_login_are_limited_too(text: str) -> None:
    bot = World(limits=Limits(unsolicited_per_minute=5)).connect()
    for _ in range(5):
        bot.say_text(text)
        assert bot.link.closed is None
    bot.say_text(text)
    assert (bot.error(), bot.link.closed) == ("too_many_messages", CloseCode.TOO_MANY_MESSAGES)


def test_a_move_that_answers_an_open_turn_is_never_limited() -> None:
    world = World(limits=Limits(unsolicited_per_minute=2))
    world.create(start_at_bots=2, cycles=50)
    bots = [world.player(name, first_legal, join="friday") for name in ("ann", "ben")]
    world.run(1)
    assert world.tournament("friday").status == "finished"
    moves = [fact for fact in world.log.facts if isinstance(fact, MoveMade)]
    assert sum(len(bot.inbox.all("turn")) for bot in bots) == len(moves) > 400


def test_an_invalid_answer_to_an_open_turn_is_limited_by_retries_and_its_size_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(limits=Limits(unsolicited_per_minute=10))
    _, mover, waiter = playing(world, illegal_retries=100, legs=2)
    turn = mover.last("turn")
    answer = json.dumps({"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": 4})
    with monkeypatch.context() as patch:
        patch.setattr(mover.link, "end_unbudgeted_reading", lambda: pytest.fail("the bot's next answer would wait"))
        for _ in range(20):
            mover.say_text(answer)
    assert [told["code"] for told in mover.heard()] == ["bad_move"] * 20
    for _ in range(2):
        mover.say_text(answer.ljust(4_096))
    assert [told["code"] for told in mover.heard()] == ["bad_move"] * 2
    mover.say(type="join", tournament="friday")
    assert mover.heard("joined"), "the login, twice the size of 4 messages, and the join are the ten"
    mover.say_text(answer)
    assert mover.heard("rejected")
    mover.say_text(answer.ljust(1_024))
    assert (mover.heard()[0]["code"], mover.link.closed) == ("too_many_messages", CloseCode.TOO_MANY_MESSAGES)
    assert waiter.last("match_over")["termination"] == "flood"


@pytest.mark.parametrize("what", ["stale", "unknown"])
@pytest.mark.parametrize("move", ["4", 4])
def test_moves_that_answer_nothing_draw_on_the_limit(what: str, move: str | int) -> None:
    world = World(limits=Limits(unsolicited_per_minute=10))
    _, waiter = in_play(world)
    match = "friday.1.1.1.1" if what == "stale" else "nonsense"
    for _ in range(20):
        waiter.say(type="move", match=match, turn_id="old", move=move)
    assert waiter.link.closed is CloseCode.TOO_MANY_MESSAGES
    assert [told["code"] for told in waiter.inbox.all("error")][-1] == "too_many_messages"
    assert len(waiter.inbox.all("rejected")) + len(waiter.inbox.all("error")) <= 11


def test_a_frame_that_is_no_message_counts_by_its_bytes() -> None:
    world = World(admission=Admission(Bounds(stranger_messages_per_minute=10)), limits=Limits(unsolicited_per_minute=8))
    stranger = world.connect(**BEYOND)
    stranger.say_text("x" * 4_000)
    assert (stranger.error(), stranger.link.closed) == ("bad_message", None)
    stranger.say_text("x" * 4_000)
    assert world.connect(**BEYOND).link.closed is None
    stranger.say_text("x" * 4_000)
    assert (stranger.error(), stranger.link.closed) == ("too_many_messages", CloseCode.TOO_MANY_MESSAGES)
    other = world.connect(**BEYOND)
    other.say_text("x" * 3_000)
    assert other.link.closed is CloseCode.TOO_MANY_MESSAGES, "its address has none left"
    bot = world.login("ann")
    bot.say_text("x" * 7_500)
    assert (bot.error(), bot.link.closed) == ("too_many_messages", CloseCode.TOO_MANY_MESSAGES)
