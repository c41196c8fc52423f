"""`rumble practice`: a bot, as a program, against a house bot on this machine, with every frame shown."""

import asyncio
import json
import math
import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from signal import Signals
from typing import Annotated

import typer
from rich.text import Text
from rumble_bots.functions.load import is_function, load_bot
from rumble_bots.reference.remote import RemoteReferenceBot
from rumble_bots.sdk.actions import Summary
from rumble_bots.sdk.address import ws_url
from rumble_bots.sdk.processes import KILL_AFTER_S, end_process, start_group
from rumble_bots.sdk.serve import serve
from rumble_bots.sdk.thinkers import Thinkers
from rumble_engine import get_game
from rumble_protocol.codes import CloseCode
from rumble_protocol.fields import DAY_MS, TimeControl

from rumble_server.cli.advice import CLOSES
from rumble_server.cli.demo import think_ms
from rumble_server.cli.errors import CliError, ExitCode
from rumble_server.cli.loop import run
from rumble_server.cli.options import Game, Json, Seed, Setting, given, read_settings
from rumble_server.cli.play import lines
from rumble_server.cli.proxy import Sender, proxying
from rumble_server.cli.running import checked_players, running_server, unless_stopped, until_signal
from rumble_server.cli.tables import plain_or_rich
from rumble_server.cli.trace import Entry, Trace
from rumble_server.config import ServerConfig
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.machine import OVER, Tournament

ID = "practice"
NAME = "my-bot"
HINT_S, PATIENCE_S = 10.0, 120.0
"""After so long without a login, or a move, the author is told; after so long without a login it is over: programs may
compile first."""
STUCK_S = 3.0
"""A bot that is refused, and then says nothing for so long, waits for what will not come."""
LOOK_S = 0.02
STDERR = 2
"""The descriptor."""
SLOW = (
    "there is no clock here, and this waits; if your bot does not think, does it flush what it writes? Ctrl-C ends it"
)
CONNECT = "open a WebSocket to the address in RUMBLE_SERVER, log in as RUMBLE_NAME, and join RUMBLE_JOIN"
STYLES = {"bot": "cyan", "server": "green", "board": "", "note": "dim", "next": "bold yellow"}


def practice(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- COMMAND",
            help="The bot. It finds RUMBLE_SERVER, RUMBLE_JOIN, RUMBLE_NAME and RUMBLE_KEY in its environment; "
            "{address} (host:port), {join} and {name} in its arguments are replaced.",
        ),
    ],
    game: Game = "tictactoe",
    setting: Setting = None,
    against: Annotated[str, typer.Option(metavar="BOT", help="The house bot.")] = "random",
    seed: Seed = 0,
    matches: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 1,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter before each turn is sent to the bot.")] = False,
    json_: Json = False,
) -> int:
    """Let a bot play a house bot, without a clock, and show every frame; where it fails, say what to do next."""
    config = TournamentConfig(
        name=ID,
        game=get_game(game).name,
        settings=get_game(game).complete(read_settings(setting)),
        cycles=matches,
        legs=1,
        time_control=TimeControl(move_ms=DAY_MS),
        seed=seed,
        start_at_bots=2,
        rated=False,
    )
    checked_players([against])
    screen = Screen(as_json=json_, step=step)

    async def until_the_end() -> int | None:
        with tempfile.TemporaryDirectory(prefix="rumble-") as folder:
            server = ServerConfig(port=0, db=str(Path(folder) / "rumble.db"), drain_ms=0)
            return await unless_stopped(_practice(server, config, against, command, screen), until_signal())

    code = run(until_the_end())
    return ExitCode.INTERRUPTED if code is None else code


class Screen:
    """Shows what passes between bot and server, and holds turns back until Enter is pressed. The proxy's watcher."""

    def __init__(self, *, as_json: bool, step: bool) -> None:
        self.trace = Trace()
        self._as_json = as_json
        self._read = lines() if step else None
        self._thinkers = Thinkers()
        self._console = plain_or_rich()
        self._ended = False

    @property
    def steps(self) -> bool:
        """Whether somebody presses Enter before each turn."""
        return self._read is not None

    def end(self) -> None:
        """Show no more: what follows is only the end of the programs."""
        self._ended = True

    def show(self, *entries: Entry) -> None:
        """Write entries to standard output."""
        for entry in () if self._ended else entries:
            if self._as_json:
                typer.echo(json.dumps(entry.as_json()))
            else:
                self._console.print(Text(str(entry), style=STYLES[entry.about]), soft_wrap=True)

    async def opened(self) -> None:
        """The bot opened a connection."""
        self.show(*self.trace.opened())

    async def frame(self, sender: Sender, frame: str | bytes) -> None:
        """One side sent a frame."""
        self.show(*self.trace.frame(sender, frame))
        if self._read is not None and sender == "server" and self.trace.asked(frame):
            typer.echo("Enter sends this turn to your bot: ", err=True, nl=False)
            if await self._thinkers.run(self._read) is None:
                self._read = None  # nobody types any more

    async def closed(self, sender: Sender, code: int, reason: str) -> None:
        """One side ended the connection."""
        self.show(*self.trace.closed(sender, code, reason))


