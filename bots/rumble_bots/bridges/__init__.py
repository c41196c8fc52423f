"""Bridges, with which programs that speak another protocol play on a server without a change.

`dialogue` has the base class of the protocols `stdio`, `uci`, `gtp` and `gomocup`, which do no I/O. `child` runs the
process of a program, `program` asks a program for moves against the clock, and `bot.BridgeBot` is the bot.
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
