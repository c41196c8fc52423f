"""A bot that is a program behind a bridge. Each concurrent match has its own process of the program."""

import asyncio

from rumble_protocol import server_messages

from rumble_bots.bridges.dialogue import About
from rumble_bots.bridges.program import Launch, Program
from rumble_bots.sdk.bot import Bot, Turn
from rumble_bots.sdk.errors import BadProgram, GiveUp


class BridgeBot(Bot):
    """A bot whose moves come from programs.

    Call `start` before use. Call `close` at the end, to end the programs.
    """

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self.games = launch.make_dialogue().games
        self._idle: list[Program] = []
        self._playing: dict[str, Program] = {}

    async def start(self) -> None:
        """Start a program before the first match. Raises BadProgram if the program cannot be used."""
        program = Program(self._launch)
        self._idle.append(program)  # before the start, so that `close` ends the program even if the start is cancelled
        await program.start()

    async def close(self) -> None:
        programs = [*self._idle, *self._playing.values()]
        self._idle.clear()
        self._playing.clear()
        await asyncio.gather(*(program.close() for program in programs))

    async def choose(self, turn: Turn) -> str:
        try:
            return await self._program(turn.match).choose(turn)
        except BadProgram as error:
            raise GiveUp(error) from error

    def session(self, message: server_messages.Session) -> None:
        """Release the programs of matches that ended while the bot was away, for use in other matches."""
        for match_id in self._playing.keys() - set(message.matches):
            self._release(match_id)

    def match_start(self, message: server_messages.MatchStart) -> None:
        self._tell(message)

    def rejected(self, message: server_messages.Rejected) -> None:
        if message.match in self._playing:
            self._tell(message)

    def match_over(self, message: server_messages.MatchOver) -> None:
        """Report the end of a match to its program, and keep the program for another match.

        A program that is still thinking is killed instead.
        """
        self._tell(message)
        self._release(message.match)

    def _program(self, match_id: str) -> Program:
        if match_id not in self._playing:
            self._playing[match_id] = self._idle.pop() if self._idle else Program(self._launch)
        return self._playing[match_id]

    def _tell(self, message: About) -> None:
        self._program(message.match).tell(message)

    def _release(self, match_id: str) -> None:
        program = self._playing.pop(match_id)
        if program.busy:
            program.kill()
        else:
            self._idle.append(program)
