import logging
from dataclasses import replace
from typing import Any

import pytest
from rumble_bots.sdk.actions import Action, Admitted, Drop, Fail, Finish, Say, Send, Summary, Tell, Think
from rumble_bots.sdk.bot import Noted, Turn
from rumble_bots.sdk.conversation import LONGEST_ANSWER, LONGEST_NOTE, Aim, Conversation
from rumble_bots.sdk.errors import BadServer, Closed, Refused
from rumble_protocol import bot_messages as bot
from rumble_protocol.bot_messages import Challenge
from rumble_protocol.codec import read_bot_message, write_message
from rumble_protocol.fields import MoveInfo
from rumble_protocol.secret import make_secret

from tests.bots.sdk import says

JOINING = Aim("ann", key="k" * 16, join="cup", invite="come", max_matches=4, games=("tictactoe",), version="7")


def conversation(aim: Aim = JOINING, *frames: str) -> Conversation:
    talk = Conversation(aim, lambda: 0.0)
    for frame in frames:
        talk.on_frame(frame)
    return talk


def playing(*frames: str) -> Conversation:
    return conversation(JOINING, says.welcome(), says.session(), says.joined(), says.match_start(), *frames)


def sent(actions: list[Action]) -> list[Any]:
    return [action.message for action in actions if isinstance(action, Send)]


def thought(actions: list[Action]) -> Turn:
    (turn,) = [action.turn for action in actions if isinstance(action, Think)]
    return turn


def said(actions: list[Action], level: int = logging.INFO) -> str:
    return "\n".join(action.text for action in actions if isinstance(action, Say) and action.level >= level)


def failure(actions: list[Action]) -> Exception:
    (error,) = [action.error for action in actions if isinstance(action, Fail)]
    return error


# --- logging in ---


@pytest.mark.parametrize(("asked", "answers"), [("main", "fun"), ("fun", "main"), ("fun", "other"), ("fun", None)])
def test_another_club_is_shown_no_key(asked: str, answers: str | None) -> None:
    actions = Conversation(JOINING, lambda: 0.0, asked).on_frame(says.welcome(**{"club": answers} if answers else {}))
    assert sent(actions) == []
    assert isinstance(failure(actions), BadServer)
    assert str(failure(actions)) == f"the club {answers or 'main'} answers, not the club {asked}; no key was shown"


def test_the_club_that_was_asked_for_is_shown_the_key() -> None:
    (login,) = sent(Conversation(JOINING, lambda: 0.0, "fun").on_frame(says.welcome(club="fun")))
    assert login.key == JOINING.key


def test_welcome_is_answered_with_login() -> None:
    (login,) = sent(conversation().on_frame(says.welcome()))
    assert login == bot.Login(
        name="ann",
        key="k" * 16,
        join="cup",
        invite="come",
        max_matches=4,
        games=["tictactoe"],
        version="7",
        client="rumble python sdk",
    )
    assert read_bot_message(write_message(login).decode()) == login


def test_a_login_asks_for_no_more_matches_than_the_server_allows() -> None:
    (login,) = sent(conversation().on_frame(says.welcome(limits={"max_matches": 2})))
    assert login.max_matches == 2


@pytest.mark.parametrize("wish", [{"join": ""}, {"invite": "c" * 65}, {"version": "v" * 65}, {"games": ["g" * 65]}])
def test_a_login_that_the_protocol_forbids_fails_in_a_line(wish: dict[str, Any]) -> None:
    (action,) = conversation(replace(JOINING, **wish)).on_frame(says.welcome())
    assert isinstance(action, Fail)
    assert str(action.error).startswith(f"the bot cannot log in: {next(iter(wish))}: ")
    assert "\n" not in str(action.error)


def test_another_protocol_is_no_server_for_us() -> None:
    assert isinstance(failure(conversation().on_frame(says.welcome(protocol=2))), BadServer)


