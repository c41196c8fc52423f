"""The matches of `rumble practice`: a server, a proxy that shows every frame, the opponent, and the bot's program."""

import asyncio
import json
import math
import os
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from signal import Signals

import typer
from rich.padding import Padding
from rich.text import Text
from rumble_bots.sdk.actions import Summary
from rumble_bots.sdk.address import ws_url
from rumble_bots.sdk.processes import KILL_AFTER_S, end_process, filled, start_group
from rumble_bots.sdk.serve import serve
from rumble_bots.sdk.thinkers import Thinkers
from rumble_engine import get_game
from rumble_protocol.codes import CloseCode
from rumble_protocol.fields import DAY_MS, TimeControl
from rumble_protocol.secret import make_secret

from rumble_server.arena.organiser import Organiser
from rumble_server.cli.support.advice import CLOSES
from rumble_server.cli.support.boards import board_of, draws
from rumble_server.cli.support.bot_names import checked_bots, own_name
from rumble_server.cli.support.bot_process import BotSpec, make_bot, search_ms
from rumble_server.cli.support.errors import CliError, ExitCode
from rumble_server.cli.support.loop import run_unless_stopped
from rumble_server.cli.support.proxy import Sender, proxying
from rumble_server.cli.support.running import running_server
from rumble_server.cli.support.terminal import plain_lines, plain_or_rich, stdin_lines
from rumble_server.cli.support.trace import Entry, Trace
from rumble_server.config import ServerConfig
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.tournament import OVER, Tournament

ID = "practice"
NAME = "my-bot"
HINT_S = 10.0
"""Time in s without a login or a move; then a hint is shown."""
PATIENCE_S = 120.0
"""Time in s without a login; then the practice fails. The time is long because some programs compile first."""
STUCK_S = 3.0
"""Time in s for which a bot may send nothing after an `error`; then the practice fails."""
LOOK_S = 0.02
"""Time in s between two looks at the tournament and the program."""
STDERR = 2
"""The file descriptor."""
SLOW = "your bot has no time limit here; if it is not thinking, it may not flush what it writes; Ctrl-C ends it"
CONNECT = "open a WebSocket at ws://$RUMBLE_SERVER/bot; log in as RUMBLE_NAME, and join RUMBLE_JOIN"
BOARD_INDENT = 7
"""Columns left of a board; other entries have the speaker's name in these columns."""
STYLES = {"bot": "cyan", "server": "green", "board": "", "note": "dim", "next": "bold yellow"}


def practise(
    game: str,
    settings: Mapping[str, bool | int | str],
    against: str,
    command: Sequence[str],
    screen: "Screen",
    *,
    matches: int,
    seed: int,
) -> int:
    """Let the bot that `command` starts play, and return the exit code. Raises CliError, EngineError, BadFunction."""
    kind = get_game(game)
    config = TournamentConfig(
        name=ID,
        game=kind.name,
        settings=kind.complete(settings),
        cycles=matches,
        legs=1,
        time_control=TimeControl(move_ms=DAY_MS),
        seed=seed,
        start_at_bots=2,
        rated=False,
    )
    checked_bots([against])
    with tempfile.TemporaryDirectory(prefix="rumble-") as folder:
        server = ServerConfig(port=0, db=str(Path(folder) / "rumble.db"), drain_ms=0)
        code = run_unless_stopped(_practice(server, config, against, command, screen, folder))
    return ExitCode.INTERRUPTED if code is None else code


class Screen:
    """The proxy's watcher: shows each frame, and with `step` holds each turn back until Enter is pressed."""

    def __init__(self, *, as_json: bool, step: bool) -> None:
        self.trace = Trace()
        self._as_json = as_json
        self._read = stdin_lines() if step else None
        self._thinkers = Thinkers()
        self._console = plain_or_rich()
        self._ended = False

    @property
    def steps(self) -> bool:
        return self._read is not None

    def end(self) -> None:
        """Show no more entries, because only the programs' end follows."""
        self._ended = True

    def show(self, *entries: Entry) -> None:
        for entry in () if self._ended else entries:
            if self._as_json:
                typer.echo(json.dumps(entry.as_json()))
            elif entry.position is not None and draws(self._console):
                game, state, last = entry.position
                board = board_of(self._console, get_game(game), state, last)
                self._console.print(Padding(board, (0, 0, 0, BOARD_INDENT)))
            else:
                self._console.print(Text(plain_lines(str(entry)), style=STYLES[entry.about]), soft_wrap=True)

    async def opened(self) -> None:
        self.show(*self.trace.opened())

    async def frame(self, sender: Sender, frame: str | bytes) -> None:
        self.show(*self.trace.frame(sender, frame))
        if self._read is not None and sender == "server" and self.trace.asked(frame):
            typer.echo("Enter sends this turn to your bot: ", err=True, nl=False)
            if await self._thinkers.run(self._read) is None:
                self._read = None  # standard input has ended

    async def closed(self, sender: Sender, code: int, reason: str) -> None:
        self.show(*self.trace.closed(sender, code, reason))


