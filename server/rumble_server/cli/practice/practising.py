"""The matches of `rumble practice`: a server, a proxy that shows every frame, the opponent, and the bot's program."""

import asyncio
import math
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from rumble_bots.check.child import KILL_AFTER_S, Child
from rumble_bots.check.events import Exited
from rumble_bots.sdk.actions import Summary
from rumble_bots.sdk.address import ws_url
from rumble_bots.sdk.serve import serve
from rumble_protocol.codes import CloseCode
from rumble_protocol.secret import make_secret

from rumble_server.arena.commands.organiser import Organiser
from rumble_server.cli.output.advice import CLOSES
from rumble_server.cli.output.errors import ExitCode
from rumble_server.cli.output.screen import Screen
from rumble_server.cli.output.trace import Trace, TraceEntry
from rumble_server.cli.practice.proxy import proxying
from rumble_server.cli.processes.bot_process import BotSpec, make_bot, search_ms
from rumble_server.cli.processes.running import server_unless_stopped
from rumble_server.cli.support.bot_names import checked_bots, own_name
from rumble_server.cli.support.loop import run_unless_stopped
from rumble_server.config import ServerConfig
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.tournament import Tournament

ID = "practice"
NAME = "my-bot"
HINT_S = 10.0
"""Time in s after which a hint is shown if the bot has not logged in, or does not answer a turn."""
PATIENCE_S = 120.0
"""Time in s after which the practice fails if the bot has not logged in. Long, because some programs compile first."""
STUCK_S = 3.0
"""Time in s after which the practice fails if the bot sends nothing in answer to an `error`."""
LOOK_S = 0.02
"""Time in s between two looks at the tournament and the program."""
CLOSED_S = 2.0
"""Maximum time in s to wait for the close of a bot's connections, after the end of the bot's program."""
STDERR = 2
"""File descriptor of standard error. The program's output goes there, because standard output shows the frames."""
SLOW = "Your bot has no time limit here. If it is not thinking, it may not flush what it writes. Ctrl-C ends it."
CONNECT = "open a WebSocket at ws://$RUMBLE_SERVER/bot; log in as RUMBLE_NAME, and join RUMBLE_JOIN."


def practise(config: TournamentConfig, against: str, command: Sequence[str], screen: Screen) -> int:
    """Start a bot by `command`, let the bot play the tournament, and return the exit code.

    Raises CliError and BadFunction.
    """
    checked_bots([against])
    with tempfile.TemporaryDirectory(prefix="rumble-") as folder:
        server = ServerConfig(port=0, db=str(Path(folder) / "rumble.db"), drain_ms=0)
        code = run_unless_stopped(_practice(server, config, against, command, screen, folder))
    return ExitCode.INTERRUPTED if code is None else code


async def _practice(
    config: ServerConfig, wanted: TournamentConfig, against: str, command: Sequence[str], screen: Screen, folder: str
) -> int:
    cwd = Path.cwd()  # the opponent may change the working directory
    async with server_unless_stopped(config, None, asyncio.Event()) as server:
        assert server is not None  # on SQLite no server stands by
        tournament = Organiser(server.arena).create(wanted)
        await server.log.wait(server.log.last)
        async with _opponent(against, server.url, wanted) as opponent, proxying(ws_url(server.url), screen) as proxy:
            bot = Child(command, proxy, ID, NAME, Path(folder), output=STDERR, key=make_secret(), cwd=cwd)
            try:
                await bot.start()
                return await _watch(tournament, opponent, bot, screen)
            finally:
                screen.end()
                await bot.stop()


@asynccontextmanager
async def _opponent(bot: str, url: str, wanted: TournamentConfig) -> AsyncIterator[asyncio.Task[Summary]]:
    """Run the opponent in this process until the `async with` block ends. Yield the opponent's task."""
    spec = BotSpec(bot, own_name(bot), wanted.seed, search_ms(bot, wanted.game))
    task = asyncio.create_task(serve(make_bot(spec, Path.cwd()), url, name=spec.name, key=make_secret(), join=ID))
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _watch(tournament: Tournament, opponent: asyncio.Task[Summary], bot: Child, screen: Screen) -> int:
    """Wait for the end of the practice, and return the exit code. Show hints meanwhile, and the outcome at the end."""
    loop = asyncio.get_running_loop()
    began, hinted = loop.time(), False
    fine_at = idle_at = began
    while not tournament.is_over:
        if bot.exited is not None:
            screen.show(*_ended_early(bot.exited, screen.trace))
            return ExitCode.FAILED
        if opponent.done():
            opponent.result()
        waited_s = 0.0 if screen.trace.is_logged_in else loop.time() - began
        if waited_s > HINT_S and not hinted:
            hinted = True
            what = "logged in" if screen.trace.is_connected else "connected"
            screen.show(TraceEntry("next", f"Your program has not {what} yet: {CONNECT}"))
        if waited_s > PATIENCE_S:
            screen.show(TraceEntry("note", f"it did not log in within {PATIENCE_S:g} s"))
            return ExitCode.FAILED
        if not screen.trace.is_thinking:
            idle_at = loop.time()
        if loop.time() - idle_at > HINT_S and not screen.steps:
            idle_at = math.inf  # shown once
            screen.show(TraceEntry("next", SLOW))
        if not screen.trace.was_refused:
            fine_at = loop.time()
        if loop.time() - fine_at > STUCK_S:
            screen.show(TraceEntry("note", "your bot has sent nothing since that error; fix it and try again"))
            return ExitCode.FAILED
        await asyncio.sleep(LOOK_S)
    try:
        async with asyncio.timeout(KILL_AFTER_S):
            await bot.ended()
    except TimeoutError:
        screen.show(TraceEntry("next", "Let your program end after tournament_over; it was ended now."))
    closed_by = loop.time() + CLOSED_S
    while screen.trace.open_connections and loop.time() < closed_by:  # noqa: ASYNC110  # polled, like the tournament above
        await asyncio.sleep(LOOK_S)
    played, faults = len(tournament.results), screen.trace.faults
    if faults:
        screen.show(TraceEntry("note", f"your bot lost {faults} of {played} by its own fault; fix that and try again"))
        return ExitCode.FAILED
    screen.show(TraceEntry("note", f"{played} of {tournament.matches_total} played to the end"))
    return ExitCode.DONE


def _ended_early(exited: Exited, trace: Trace) -> list[TraceEntry]:
    """Return the entries to show when a program ended before all matches were over."""
    ended = TraceEntry("note", f"your program {exited.how} before the practice was over; its output is above")
    if not trace.is_connected:
        return [ended, TraceEntry("next", f"It never connected: {CONNECT}")]
    if not trace.is_logged_in:
        return [ended, TraceEntry("next", CLOSES[CloseCode.NO_LOGIN])]
    if exited.code:
        return [ended, TraceEntry("next", "Fix its error and try again.")]
    return [ended, TraceEntry("next", "Let it run until tournament_over.")]