def test_the_bot_is_told_of_session_and_joined() -> None:
    talk = conversation(JOINING, says.welcome())
    actions = talk.on_frame(says.session())
    assert isinstance(actions[0], Tell)
    assert "logged in as ann" in said(actions)
    assert "grants 1 matches at once" in said(actions)
    assert "in cup (Tic-tac-toe), which is running" in said(talk.on_frame(says.joined()))


@pytest.mark.parametrize("code", ["bad_name", "bad_key", "key_required", "bad_message", "unavailable"])
def test_a_refused_login_fails(code: str) -> None:
    error = failure(conversation(JOINING, says.welcome()).on_frame(says.error(code, fatal=True)))
    assert isinstance(error, Refused)
    assert error.code == code
    assert str(error) == f"the server refused: no way (join: odd) ({code})"


@pytest.mark.parametrize("code", ["unknown_tournament", "invite_required", "tournament_closed"])
def test_a_refused_join_fails_though_the_login_stands(code: str) -> None:
    talk = conversation(JOINING, says.welcome(), says.session())
    assert isinstance(failure(talk.on_frame(says.error(code))), Refused)


def test_a_bot_that_was_let_in_waits_out_an_unavailable_server() -> None:
    talk = playing()
    talk.on_lost(1001, "draining")
    talk.on_frame(says.welcome())
    actions = talk.on_frame(says.error("unavailable", fatal=True))
    assert Drop() in actions
    assert not [action for action in actions if isinstance(action, Fail)]


def test_an_error_in_the_middle_is_said_and_no_more() -> None:
    actions = playing().on_frame(says.error("bad_message"))
    assert said(actions, logging.WARNING) == "the server answers bad_message: no way (join: odd)"
    assert len(actions) == 1


def test_after_a_further_session_an_error_is_said_and_no_more() -> None:
    (action,) = playing(says.session("cup.1")).on_frame(says.error("bad_message"))
    assert isinstance(action, Say)


def test_messages_fields_and_codes_of_later_servers_are_ignored() -> None:
    talk = playing()
    assert said(talk.on_frame(says.frame("fanfare", tune="loud"))) == ""
    assert thought(talk.on_frame(says.turn()[:-1] + ', "mood": "good"}')).turn_id == "t1"
    newer = talk.on_frame(says.error("too_modern"))
    assert said(newer, logging.WARNING) == "the server answers too_modern: no way (join: odd)"


@pytest.mark.parametrize("frame", ["", "{", "[]", "{}", '{"type": "turn"}', b"\xff"])
def test_a_frame_that_cannot_be_read_is_logged(frame: str | bytes) -> None:
    assert "ignored a message of the server" in said(playing().on_frame(frame), logging.WARNING)


# --- turns ---


def test_a_turn_is_thought_about_and_answered() -> None:
    talk = playing()
    turn = thought(talk.on_frame(says.turn()))
    assert turn.start is not None
    assert turn.start.seats == ["ann", "bob"]
    assert sent(talk.on_move(turn, "4")) == [bot.Move(match="cup.1", turn_id="t1", move="4")]


def test_several_matches_are_thought_about_at_the_same_time() -> None:
    talk = playing(says.match_start("cup.2"))
    first = thought(talk.on_frame(says.turn("t1")))
    second = thought(talk.on_frame(says.turn("t2", match="cup.2")))
    assert sent(talk.on_move(second, "8")) == [bot.Move(match="cup.2", turn_id="t2", move="8")]
    assert sent(talk.on_move(first, "4")) == [bot.Move(match="cup.1", turn_id="t1", move="4")]


def reconnect(talk: Conversation, *matches: str) -> None:
    assert talk.on_lost(1006, "gone") == []
    for frame in (says.welcome(), says.session(*matches), says.joined(), says.match_start()):
        talk.on_frame(frame)


def test_a_thought_under_way_answers_the_newest_asking() -> None:
    talk = playing()
    turn = thought(talk.on_frame(says.turn("t1")))
    reconnect(talk, "cup.1")
    assert not [action for action in talk.on_frame(says.turn("t2")) if isinstance(action, Think)]
    assert sent(talk.on_move(turn, "4")) == [bot.Move(match="cup.1", turn_id="t2", move="4")]


