"""Floods of a connection: they are read in slices, and a connection that goes on flooding is closed."""

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import AsyncIterator
from itertools import count
from typing import Any

import pytest
from rumble_protocol.codes import CloseCode
from rumble_protocol.fields import TimeControl
from rumble_protocol.frames import turn_frame
from rumble_server.gateway import connection
from rumble_server.gateway.frame_reader import FrameReader
from rumble_server.gateway.read_fairness import ReadFairness
from rumble_server.gateway.session import Session
from rumble_server.limits.bounds import Bounds
from rumble_server.match.facts import MatchOver, MoveMade
from websockets.frames import Frame as WireFrame
from websockets.frames import Opcode

from tests.server.gateway.served import served
from tests.waiting import until_true

pytestmark = pytest.mark.e2e

LOGIN = b'{"type": "login", "name": "ann"}'


# --- floods ---

EMPTY = [(Opcode.PING, b"", True), (Opcode.PING, b"x" * 125, True), (Opcode.PONG, b"", True), (Opcode.CONT, b"", False)]


@contextlib.asynccontextmanager
async def frames_in_each_iteration(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Counter[int]]:
    """Count the frames that connections handle by the iteration of the loop."""
    counts: Counter[int] = Counter()
    iteration = 0

    def next_iteration() -> None:
        nonlocal iteration
        iteration += 1
        handle = asyncio.get_running_loop().call_soon(next_iteration)
        handles[:] = [handle]

    def counted(method: Any) -> Any:
        def call(reader: FrameReader | Session, frame: Any) -> Any:
            counts[iteration] += 1
            return method(reader, frame)

        return call

    handles: list[asyncio.Handle] = []
    monkeypatch.setattr(FrameReader, "_messages", counted(FrameReader._messages))
    monkeypatch.setattr(Session, "on_text", counted(Session.on_text))
    next_iteration()
    yield counts
    handles[0].cancel()


@pytest.mark.parametrize(("opcode", "data", "fin"), EMPTY)
async def test_flood_of_control_or_empty_frames_is_closed_with_4008(
    monkeypatch: pytest.MonkeyPatch, opcode: Opcode, data: bytes, fin: bool
) -> None:
    async with (
        served(bounds=Bounds(frames_per_iteration=50, empty_frames_per_10_s=400)) as server,
        frames_in_each_iteration(monkeypatch) as counts,
        server.raw() as flooder,
        server.raw() as other,
    ):
        await flooder.upgrade()
        if opcode is Opcode.CONT:
            flooder.send(Opcode.TEXT, b"x", fin=False)
        flooder.writer.write(WireFrame(opcode, data, fin).serialize(mask=True) * 50_000)
        await other.log_in("ann")
        assert await flooder.close_code() == CloseCode.TOO_MANY_MESSAGES
        await flooder.ended()
        assert server.refusals.counts == {"empty_frames": 1}
        assert max(counts.values()) <= 51, "the other's login among them"
        assert 400 < sum(counts.values()) < 500


async def test_frames_that_come_slowly_enough_are_no_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FLOOD_MS", 0)
    async with served(bounds=Bounds(empty_frames_per_10_s=10)) as server, server.raw() as client:
        await client.upgrade()
        for number in range(100):
            client.send(Opcode.PING, str(number).encode())
        assert [int(await client.next(Opcode.PONG)) for _ in range(100)] == list(range(100))


async def test_bytes_that_wait_for_time_are_not_copied_and_nothing_more_is_read() -> None:
    async with (
        served(bounds=Bounds(frames_per_iteration=10, strangers_ms_per_iteration=10_000)) as server,
        server.raw() as client,
    ):
        await client.upgrade()
        await client.hear("welcome")
        (link,) = server.made
        transport = link.transport
        assert transport is not None
        flood = WireFrame(Opcode.PONG, b"").serialize(mask=True) * 500
        link.data_received(flood)
        places = []
        while link._reader.has_bytes:
            assert link._reader._data is flood
            assert not transport.is_reading()
            places.append(link._reader._at)
            await asyncio.sleep(0)
        assert places == list(range(60, 3_000, 60))
        assert transport.is_reading()


async def test_a_close_for_a_flood_forfeits_nothing() -> None:
    async with served() as server, server.raw() as ann, server.raw() as ben:
        tournament = server.create(start_at_bots=2)
        for client, name in ((ann, "ann"), (ben, "ben")):
            await client.upgrade()
            client.say(type="login", name=name, join=tournament)
        begun = await ann.hear("match_start")
        ann.writer.write(WireFrame(Opcode.PING, b"").serialize(mask=True) * 2_000)
        assert await ann.close_code() == CloseCode.TOO_MANY_MESSAGES
        assert server.arena.players["ann"].newest is None, "it is away at once"
        assert list(server.arena.matches.live) == [begun["match"]]
        async with server.raw() as again:
            await again.upgrade()
            again.say(type="login", name="ann")
            assert (await again.hear("match_start"))["resumed"] is True


MOVE = b'{"type": "move", "match": "m", "turn_id": "1.1", "move": "4"}'


