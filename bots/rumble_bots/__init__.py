"""Bots for Rumble: the Python SDK, and the reference bots in `rumble_bots.reference`.

A bot is a subclass of `Bot` that answers a `Turn` with a move; `run` lets it play on a server:

    class First(Bot):
        def choose(self, turn: Turn) -> str:
            return turn.legal[0]

    run(First(), "localhost:8765", name="first", join="friday")
"""

import logging

from rumble_bots.functions.load import load_bot
from rumble_bots.sdk.actions import Summary
from rumble_bots.sdk.address import Address, http_base, ws_url
from rumble_bots.sdk.bot import Bot, Noted, Turn
from rumble_bots.sdk.client import Client
from rumble_bots.sdk.conversation import Aim
from rumble_bots.sdk.errors import (
    BadAddress,
    BadFunction,
    BadKey,
    BadName,
    BadProgram,
    BadServer,
    BotFailed,
    Closed,
    GiveUp,
    Refused,
    Resign,
    SdkError,
)
from rumble_bots.sdk.serve import run, serve

__all__ = [
    "Address",
    "Aim",
    "BadAddress",
    "BadFunction",
    "BadKey",
    "BadName",
    "BadProgram",
    "BadServer",
    "Bot",
    "BotFailed",
    "Client",
    "Closed",
    "GiveUp",
    "Noted",
    "Refused",
    "Resign",
    "SdkError",
    "Summary",
    "Turn",
    "http_base",
    "load_bot",
    "run",
    "serve",
    "ws_url",
]

# Users read the lines given to `say`; the log is for programs that set logging up.
logging.getLogger(__name__).addHandler(logging.NullHandler())
