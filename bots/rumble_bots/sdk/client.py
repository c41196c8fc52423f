"""Keeps a bot on a server: connects, carries out the actions of its `Conversation`, and connects again."""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress

from rumble_protocol.codec import write_message
from rumble_protocol.codes import CloseCode

from rumble_bots.sdk.actions import Action, Admitted, Drop, Fail, Finish, Say, Send, Summary, Tell, Think
from rumble_bots.sdk.address import Address
from rumble_bots.sdk.bot import Bot, Told, Turn, tell
from rumble_bots.sdk.choosing import Chooser, traceback_lines
from rumble_bots.sdk.conversation import Aim, Conversation
from rumble_bots.sdk.errors import BadServer, Crashed, GiveUp, Resign, SdkError
from rumble_bots.sdk.transport import Connect, Connection, Lost, Unreachable, connect

logger = logging.getLogger("rumble_bots")

BEING_REPLACED = (CloseCode.DRAINING, CloseCode.NO_LEADER)
"""The close codes of a server that is being replaced."""
NORMAL = 1000
"""The close code of a connection that ends normally."""
FIRST_DELAY_S, LONGEST_DELAY_S = 0.2, 10.0
"""First and longest delay in s before a reconnect. Each delay is then shortened at random."""
STEADY_S = 2.0
"""Duration in s above which a connection counts as good.

After a good connection, delays begin with `FIRST_DELAY_S`.
"""
PATIENCE_S = 600.0
"""Time in s without an accepted login after which the client gives up."""


def delays(lot: Callable[[], float]) -> Iterator[float]:
    """Yield the time in s to wait before each reconnect.

    The time doubles up to a limit. Each time is shortened at random, at most by half: `lot` returns random numbers
    from 0 to 1.
    """
    delay_s = FIRST_DELAY_S
    while True:
        yield delay_s * (0.5 + lot() / 2)
        delay_s = min(LONGEST_DELAY_S, delay_s * 2)


