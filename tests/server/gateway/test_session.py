"""A session: the answer to each frame of a bot, every error and close code of sessions, and the limits."""

import json
from dataclasses import replace
from typing import Any

import pytest
from rumble_engine import game_names
from rumble_protocol.bot_messages import Login
from rumble_protocol.codes import CloseCode, ErrorCode
from rumble_protocol.server_messages import Limits
from rumble_server.arena.ports import Caller
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.session import Session
from rumble_server.limits.admission import Admission
from rumble_server.limits.bounds import Bounds
from rumble_server.match.facts import FrameSeen

from tests.server.frames import Frame
from tests.server.gateway.sessions import BEYOND, KEY, in_play
from tests.server.world import World

# --- welcome and login ---


def test_the_server_speaks_first_and_tells_its_limits() -> None:
    (welcome,) = World().connect().heard()
    assert welcome == {
        "type": "welcome",
        "protocol": 1,
        "server": "test",
        "features": [
            *("away_clock", "chance", "clubs", "failure", "follow", "identity", "info", "joint_moves", "made_key"),
            *("pairing", "tables", "workers"),
        ],
        "limits": {
            "frame_bytes": 65_536,
            "login_ms": 10_000,
            "unsolicited_per_minute": 120,
            "ping_ms": 5_000,
            "pong_ms": 120_000,
            "max_matches": 64,
        },
        "games": list(game_names()),
        "identity": "1d",
        "club": "main",
    }


@pytest.mark.parametrize(("key", "is_open"), [(None, True), (KEY, False)])
def test_a_login_is_answered_by_a_session(key: str | None, is_open: bool) -> None:
    bot = World().connect()
    bot.heard()
    bot.login("Ann", key=key)
    assert bot.heard() == [
        {"type": "session", "name": "Ann", "open": is_open, "max_matches": 1, "matches": [], "tournaments": []}
    ]


class Slow:
    """An arena that is slow at logins, behind a queue of logins."""

    def __init__(self, world: World) -> None:
        self._arena = world.arena
        self._end_iteration = world.end_iteration
        self._logins: list[tuple[int, Login, Caller]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._arena, name)

    def login(self, session_id: int, login: Login, caller: Caller) -> None:
        self._logins.append((session_id, login, caller))

    def answer(self) -> None:
        """Let the arena look at the oldest login."""
        self._arena.login(*self._logins.pop(0))
        self._end_iteration()


def slow_world() -> tuple[World, Slow]:
    world = World()
    slow = Slow(world)
    admission = Admission(Bounds(stranger_messages_per_minute=2))
    world.gateway = Gateway(slow, world.arena, world.gateway.sessions, world.clock, admission, "test", identity="1d")
    return world, slow


def test_during_a_login_nothing_is_read_and_frames_that_had_come_are_handled_after_it() -> None:
    world, slow = slow_world()
    world.create()
    bot = world.login("ann", BEYOND, key=KEY)
    assert bot.link.is_paused
    bot.say_text("no JSON")
    for _ in range(3):  # more requests than strangers of this address may send
        bot.say(type="join", tournament="friday")
    assert bot.inbox.kinds() == ["welcome"]
    slow.answer()
    assert bot.inbox.kinds() == ["session", "error", "joined", "joined", "joined"]
    assert not bot.link.is_paused


def test_a_refused_login_is_followed_by_frames_that_had_come() -> None:
    world, slow = slow_world()
    bot = world.login("ann", BEYOND)
    bot.login("ann", key=KEY)
    slow.answer()
    assert (bot.error(), bot.link.is_paused) == ("key_required", True)
    slow.answer()
    assert bot.last("session")["name"] == "ann"
    assert not bot.link.is_paused


def test_messages_behind_a_login_that_is_closed_are_dropped() -> None:
    world, slow = slow_world()
    world.login("ann")
    slow.answer()
    thief = world.login("ann", BEYOND, key=KEY)
    thief.say(type="join", tournament="friday")
    world.organiser.ban("ann", by_name=True, until_ms=None, reason="noise")
    slow.answer()
    assert (thief.inbox.kinds(), thief.link.closed) == (["welcome", "error"], CloseCode.BANNED)


class Suspended:
    """A suspended arena, for which messages wait."""

    def __init__(self) -> None:
        self.told: list[tuple[int, CloseCode]] = []

    def close(self, session_id: int, code: CloseCode) -> None:
        self.told.append((session_id, code))


