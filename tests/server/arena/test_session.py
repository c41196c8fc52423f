"""A session on the arena's side: frames keep their order, wait for the disk, and say when they have left."""

from rumble_protocol.bot_messages import Login
from rumble_protocol.codes import CloseCode
from rumble_server.arena.session import BotSession, Outlet

from tests.server.world import MemoryLog, VirtualClock


class Socket:
    """The sockets' side: what it is sent, in order."""

    def __init__(self) -> None:
        self.said: list[object] = []

    def logged_in(self, session_id: int, name: str) -> None:
        raise AssertionError

    def send(self, session_id: int, frame: bytes) -> None:
        self.said.append(frame)

    def count(self, session_id: int) -> None:
        raise AssertionError

    def close(self, session_id: int, code: CloseCode) -> None:
        self.said.append(code)

    def cut(self, session_id: int) -> None:
        raise AssertionError


class Held:
    """A session whose disk writes when the test says so; facts 1 and 2 are appended."""

    def __init__(self) -> None:
        self.log, self.socket = MemoryLog(VirtualClock()), Socket()
        self.log.stuck = True
        self.log.facts = [object(), object()]  # type: ignore[list-item]  # only their numbers matter
        self.outlet = Outlet(self.log, self.socket)
        login = Login(type="login", name="ann", max_matches=9)
        self.session = BotSession(7, login, 4, 0, self.outlet)

    def write(self, number: int) -> None:
        self.log.durable = number
        self.outlet.on_durable()


def test_it_is_granted_no_more_matches_than_the_server_allows() -> None:
    assert Held().session.max_matches == 4


def test_a_frame_waits_for_its_fact_and_all_later_ones_behind_it() -> None:
    held = Held()
    for frame, after in ((b"now", 0), (b"first", 1), (b"behind", 0), (b"second", 2)):
        held.session.send(frame, after)
    assert held.socket.said == [b"now"]
    held.write(1)
    assert held.socket.said == [b"now", b"first", b"behind"]
    held.write(2)
    assert held.socket.said == [b"now", b"first", b"behind", b"second"]


def test_news_of_the_disk_goes_first() -> None:
    held = Held()
    held.session.send(b"result", 2)
    held.session.send_now(b"disk")
    assert held.socket.said == [b"disk"]


def test_a_frame_that_waited_says_when_it_has_left() -> None:
    held = Held()
    held.session.send(b"result", 1)
    held.session.send(b"turn", written=lambda: held.socket.said.append("written"))
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
    held.session.send(b"result", 1, written=lambda: held.socket.said.append("written"))
    held.session.drop()
    held.write(2)
    assert held.socket.said == []
