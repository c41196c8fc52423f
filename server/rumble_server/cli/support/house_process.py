"""A process of house bots: the server starts it and tells it on standard input, line by line, which bots play."""

import asyncio
import json
import os
import ssl
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from rumble_bots.sdk.bot import Bot
from rumble_bots.sdk.serve import serve
from rumble_bots.sdk.transport import connect
from rumble_engine import game_names, get_game
from rumble_protocol.clubs import MAIN, web_path

from rumble_server.cli.support.bot_process import BotSpec, follow_input, make_bot, run_to_exit_code
from rumble_server.tls import read_leaf, trusting

SEARCH_MS = 500
"""Time in ms that a house bot may search for a move: opponents wait, and the bots share the machine."""
MATCHES_TO_CHALLENGE = 64
"""Maximum number of matches at once for a house bot that takes challenges."""
MATCHES_IN_TOURNAMENT = 2
"""Maximum number of matches at once for a house bot in a tournament."""


def make_house_bot(reference_bot: str, name: str) -> Bot:
    """Make a house bot, with `games` set if it does not play every game. Raises ReferenceBotError, BadFunction."""
    from rumble_bots.reference import REFERENCE_BOTS

    kind = REFERENCE_BOTS.get(reference_bot)
    limited = kind is not None and "time_ms" in kind.options
    bot = make_bot(
        BotSpec(reference_bot, name, seed=int.from_bytes(os.urandom(4)), time_ms=SEARCH_MS if limited else None)
    )
    if kind is not None:
        games = [game for game in game_names() if ":" not in game]
        played = [game for game in games if kind.can_play(get_game(game).initial())]
        bot.games = None if played == games else played
    return bot


def trusted(certificate: str, file: str) -> Callable[[], ssl.SSLContext]:
    """Make contexts that trust the server's certificate: as it was when this process started, and as it is on file.

    One of them is what the server shows, whether or not it has read the file again since.
    """

    def make() -> ssl.SSLContext:
        with suppress(OSError, ValueError):
            return trusting(certificate, read_leaf(file))
        return trusting(certificate)

    return make


class House:
    """The bots that this process plays. Those that are told of anew begin, those that are no longer told of end."""

    def __init__(self) -> None:
        self._playing: dict[tuple[tuple[str, Any], ...], asyncio.Task[None]] = {}
        """By all that was told of a bot."""
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when no bot plays any more, by itself, or one cannot: then it has the error."""

    def change(self, told: Mapping[str, Any]) -> None:
        """Play the bots that a line tells of."""
        tls = trusted(told["certificate"], told["certificate_file"]) if "certificate" in told else None
        wanted = {tuple(sorted(bot.items())): bot for bot in told["bots"]}
        for gone in self._playing.keys() - wanted.keys():
            self._playing.pop(gone).cancel()
        for key in wanted.keys() - self._playing.keys():
            playing = self._playing[key] = asyncio.create_task(_play(told["server"], wanted[key], tls))
            playing.add_done_callback(partial(self._ended, key))

    def _ended(self, key: tuple[tuple[str, Any], ...], playing: "asyncio.Task[None]") -> None:
        if playing.cancelled() or self.over.done():
            return
        error = playing.exception()
        self._playing.pop(key, None)
        if error is not None:
            self.over.set_exception(error)
        elif not self._playing:
            self.over.set_result(None)


async def _play(server: str, told: Mapping[str, Any], tls: Callable[[], ssl.SSLContext] | None) -> None:
    await serve(
        make_house_bot(told["reference_bot"], told["name"]),
        server + web_path(told.get("club", MAIN)),
        name=told["name"],
        key=told["key"],
        challenges=told["challenges"],
        connect=partial(connect, tls=tls),
        max_matches=MATCHES_TO_CHALLENGE if told["challenges"] else MATCHES_IN_TOURNAMENT,
    )


async def play() -> None:
    """Play as the newest line of standard input says, until that ends, and the process with it."""
    house, loop = House(), asyncio.get_running_loop()
    follow_input(lambda line: loop.call_soon_threadsafe(house.change, json.loads(line)))
    await house.over


def main() -> int:
    """Play as standard input says, until it ends. Return the exit code."""
    return run_to_exit_code(play(), "rumble: house bots")


if __name__ == "__main__":
    sys.exit(main())
