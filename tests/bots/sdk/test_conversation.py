import logging
from dataclasses import replace
from typing import Any

import pytest
from rumble_bots.sdk.actions import Admitted, Drop, Fail, Finish, Say, Summary, Tell
from rumble_bots.sdk.conversation import Aim, Conversation
from rumble_bots.sdk.errors import BadServer, Closed, Refused
from rumble_protocol import bot_messages as bot
from rumble_protocol.bot_messages import Challenge
from rumble_protocol.codec import read_bot_message, write_message
from rumble_protocol.secret import make_secret

from tests.bots.sdk import says
from tests.bots.sdk.conversations import JOINING, conversation, failure, playing, said, sent, thought

# --- logging in ---


@pytest.mark.parametrize(("asked", "answers"), [("main", "fun"), ("fun", "main"), ("fun", "other"), ("fun", None)])
def test_another_club_is_shown_no_key(asked: str, answers: str | None) -> None:
    actions = Conversation(JOINING, lambda: 0.0, asked).on_frame(says.welcome(**{"club": answers} if answers else {}))
    assert sent(actions) == []
    assert isinstance(failure(actions), BadServer)
    assert str(failure(actions)) == f"the club {answers or 'main'} answers, not the club {asked}; no key was shown"


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


def test_a_worker_is_named_to_a_server_that_knows_workers() -> None:
    talk = Conversation(Aim("ann", worker="desk"), lambda: 0.0)
    (login,) = sent(talk.on_frame(says.welcome(features=["workers"])))
    assert isinstance(login, bot.Login)
    assert login.worker == "desk"
    (failed,) = talk.on_frame(says.welcome())
    assert isinstance(failed, Fail)
    assert isinstance(failed.error, BadServer)


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


FOLLOWING = replace(JOINING, follow=True, challenges=True)


def test_a_challenge_is_not_the_tournament_of_a_bot_that_follows() -> None:
    talk = conversation(FOLLOWING, says.welcome(features=["follow"]), says.session(), says.joined())
    talk.on_frame(says.joined("challenge-bob-ann", status="lobby"))
    assert sent(talk.leave()) == [bot.Leave(tournament="cup", invite="come")]
    talk.on_lost(1006, "gone")
    (login,) = sent(talk.on_frame(says.welcome(features=["follow"])))
    assert login.join == "cup"


def test_a_bot_that_follows_and_takes_challenges_goes_on_in_the_next_tournament() -> None:
    talk = conversation(FOLLOWING, says.welcome(features=["follow"]), says.session(), says.joined())
    for frame in (
        says.notice("waiting"),
        says.joined("challenge-bob-ann", status="lobby"),
        says.joined("cup-2", status="lobby"),
        says.tournament_over("cup"),
        says.joined("challenge-cid-ann", status="lobby"),
    ):
        talk.on_frame(frame)
    assert talk.tournament_id == "cup-2"
    for ended in ("challenge-cid-ann", "cup-2", "challenge-bob-ann"):
        (*_, action) = talk.on_frame(says.tournament_over(ended))
        assert isinstance(action, Say)
    assert talk.leave() == [], "the bot has no tournament now"
    talk.on_frame(says.joined("cup-3", status="lobby"))
    assert talk.tournament_id == "cup-3", "the host's next tournament, after an hour"


def test_a_bot_that_follows_in_two_tournaments_keeps_its_own_after_a_lost_connection() -> None:
    both = [{"id": each, "game": "tictactoe", "status": "running"} for each in ("cup", "other")]
    talk = conversation(replace(JOINING, follow=True), says.welcome(features=["follow"]), says.session(), says.joined())
    for frame in (says.welcome(features=["follow"]), says.session(tournaments=both), says.joined()):
        talk.on_frame(frame)
    assert talk.tournament_id == "cup"
    assert not [action for action in talk.on_frame(says.tournament_over()) if isinstance(action, Finish)]
    assert talk.on_frame(says.tournament_over("other"))[-1] == Finish(Summary("other", "over", "finished", 1, 2, 1.5))


def test_a_bot_that_follows_prefers_a_tournament_that_is_new() -> None:
    first = [{"id": each, "game": "tictactoe", "status": "running"} for each in ("other", "cup")]
    then = [{"id": each, "game": "tictactoe", "status": "running"} for each in ("cup-2", "other")]
    aim = replace(JOINING, follow=True)
    talk = conversation(aim, says.welcome(features=["follow"]), says.session(tournaments=first), says.joined())
    talk.on_lost(1006, "gone")
    talk.on_frame(says.welcome(features=["follow"]))
    talk.on_frame(says.session(tournaments=then))
    talk.on_frame(says.joined("cup", status="finished"))
    assert talk.tournament_id == "cup-2"


def test_a_bot_that_follows_joins_again_if_its_join_had_no_answer() -> None:
    other = says.session(tournaments=[{"id": "other", "game": "tictactoe", "status": "running"}])
    talk = conversation(replace(JOINING, follow=True), says.welcome(features=["follow"]), other)
    talk.on_lost(1006, "gone")
    (login,) = sent(talk.on_frame(says.welcome(features=["follow"])))
    assert login.join == "cup"


def test_a_bot_that_follows_and_wants_to_leave_ends_though_it_is_in_another_tournament() -> None:
    talk = conversation(replace(JOINING, follow=True), says.welcome(features=["follow"]), says.session(), says.joined())
    talk.on_frame(says.joined("other"))
    assert sent(talk.leave()) == [bot.Leave(tournament="cup", invite="come")]
    assert talk.on_frame(says.joined(type="left"))[-1] == Finish(Summary("cup", "left"))


def test_a_bot_that_follows_does_not_join_again_where_it_was_refused() -> None:
    other = says.session(tournaments=[{"id": "other", "game": "tictactoe", "status": "running"}])
    talk = conversation(FOLLOWING, says.welcome(features=["follow"]), says.session(), says.joined())
    talk.on_lost(1006, "gone")
    for frame in (says.welcome(features=["follow"]), other, says.error("tournament_closed")):
        assert not [action for action in talk.on_frame(frame) if isinstance(action, Fail)]
    talk.on_lost(1006, "gone")
    (login,) = sent(talk.on_frame(says.welcome(features=["follow"])))
    assert login.join == "other"


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
