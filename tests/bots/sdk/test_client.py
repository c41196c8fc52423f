"""The client on connections in memory, with a clock and a sleep that the test controls."""

import asyncio
import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from rumble_bots import Address, Aim, BadProgram, BadServer, Bot, Client, Closed, GiveUp, Refused, Resign, Summary, Turn
from rumble_bots.sdk.client import FIRST_DELAY_S, LONGEST_DELAY_S, PATIENCE_S, STEADY_S, delays
from rumble_bots.sdk.transport import Connection, Lost, Unreachable
from rumble_protocol import server_messages as server

from tests.bots.sdk import says
from tests.bots.sdk.first import First

SERVER = Address("localhost", 8765)
AIM = Aim("ann", join="cup")
OPENING = (says.welcome(), says.session("cup.1"), says.joined(), says.match_start())
OVER = Summary("cup", "over", "finished", 1, 2, 1.5)


class FakeConnection:
    """Gives its frames, each after a given number of frames was sent, and then ends in a given way."""

    def __init__(self, *frames: str | tuple[int, str], end: Lost | None = None) -> None:
        self.frames = list(frames)
        self.end = end or Lost(1006, "gone")
        self.sent: list[dict[str, Any]] = []
        self.closed = False
        self.round_trip_ms = 0.0
        self._sent = asyncio.Condition()

    async def send(self, frame: str) -> None:
        if self.closed:
            raise self.end
        self.sent.append(json.loads(frame))
        async with self._sent:
            self._sent.notify_all()

    async def receive(self) -> str:
        if not self.frames:
            raise self.end
        frame = self.frames.pop(0)
        if isinstance(frame, tuple):
            after, frame = frame
            async with self._sent:
                await self._sent.wait_for(lambda: len(self.sent) >= after)
        return frame

    async def close(self) -> None:
        self.closed = True


class World:
    """The client's surroundings: a server with given answers, a clock, and a sleep that takes no time."""

    def __init__(self, *answers: FakeConnection | str, seconds_per_connection: float = 0.0) -> None:
        self.answers = list(answers)
        self.seconds_per_connection = seconds_per_connection
        self.time = 0.0
        self.slept: list[float] = []
        self.said: list[str] = []

    async def connect(self, address: Address) -> Connection:
        assert address == SERVER
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            raise Unreachable(answer, again_s=1.0 if answer == "replaced" else None)
        self.time += self.seconds_per_connection
        return answer

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds

    def client(self, bot: Bot, aim: Aim = AIM, **more: Any) -> Client:
        return Client(
            bot,
            SERVER,
            aim,
            say=self.said.append,
            connect=self.connect,
            now=lambda: self.time,
            sleep=self.sleep,
            lot=lambda: 1.0,
            **more,
        )


def moves(connection: FakeConnection) -> list[tuple[str, str]]:
    return [(frame["turn_id"], frame["move"]) for frame in connection.sent if frame["type"] == "move"]


async def test_a_whole_tournament() -> None:
    connection = FakeConnection(*OPENING, says.turn(), (2, says.match_over()), says.tournament_over())
    world = World(connection)
    assert await world.client(First()).run() == OVER
    assert moves(connection) == [("t1", "0")]
    assert connection.closed
    assert not any(line.startswith("cup is") for line in world.said), "who calls `run` tells the end"
    assert world.slept == []


async def test_the_lateness_of_a_turn_is_kept_free_at_the_next_turn() -> None:
    seen: list[Turn] = []

    class Late(First):
        def choose(self, turn: Turn) -> str:
            seen.append(turn)
            client.chooser.lateness.record(200.0)
            return super().choose(turn)

    second = says.turn("t2", board="XO.......", moves=("0", "1"))
    connection = FakeConnection(*OPENING, says.turn(), (2, second), (3, says.tournament_over()))
    world = World(connection)
    client = world.client(Late())
    await client.run()
    first_ms, second_ms = (turn.think_ms for turn in seen)
    assert first_ms - second_ms == pytest.approx(200, abs=10)


async def test_a_client_connects_again_and_answers_the_newest_turn() -> None:
    first = FakeConnection(*OPENING, says.turn("t1"))
    second = FakeConnection(*OPENING, says.turn("t2"), (2, says.tournament_over()))
    world = World(first, "cannot reach it", second)
    assert await world.client(First()).run() == OVER
    assert moves(second) == [("t2", "0")]
    assert world.slept == [FIRST_DELAY_S, FIRST_DELAY_S * 2]
    assert "http://localhost:8765 ended the connection: gone (1006); connecting again in 0.2 s" in world.said
    assert "cannot reach it; connecting again in 0.4 s" in world.said


async def test_a_server_that_cannot_be_reached_at_first_is_a_bad_server() -> None:
    with pytest.raises(BadServer, match="cannot reach it"):
        await World("cannot reach it").client(First()).run()


async def test_a_close_before_the_login_is_answered_is_a_bad_server() -> None:
    with pytest.raises(BadServer, match=r"ended the connection: full \(1013\)"):
        await World(FakeConnection(says.welcome(), end=Lost(1013, "full"))).client(First()).run()


