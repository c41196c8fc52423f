"""The parts of `rumble ask`: reading a position, bounding a bot's time, solving a position, showing a cache."""

import ast
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from threading import Thread
from typing import Any, TypeVar

import typer
from rumble_bots.functions.any_board import AnyBoard
from rumble_bots.functions.boards import BOARD_GAMES
from rumble_bots.reference import Choice, Minimax, ReferenceBot
from rumble_bots.search import Cached, Found, Tally
from rumble_engine import BadPosition, Game, State

from rumble_server.cli.output.errors import CliError, ExitCode

TIMEOUT_S = 60
"""Default time limit for a function's answer, in s."""
LOOK_S = 0.5
"""Interval in s between two checks for slow functions."""
SLOW_S = 2.0
"""Time in s after which a function that has not answered is reported as slow."""

T = TypeVar("T")


def position_of(
    game: Game, position: str | None, to_move: str | None, settings: Mapping[str, Any], seed: int = 0
) -> State:
    """Return the state in which the bot is to move. Raises CliError and EngineError.

    `position` is a text of the game, or the rows of a board as Python writes them; None means the start of the game.
    `to_move` is the mark or name of the side to move. With `to_move`, tictactoe allows boards that no match can reach.
    """
    if position is not None and position.lstrip().startswith("["):
        position = _text_of_rows(game, position)
    if to_move is None:
        return game.initial(settings, seed) if position is None else game.parse(position, settings)
    sides = {mark.casefold(): seat for seat, mark in [*enumerate(game.seat_marks), *enumerate(game.seat_names)]}
    seat = sides.get(to_move.casefold())
    if seat is None:
        raise CliError(f"--to-move is one of {', '.join(game.seat_marks)}, not {to_move!r}", ExitCode.USAGE)
    try:
        state = game.initial(settings, seed) if position is None else game.parse(position, settings)
    except BadPosition:
        if game.name != "tictactoe" or position is None:
            raise
        return AnyBoard.read(position, seat)
    if state.to_move == seat:
        return state
    if game.name != "tictactoe":
        mark = game.seat_marks[state.to_move]
        raise CliError(f"--to-move: the position says that it is the move of {mark}; see --position", ExitCode.USAGE)
    return AnyBoard.read(state.text(), seat)


def _text_of_rows(game: Game, rows: str) -> str:
    board = BOARD_GAMES.get(game.name)
    if board is None:
        raise CliError(f"--position: rows are for {' and '.join(BOARD_GAMES)}, not for {game.name}", ExitCode.USAGE)
    try:
        read = ast.literal_eval(rows.strip())
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise CliError("--position: this is no list of rows as Python writes it", ExitCode.USAGE) from None
    return board.position(read)


def in_time(
    work: Callable[[], T],
    asked_at_s: Callable[[], Mapping[str, float]],
    seconds: float,
    tell: Callable[[str], object] = lambda _: None,
) -> T:
    """Return the result of `work`, or raise its error. Raises CliError if a function takes longer than `seconds`.

    `work` runs in a thread. `asked_at_s` returns the names of the functions that are running, each with the time
    (`time.monotonic`) at which the running call began. `tell` is called twice a second with a text about slow
    functions. After a CliError the thread goes on, because a thread cannot be ended. The command ends without waiting
    for the thread.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001  # raised by `result` below
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    while not wait([future], min(seconds, LOOK_S)).done:
        now_s, slow = time.monotonic(), ""
        for what, at_s in asked_at_s().items():
            if now_s - at_s >= seconds:
                raise CliError(f"{what} gave no answer in {seconds:g} s; --timeout SECONDS allows more")
            if now_s - at_s >= SLOW_S:
                slow += f"; {what} has thought about its move for {now_s - at_s:.0f} s"
        tell(slow)
    return future.result()


def exactly(bot: ReferenceBot, state: State, limits: Mapping[str, Any]) -> Choice:
    """Make the bot search to the end of the game, and return its choice.

    The result of each depth is printed on standard error. Raises CliError for a bot without such a search, and for
    `limits` on depth or time.
    """
    if not isinstance(bot, Minimax):
        raise CliError("--exact is for minimax and streetwise", ExitCode.USAGE)
    if limits.keys() - {"search"}:
        raise CliError("--exact has no limit: leave --depth and --time-ms out", ExitCode.USAGE)
    if not state.movers:
        return bot.choose(state)
    began = time.monotonic()

    def tell(found: Found, tally: Tally) -> None:
        seconds = time.monotonic() - began
        typer.echo(f"depth {tally.depth}: value {found.value:+.2f}, {tally.nodes:,} nodes, {seconds:.1f} s", err=True)

    return bot.solve(state, tell)


def cached_positions(bot: ReferenceBot, state: State, most: int) -> list[tuple[str, float]]:
    """Return at most `most` positions from the table of the bot's search, with their values.

    The positions are ordered by the number of plies from `state`, the nearest first. Positions that differ only by a
    rotation or reflection share an entry of the table. Raises CliError for a bot whose search is not `cached`.
    """
    search = bot.search_of(state) if isinstance(bot, Minimax) else None
    if not isinstance(search, Cached):
        raise CliError("--show-cache is for minimax with --search cached", ExitCode.USAGE)
    shown: dict[object, tuple[str, float]] = {}
    ahead = deque([state])
    while ahead and len(shown) < most:
        here = ahead.popleft()
        for code in here.codes():
            later = here.after(code)
            key = later.canonical()
            if key in search.table and key not in shown:
                shown[key] = later.text(), search.table[key][1] + 0.0
                ahead.append(later)
    return list(shown.values())[:most]