async def _practice(
    config: ServerConfig, wanted: TournamentConfig, against: str, command: Sequence[str], screen: Screen, folder: str
) -> int:
    async with running_server(config) as server:
        tournament = Organiser(server.arena).create(wanted)
        await server.log.wait(server.log.last)
        async with (
            _opponent(against, server.url, wanted) as opponent,
            proxying(ws_url(server.url), screen) as port,
            _bot_process(command, port, folder) as process,
        ):
            try:
                return await _follow(tournament, opponent, process, screen)
            finally:
                screen.end()


@asynccontextmanager
async def _opponent(bot: str, url: str, wanted: TournamentConfig) -> AsyncIterator[asyncio.Task[Summary]]:
    """Run the opponent in this process."""
    spec = BotSpec(bot, own_name(bot), wanted.seed, search_ms(bot, wanted.game))
    task = asyncio.create_task(serve(make_bot(spec), url, name=spec.name, key=make_secret(), join=ID))
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def _bot_process(command: Sequence[str], port: int, folder: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run the bot's process. Its output goes to standard error, because standard output has the trace."""
    places = {"{address}": f"127.0.0.1:{port}", "{join}": ID, "{name}": NAME}
    words = filled(command, places)
    told = {
        "RUMBLE_SERVER": places["{address}"],
        "RUMBLE_JOIN": ID,
        "RUMBLE_NAME": NAME,
        "RUMBLE_KEY": make_secret(),
        "RUMBLE_CONFIG_DIR": folder,  # keys for this short-lived server must not gather
    }
    try:
        process = await start_group(words, stdin=asyncio.subprocess.DEVNULL, stdout=STDERR, env={**os.environ, **told})
    except OSError as error:
        raise CliError(f"cannot start {words[0]}: {error.strerror}") from None
    try:
        yield process
    finally:
        await end_process(process, group=True)


async def _follow(
    tournament: Tournament, opponent: asyncio.Task[Summary], process: asyncio.subprocess.Process, screen: Screen
) -> int:
    """Wait for the end, show how it went, and return the exit code."""
    loop = asyncio.get_running_loop()
    began, hinted = loop.time(), False
    fine_at = idle_at = began
    while tournament.status not in OVER:
        if process.returncode is not None:
            screen.show(*_ended_early(process.returncode, screen.trace))
            return ExitCode.FAILED
        if opponent.done():
            opponent.result()
        waited_s = 0.0 if screen.trace.logged_in else loop.time() - began
        if waited_s > HINT_S and not hinted:
            hinted = True
            what = "logged in" if screen.trace.connected else "connected"
            screen.show(Entry("next", f"your program has not {what} yet: {CONNECT}"))
        if waited_s > PATIENCE_S:
            screen.show(Entry("note", f"it did not log in within {PATIENCE_S:g} s"))
            return ExitCode.FAILED
        if not screen.trace.thinking:
            idle_at = loop.time()
        if loop.time() - idle_at > HINT_S and not screen.steps:
            idle_at = math.inf  # shown once
            screen.show(Entry("next", SLOW))
        if not screen.trace.refused:
            fine_at = loop.time()
        if loop.time() - fine_at > STUCK_S:
            screen.show(Entry("note", "your bot has sent nothing since that error; fix it and try again"))
            return ExitCode.FAILED
        await asyncio.sleep(LOOK_S)
    try:
        async with asyncio.timeout(KILL_AFTER_S):
            await process.wait()
    except TimeoutError:
        screen.show(Entry("next", "let your program end after `tournament_over`; it was ended now"))
    played, faults = len(tournament.results), screen.trace.faults
    if faults:
        screen.show(Entry("note", f"your bot lost {faults} of {played} by its own fault; fix that and try again"))
        return ExitCode.FAILED
    screen.show(Entry("note", f"{played} of {tournament.matches_total} played to the end"))
    return ExitCode.DONE


def _ended_early(code: int, trace: Trace) -> list[Entry]:
    """Return the entries to show when a program ended before its matches."""
    how = f"exit code {code}" if code >= 0 else Signals(-code).name
    ended = Entry("note", f"your program ended ({how}) before the practice was over; its output is above")
    if not trace.connected:
        return [ended, Entry("next", f"it never connected: {CONNECT}")]
    if not trace.logged_in:
        return [ended, Entry("next", CLOSES[CloseCode.NO_LOGIN])]
    if code:
        return [ended, Entry("next", "fix its error and try again")]
    return [ended, Entry("next", "let it run until `tournament_over`")]