def test_after_a_binary_frame_one_close_waits_and_no_frame() -> None:
    arena, bot = Suspended(), World().connect()
    shared: Any = bot.session.shared
    session = Session(7, replace(shared, arena=arena), bot.link)
    for _ in range(3):
        session.request_close(CloseCode.BINARY_FRAME)
        session.on_text("no JSON")
    assert arena.told == [(7, CloseCode.BINARY_FRAME)]


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


@pytest.mark.parametrize(
    ("join", "code"),
    [
        ({"join": "nowhere"}, "unknown_tournament"),
        ({"join": "private"}, "invite_required"),
        ({"join": "private", "invite": "wrong"}, "invite_required"),
        ({"join": "begun"}, "tournament_closed"),
    ],
)
def test_a_failed_join_leaves_the_login_standing(join: dict[str, Any], code: str) -> None:
    world = World()
    world.create(name="private", invite="sesame")
    world.begun("ben", "cid", name="begun")
    bot = world.login("ann", **join)
    assert bot.inbox.kinds() == ["welcome", "session", "error"]
    assert (bot.error(), bot.last("error")["fatal"]) == (code, False)
    bot.say(type="join", tournament="private", invite="sesame")
    assert bot.inbox.kinds() == ["joined"]


def test_a_bot_of_another_game_does_not_enter_but_a_bot_that_is_in_stays() -> None:
    world = World()
    friday = world.create(start_at_bots=2)
    world.login("ann", join="friday")
    chess = world.login("ben", join="friday", games=["chess"])
    assert (chess.error(), friday.status, list(friday.field)) == ("unknown_game", "lobby", ["ann"])
    assert "tictactoe" in chess.last("error")["message"]
    assert world.login("ann", join="friday", games=["chess"]).inbox.kinds() == ["welcome", "session", "joined"]
    assert world.login("cid", join="friday", games=["chess", "tictactoe"]).inbox.kinds()[2] == "joined"


def test_a_connection_without_a_login_in_time_is_closed() -> None:
    world = World(limits=Limits(login_ms=500))
    bot = world.connect()
    world.run(499)
    assert bot.link.closed is None
    world.run(1)
    assert bot.link.closed is CloseCode.NO_LOGIN


def test_a_bot_that_is_logged_in_or_gone_is_not_closed_for_a_missing_login() -> None:
    world = World()
    bot, gone = world.login("ann"), world.connect()
    gone.drop()
    world.run()
    assert bot.link.closed is gone.link.closed is None


def test_the_time_stands_while_a_login_is_looked_at() -> None:
    world, slow = slow_world()
    bot = world.connect()
    world.run(9_000)
    bot.login("no good")
    world.run(5_000)
    slow.answer()
    assert bot.error() == "bad_name"
    world.run(999)
    assert bot.link.closed is None
    world.run(1)
    assert bot.link.closed is CloseCode.NO_LOGIN


def test_a_sleep_of_the_machine_before_a_refused_login_does_not_use_up_the_time() -> None:
    world = World()
    bot = world.connect()
    world.run(9_000)
    world.clock.stall(3_600_000)
    bot.login("no good")
    world.run(999)
    assert (bot.error(), bot.link.closed) == ("bad_name", None)
    world.run(1)
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
        {"type": "move", "match": "m", "turn_id": "t", "move": "4"},
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
        ('{"type": "dance"}', "type"),
        ('{"type": "login", "name": "ann", "jion": "friday"}', "jion"),
        ('{"type": "login", "name": "ann", "omit": ["state"]}', "omit.0"),
    ],
)
def test_a_text_that_is_no_message_is_refused_with_the_wrong_field(text: str, field: str | None) -> None:
    for bot in (World().connect(), World().login("zoe")):
        bot.say_text(text)
        assert bot.error() == "bad_message"
        assert [problem["field"] for problem in bot.last("error")["detail"]] == ([field] if field else [])
        assert bot.link.closed is None


@pytest.mark.parametrize("wrong", [{"move": 4}, {"move": None}, {"move": "4", "ntoe": "n"}, {"move": "4", "info": 1}])
def test_an_answer_to_an_open_turn_that_is_no_message_is_a_try(wrong: dict[str, Any]) -> None:
    world = World()
    world.create(start_at_bots=2, illegal_retries=1)
    mover, other = world.login("ann", join="friday"), world.login("ben", join="friday")
    turn = mover.last("turn")
    answer = {"type": "move", "match": turn["match"], "turn_id": turn["turn_id"]}
    for is_open in (True, False):
        mover.say(**{**answer, **wrong})
        told = mover.last("rejected")
        assert (told["code"], told["your_turn"]) == ("bad_move", is_open)
        assert told["message"].startswith("not a valid move: ")
    assert other.last("match_over")["termination"] == "illegal_move"
    assert "ann sent a move that does not count: not a valid move: " in other.last("match_over")["reason"]
    assert "error" not in mover.inbox.kinds()


