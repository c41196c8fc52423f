"""The harness of a bot in a check.

The harness starts the bot's program, or waits for a bot that the user starts, and restarts the server.
"""

from rumble_engine import Game
from rumble_protocol.codes import CloseCode
from rumble_protocol.fields import TimeControl

from rumble_bots.check.child import Child
from rumble_bots.check.errors import Trouble
from rumble_bots.check.events import Connected, Ended, Exited, TurnedAway
from rumble_bots.check.listener import Listener
from rumble_bots.check.playing import Play
from rumble_bots.check.scripted_referee import LoggedIn, ScriptedReferee
from rumble_bots.check.scripted_server import TOURNAMENT_ID

LOGIN_S = 3.0
"""Maximum time in s from a bot's connection until the bot has joined the tournament."""
USUAL_START_S, MOST_PATIENCE = 2.0, 10.0
"""Usual time in s from a program's start to its connection, and the maximum value of `patience`.

If a start takes n times as long as usual, `patience` is n, but at most the maximum. All time limits are multiplied by
`patience`.
"""
DOWN_S = 0.3
"""Time in s for which no server listens during a restart."""


class Harness:
    """Starts the bot's program, and restarts the server. `play` has the matches of the check.

    `child` is the program; None if the user starts the bot.
    """

    def __init__(
        self,
        referee: ScriptedReferee,
        server: Listener,
        child: Child | None,
        wait_s: float,
        patience: float | None = None,
    ) -> None:
        self.play = Play(referee)
        self.referee = referee
        self.record = referee.record
        self._control = referee.control
        """The time control without `patience`."""
        self._given = patience
        self.child = child
        self.wait_s = wait_s
        """Maximum time in s from the bot's start to its connection."""
        self.comes_back = False
        """True after the bot has passed the step `server_restart`: it came back after the server was restarted."""
        self.started_s = 0.0
        """Time in s from the program's last start to its connection; 0 if the user starts the bot."""
        self._server = server

    @property
    def path(self) -> str:
        """The path at which bots connect."""
        return self._server.path

    @property
    def present(self) -> bool:
        return self.referee.link is not None and self.referee.member

    async def connected(self) -> None:
        """Wait until the bot is connected. If `child` is not None, first start the program.

        Raises Trouble.
        """
        began = self.record.now()
        starts = self.child is not None and not self.child.running
        if self.child is not None and starts:
            await self.child.start()
        until = began + self.wait_s
        turned_away = ""
        while heard := await self.referee.hear(until):
            match heard:
                case Connected() | LoggedIn():
                    self.started_s = self.record.now() - began if starts else 0.0
                    return
                case TurnedAway(why):
                    turned_away = why
                case Exited():
                    why = f"; {turned_away}" if turned_away else ""
                    raise Trouble("connect", f"the program {heard.how}{why}")
                case _:
                    pass
        raise Trouble("connect", turned_away or f"no bot connected within {self.wait_s:g} s")

    def set_patience(self) -> None:
        """Set `patience` of `play`, and multiply the times of the time control by `patience`.

        A value given by the user is kept. Otherwise the value follows from the time that the program took to start.
        """
        patience = self._given or min(MOST_PATIENCE, max(1.0, self.started_s / USUAL_START_S))
        self.play.patience = patience
        move_ms, bank_ms = (round(ms * patience) for ms in (self._control.move_ms, self._control.bank_ms))
        self.referee.control = TimeControl(move_ms=move_ms, bank_ms=bank_ms)

    async def entered(self) -> None:
        """Wait until the connected bot has logged in and joined the tournament. Raises Trouble."""
        referee = self.referee
        before = len(referee.logins)
        limit_s = LOGIN_S * self.play.patience
        until = self.record.now() + limit_s
        while not self.present:
            heard = await referee.hear(until)
            if heard is None:
                what = "logged in, but joined no tournament" if len(referee.logins) > before else "did not log in"
                refused = f"; {referee.refused}" if referee.refused else ""
                raise Trouble("login", f"it {what} within {limit_s:.3g} s{refused}")
            if isinstance(heard, Exited):
                raise Trouble("login", f"the program {heard.how}")
            if isinstance(heard, Ended):
                raise Trouble("login", f"it ended its connection ({heard.code}) before it was in the tournament")
            if referee.link is not None and referee.login.challenges and referee.login.join is None:
                await self._challenge()

    async def _challenge(self) -> None:
        """Make the bot a member of the tournament, as if somebody had challenged it, and send it `joined`.

        Call this method only for a bot that waits for challenges.
        """
        self.referee.tournament_id = self.referee.tournament_id or TOURNAMENT_ID
        await self.referee.say_joined()
        self.referee.member = True

    async def ready(self) -> None:
        """Wait until the bot is in the tournament. Start the program first if the bot is away. Raises Trouble."""
        if not self.present:
            await self.connected()
            await self.entered()

    async def begin_again(self, game: Game | None = None) -> None:
        """Forget all matches, and wait for the bot to enter again. Raises Trouble.

        A program that the check started is stopped and started again. A bot that the user started loses its connection,
        and must come back by itself. The next matches are of `game` (None: of the same game as before).
        """
        referee = self.referee
        link = referee.link
        referee.leave()
        referee.matches.clear()
        referee.status, referee.member = "running", False
        referee.game = game or referee.game
        if self.child is not None:
            await self.child.stop()
        elif link is not None:
            await referee.close(link, CloseCode.DRAINING)
        await self.ready()

    async def restart(self, *, down: bool) -> None:
        """Restart the server, and wait until the bot has come back. Raises Trouble.

        If `down` is true, no server listens for a moment. Otherwise only the bot's connection is closed.
        """
        link = self.referee.link
        if down:
            self.referee.leave()
            self.record.add("note", "the server goes down: it stops listening, and closes its connections with 1001")
            await self._server.down()
            try:
                await self.play.idle(DOWN_S)
            finally:
                await self._server.up()
            self.record.add("note", "the server is up again")
        elif link is not None:
            await self.referee.close(link, CloseCode.DRAINING)
        await self.back()

    async def back(self) -> None:
        """Wait until the bot is in the tournament again, under the same name. Raises Trouble."""
        name = self.referee.login.name
        login = await self.play.logged_in()
        if login.name.lower() != name.lower():
            raise Trouble("stays-connected", f"it came back as {login.name}, and was {name} before")
        await self.entered()
