"""A sender of frames: frames keep their order, wait for the disk, and report when they are sent."""

import pytest
from rumble_protocol.codes import CloseCode
from rumble_server.arena.bots.frame_sender import FrameSender, Outgoing

from tests.server.arena.bots.sent import Sent, match_over


def test_a_frame_waits_for_its_own_fact_and_for_no_other() -> None:
    sent = Sent()
    sent.sender.send(b"now")
    sent.sender.post(match_over(b"over m", "m", 2))
    sent.sender.post(match_over(b"over n", "n", 1))
    sent.sender.send(b"turn o", match_id="o")
    assert sent.socket.said == [b"now", b"turn o"]
    sent.write(1)
    assert sent.socket.said == [b"now", b"turn o", b"over n"]
    sent.write(2)
    assert sent.socket.said == [b"now", b"turn o", b"over n", b"over m"]


def test_frames_of_one_match_keep_their_order() -> None:
    sent = Sent()
    sent.sender.post(match_over(b"over", "m", 2))
    sent.sender.send(b"notice", 1, "m")
    sent.sender.send(b"start again", match_id="m")
    sent.sender.send(b"turn", match_id="m")
    sent.write(1)
    assert sent.socket.said == []
    sent.write(2)
    assert sent.socket.said == [b"over", b"notice", b"start again", b"turn"]


def test_a_queued_frame_of_no_match_delays_every_later_frame() -> None:
    sent = Sent()
    sent.sender.send(b"joined", 1)
    sent.sender.send(b"turn", match_id="m")
    sent.sender.send(b"error")
    assert sent.socket.said == []
    sent.write(1)
    assert sent.socket.said == [b"joined", b"turn", b"error"]


def test_a_frame_of_no_match_does_not_wait_for_a_result() -> None:
    sent = Sent()
    sent.sender.post(match_over(b"over", "m", 1))
    sent.sender.send(b"error")
    assert sent.socket.said == [b"error"]


def test_a_frame_that_waits_for_all_is_waited_for_by_all_later_frames() -> None:
    sent = Sent()
    sent.sender.post(match_over(b"over", "m", 2))
    sent.sender.post(Outgoing(b"tournament over", 1, waits_for_all=True))
    sent.sender.send(b"turn", match_id="n")
    sent.write(1)
    assert sent.socket.said == []
    sent.write(2)
    assert sent.socket.said == [b"over", b"tournament over", b"turn"]


def test_an_end_is_untold_until_the_result_is_sent() -> None:
    sent = Sent()
    for number, match_id in enumerate("ab", 1):
        sent.sender.post(match_over(b"over", match_id, number))
    assert sent.sender.room_to_free == 2
    assert sent.write(1) == [sent.sender]
    assert sent.sender.room_to_free == 1
    assert sent.write(1) == []
    assert sent.write(2) == [sent.sender]
    assert sent.sender.room_to_free == 0
    sent.sender.post(Outgoing(b"of an earlier session", 3, "c", is_match_over=True))
    assert sent.sender.room_to_free == 0


def test_news_of_the_disk_goes_first() -> None:
    sent = Sent()
    sent.sender.send(b"result", 2)
    sent.sender.send_now(b"disk")
    assert sent.socket.said == [b"disk"]


def test_a_frame_that_waited_says_when_it_has_left() -> None:
    sent = Sent()
    sent.sender.post(match_over(b"result", "m", 1))
    sent.sender.post(Outgoing(b"turn", match_id="m", on_sent=lambda: sent.socket.said.append("written")))
    assert sent.socket.said == []
    sent.write(1)
    assert sent.socket.said == [b"result", b"turn", "written"]


def test_a_frame_that_cannot_be_sent_holds_up_no_other_sender(caplog: pytest.LogCaptureFixture) -> None:
    sent = Sent()

    def fail() -> None:
        raise ValueError("a fault of the server")

    other = FrameSender(8, sent.senders)
    sent.sender.post(Outgoing(b"turn", 1, "m", on_sent=fail))
    sent.sender.post(match_over(b"over m", "m", 1))
    other.post(match_over(b"over n", "n", 1))
    assert sent.write(1) == [other]
    assert sent.socket.said == [b"turn", b"over n"]
    assert "session 7: a queued frame could not be sent" in caplog.text
    assert sent.write(2) == [sent.sender]
    assert sent.socket.said == [b"turn", b"over n", b"over m"]
    assert sent.senders.waiting_count == 0


def test_a_close_waits_its_turn_and_nothing_comes_after_it() -> None:
    sent = Sent()
    sent.sender.send(b"result", 1)
    sent.sender.close(CloseCode.REPLACED)
    sent.sender.close(CloseCode.DRAINING)
    sent.sender.send(b"late")
    sent.sender.send_now(b"late")
    sent.write(2)
    assert sent.socket.said == [b"result", CloseCode.REPLACED]


def test_queued_frames_of_a_lost_connection_are_dropped() -> None:
    sent = Sent()
    sent.sender.post(match_over(b"result", "m", 1))
    sent.sender.post(Outgoing(b"turn", match_id="m", on_sent=lambda: sent.socket.said.append("written")))
    sent.sender.discard()
    sent.write(2)
    assert sent.socket.said == []
