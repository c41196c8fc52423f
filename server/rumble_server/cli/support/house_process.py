"""A process of house bots: the server starts it and tells it on standard input which bots play (see `house`)."""

import asyncio
import json
import os
import ssl
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from rumble_bots.sdk.bot import Bot
from rumble_bots.sdk.serve import serve
from rumble_bots.sdk.transport import connect
from rumble_engine import game_names, get_game

from rumble_server.cli.support.bot_process import BotSpec, end_with_parent, make_bot, run_to_exit_code
from rumble_server.cli.support.errors import ExitCode
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


async def play(server: str, bots: Sequence[Mapping[str, Any]], tls: Callable[[], ssl.SSLContext] | None = None) -> None:
    """Play with all bots until the process is ended; `tls` makes the context of a secure connection."""
    made = [(make_house_bot(bot["reference_bot"], bot["name"]), bot) for bot in bots]
    await asyncio.gather(
        *(
            serve(
                bot,
                server,
                name=told["name"],
                key=told["key"],
                challenges=told["challenges"],
                connect=partial(connect, tls=tls),
                max_matches=MATCHES_TO_CHALLENGE if told["challenges"] else MATCHES_IN_TOURNAMENT,
            )
            for bot, told in made
        )
    )


def main() -> int:
    """Play as the first line of standard input says, until standard input ends. Return the exit code."""
    line = sys.stdin.buffer.readline()
    if not line:
        return ExitCode.DONE
    told = json.loads(line)
    end_with_parent()
    tls = trusted(told["certificate"], told["certificate_file"]) if "certificate" in told else None
    return run_to_exit_code(play(told["server"], told["bots"], tls), "rumble: house bots")


if __name__ == "__main__":
    sys.exit(main())