async def test_patience_ends() -> None:
    world = World(FakeConnection(*OPENING), *["cannot reach it"] * 100)
    with pytest.raises(BadServer, match="cannot reach it"):
        await world.client(First()).run()
    assert PATIENCE_S < world.time < PATIENCE_S + LONGEST_DELAY_S * 2


@pytest.mark.parametrize(("lasts", "waits"), [(0.0, [0.2, 0.4, 0.8]), (STEADY_S + 1, [0.2, 0.2, 0.2])])
async def test_after_a_steady_connection_the_next_try_comes_soon(lasts: float, waits: list[float]) -> None:
    class Lasting(FakeConnection):
        async def receive(self) -> str:
            if not self.frames:
                world.time += lasts
            return await super().receive()

    world = World(*(Lasting(*OPENING) for _ in range(3)), FakeConnection(*OPENING, says.tournament_over()))
    await world.client(First()).run()
    assert world.slept == pytest.approx(waits)


@pytest.mark.parametrize("code", [4001, 4003, 4010])
async def test_a_client_does_not_come_back_after_a_close_for_good(code: int) -> None:
    world = World(FakeConnection(*OPENING, end=Lost(code, "because")))
    with pytest.raises(Closed, match="because"):
        await world.client(First()).run()
    assert world.slept == []


async def test_a_refusal_is_raised_and_the_connection_closed() -> None:
    connection = FakeConnection(says.welcome(), says.session(), says.error("unknown_tournament"))
    with pytest.raises(Refused, match="unknown_tournament"):
        await World(connection).client(First()).run()
    assert connection.closed


async def test_an_unavailable_server_is_tried_again() -> None:
    refusing = FakeConnection(says.welcome(), says.error("unavailable", fatal=True), says.welcome())
    world = World(FakeConnection(*OPENING), refusing, FakeConnection(*OPENING, says.tournament_over()))
    assert await world.client(First()).run() == OVER
    assert refusing.frames == [says.welcome()], "it hung up at once"
    assert len(world.slept) == 2


async def test_a_newcomer_whose_neighbours_flood_comes_again() -> None:
    refusing = FakeConnection(says.welcome(), says.error("too_many_messages", fatal=True))
    world = World(refusing, FakeConnection(*OPENING, says.tournament_over()))
    assert await world.client(First()).run() == OVER
    assert len(world.slept) == 1


async def test_a_server_that_is_being_replaced_is_tried_each_second_also_at_first() -> None:
    """Also: the repeated problem is told once."""
    replaced = ["replaced"] * 5
    world = World(*replaced, FakeConnection(*OPENING), *replaced, FakeConnection(*OPENING, says.tournament_over()))
    assert await world.client(First()).run() == OVER
    assert world.slept == [1.0] * 5 + [FIRST_DELAY_S] + [1.0] * 5
    assert [line for line in world.said if line.startswith("replaced")] == [
        "replaced; connecting again in 1.0 s",
        "replaced; connecting again in 1.0 s",
    ]


@pytest.mark.parametrize("code", [1001, 1012])
async def test_a_newcomer_to_a_server_that_is_being_replaced_comes_again(code: int) -> None:
    closing = FakeConnection(says.welcome(), end=Lost(code, "reconnect soon"))
    world = World(closing, FakeConnection(*OPENING, says.tournament_over()))
    assert await world.client(First()).run() == OVER
    assert world.slept == [FIRST_DELAY_S]


async def test_a_bot_that_was_let_in_comes_back_at_once_to_a_server_that_is_being_replaced() -> None:
    closed = Lost(1012, "reconnect soon")
    refusing = FakeConnection(says.welcome(), end=closed)
    world = World(FakeConnection(*OPENING, end=closed), refusing, FakeConnection(*OPENING, says.tournament_over()))
    assert await world.client(First()).run() == OVER
    assert world.slept == [0.0, FIRST_DELAY_S], "a place that lets nobody in is not stormed"


async def test_leaving() -> None:
    class Leaving(First):
        def __init__(self) -> None:
            self.tasks: list[asyncio.Task[None]] = []
            self.leave: Callable[[], Any] | None = None

        def joined(self, message: server.Joined) -> None:
            assert self.leave is not None
            self.tasks.append(asyncio.get_running_loop().create_task(self.leave()))

    bot = Leaving()
    connection = FakeConnection(*OPENING, (2, says.joined(type="left")))
    client = World(connection).client(bot)
    bot.leave = client.leave
    assert await client.run() == Summary("cup", "left")
    assert connection.sent[-1] == {"type": "leave", "tournament": "cup"}


async def test_leaving_at_the_moment_when_the_connection_breaks_is_done_at_the_next_login() -> None:
    problems: list[object] = []

    class Breaking(FakeConnection):
        async def receive(self) -> str:
            if not self.frames:
                self.closed = True
                problems.extend(await asyncio.gather(client.leave(), return_exceptions=True))
            return await super().receive()

    second = FakeConnection(says.welcome(), says.session(), says.joined(), (2, says.joined(type="left")))
    client = World(Breaking(*OPENING), second).client(First())
    assert await client.run() == Summary("cup", "left")
    assert problems == [None], "whoever asks it to leave sees no lost connection"
    assert second.sent[-1] == {"type": "leave", "tournament": "cup"}