async def _practice(
    config: ServerConfig, wanted: TournamentConfig, against: str, command: Sequence[str], screen: Screen
) -> int:
    async with running_server(config) as server:
        tournament, number = server.arena.create(wanted)
        await server.log.wait(number)
        async with (
            _house_bot(against, server.url, wanted) as house,
            proxying(ws_url(server.url), screen) as port,
            _bot_process(command, port) as process,
        ):
            try:
                return await _follow(tournament, house, process, screen)
            finally:
                screen.end()


@asynccontextmanager
async def _house_bot(player: str, url: str, wanted: TournamentConfig) -> AsyncIterator[asyncio.Task[Summary]]:
    """The opponent, in this process."""
    limits = given(time_ms=None if is_function(player) else think_ms(player, wanted.game))
    bot = load_bot(player) if is_function(player) else RemoteReferenceBot(player, seed=wanted.seed, **limits)
    name = player.rpartition(":")[2].strip("_")
    task = asyncio.create_task(serve(bot, url, name=name, key=secrets.token_urlsafe(), join=ID))
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def _bot_process(command: Sequence[str], port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """The bot, as a process. What it writes goes to standard error: standard output is the trace."""
    places = {"{address}": f"127.0.0.1:{port}", "{join}": ID, "{name}": NAME}
    words = [_filled(word, places) for word in command]
    told = {
        "RUMBLE_SERVER": f"ws://127.0.0.1:{port}/bot",
        "RUMBLE_JOIN": ID,
        "RUMBLE_NAME": NAME,
        "RUMBLE_KEY": secrets.token_urlsafe(),
    }
    try:
        process = await start_group(words, stdin=asyncio.subprocess.DEVNULL, stdout=STDERR, env={**os.environ, **told})
    except OSError as error:
        raise CliError(f"cannot start {words[0]}: {error.strerror}") from None
    try:
        yield process
    finally:
        await end_process(process, group=True)


def _filled(word: str, places: Mapping[str, str]) -> str:
    for place, value in places.items():
        word = word.replace(place, value)
    return word


async def _follow(
    tournament: Tournament, house: asyncio.Task[Summary], process: asyncio.subprocess.Process, screen: Screen
) -> int:
    """Wait for the end, and say how it went. Returns the exit code."""
    loop = asyncio.get_running_loop()
    began, hinted = loop.time(), False
    fine_at = idle_at = began
    while tournament.status not in OVER:
        if process.returncode is not None:
            screen.show(*_ended_early(process.returncode, screen.trace))
            return ExitCode.FAILED
        if house.done():
            house.result()
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
            idle_at = math.inf  # said once
            screen.show(Entry("next", SLOW))
        if not screen.trace.refused:
            fine_at = loop.time()
        if loop.time() - fine_at > STUCK_S:
            screen.show(Entry("note", "your bot has said nothing since that error; mend it, and try again"))
            return ExitCode.FAILED
        await asyncio.sleep(LOOK_S)
    try:
        async with asyncio.timeout(KILL_AFTER_S):
            await process.wait()
    except TimeoutError:
        screen.show(Entry("next", "let your program end when it is told `tournament_over`; it is ended now"))
    played, faults = len(tournament.results), screen.trace.faults
    if faults:
        screen.show(Entry("note", f"your bot lost {faults} of {played} by its own fault; mend that, and try again"))
        return ExitCode.FAILED
    screen.show(Entry("note", f"{played} of {tournament.matches_total} played to the end"))
    return ExitCode.DONE


def _ended_early(code: int, trace: Trace) -> list[Entry]:
    """What to say of a program that ended before its match did."""
    how = f"exit code {code}" if code >= 0 else Signals(-code).name
    ended = Entry("note", f"your program ended ({how}) before the practice was over; what it said is above")
    if not trace.connected:
        return [ended, Entry("next", f"it never connected: {CONNECT}")]
    if not trace.logged_in:
        return [ended, Entry("next", CLOSES[CloseCode.NO_LOGIN])]
    if code:
        return [ended, Entry("next", "mend what it complained of, and try again")]
    return [ended, Entry("next", "let it run until it is told `tournament_over`")]
