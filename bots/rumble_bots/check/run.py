"""The way in: a plan of what to check, and the kit put together for it."""

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rumble_engine import game_names, get_game
from rumble_protocol.fields import TimeControl

from rumble_bots.address import Address
from rumble_bots.check.child import Child
from rumble_bots.check.course import Course
from rumble_bots.check.desk import TOURNAMENT
from rumble_bots.check.events import Event
from rumble_bots.check.listener import Listener
from rumble_bots.check.record import Record
from rumble_bots.check.referee import Referee
from rumble_bots.check.report import Report
from rumble_bots.check.stage import Stage

DEFAULT_GAME = "tictactoe"
NAME = "checked-bot"
"""What a program is asked to call itself; it is known by the name it logs in with."""
WHOLE_S, MORE_S = 18.0, 9.0
"""How long a check may take, and how much longer for each further game, where a move has the usual time."""
STARTED_S = 10.0
"""How long a program may take to connect, if nothing else is said; the usual check has room for that."""
STARTS = 2
"""So often a program is started that breaks no rule."""
MOVE_MS = 500
BANK_MOVES = 5
"""A match has so many times the time of a move as its bank: for slow starts."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to check, and how. Without a `command` the kit waits for a bot that somebody else starts."""

    command: Sequence[str] = ()
    games: Sequence[str] = ()
    """Empty: tic-tac-toe, or the first that the bot names."""
    host: str = "127.0.0.1"
    port: int = 0
    wait_s: float = STARTED_S
    """How long the bot may take to connect."""
    move_ms: int = MOVE_MS

    @property
    def budget_s(self) -> float:
        """How long the whole check may take once the bot is started or has come."""
        slower = max(1.0, self.move_ms / MOVE_MS)
        starting_s = STARTS * max(0.0, self.wait_s - STARTED_S) if self.command else 0.0
        return (WHOLE_S + MORE_S * max(0, len(self.games) - 1)) * slower + starting_s


async def check_bot(plan: Plan, say: Callable[[str], None] = lambda _: None) -> Report:
    """Check a bot; where nobody starts it, `say` is told what to do. Raises BadCommand, and UnknownGame."""
    games = [get_game(name) for name in plan.games or (DEFAULT_GAME,)]
    inbox: asyncio.Queue[Event] = asyncio.Queue()
    record = Record(asyncio.get_running_loop().time)
    control = TimeControl(move_ms=plan.move_ms, bank_ms=plan.move_ms * BANK_MOVES)
    referee = Referee(inbox, record, game_names(), games[0], control, wanted=plan.games)
    listener = Listener(plan.host, plan.port, inbox, record)
    with tempfile.TemporaryDirectory(prefix="rumble-check-") as folder:
        await listener.up()
        address = Address(plan.host, listener.port)
        if not plan.command:
            say(f"waiting {plan.wait_s:g} s for a bot at {address.ws_url} (tournament: {TOURNAMENT})")
        environment = {
            "RUMBLE_SERVER": address.http_base.removeprefix("http://"),
            "RUMBLE_JOIN": TOURNAMENT,
            "RUMBLE_NAME": NAME,
            "RUMBLE_CONFIG_DIR": folder,
        }
        child = Child(plan.command, environment, inbox, Path(folder)) if plan.command else None
        try:
            stage = Stage(referee, listener, child, plan.wait_s)
            return await Course(stage, plan.games, plan.budget_s, say).run()
        finally:
            if child is not None:
                await child.stop()
            await listener.down()
