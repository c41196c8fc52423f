"""The entry points of the SDK: `run` a bot from a script, or `serve` it from asyncio code."""

import asyncio
import sys
from collections.abc import Callable, Mapping

from rumble_protocol.bot_messages import Challenge
from rumble_protocol.codes import ErrorCode
from rumble_protocol.plain import plain_text

from rumble_bots.sdk.actions import Summary
from rumble_bots.sdk.address import Address
from rumble_bots.sdk.bot import Bot
from rumble_bots.sdk.client import Client
from rumble_bots.sdk.conversation import Aim
from rumble_bots.sdk.errors import Refused, SdkError
from rumble_bots.sdk.keys import check_name
from rumble_bots.sdk.own_key import OwnKey
from rumble_bots.sdk.transport import Connect, connect

HINTS: Mapping[str, str] = {
    ErrorCode.INVITE_REQUIRED: "--invite CODE gives it, or invite=CODE in Python",
    ErrorCode.BAD_KEY: "--key KEY or RUMBLE_KEY brings one",
}
"""Advice for the owner of a bot, by the code of a refusal."""
INTERRUPTED = 130
"""The exit code of a script ended by Ctrl-C, as in shells."""


def to_stderr(line: str) -> None:
    """Write a line to standard error. Escape characters by which a text from the server could control the terminal."""
    sys.stderr.write(f"{plain_text(line)}\n")
    sys.stderr.flush()


async def serve(
    bot: Bot,
    server: str,
    *,
    name: str,
    key: str | None = None,
    join: str | None = None,
    invite: str | None = None,
    challenge: Challenge | None = None,
    challenges: bool = False,
    max_matches: int = 1,
    worker: str | None = None,
    follow: bool = False,
    same_server: str | None = None,
    say: Callable[[str], None] | None = None,
    connect: Connect = connect,
) -> Summary:
    """Play on `server`. Return a `Summary`, which says how play ended.

    `join` is the id of a tournament to join, and `challenge` is a request for a match. The bot plays until the
    tournament or the match is over. Without `join` and `challenge`, the bot plays until cancelled. If `challenges` is
    true, the bot accepts challenges, and plays until cancelled. After a lost connection the bot connects again. Raises
    SdkError if the bot cannot begin to play, or cannot continue.

    - `server` is `http://host:port`, `ws://host:port` or `host:port`. With TLS, the scheme is `https` or `wss`. A club
      other than `main` is named by `/c/NAME` at the end. The link of a page of the club works, too.
    - `name` is the bot's name on the server. The key of the name is `key`, or else the value of the environment
      variable `RUMBLE_KEY`. Without either, a key is made at the first use. The made key is kept in the configuration
      folder for this club and name.
    - `invite` is the code of the tournament's invitation, if the tournament asks for a code.
    - `max_matches` is the maximum number of matches of the bot at a time.
    - `worker` is the name of this program, if several programs play as the same bot, on one machine or on several
      machines. Each program plays a share of the matches. If a program drops out, the others take over its matches.
    - `follow` is for a bot that a pupil entered by a join code. With `follow`, the bot stays connected after its
      tournament. If the host's next tournament begins within an hour, the bot plays in the next tournament, too.
    - `same_server` is another address of the same club. The bot logs in with the key kept for that address. When the
      server accepts the key, the key is kept for `server`, too.
    - `say` gets news for the bot's owner, line by line.
    """
    address = Address.parse(server)
    own_key = OwnKey.find(address, check_name(name), key, same_server)
    aim = Aim(
        name=name,
        key=own_key.key,
        made_key=own_key.made_key,
        join=join,
        invite=invite,
        challenge=challenge,
        challenges=challenges,
        max_matches=max_matches,
        worker=None if worker is None else check_name(worker),
        follow=follow,
        games=bot.games,
        version=bot.version,
    )
    client = Client(bot, address, aim, say=say, admitted=own_key.admitted, connect=connect)
    try:
        return await client.run()
    except Refused as refused:
        hint = own_key.hint(refused.code, client.conversation.identity) or HINTS.get(refused.code, "")
        raise (Refused(refused.code, refused.message, hint) if hint else refused) from None


def run(
    bot: Bot,
    server: str,
    *,
    name: str,
    key: str | None = None,
    join: str | None = None,
    invite: str | None = None,
    challenge: Challenge | None = None,
    challenges: bool = False,
    max_matches: int = 1,
    worker: str | None = None,
    follow: bool = False,
    same_server: str | None = None,
    say: Callable[[str], None] | None = to_stderr,
) -> Summary:
    """Play as `serve` does, with the same arguments, from a script without an event loop.

    By default, `say` writes its lines to standard error.

    If the bot cannot play, or cannot play on, the script ends with a line on standard error and exit code 1. At Ctrl-C
    the script ends with exit code 130. To handle an SdkError yourself, call `serve`.
    """
    playing = serve(
        bot,
        server,
        name=name,
        key=key,
        join=join,
        invite=invite,
        challenge=challenge,
        challenges=challenges,
        max_matches=max_matches,
        worker=worker,
        follow=follow,
        same_server=same_server,
        say=say,
    )
    try:
        summary = asyncio.run(playing)
    except SdkError as error:
        raise SystemExit(plain_text(str(error))) from error
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    if say is not None:
        say(str(summary))
    return summary