def test_an_answer_found_between_connections_waits_for_the_next() -> None:
    talk = playing()
    turn = thought(talk.on_frame(says.turn("t1")))
    talk.on_lost(1006, "gone")
    assert sent(talk.on_move(turn, "4")) == []
    for frame in (says.welcome(), says.session("cup.1"), says.match_start()):
        talk.on_frame(frame)
    assert sent(talk.on_frame(says.turn("t2"))) == [bot.Move(match="cup.1", turn_id="t2", move="4")]


def test_an_answer_that_was_lost_on_the_way_is_sent_again() -> None:
    talk = playing()
    talk.on_move(thought(talk.on_frame(says.turn("t1"))), "4")
    reconnect(talk, "cup.1")
    assert sent(talk.on_frame(says.turn("t2"))) == [bot.Move(match="cup.1", turn_id="t2", move="4")]


@pytest.mark.parametrize(
    "newer",
    [
        says.turn("t2", board="XO.......", moves=("0", "1")),
        says.turn("t2", attempt=2),
        says.turn("t2", board="........X"),
    ],
)
def test_a_thought_about_an_earlier_turn_is_dropped(newer: str) -> None:
    talk = playing()
    old = thought(talk.on_frame(says.turn("t1")))
    new = thought(talk.on_frame(newer))
    assert sent(talk.on_move(old, "4")) == []
    assert sent(talk.on_move(new, "5")) == [bot.Move(match="cup.1", turn_id="t2", move="5")]


def test_a_thought_of_a_finished_match_is_dropped() -> None:
    talk = playing()
    turn = thought(talk.on_frame(says.turn()))
    talk.on_frame(says.match_over())
    assert sent(talk.on_move(turn, "4")) == []
    assert sent(talk.on_no_move(turn, "tired")) == []


def test_matches_that_ended_while_away_are_forgotten() -> None:
    talk = playing()
    turn = thought(talk.on_frame(says.turn()))
    reconnect(talk)
    assert sent(talk.on_move(turn, "4")) == []


def test_an_answer_is_made_fit_for_the_wire() -> None:
    talk = playing()
    (move,) = sent(talk.on_move(thought(talk.on_frame(says.turn())), "\ud800" + "x" * 9999))
    assert move.move == "?" + "x" * (LONGEST_ANSWER - 1)
    assert read_bot_message(write_message(move).decode()) == move


def test_a_note_goes_with_its_move_also_when_asked_again() -> None:
    talk = playing()
    talk.on_move(thought(talk.on_frame(says.turn("t1"))), Noted("4", "won"))
    reconnect(talk, "cup.1")
    assert sent(talk.on_frame(says.turn("t2"))) == [bot.Move(match="cup.1", turn_id="t2", move="4", note="won")]


def test_a_note_may_be_missing_or_another_value_than_text() -> None:
    talk = playing()
    notes: list[Any] = [None, 0.5]
    for number, note in enumerate(notes):
        turn = says.turn(f"t{number}", moves=("0", "1")[: 2 * number])
        (move,) = sent(talk.on_move(thought(talk.on_frame(turn)), Noted("4", note)))
        assert move.note == (None, "0.5")[number]


def test_a_worker_is_named_to_a_server_that_knows_workers() -> None:
    talk = Conversation(Aim("ann", worker="desk"), lambda: 0.0)
    (login,) = sent(talk.on_frame(says.welcome(features=["workers"])))
    assert isinstance(login, bot.Login)
    assert login.worker == "desk"
    (failed,) = talk.on_frame(says.welcome())
    assert isinstance(failed, Fail)
    assert isinstance(failed.error, BadServer)


