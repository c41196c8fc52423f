"""The entry point `check_bot`, which makes the parts of a check for a `Plan`, and runs the check."""

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rumble_engine import game_names, get_game
from rumble_protocol.clubs import web_path
from rumble_protocol.fields import TimeControl

from rumble_bots.check.child import Child
from rumble_bots.check.course import Course
from rumble_bots.check.events import Event, TurnedAway, put_events
from rumble_bots.check.harness import Harness
from rumble_bots.check.listener import Listener
from rumble_bots.check.record import Record
from rumble_bots.check.report import Report
from rumble_bots.check.scripted_referee import ScriptedReferee
from rumble_bots.check.scripted_server import TOURNAMENT_ID
from rumble_bots.sdk.address import Address

DEFAULT_GAME = "tictactoe"
ANY_PORT = Address("127.0.0.1", 0)
NAME = "checked-bot"
"""Value of the environment variable RUMBLE_NAME for the program. The report shows the name from the bot's login."""
WHOLE_S, MORE_S = 18.0, 9.0
"""Maximum time in s for a check with one game, and the additional time in s for each further game.

If the time for a move is above `MOVE_MS`, both times are longer in proportion.
"""
STARTED_S = 30.0
"""Default of `Plan.wait_s`: the maximum time in s until the bot connects.

A start takes long if the program is compiled first, or if the machine is busy.
"""
MOVE_MS = 500
BANK_MOVES = 5
"""The bank of a match, as a multiple of the time for a move. The bank lets a bot be slow at its first moves."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of a check. `command` starts the bot; if it is empty, the user starts the bot."""

    command: Sequence[str] = ()
    games: Sequence[str] = ()
    """Games to play. If empty, the bot plays only one game: tic-tac-toe if the bot's login names tic-tac-toe, and
    otherwise the first possible game of the login."""
    server: Address = ANY_PORT
    """Address and club of the scripted server. Port 0 means any free port."""
    wait_s: float = STARTED_S
    """Maximum time in s until the bot connects."""
    move_ms: int = MOVE_MS
    patience: float | None = None
    """Factor for all time limits. If None, the factor follows from the time that the program takes to start."""

    @property
    def budget_s(self) -> float:
        """Time in s for the whole check from the bot's first connection, without the factor `patience`."""
        slower = max(1.0, self.move_ms / MOVE_MS)
        return (WHOLE_S + MORE_S * max(0, len(self.games) - 1)) * slower


async def check_bot(plan: Plan, say: Callable[[str], None] = lambda _: None) -> Report:
    """Check a bot, and return the report. Raises BadCommand and UnknownGame.

    If the plan has no command, `say` is called with a line that tells the user where the server waits for the bot.
    """
    games = [get_game(name) for name in plan.games or (DEFAULT_GAME,)]
    inbox: asyncio.Queue[Event] = asyncio.Queue()
    record = Record(asyncio.get_running_loop().time)
    control = TimeControl(move_ms=plan.move_ms, bank_ms=plan.move_ms * BANK_MOVES)
    referee = ScriptedReferee(inbox, record, game_names(), games[0], control, plan.server.club, wanted=plan.games)
    server = Listener(
        plan.server.host,
        plan.server.port,
        f"{web_path(plan.server.club)}/bot",
        lambda socket: put_events(socket, inbox, record),
        lambda why: inbox.put_nowait(TurnedAway(f"it {why}")),
    )
    with tempfile.TemporaryDirectory(prefix="rumble-check-") as folder:
        await server.up()
        address = replace(plan.server, port=server.port)
        if not plan.command:
            say(f"waiting {plan.wait_s:g} s for a bot at {address.ws_url} (tournament: {TOURNAMENT_ID})")
        child = None
        if plan.command:
            child = Child(plan.command, address, TOURNAMENT_ID, NAME, Path(folder), inbox.put_nowait)
        try:
            harness = Harness(referee, server, child, plan.wait_s, plan.patience)
            return await Course(harness, plan.games, plan.budget_s, say).run()
        finally:
            if child is not None:
                await child.stop()
            await server.down()
