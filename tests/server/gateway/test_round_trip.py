"""The kernel's own measure of a round trip, which some connections lack."""

import asyncio
import socket
import sys

import pytest
from rumble_protocol.frames import turn_frame
from rumble_server.gateway.read_fairness import ReadFairness
from rumble_server.gateway.round_trip import MIN_RTT_OFFSET, kernel_round_trip_ms
from rumble_server.gateway.session import Session
from rumble_server.limits.bounds import Bounds
from websockets.frames import Frame as WireFrame
from websockets.frames import Opcode

from tests.server.gateway.served import served

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells it")


class Told:
    """A socket for which the kernel tells the bytes `info`."""

    def __init__(self, info: bytes) -> None:
        self._info = info

    def getsockopt(self, _level: int, _option: int, size: int) -> bytes:
        return self._info[:size]


def told_ms(microseconds: int) -> int | None:
    """Return the round trip of a socket whose `struct tcp_info` has this round trip."""
    told = Told(bytes(MIN_RTT_OFFSET) + microseconds.to_bytes(4, sys.byteorder))
    return kernel_round_trip_ms(asyncio.Transport({"socket": told}))


@LINUX
@pytest.mark.parametrize(("microseconds", "expected_ms"), [(0, 0), (1, 1), (1000, 1), (1001, 2), (250_000, 250)])
def test_microseconds_are_told_as_milliseconds_and_rounded_up(microseconds: int, expected_ms: int) -> None:
    assert told_ms(microseconds) == expected_ms


def test_a_round_trip_that_the_kernel_has_not_measured_is_none() -> None:
    assert told_ms(0xFFFFFFFF) is None
    assert kernel_round_trip_ms(asyncio.Transport({"socket": Told(bytes(104))})) is None


def test_a_socket_that_tells_nothing_has_no_round_trip() -> None:
    with socket.socket(socket.AF_UNIX) as other:
        assert kernel_round_trip_ms(asyncio.Transport({"socket": other})) is None
    assert kernel_round_trip_ms(asyncio.Transport()) is None


@pytest.mark.e2e
@pytest.mark.skipif(not hasattr(socket, "TCP_INFO"), reason="only Linux tells how long data was unread")
async def test_only_the_newest_of_several_frames_has_the_time_of_the_newest_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    are_exact, receive = [], Session.on_text

    def received(session: Session, text: str) -> None:
        assert session.link.measure_wait is not None
        are_exact.append(session.link.measure_wait(0)[1])
        receive(session, text)

    one, wrong = {"type": "login", "name": "ann"}, WireFrame(Opcode.TEXT, b"{}").serialize(mask=True)
    ping = WireFrame(Opcode.PING, b"").serialize(mask=True)
    turn = turn_frame("1.1.1.1.1", 1, "1.1", "tictactoe", 0, 0, {}, [], [], 1, [1, 1], 0)
    plenty = Bounds(strangers_ms_per_iteration=10_000)  # frames that wait for time would not be the newest
    async with served(bounds=plenty) as server, server.raw() as client:
        await client.upgrade()
        await client.hear("welcome")
        monkeypatch.setattr(Session, "on_text", received)
        client.say(**one)
        await client.hear("session")
        for sent in (wrong * 3, wrong + ping, ping + wrong):
            client.writer.write(sent)
            for _ in range(sent.count(wrong[:2])):
                await client.hear("error")
        for _ in range(2):
            server.made[0].send(turn)
        client.writer.write(wrong * 2)  # answers to open turns, which are read on a way of their own
        for _ in range(2):
            await client.hear("error")
        with monkeypatch.context() as patch:
            patch.setattr(ReadFairness, "claim_time", lambda _: False)
            server.made[0].data_received(wrong)
        await client.hear("error")
    answers, late = [False, True], [False]
    assert are_exact == [True, False, False, True, False, True, *answers, *late], (
        "what has waited may not be the newest"
    )


@pytest.mark.e2e
@pytest.mark.skipif(not hasattr(socket, "TCP_INFO"), reason="only Linux tells its round trips")
@pytest.mark.parametrize("is_proxied", [False, True])
async def test_a_pong_that_is_delayed_makes_no_lag_but_behind_a_proxy(is_proxied: bool) -> None:
    delay_ms = 100
    async with served(proxies=["127.0.0.1"] if is_proxied else ()) as server, server.raw() as client:
        await client.upgrade(X_Forwarded_For="192.0.2.1")
        ping = await client.next(Opcode.PING)
        await asyncio.sleep(delay_ms / 1000)
        client.send(Opcode.PONG, ping)
        client.say(type="login", name="ann", key="the secret key of ann")
        await client.hear("session")
        assert server.made[0].lag_by_pings == is_proxied
        assert (server.made[0].lag_ms >= delay_ms - 1) == is_proxied