class Raising(First):
    def __init__(self, error: Exception) -> None:
        self.error = error

    def choose(self, turn: Turn) -> str:
        raise self.error


class Waiting(Bot):
    """A bot that answers, or raises its answer, once it may go on."""

    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer
        self.go_on = asyncio.Event()
        self.thoughts = 0

    async def choose(self, turn: Turn) -> str:
        self.thoughts += 1
        await self.go_on.wait()
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


BEYOND_REPAIR = GiveUp(BadProgram("it is beyond repair"))


async def test_a_bot_that_gives_up_resigns_and_ends_with_its_error() -> None:
    connection = FakeConnection(*OPENING, says.turn(), (2, says.match_over()), says.turn("t2"))
    world = World(connection)
    with pytest.raises(BadProgram, match="beyond repair"):
        await world.client(Raising(BEYOND_REPAIR)).run()
    assert [frame["type"] for frame in connection.sent] == ["login", "resign"]
    assert connection.closed
    assert "cup.1: the bot failed: it is beyond repair" in world.said


async def test_a_bot_that_gives_up_without_a_connection_ends_before_the_next() -> None:
    bot = Waiting(BEYOND_REPAIR)

    class Away(World):
        async def sleep(self, seconds: float) -> None:
            bot.go_on.set()
            await asyncio.sleep(0.001)
            await super().sleep(seconds)

    world = Away(FakeConnection(*OPENING, says.turn()), "a further connect")
    with pytest.raises(BadProgram, match="beyond repair"):
        await world.client(bot).run()
    assert world.answers == ["a further connect"]


async def test_a_bot_that_gives_up_during_a_connect_does_not_log_in_again() -> None:
    bot = Waiting(BEYOND_REPAIR)

    class Slow(World):
        async def connect(self, address: Address) -> Connection:
            connection = await super().connect(address)
            if connection is second:
                bot.go_on.set()
                await asyncio.gather(*client._thoughts)
            return connection

    second = FakeConnection(*OPENING)
    client = Slow(FakeConnection(*OPENING, says.turn()), second).client(bot)
    with pytest.raises(BadProgram, match="beyond repair"):
        await client.run()
    assert (second.sent, second.closed) == ([], True)


@pytest.mark.parametrize(
    ("error", "said"), [(Resign("tired"), "resigning: tired"), (ValueError("odd"), "the bot failed: ValueError: odd")]
)
async def test_a_bot_that_resigns_or_fails_gives_up_that_match_only(error: Exception, said: str) -> None:
    connection = FakeConnection(*OPENING, says.turn(), (2, says.match_over(winner=1)), says.tournament_over())
    world = World(connection)
    assert await world.client(Raising(error)).run() == OVER
    assert connection.sent[-1] == {"type": "resign", "match": "cup.1"}
    assert any(line.startswith(f"cup.1: {said}") for line in world.said)
    assert ("    raise self.error" in world.said) == isinstance(error, ValueError), "the traceback is for the owner"


async def test_a_bot_that_fails_when_told_plays_on(caplog: pytest.LogCaptureFixture) -> None:
    class Fragile(First):
        def match_start(self, message: server.MatchStart) -> None:
            raise ValueError("odd")

    world = World(FakeConnection(*OPENING, says.turn(), (2, says.tournament_over())))
    assert await world.client(Fragile()).run() == OVER
    assert "the bot failed when told of match_start; it plays on" in world.said
    assert "ValueError: odd" in caplog.text


async def test_a_thought_that_ends_after_the_connection_is_kept_for_the_next() -> None:
    bot = Waiting("4")

    class Second(FakeConnection):
        async def receive(self) -> str:
            bot.go_on.set()
            return await super().receive()

    second = Second(*OPENING, says.turn("t2"), (2, says.tournament_over()))
    assert await World(FakeConnection(*OPENING, says.turn("t1")), second).client(bot).run() == OVER
    assert moves(second) == [("t2", "4")]
    assert bot.thoughts == 1


async def test_thoughts_do_not_outlive_the_client() -> None:
    cancelled: list[str] = []

    class Endless(Bot):
        async def choose(self, turn: Turn) -> str:
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.append(turn.match)
            raise AssertionError

    class Yielding(FakeConnection):
        async def receive(self) -> str:
            await asyncio.sleep(0)
            return await super().receive()

    await World(Yielding(*OPENING, says.turn(), says.notice("paused"), says.tournament_over())).client(Endless()).run()
    await asyncio.sleep(0)
    assert cancelled == ["cup.1"]


def take(source: Iterable[float], count: int) -> list[float]:
    return [value for value, _ in zip(source, range(count), strict=False)]


def test_delays_double_up_to_a_limit_and_differ_by_lot() -> None:
    assert take(delays(lambda: 1.0), 8) == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]
    assert take(delays(lambda: 0.0), 3) == [0.1, 0.2, 0.4]
