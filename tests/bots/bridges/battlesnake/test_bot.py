"""A Battlesnake as a bot: games begin and end once, and where an answer is missing, the bridge has one in time."""

from collections.abc import Mapping
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_bots.bridges.battlesnake.bot import TIMEOUT_MS, BattlesnakeBot, left_ms
from rumble_bots.bridges.battlesnake.webhooks import Moved, NoAnswer, Webhooks
from rumble_bots.sdk.bot import Noted, Turn
from rumble_engine.games.snakes import GAME, SnakesState
from rumble_protocol import server_messages as server

from tests.bots.sdk import says

START = GAME.initial_for(2, None, 1)


class Snake(Webhooks):
    """A Battlesnake without HTTP: each request takes `takes_ms` of its own clock. `fails` makes it answer nothing."""

    def __init__(self, takes_ms: int = 0, fails: str = "") -> None:
        self.takes_ms, self.fails = takes_ms, fails
        self.requests: list[tuple[str, dict[str, Any], int]] = []
        self.now_s = 0.0

    async def move(self, body: Mapping[str, Any], timeout_ms: int) -> Moved:
        self._take("move", body, timeout_ms)
        return Moved(move="left", shout="x" * 300)

    async def event(self, name: Literal["start", "end"], body: Mapping[str, Any], timeout_ms: int) -> None:
        self._take(name, body, timeout_ms)

    async def close(self) -> None:
        pass

    def _take(self, name: str, body: Mapping[str, Any], timeout_ms: int) -> None:
        self.requests.append((name, dict(body), timeout_ms))
        self.now_s += min(self.takes_ms, timeout_ms) / 1000
        if self.fails or self.takes_ms > timeout_ms:
            raise NoAnswer(self.fails or "did not answer")

    @property
    def heard(self) -> list[str]:
        """The requests, each with its game and turn."""
        return [f"{name} {body['game']['id']} {body['turn']}" for name, body, _ in self.requests]


def turn(
    snake: Snake, state: SnakesState = START, match: str = "cup.1", attempt: int = 1, clock_ms: int = 5000
) -> Turn:
    start = says.read(server.MatchStart, says.match_start(match, attempt=attempt))
    told = says.turn(match=match, attempt=attempt, game="snakes", state=state.view(), remaining_ms=clock_ms, board="")
    return Turn.of(says.read(server.Turn, told), start, lambda: snake.now_s)


def over(state: SnakesState, match: str = "cup.1", attempt: int = 1) -> server.MatchOver:
    message = says.read(server.MatchOver, says.match_over(match=match, attempt=attempt))
    return message.model_copy(update={"state": state.view()})


def went(state: SnakesState, *words: str) -> SnakesState:
    """Return the state after joint moves without new food."""
    for word in words:
        state = state.play(word)
        state = state.play("-") if state.is_chance else state
    return state


async def test_a_game_starts_with_the_first_turn_and_ends_with_the_last_board() -> None:
    snake = Snake()
    bot = BattlesnakeBot(snake)
    move = await bot.choose(turn(snake))
    assert (move, isinstance(move, Noted) and move.note) == ("left", "x" * 256)
    later = went(START, "up up")
    await bot.choose(turn(snake, later))
    final = went(later, "up up")
    bot.match_over(over(final))
    bot.match_over(over(final))
    await bot.close()
    assert snake.heard == ["start cup.1-1 0", "move cup.1-1 0", "move cup.1-1 1", "end cup.1-1 2"]
    assert [snake["name"] for snake in snake.requests[0][1]["board"]["snakes"]] == ["ann", "bob"]
    assert [body["you"]["shout"] for _, body, _ in snake.requests] == ["", "", "x" * 256, "x" * 256]


async def test_matches_at_once_next_attempts_and_ends_that_nobody_told() -> None:
    snake = Snake()
    bot = BattlesnakeBot(snake)
    for match, attempt in (("cup.1", 1), ("cup.2", 1), ("cup.1", 2)):
        await bot.choose(turn(snake, match=match, attempt=attempt))
    bot.match_over(over(START, "cup.1", 1))
    bot.session(says.read(server.Session, says.session("cup.1")))
    await bot.choose(turn(snake, match="cup.1", attempt=2))
    await bot.close()
    for event in ("start", "end"):
        told = sorted(each for each in snake.heard if each.startswith(event))
        assert told == [f"{event} {game} 0" for game in ("cup.1-1", "cup.1-2", "cup.2-1")]


async def test_without_an_answer_the_last_direction_is_sent_and_the_owner_told_once() -> None:
    said: list[str] = []
    snake = Snake(fails="answers with status 500, not 200")
    bot = BattlesnakeBot(snake, said.append)
    state, moves = START, list[str]()
    for word in ("right left", "down up", "left left"):
        moves.append(await bot.choose(turn(snake, state)))
        state = went(state, word)
    bot.match_over(over(state))
    await bot.close()
    assert moves == ["up", "right", "down"]
    problem = "the Battlesnake answers with status 500, not 200"
    assert said == [
        f"cup.1: /start: {problem}",
        f"cup.1: turn 0: {problem}; the bridge sends up",
        "cup.1: 3 of 3 moves were the bridge's",
        f"cup.1: /end: {problem}",
    ]


async def test_a_late_answer_is_told_to_the_snake_as_the_whole_timeout() -> None:
    snake = Snake(takes_ms=600)
    bot = BattlesnakeBot(snake)
    await bot.choose(turn(snake))
    snake.takes_ms = 30
    await bot.choose(turn(snake))
    await bot.choose(turn(snake))
    assert [body["you"]["latency"] for name, body, _ in snake.requests if name == "move"] == ["0", "500", "30"]


@given(st.integers(0, 20_000), st.integers(0, 1000))
async def test_start_and_move_are_within_the_clock(clock_ms: int, takes_ms: int) -> None:
    snake = Snake(takes_ms)
    asked = turn(snake, clock_ms=clock_ms)
    await BattlesnakeBot(snake).choose(asked)
    assert snake.now_s * 1000 <= max(0, clock_ms - 20)
    assert asked.think_ms >= 0
    timeouts = [timeout_ms for *_, timeout_ms in snake.requests]
    assert [body["game"]["timeout"] for _, body, _ in snake.requests] == timeouts
    assert all(0 <= each <= TIMEOUT_MS for each in timeouts)
    if clock_ms >= 1200:
        assert timeouts == [TIMEOUT_MS, TIMEOUT_MS]


async def test_the_owner_is_told_once_of_a_clock_that_is_too_short() -> None:
    said: list[str] = []
    snake = Snake()
    bot = BattlesnakeBot(snake, said.append)
    for match, clock_ms in (("cup.1", 600), ("cup.2", 300), ("cup.3", 300)):
        await bot.choose(turn(snake, match=match, clock_ms=clock_ms))
    assert said == ["cup.2: the clock leaves the Battlesnake 243 ms a turn, not 500"]


@pytest.mark.parametrize(("clock_ms", "left"), [(5000, 4473), (1000, 873), (200, 150), (30, 0), (0, 0)])
def test_the_time_that_a_request_may_take(clock_ms: int, left: int) -> None:
    assert left_ms(turn(Snake(), clock_ms=clock_ms)) == left
