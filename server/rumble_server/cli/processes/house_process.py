"""A process of house bots. The server starts the process, and writes a line with all bots to it after each change."""

import asyncio
import json
import os
import ssl
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from rumble_bots.sdk.bot import Bot
from rumble_bots.sdk.serve import serve
from rumble_bots.sdk.transport import connect
from rumble_engine import game_families, game_names, get_game
from rumble_protocol.clubs import web_path

from rumble_server.cli.output.errors import as_cli_error
from rumble_server.cli.processes.bot_process import BotSpec, make_bot, read_input, run_to_exit_code
from rumble_server.cli.processes.house import run_again_and_again
from rumble_server.host.tls import read_leaf, trusting

SEARCH_MS = 500
"""Maximum search time in ms for a move of a house bot. Short, because opponents wait, and bots share the machine."""
MATCHES_TO_CHALLENGE = 64
"""Maximum number of matches at once for a house bot that takes challenges."""
MATCHES_IN_TOURNAMENT = 2
"""Maximum number of matches at once for a house bot in a tournament."""


def make_house_bot(reference_bot: str, name: str, cwd: Path) -> Bot:
    """Make a house bot; `cwd` is as for `make_bot`. Raises ReferenceBotError, BadFunction.

    If a reference bot cannot play every installed game, the attribute `games` of the returned bot lists the games that
    it can play.
    """
    from rumble_bots.reference import REFERENCE_BOTS

    kind = REFERENCE_BOTS.get(reference_bot)
    limited = kind is not None and "time_ms" in kind.options
    seed, time_ms = int.from_bytes(os.urandom(4)), SEARCH_MS if limited else None
    bot = make_bot(BotSpec(reference_bot, name, seed, time_ms), cwd)
    if kind is not None:
        games = game_names()
        played = [game for game in games if kind.can_play(get_game(game).initial())]
        families = game_families().values() if kind.games is None else ()
        bot.games = None if played == games else [*played, *(name for family in families for name in family.names())]
    return bot


def trusted(certificate: str, file: str) -> Callable[[], ssl.SSLContext]:
    """Return a function that makes a TLS context. The function reads `file` at each call.

    The context trusts two certificates: `certificate`, which the server has read at its start, and the present
    certificate in `file`, which the server uses after a reload.
    """

    def make() -> ssl.SSLContext:
        with suppress(OSError, ValueError):
            return trusting(certificate, read_leaf(file))
        return trusting(certificate)

    return make


class House:
    """The house bots of this process. Each bot plays in a task."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        self._group = group
        self._cwd = Path.cwd()
        self._playing: dict[tuple[tuple[str, Any], ...], asyncio.Task[None]] = {}
        """The task of each bot. The key has all fields of the bot, so a bot with a changed field gets a new task."""

    def change(self, message: Mapping[str, Any]) -> None:
        """Start the bots that are new in `message`, and end the bots that are missing in `message`.

        `message` is the newest line of standard input, as JSON data.
        """
        tls = trusted(message["certificate"], message["certificate_file"]) if "certificate" in message else None
        wanted = {tuple(sorted(bot.items())): bot for bot in message["bots"]}
        for gone in self._playing.keys() - wanted.keys():
            self._playing.pop(gone).cancel()
        for key in wanted.keys() - self._playing.keys():
            playing = partial(_play, message["server"], wanted[key], tls, self._cwd)
            self._playing[key] = self._group.create_task(run_again_and_again(playing))


async def _play(server: str, spec: Mapping[str, Any], tls: Callable[[], ssl.SSLContext] | None, cwd: Path) -> None:
    """Play as a bot until its tournament is over. Write an expected error to standard error."""
    path = web_path(spec["club"])
    try:
        await serve(
            make_house_bot(spec["reference_bot"], spec["name"], cwd),
            server + path,
            name=spec["name"],
            key=spec["key"],
            challenges=spec["is_resident"],
            connect=partial(connect, tls=tls),
            max_matches=MATCHES_TO_CHALLENGE if spec["is_resident"] else MATCHES_IN_TOURNAMENT,
        )
    except Exception as error:
        known = as_cli_error(error)
        if known is None:
            raise
        sys.stderr.write(f"rumble: house bot {f'{path}/'.lstrip('/')}{spec['name']}: {known.message}\n")


async def play() -> None:
    """Play as the bots in the newest line of standard input. The process ends when the input ends."""
    loop = asyncio.get_running_loop()
    async with asyncio.TaskGroup() as group:
        house = House(group)
        read_input(lambda line: loop.call_soon_threadsafe(house.change, json.loads(line)))
        await loop.create_future()


if __name__ == "__main__":
    sys.exit(run_to_exit_code(play(), "rumble: house bots"))