class Client:
    """A bot on a server. `run` plays to the end, and connects again when the connection is lost.

    `say` is called with each line of news for the bot's owner. The end of the tournament is not among the news, because
    `run` returns a summary. All news and the end go to the logger `rumble_bots`, too.

    `admitted` is called when the server has accepted the key. Its arguments are the club's identity, and the secret
    that the server made in exchange for the key (None without an exchange). After `patience` seconds without an
    accepted login, the client gives up. `lot` returns random numbers from 0 to 1.
    """

    def __init__(
        self,
        bot: Bot,
        server: Address,
        aim: Aim,
        *,
        say: Callable[[str], None] | None = None,
        admitted: Callable[[str, str | None], None] = lambda _, __: None,
        patience: float = PATIENCE_S,
        connect: Connect = connect,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        lot: Callable[[], float] = random.random,
    ) -> None:
        self.conversation = Conversation(aim, now, server.club)
        self._bot = bot
        self._server = server
        self._say_line = say
        self._admitted = admitted
        self._patience_s = patience
        self._connect = connect
        self._now = now
        self._sleep = sleep
        self._lot = lot
        self._connection: Connection | None = None
        self._is_to_come_again = False
        """True after the server has turned the client away for the time being. The client then tries again, even if the
        client has not logged in yet."""
        self._summary: Summary | None = None
        self._failure: SdkError | None = None
        """The error of a bot that gave up."""
        self.chooser = Chooser(bot)
        """The adapter that asks the bot for its moves."""
        self._thoughts: set[asyncio.Task[None]] = set()

    async def run(self) -> Summary:
        """Play to the end.

        Raises Refused and Closed. If the bot gives up, raises `GiveUp.error`. Raises BadServer if the first connection
        fails, or if there is no accepted login for `patience` seconds after a connection was lost.
        """
        waits = delays(self._lot)
        last_good, said = self._now(), ""
        try:
            while True:
                began, logins, again_s = self._now(), self.conversation.logins, None
                try:
                    return await self._play_over(await self._connect(self._server))
                except Unreachable as error:
                    problem, again_s = str(error), error.again_s
                    self._is_to_come_again = self._is_to_come_again or error.is_full or again_s is not None
                except Lost as lost:
                    problem = f"{self._server.http_base} ended the connection: {lost}"
                    self._is_to_come_again = self._is_to_come_again or lost.code in BEING_REPLACED
                    if self._failure is None:
                        await self._run_actions(self.conversation.on_lost(lost.code, lost.reason))
                    if lost.code == CloseCode.NO_LEADER and self.conversation.logins > logins:
                        again_s = 0.0
                if self._failure is not None:
                    raise self._failure
                if self.conversation.logins > logins:
                    last_good, said = self._now(), ""
                    if last_good - began > STEADY_S:
                        waits = delays(self._lot)
                elif not (logins or self._is_to_come_again) or self._now() - last_good > self._patience_s:
                    raise BadServer(problem)
                wait_s = next(waits) if again_s is None else again_s
                level = logging.DEBUG if problem == said else logging.INFO  # a repeated problem is told once
                self._log(level, f"{problem}; connecting again in {wait_s:.1f} s")
                said = problem
                await self._sleep(wait_s)
                if self._failure is not None:  # the bot gave up meanwhile
                    raise self._failure
        finally:
            for thought in self._thoughts:
                thought.cancel()

    async def leave(self) -> None:
        """Leave the tournament. `run` then returns, unless the bot accepts challenges."""
        with suppress(Lost):  # the bot leaves after the next login
            await self._run_actions(self.conversation.leave())

    async def _play_over(self, connection: Connection) -> Summary:
        """Play over a connection. Raises Lost if the connection ends before the tournament is over for the bot."""
        self._connection = connection
        try:
            while self._connection is not None:
                if self._failure is not None:
                    raise self._failure
                if self._summary is not None:
                    return self._summary
                frame = await connection.receive()
                await self._run_actions(
                    self.conversation.on_frame(frame, connection.round_trip_ms, self.chooser.lateness.ms)
                )
            raise Lost(NORMAL, "to try again later")
        finally:
            self._connection = None
            await connection.close()

    async def _run_actions(self, actions: list[Action]) -> None:
        for action in actions:
            match action:
                case Send(message):
                    if self._connection is not None:
                        await self._connection.send(write_message(message).decode())
                case Think(turn):
                    thought = asyncio.get_running_loop().create_task(self._think(turn))
                    self._thoughts.add(thought)
                    thought.add_done_callback(self._thoughts.discard)
                case Tell(message):
                    self._notify_bot(message)
                case Say(level, text):
                    self._log(level, text)
                case Drop():
                    self._connection = None
                    self._is_to_come_again = True
                case Admitted(identity, made_key):
                    self._admitted(identity, made_key)
                case Finish(summary):
                    logger.info("%s", summary)
                    self._summary = summary
                case Fail(error):
                    raise error

    async def _think(self, turn: Turn) -> None:
        """Let the bot choose, and send the answer.

        If the connection ends meanwhile, the server sends the turn again.
        """
        try:
            actions = self.conversation.on_move(turn, await self.chooser.choose(turn))
        except Resign as resigned:
            if isinstance(resigned, Crashed) and resigned.__cause__ is not None and self._say_line is not None:
                for line in traceback_lines(resigned.__cause__):
                    self._say_line(line)
            actions = self.conversation.on_no_move(turn, str(resigned), failed=isinstance(resigned, Crashed))
            if isinstance(resigned, GiveUp):
                self._failure = resigned.error
        with suppress(Lost):
            await self._run_actions(actions)
        if self._failure is not None and self._connection is not None:
            await self._connection.close()

    def _notify_bot(self, message: Told) -> None:
        try:
            tell(self._bot, message)
        except Exception:
            logger.exception("the bot failed when told of %s", message.type)
            self._log(logging.ERROR, f"the bot failed when told of {message.type}; it plays on")

    def _log(self, level: int, text: str) -> None:
        logger.log(level, text)
        if self._say_line is not None and level >= logging.INFO:
            self._say_line(text)
