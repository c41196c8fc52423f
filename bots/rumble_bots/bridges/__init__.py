"""Bridges: programs with a protocol of their own play on a server unchanged.

`dialogue` is the base of the protocols: messages in lines, as generators without I/O. `stdio`, `uci`, `gtp` and
`gomocup` are the protocols. `child` runs a program, `program` holds the dialogue against the clock, and `bot.BridgeBot`
is the bot.
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
