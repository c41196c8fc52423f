"""A process of house bots: what the server starts, and tells on standard input whom to play (see `house`)."""

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from rumble_bots.sdk.bot import Bot
from rumble_bots.sdk.serve import serve
from rumble_engine import game_names, get_game

from rumble_server.cli.errors import ExitCode
from rumble_server.cli.many import Entry, make_bot, run_to_exit_code

THINK_MS = 500
"""A house bot thinks at most so long about a move: others wait, and the machine is shared."""
MATCHES_TO_CHALLENGE = 64
MATCHES_IN_TOURNAMENT = 2
STDIN = 0
"""The descriptor."""


def make_house_bot(player: str, name: str) -> Bot:
    """Make the bot that plays, with its `games` set where it plays only some. Raises ReferenceBotError, BadFunction."""
    from rumble_bots.reference import REFERENCE_BOTS

    kind = REFERENCE_BOTS.get(player)
    limited = kind is not None and "time_ms" in kind.options
    bot = make_bot(Entry(player, name, seed=int.from_bytes(os.urandom(4)), time_ms=THINK_MS if limited else None))
    if kind is not None:
        games = [game for game in game_names() if ":" not in game]
        played = [game for game in games if kind.can_play(get_game(game).initial())]
        bot.games = None if played == games else played
    return bot


async def play(server: str, bots: Sequence[Mapping[str, Any]]) -> None:
    """All of them play until the process is ended."""
    made = [(make_house_bot(bot["player"], bot["name"]), bot) for bot in bots]
    await asyncio.gather(
        *(
            serve(
                bot,
                server,
                name=who["name"],
                key=who["key"],
                challenges=who["challenges"],
                max_matches=MATCHES_TO_CHALLENGE if who["challenges"] else MATCHES_IN_TOURNAMENT,
            )
            for bot, who in made
        )
    )


def main() -> int:
    """Play as the first line of standard input says, until there is no more to read there. Returns the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends this process
    line = sys.stdin.buffer.readline()
    if not line:
        return ExitCode.DONE
    told = json.loads(line)
    threading.Thread(target=_end_with_server, daemon=True).start()
    return run_to_exit_code(play(told["server"], told["bots"]), "rumble: house bots")


def _end_with_server() -> None:
    # Not by sys.stdin: its lock, held by a thread that waits, makes Python abort where the process ends by itself.
    while os.read(STDIN, 1024):
        pass
    os._exit(ExitCode.DONE)


if __name__ == "__main__":
    sys.exit(main())
