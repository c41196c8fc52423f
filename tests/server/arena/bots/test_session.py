"""A session on the arena's side: frames keep their order, wait for the disk, and report when they have left."""

from typing import Any, cast

from rumble_protocol.bot_messages import Login
from rumble_protocol.codes import CloseCode
from rumble_server.arena.bots.session import BotSession, FrameSender, Part
from rumble_server.arena.ports import Caller

from tests.server.memory_log import MemoryLog
from tests.server.virtual_clock import VirtualClock


class Socket:
    """The sockets' side: it records frames and closes in order; any other call is an error."""

    def __init__(self) -> None:
        self.said: list[object] = []

    def can_send(self, session_id: int) -> bool:
        return True

    def send(self, session_id: int, frame: bytes) -> None:
        self.said.append(frame)

    def close(self, session_id: int, code: CloseCode) -> None:
        self.said.append(code)


class Held:
    """A session whose disk writes when the test says so; facts 1 and 2 are appended."""

    def __init__(self, max_matches: int = 9) -> None:
        self.log, self.socket = MemoryLog(VirtualClock()), Socket()
        self.log.stuck = True
        self.log.facts = [object(), object()]  # type: ignore[list-item]  # only their numbers matter
        self.sender = FrameSender(self.log, cast(Any, self.socket))
        login = Login(type="login", name="ann", max_matches=max_matches)
        caller = Caller("127.0.0.1", True, 4, 0, False, True, True, True)
        self.session = BotSession(7, login, caller, self.sender)

    def write(self, number: int) -> list[BotSession]:
        """Write up to this fact. Return the sessions that were told of an end."""
        self.log.durable = number
        return self.sender.on_durable()


def test_it_is_granted_no_more_matches_than_the_server_allows() -> None:
    assert Held().session.max_matches == 4


def test_a_frame_waits_for_its_own_fact_and_for_no_other() -> None:
    held = Held()
    held.session.send(b"now")
    held.session.send_over(b"over m", "m", 2)
    held.session.send_over(b"over n", "n", 1)
    held.session.send(b"turn o", match_id="o")
    assert held.socket.said == [b"now", b"turn o"]
    held.write(1)
    assert held.socket.said == [b"now", b"turn o", b"over n"]
    held.write(2)
    assert held.socket.said == [b"now", b"turn o", b"over n", b"over m"]


def test_frames_of_one_match_keep_their_order() -> None:
    held = Held()
    held.session.send_over(b"over", "m", 2)
    held.session.send(b"notice", 1, "m")
    held.session.send(b"start again", match_id="m")
    held.session.send(b"turn", match_id="m")
    held.write(1)
    assert held.socket.said == []
    held.write(2)
    assert held.socket.said == [b"over", b"notice", b"start again", b"turn"]


def test_a_held_frame_of_no_match_holds_every_later_one() -> None:
    held = Held()
    held.session.send(b"joined", 1)
    held.session.send(b"turn", match_id="m")
    held.session.send(b"error")
    assert held.socket.said == []
    held.write(1)
    assert held.socket.said == [b"joined", b"turn", b"error"]


def test_a_frame_of_no_match_does_not_wait_for_a_result() -> None:
    held = Held()
    held.session.send_over(b"over", "m", 1)
    held.session.send(b"error")
    assert held.socket.said == [b"error"]


def test_a_barrier_waits_for_all_before_it_and_all_later_ones_for_it() -> None:
    held = Held()
    held.session.send_over(b"over", "m", 2)
    held.session.send_barrier(b"tournament over", 1)
    held.session.send(b"turn", match_id="n")
    held.write(1)
    assert held.socket.said == []
    held.write(2)
    assert held.socket.said == [b"over", b"tournament over", b"turn"]


def test_a_match_takes_up_room_until_its_end_is_told() -> None:
    held = Held(max_matches=2)
    parts = [Part(match_id, 0, "tictactoe", is_challenge=False) for match_id in "ab"]
    for part in parts:
        held.session.add_part(part)
    for number, part in enumerate(parts, 1):
        held.session.send_over(b"over", part.match_id, number)
        held.session.remove_part(part)
    assert (held.session.room, held.session.tournament_room) == (0, 0)
    assert held.write(1) == [held.session]
    assert (held.session.room, held.session.tournament_room) == (1, 1)
    assert held.write(1) == []
    assert held.write(2) == [held.session]
    assert held.session.room == 2
    held.session.send_over(b"of an earlier session", "c", 3, "late_over")
    assert held.session.room == 2


def test_news_of_the_disk_goes_first() -> None:
    held = Held()
    held.session.send(b"result", 2)
    held.session.send_now(b"disk")
    assert held.socket.said == [b"disk"]


def test_a_frame_that_waited_says_when_it_has_left() -> None:
    held = Held()
    held.session.send_over(b"result", "m", 1)
    held.session.send_behind(b"turn", "m", lambda: held.socket.said.append("written"))
    assert held.socket.said == []
    held.write(1)
    assert held.socket.said == [b"result", b"turn", "written"]


def test_a_close_waits_its_turn_and_nothing_comes_after_it() -> None:
    held = Held()
    held.session.send(b"result", 1)
    held.session.close(CloseCode.REPLACED)
    held.session.close(CloseCode.DRAINING)
    held.session.send(b"late")
    held.session.send_now(b"late")
    held.write(2)
    assert held.socket.said == [b"result", CloseCode.REPLACED]


def test_what_a_lost_connection_was_to_be_sent_is_dropped() -> None:
    held = Held()
    held.session.send_over(b"result", "m", 1)
    held.session.send_behind(b"turn", "m", lambda: held.socket.said.append("written"))
    held.session.discard_held()
    held.write(2)
    assert held.socket.said == []