@pytest.mark.parametrize(
    ("opcode", "data"), [(Opcode.TEXT, b"x"), (Opcode.TEXT, MOVE), (Opcode.TEXT, b"\xff"), (Opcode.BINARY, b"x")]
)
@pytest.mark.parametrize("closed", ["refused", "stranger", "bot", "bot, by the arena"])
async def test_a_flood_of_messages_that_are_dropped_ends_the_connection(
    opcode: Opcode, data: bytes, closed: str
) -> None:
    """The close of a bot waits for a frame that waits for the disk."""
    async with served(bounds=Bounds(empty_frames_per_10_s=20)) as server, server.raw() as client:
        await client.upgrade(Sec_WebSocket_Protocol="chess" if closed == "refused" else None)
        if closed.startswith("bot"):
            client.say(type="login", name="ann")
            await client.hear("session")
            server.arena.players["ann"].send(b"{}", after=1_000_000)
        if closed == "bot, by the arena":
            server.arena.sign_out("ann", "your key was changed")
        elif closed != "refused":
            client.send(Opcode.BINARY, b"")
        client.writer.write(WireFrame(opcode, data).serialize(mask=True) * 100)
        codes = {"refused": CloseCode.PROTOCOL_NOT_SUPPORTED, "stranger": CloseCode.BINARY_FRAME}
        assert await client.close_code() == codes.get(closed, CloseCode.TOO_MANY_MESSAGES)
        async with asyncio.timeout(connection.CLOSE_S / 2):
            await client.ended()
        await server.all_gone()
        assert server.refusals.counts == {"empty_frames": 1}
        assert not server.arena.is_connected("ann")


async def test_all_texts_wait_for_time_but_answers_to_open_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strangers, unasked bots and long answers wait; short answers, one for each turn, do not."""
    turn = turn_frame("1.1.1.1.1", 1, "1.1", "tictactoe", 0, 0, {}, [], [], 1, [1, 1], 0)
    async with (
        served(bounds=Bounds(strangers_ms_per_iteration=2_000), now_s=count().__next__) as server,
        server.several(21, bots=10) as clients,
    ):
        links = server.made
        for _ in range(2):
            links[0].send(turn)
        async with frames_in_each_iteration(monkeypatch) as counts:
            bad = WireFrame(Opcode.TEXT, b"x").serialize(mask=True)
            for link in reversed(links):
                link.data_received(bad)
            assert sum(counts.values()) == 2 + 1, "an iteration has time for two, and the first bot was asked"
            links[0].data_received(WireFrame(Opcode.TEXT, b"x" * 600).serialize(mask=True))
            assert sum(counts.values()) == 2 + 1, "a long answer waits"
            for client in clients:
                assert (await client.hear("error"))["code"] == "bad_message"
            assert max(counts.values()) == 2 + 1


@pytest.mark.parametrize("pieces", [1, 2])
async def test_an_answer_that_waits_for_time_when_its_clock_runs_out_counts(
    monkeypatch: pytest.MonkeyPatch, pieces: int
) -> None:
    """Strangers use up all the time; the answer is too long to be handled at once, or comes in two pieces."""
    async with served() as server, server.several(2, bots=2) as bots:
        tournament = server.create(start_at_bots=2, legs=1, time_control=TimeControl(move_ms=500))
        for bot in bots:
            bot.say(type="join", tournament=tournament)
        starts = [await bot.hear("match_start") for bot in bots]
        (match,) = server.arena.matches.live.values()
        to_move = [seat.turn is not None for seat in match.progress.seats].index(True)
        mover = bots[[start["seat"] for start in starts].index(to_move)]
        turn = await mover.hear("turn")
        move = {"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": turn["legal"][0]}
        data = WireFrame(Opcode.TEXT, json.dumps(move | {"note": "x" * 700}).encode()).serialize(mask=True)
        with monkeypatch.context() as patch:
            patch.setattr(ReadFairness, "claim_time", lambda _: False)
            mover.writer.write(data[: len(data) // pieces])
            await asyncio.sleep(0.05)
            mover.writer.write(data[len(data) // pieces :])
            await until_true(lambda: any(isinstance(fact, MatchOver | MoveMade) for fact in server.log.facts))
        (fact,) = [fact for fact in server.log.facts if isinstance(fact, MatchOver | MoveMade)]
        assert isinstance(fact, MoveMade)


async def test_a_stranger_sends_at_most_4_kib_at_once_and_a_bot_64() -> None:
    async with served() as server, server.raw() as stranger, server.raw() as bot:
        await stranger.upgrade()
        stranger.send(Opcode.TEXT, LOGIN.ljust(5_000))
        assert await stranger.close_code() == 1009
        await bot.log_in("ben")
        bot.send(Opcode.TEXT, LOGIN.ljust(60_000))
        assert (await bot.hear("error"))["code"] == "already_logged_in"
        bot.send(Opcode.TEXT, LOGIN.ljust(70_000))
        assert await bot.close_code() == 1009


async def test_wrong_answers_handled_at_once_in_an_iteration_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong answer ends its connection's privilege; after a few wrong answers of all bots, messages wait."""
    turn = turn_frame("1.1.1.1.1", 1, "1.1", "tictactoe", 0, 0, {}, [], [], 1, [1, 1], 0)
    monkeypatch.setattr(connection, "MOST_WASTED", 3)
    async with (
        served(bounds=Bounds(strangers_ms_per_iteration=6_000), now_s=count().__next__) as server,
        server.several(8, bots=8) as clients,
    ):
        links = server.made
        async with frames_in_each_iteration(monkeypatch) as counts:
            bad = WireFrame(Opcode.TEXT, b"x").serialize(mask=True)
            for link in links:
                for _ in range(2):
                    link.send(turn)
            for _ in range(2):
                links[0].data_received(bad)
            for link in links[1:]:
                link.data_received(bad)
            assert sum(counts.values()) == 3 + 2, "three at once, and two more for which there was time"
            for client in clients:
                assert (await client.hear("error"))["code"] == "bad_message"
