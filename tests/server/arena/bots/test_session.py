"""A session on the arena's side: the terms of a login, and room for matches."""

from rumble_protocol.bot_messages import Login
from rumble_server.arena.bots.frame_sender import Outgoing
from rumble_server.arena.bots.session import Assignment, BotSession
from rumble_server.arena.ports import Caller

from tests.server.arena.bots.sent import Sent, match_over


def login(sent: Sent, max_matches: int) -> BotSession:
    caller = Caller("127.0.0.1", True, 4, 0, False, True, True, True)
    return BotSession(7, Login(type="login", name="ann", max_matches=max_matches), caller, sent.senders)


def test_a_session_is_granted_no_more_matches_than_the_server_allows() -> None:
    assert login(Sent(), max_matches=9).max_matches == 4


def test_a_match_takes_up_room_until_its_end_is_told() -> None:
    sent = Sent()
    session = login(sent, max_matches=2)
    for number, match_id in enumerate("ab", 1):
        assignment = Assignment(match_id, 0, "tictactoe", is_challenge=False)
        session.add_match(assignment)
        session.sender.post(match_over(b"over", match_id, number))
        session.remove_match(assignment)
    assert session.room == 0
    sent.write(1)
    assert session.room == 1
    sent.write(2)
    assert session.room == 2
    session.sender.post(Outgoing(b"of an earlier session", 3, "c", is_match_over=True))
    assert session.room == 2
