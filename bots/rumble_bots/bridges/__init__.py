"""Bridges, by which unchanged programs with a protocol of their own play on a server.

`dialogue` has the base class of the protocols, which do no I/O: `stdio`, `uci`, `gtp` and `gomocup`. `child` runs a
program's process, `program` asks a program for moves against the clock, and `bot.BridgeBot` is the bot.
"""

from rumble_bots.bridges.bot import BridgeBot
from rumble_bots.bridges.dialogue import Dialogue
from rumble_bots.bridges.gomocup import Gomocup
from rumble_bots.bridges.gtp import Gtp
from rumble_bots.bridges.program import Launch
from rumble_bots.bridges.stderr_file import StderrFile, default_stderr_file
from rumble_bots.bridges.stdio import BareStdio, Stdio
from rumble_bots.bridges.uci import Uci, UciWishes

__all__ = [
    "BareStdio",
    "BridgeBot",
    "Dialogue",
    "Gomocup",
    "Gtp",
    "Launch",
    "StderrFile",
    "Stdio",
    "Uci",
    "UciWishes",
    "default_stderr_file",
]