def test_an_info_goes_to_a_server_that_takes_it_also_when_asked_again() -> None:
    talk = playing()
    (move,) = sent(talk.on_move(thought(talk.on_frame(says.turn("t1"))), Noted("4", info={"depth": 2})))
    assert move == bot.Move(match="cup.1", turn_id="t1", move="4"), "this server has no such feature"
    talk.on_lost(1006, "")
    talk.on_frame(says.welcome(features=["info"]))
    talk.on_frame(says.session("cup.1"))
    talk.on_frame(says.match_start())
    (move,) = sent(talk.on_frame(says.turn("t2")))
    assert move == bot.Move(match="cup.1", turn_id="t2", move="4", info=MoveInfo(depth=2))


def test_a_wrong_field_of_an_info_is_left_out_and_logged() -> None:
    talk = playing()
    talk.on_frame(says.welcome(features=["info"]))
    actions = talk.on_move(thought(talk.on_frame(says.turn("t1"))), Noted("4", "hm", {"depth": "two", "nodes": 5}))
    assert sent(actions) == [bot.Move(match="cup.1", turn_id="t1", move="4", note="hm", info=MoveInfo(nodes=5))]
    assert said(actions, logging.WARNING) == "cup.1: of its info the bot cannot say: depth"


def test_a_note_is_cut_to_the_bound_of_the_protocol() -> None:
    talk = playing()
    (move,) = sent(talk.on_move(thought(talk.on_frame(says.turn())), Noted("4", "\ud800" + "½" * LONGEST_NOTE)))
    assert move.note == "?" + "½" * (LONGEST_NOTE // 2 - 1)
    assert read_bot_message(write_message(move).decode()) == move


def test_resigning() -> None:
    talk = playing()
    actions = talk.on_no_move(thought(talk.on_frame(says.turn())), "tired")
    assert sent(actions) == [bot.Resign(match="cup.1")]
    assert said(actions, logging.WARNING) == "cup.1: resigning: tired"


@pytest.mark.parametrize("failed", [True, None])
def test_a_server_with_the_feature_is_told_the_reason(failed: bool | None) -> None:
    talk = playing()
    talk.on_frame(says.welcome(features=["failure"]))
    turn = thought(talk.on_frame(says.turn()))
    (resign,) = sent(talk.on_no_move(turn, "é" * 300, failed=bool(failed)))
    assert resign == bot.Resign(match="cup.1", reason="é" * 250, failed=failed)
    assert read_bot_message(write_message(resign).decode()) == resign


def test_a_resignation_between_connections_is_asked_for_again() -> None:
    talk = playing()
    turn = thought(talk.on_frame(says.turn()))
    talk.on_lost(1006, "gone")
    assert sent(talk.on_no_move(turn, "tired")) == []
    for frame in (says.welcome(), says.session("cup.1"), says.match_start()):
        talk.on_frame(frame)
    assert thought(talk.on_frame(says.turn("t2"))).turn_id == "t2"


# --- rejections ---


@pytest.mark.parametrize("code", ["illegal_move", "bad_move"])
def test_a_move_that_does_not_count_is_thought_about_again_if_there_is_a_retry(code: str) -> None:
    talk = playing()
    talk.on_move(thought(talk.on_frame(says.turn("t1"))), "9")
    actions = talk.on_frame(says.rejected("t1", code))
    again = thought(actions)
    assert again.turn_id == "t1"
    assert said(actions, logging.WARNING) == f"cup.1: {code}: no"
    assert sent(talk.on_move(again, "4")) == [bot.Move(match="cup.1", turn_id="t1", move="4")]


@pytest.mark.parametrize(
    "frame",
    [
        says.rejected("t1", your_turn=False),
        says.rejected("t0"),
        says.rejected("t1", "stale_turn"),
        says.rejected("t1", "already_played", your_turn=False),
        says.rejected("t1", "unknown_match", your_turn=False),
    ],
)
def test_other_rejections_are_said_and_no_more(frame: str) -> None:
    talk = playing()
    talk.on_move(thought(talk.on_frame(says.turn("t1"))), "9")
    actions = talk.on_frame(frame)
    assert isinstance(actions[0], Tell)
    assert isinstance(actions[1], Say)
    assert len(actions) == 2


# --- the end ---


def test_a_tournament_of_another_game_is_left_at_once() -> None:
    talk = conversation(Aim("ann", join="cup", games=["chess", "hex"]), says.welcome(), says.session())
    actions = talk.on_frame(says.joined())
    assert sent(actions) == [bot.Leave(tournament="cup")]
    refused = failure(actions)
    assert isinstance(refused, Refused)
    assert (refused.code, refused.message) == (
        "unknown_game",
        "cup is a tournament of Tic-tac-toe; this bot plays Chess, Hex",
    )


def test_a_key_counts_as_accepted_only_where_it_protects_the_name() -> None:
    talk = conversation(JOINING, says.welcome(identity="1d"))
    assert Admitted("1d") in talk.on_frame(says.session())
    talk = conversation(JOINING, says.welcome(identity="1d"))
    open_name = says.session().replace('"open": false', '"open": true')
    assert not [action for action in talk.on_frame(open_name) if isinstance(action, Admitted)]


def test_a_made_key_is_shown_only_after_its_exchange_and_until_its_refusal() -> None:
    """Otherwise the made key would claim a name that the host has reset, and the owner's key would fail elsewhere."""
    welcome, made = says.welcome(features=["made_key"]), make_secret()

    def shown() -> list[tuple[str | None, bool | None]]:
        return [(login.key, login.exchange_key) for login in sent(talk.on_frame(welcome))]

    talk = conversation()
    assert shown() == [("k" * 16, True)]
    assert Admitted("", made) in talk.on_frame(says.session(made_key=made))
    for code, key in [(None, "k" * 16), ("too_many_messages", made), (None, made)]:
        if code is not None:
            assert Drop() in talk.on_frame(says.error(code, fatal=True))
        talk.on_lost(1006, "gone")
        assert shown() == [(key, True)]
    assert Drop() in talk.on_frame(says.error("bad_key", fatal=True)), "the name was claimed anew"
    talk.on_lost(1000, "")
    assert shown() == [("k" * 16, True)]
    assert isinstance(failure(talk.on_frame(says.error("bad_key", fatal=True))), Refused)
    talk = conversation(replace(JOINING, key=made))
    assert shown() == [(made, None)], "a made key is not exchanged"


def test_the_end_of_the_tournament_is_the_end() -> None:
    summary = Summary("cup", "over", "finished", 1, 2, 1.5)
    actions = playing().on_frame(says.tournament_over())
    assert actions[-1] == Finish(summary)
    assert str(summary) == "cup is finished: rank 1 of 2, 1.5 points"


def test_the_end_of_another_tournament_is_no_end() -> None:
    assert not [action for action in playing().on_frame(says.tournament_over("other")) if isinstance(action, Finish)]


def test_a_bot_that_takes_challenges_stays() -> None:
    talk = conversation(Aim("ann", join="cup", challenges=True), says.welcome(), says.session(), says.joined())
    assert not [action for action in talk.on_frame(says.tournament_over()) if isinstance(action, Finish)]


def test_a_bot_that_takes_challenges_stays_after_a_lost_connection_though_it_was_removed() -> None:
    aim = Aim("ann", join="cup", challenges=True)
    talk = conversation(aim, says.welcome(), says.session(), says.joined(), says.notice("removed"))
    talk.on_lost(1006, "gone")
    for frame in (says.welcome(), says.session()):
        talk.on_frame(frame)
    (action,) = talk.on_frame(says.error("tournament_closed"))
    assert isinstance(action, Say)


def test_a_bot_that_follows_goes_on_in_the_tournament_it_was_moved_to() -> None:
    aim = replace(JOINING, follow=True)
    talk = conversation(aim, says.welcome(features=["follow"]), says.session(), says.joined())
    talk.on_frame(says.joined("cup-2"))
    assert not [action for action in talk.on_frame(says.tournament_over()) if isinstance(action, Finish)]
    assert isinstance(talk.on_frame(says.tournament_over("cup-2"))[-1], Finish)


def test_a_bot_that_follows_finds_at_a_login_where_it_was_moved_meanwhile() -> None:
    talk = conversation(replace(JOINING, follow=True), says.welcome(features=["follow"]), says.session(), says.joined())
    talk.on_lost(1001, "restart")
    (login,) = sent(talk.on_frame(says.welcome(features=["follow"])))
    assert (login.follow, login.join) == (True, "cup")
    talk.on_frame(says.session(tournaments=[{"id": "cup-2", "game": "tictactoe", "status": "lobby"}]))
    talk.on_frame(says.joined("cup", status="finished"))
    assert not [action for action in talk.on_frame(says.tournament_over()) if isinstance(action, Finish)]
    assert isinstance(talk.on_frame(says.tournament_over("cup-2"))[-1], Finish)


@pytest.mark.parametrize("status", ["running", "finished"])
def test_the_join_of_a_bot_that_follows_is_answered_though_the_bot_is_in_another_tournament(status: str) -> None:
    """After a reconnect, and at the start of a program that names an old tournament."""
    monday = says.session(tournaments=[{"id": "monday", "game": "tictactoe", "status": "lobby"}])
    aim = replace(JOINING, join="friday", follow=True)
    talk = conversation(aim, says.welcome(features=["follow"]), monday, says.joined("friday", status=status))
    assert talk.tournament_id == ("friday" if status == "running" else "monday")
    (action,) = talk.on_frame(says.error("bad_message"))
    assert isinstance(action, Say), "the bot is in: no answer to its join is missing"
    talk = conversation(replace(aim, games=("chess",)), says.welcome(features=["follow"]), monday)
    actions = talk.on_frame(says.joined("friday", status=status))
    assert sent(actions) == [bot.Leave(tournament="friday", invite="come")]
    assert isinstance(failure(actions), Refused), "friday is no tournament of chess"


def test_a_bot_with_a_challenge_follows_no_tournament() -> None:
    monday = says.session(tournaments=[{"id": "monday", "game": "tictactoe", "status": "lobby"}])
    talk = conversation(Aim("ann", challenge=CHALLENGE, follow=True), says.welcome(features=["follow"]))
    assert sent(talk.on_frame(monday)) == [CHALLENGE]
    for frame in (says.joined("x-1"), says.joined("monday"), says.welcome(features=["follow"]), monday):
        talk.on_frame(frame)
    talk.on_frame(says.joined("x-1", status="finished"))
    assert isinstance(talk.on_frame(says.tournament_over("x-1"))[-1], Finish)


def test_a_server_without_the_feature_is_not_asked_to_be_followed() -> None:
    (login,) = sent(conversation(replace(JOINING, follow=True)).on_frame(says.welcome()))
    assert login.follow is None


def test_leaving() -> None:
    talk = playing()
    assert sent(talk.leave()) == [bot.Leave(tournament="cup", invite="come")]
    assert talk.on_frame(says.joined(type="left"))[-1] == Finish(Summary("cup", "left"))


@pytest.mark.parametrize("is_sent", [True, False])
def test_leaving_is_asked_again_after_a_lost_connection(is_sent: bool) -> None:
    talk = playing()
    leave = [bot.Leave(tournament="cup", invite="come")]
    if is_sent:
        assert sent(talk.leave()) == leave
    talk.on_lost(1006, "gone")
    if not is_sent:
        assert talk.leave() == []
    talk.on_frame(says.welcome())
    assert sent(talk.on_frame(says.session())) == leave
    assert not [each for each in talk.on_frame(says.error("tournament_closed")) if isinstance(each, Fail)], "it left"
    assert talk.on_frame(says.joined(type="left"))[-1] == Finish(Summary("cup", "left"))


def test_being_removed() -> None:
    assert playing().on_frame(says.notice("removed"))[-1] == Finish(Summary("cup", "removed"))
    others = {
        says.notice("removed", "other"): "removed from other by its host",
        says.notice("removed", "cup", "cup.1"): "cup.1: be told",
        says.notice("paused"): "cup: be told",
    }
    for other, told in others.items():
        actions = playing().on_frame(other)
        assert isinstance(actions[0], Tell)
        assert said(actions) == told
        assert not [action for action in actions if isinstance(action, Finish)]


@pytest.mark.parametrize("code", [4001, 4003, 4004, 4010])
def test_closed_for_good(code: int) -> None:
    error = failure(playing().on_lost(code, "because"))
    assert isinstance(error, Closed)
    assert error.code == code
    assert "because" in str(error)


@pytest.mark.parametrize(
    ("frame", "result"),
    [
        (says.match_over(winner=0), "cup.1: won: three in a row"),
        (says.match_over(winner=1), "cup.1: lost to bob: three in a row"),
        (says.match_over(winner=None), "cup.1: drawn: three in a row"),
        (says.match_over("cup.9", winner=1), "cup.9: over: three in a row"),
        (says.match_over("cup.9").replace("normal", "no_show"), "cup.9: won before it began: three in a row"),
        (says.match_over().replace("[1.0, 0.0]", "null"), "cup.1: void, to be played again: three in a row"),
    ],
)
def test_results_are_said(frame: str, result: str) -> None:
    assert said(playing().on_frame(frame)) == result


def test_a_late_word_about_an_earlier_attempt_does_not_end_the_newer() -> None:
    talk = playing(says.match_start(attempt=2))
    turn = thought(talk.on_frame(says.turn(attempt=2)))
    talk.on_frame(says.match_over(attempt=1))
    assert len(sent(talk.on_move(turn, "4"))) == 1


# --- challenges ---

CHALLENGE = Challenge(against="bob", game="tictactoe")


def test_a_challenge_ends_with_its_match() -> None:
    talk = conversation(Aim("ann", challenge=CHALLENGE), says.welcome())
    assert sent(talk.on_frame(says.session())) == [CHALLENGE]
    talk.on_frame(says.joined("x-1"))
    assert isinstance(talk.on_frame(says.tournament_over("x-1"))[-1], Finish)


def test_a_challenge_is_not_repeated_after_a_reconnect() -> None:
    talk = conversation(Aim("ann", challenge=CHALLENGE), says.welcome(), says.session(), says.joined("x-1"))
    talk.on_lost(1006, "gone")
    assert sent(talk.on_frame(says.welcome()))[0].join == "x-1"
    assert sent(talk.on_frame(says.session())) == []


def test_a_challenge_whose_answer_was_lost_is_found_again() -> None:
    friday, made = [{"id": each, "game": "tictactoe", "status": "running"} for each in ("friday", "x-1")]
    talk = conversation(Aim("ann", challenge=CHALLENGE), says.welcome(), says.session(tournaments=[friday]))
    for tournaments, asked in [([friday], CHALLENGE), ([friday, made], bot.Join(tournament="x-1"))]:
        talk.on_lost(1006, "gone")
        assert sent(talk.on_frame(says.welcome()))[0].join is None
        assert sent(talk.on_frame(says.session(tournaments=tournaments))) == [asked]
    talk.on_frame(says.joined("x-1"))
    assert isinstance(talk.on_frame(says.tournament_over("x-1"))[-1], Finish)


@pytest.mark.parametrize("logins", [1, 2])
@pytest.mark.parametrize("code", ["unknown_bot", "quota", "unavailable"])
def test_a_refused_challenge_fails(code: str, logins: int) -> None:
    talk = conversation(Aim("ann", challenge=CHALLENGE))
    for _ in range(logins):
        talk.on_lost(1006, "gone")
        talk.on_frame(says.welcome())
        talk.on_frame(says.session())
    assert isinstance(failure(talk.on_frame(says.error(code))), Refused)
