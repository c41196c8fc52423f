"""Gets the bot on the stage: starts its program or waits for it, lets the server go and come back."""

from rumble_engine import Game
from rumble_protocol.codes import CloseCode

from rumble_bots.check.child import Child
from rumble_bots.check.desk import TOURNAMENT
from rumble_bots.check.errors import Trouble
from rumble_bots.check.events import Connected, Ended, Exited, TurnedAway
from rumble_bots.check.listener import Listener
from rumble_bots.check.playing import Play
from rumble_bots.check.referee import LoggedIn, Referee

LOGIN_S = 3.0
"""How soon after it connected a bot must be in the tournament."""
DOWN_S = 0.3
"""How long nobody listens where the server restarts."""


class Stage(Play):
    """One bot, and all that may happen to it. `child` is None where somebody else starts the bot."""

    def __init__(self, referee: Referee, listener: Listener, child: Child | None, wait_s: float) -> None:
        super().__init__(referee)
        self.child = child
        self.wait_s = wait_s
        """How long the bot may take to connect after it was started."""
        self.comes_back = False
        """It has come back from a restart of the server."""
        self._listener = listener

    @property
    def present(self) -> bool:
        """Whether the bot is logged in and in the tournament."""
        return self.referee.link is not None and self.referee.member

    async def connected(self) -> None:
        """Start the bot if that is ours to do, and wait for its connection. Raises Trouble."""
        if self.child is not None and not self.child.running:
            await self.child.start()
        until = self.record.now() + self.wait_s
        turned_away = ""
        while True:
            try:
                heard = await self.referee.hear(until)
            except TimeoutError:
                raise Trouble("connect", turned_away or f"no bot connected within {self.wait_s:g} s") from None
            match heard:
                case Connected() | LoggedIn():
                    return
                case TurnedAway(why):
                    turned_away = why
                case Exited():
                    why = f"; {turned_away}" if turned_away else ""
                    raise Trouble("connect", f"the program {heard.how}{why}") from None
                case _:
                    pass

    async def entered(self) -> None:
        """Wait for the login of a bot that is connected, and its join. Raises Trouble."""
        referee = self.referee
        before = len(referee.logins)
        until = self.record.now() + LOGIN_S
        while not self.present:
            try:
                heard = await referee.hear(until)
            except TimeoutError:
                what = "logged in, but joined no tournament" if len(referee.logins) > before else "did not log in"
                refused = f"; {referee.refused}" if referee.refused else ""
                raise Trouble("login", f"it {what} within {LOGIN_S:g} s{refused}") from None
            if isinstance(heard, Exited):
                raise Trouble("login", f"the program {heard.how}")
            if isinstance(heard, Ended):
                raise Trouble("login", f"it ended its connection ({heard.code}) before it was in the tournament")
            if referee.link is not None and referee.login.challenges and referee.login.join is None:
                await self._challenge()

    async def _challenge(self) -> None:
        """A bot that waits for challenges is in by one of ours."""
        self.referee.tournament = self.referee.tournament or TOURNAMENT
        await self.referee.say_joined()
        self.referee.member = True

    async def ready(self) -> None:
        """See to it that the bot is there, from the start if it has to be. Raises Trouble."""
        if not self.present:
            await self.connected()
            await self.entered()

    async def begin_again(self, game: Game | None = None) -> None:
        """A new world: the program started again, or the bot asked to come back. Raises Trouble."""
        referee = self.referee
        link = referee.link
        referee.leave()
        referee.tables.clear()
        referee.status, referee.member = "running", False
        referee.game = game or referee.game
        if self.child is not None:
            await self.child.stop()
        elif link is not None:
            await referee.close(link, CloseCode.DRAINING)
        await self.ready()

    async def restart(self, *, down: bool) -> None:
        """Close as a server that restarts does, and wait for the bot to be back. Raises Trouble."""
        link = self.referee.link
        if down:
            self.referee.leave()
            self.record.add("note", "the server goes down: it stops listening, and closes its connections with 1001")
            await self._listener.down()
            try:
                await self.idle(DOWN_S)
            finally:
                await self._listener.up()
            self.record.add("note", "the server is up again")
        elif link is not None:
            await self.referee.close(link, CloseCode.DRAINING)
        await self.back()

    async def back(self) -> None:
        """Wait for the bot to be back in the tournament, under its name. Raises Trouble."""
        name = self.referee.login.name
        login = await self.logged_in()
        if login.name.lower() != name.lower():
            raise Trouble("stays-connected", f"it came back as {login.name}, and was {name} before")
        await self.entered()