def test_an_answer_to_no_open_turn_that_is_no_message_costs_nothing() -> None:
    world = World()
    mover, other = in_play(world)
    match = "friday.1.1.1.1"
    for bot, turn_id in ((mover, "no-such-turn"), (other, "1.1")):
        bot.say(type="move", match=match, turn_id=turn_id, move=4)
        assert bot.error() == "bad_message"
    assert "match_over" not in (*mover.inbox.kinds(), *other.inbox.kinds())


def test_a_tournament_that_is_not_there_cannot_be_left() -> None:
    bot = World().login("ann")
    bot.say(type="leave", tournament="nowhere")
    assert bot.error() == "unknown_tournament"


def test_resigning_a_match_of_other_bots_is_an_error() -> None:
    world = World()
    mover, _ = in_play(world)
    stranger = world.login("zoe")
    for match in ("nonsense", "friday.1.1.1.1"):
        stranger.say(type="resign", match=match)
        assert stranger.error() == "bad_message"
        assert stranger.last("error")["detail"][0]["field"] == "match"
    mover.say(type="resign", match="friday.1.1.1.1")
    assert mover.heard()[0]["termination"] == "resignation"


@pytest.mark.parametrize("match", ["nonsense", "friday.1.1.1.2", "friday.1.1.1.1"])
def test_a_move_in_a_match_of_other_bots_is_rejected(match: str) -> None:
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


# --- closing ---


def test_a_session_that_is_closed_says_and_hears_nothing_more() -> None:
    world = World()
    bot = world.login("ann")
    bot.session.request_close(CloseCode.DRAINING)
    bot.session.request_close(CloseCode.BINARY_FRAME)
    world.arena.players["ann"].send(b"{}")
    world.gateway.sessions.send(bot.session.id, b"{}")
    bot.say(type="join", tournament="nowhere")
    assert bot.link.closed is CloseCode.DRAINING
    assert bot.inbox.frames[-1]["type"] == "session"


def test_all_open_sessions_are_closed_at_the_end() -> None:
    world = World()
    bots = [world.connect(), world.connect(), world.login("ann")]
    bots[0].drop()
    world.gateway.close_all_after_frames(CloseCode.DRAINING)
    assert [bot.link.closed for bot in bots] == [None, CloseCode.DRAINING, CloseCode.DRAINING]


def test_a_silent_bot_is_cut_except_while_its_clock_runs() -> None:
    world = World()
    mover, waiter = in_play(world)
    stranger = world.connect()
    for bot in (mover, waiter, stranger):
        bot.session.on_silence()
    assert (mover.link.was_cut, waiter.link.was_cut, stranger.link.was_cut) == (False, True, True)
    mover.move("4")
    mover.session.on_silence()
    assert mover.link.was_cut


def test_a_measurement_before_the_login_is_kept_by_the_link_alone() -> None:
    World().connect().session.on_round_trip(50)


# --- frames for a match's transcript ---


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"type": "join", "tournament": "nowhere", "invite": KEY}, ErrorCode.UNKNOWN_TOURNAMENT),
        ({"type": "resign", "match": "friday.9.9.9.9"}, ErrorCode.BAD_MESSAGE),
        ({"type": "challenge", "against": "zed", "game": "tictactoe"}, ErrorCode.UNKNOWN_BOT),
        ({"type": "login", "name": "zed", "key": KEY}, ErrorCode.ALREADY_LOGGED_IN),
    ],
)
def test_a_refused_message_is_kept_with_the_error_and_without_secrets(message: Frame, code: ErrorCode) -> None:
    world = World()
    mover, _ = in_play(world)
    before = len(world.log.facts)
    mover.say(**message)
    said, answer = world.log.facts[before:]
    assert isinstance(said, FrameSeen)
    assert isinstance(answer, FrameSeen)
    assert (said.sender, answer.sender, json.loads(answer.frame)["code"]) == ("bot", "server", code)
    assert json.loads(said.frame) == {name: "***" if value == KEY else value for name, value in message.items()}


def test_frames_of_a_bot_that_plays_nothing_are_not_kept() -> None:
    world = World()
    bot = world.login("ann")
    facts = len(world.log.facts)
    bot.say_text("nonsense")
    assert len(world.log.facts) == facts
