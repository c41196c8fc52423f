"""Plays matches with the bot: asks, waits for the answer within the clock, moves for the opponent."""

from random import Random

from rumble_engine import Game, Outcome, Termination
from rumble_protocol import bot_messages as bot

from rumble_bots.check.errors import Trouble
from rumble_bots.check.events import Ended, Exited
from rumble_bots.check.record import Record
from rumble_bots.check.referee import UNREADABLE, LoggedIn, Moved, Referee, Resigned
from rumble_bots.check.table import OPPONENT, Asked, Table

BACK_S = 6.0
"""How long a bot may take to be back after its connection ended."""
LAST_WORDS_S = 0.3
"""How long a program may take to end after its connection did, to be told as the cause."""
MOST_PLIES = 120
"""The opponent resigns a longer match: its rules have been seen."""
SEED = 1
"""Of the opponent's lot: every run is the same."""


class GaveUp(Trouble):
    """The bot resigned: no breach of any rule, but nothing more can be seen in this match."""

    def __init__(self, table: Table) -> None:
        super().__init__("whole-match", f"it resigned {table.match} at ply {len(table.moves)}")
        self.table = table


class Play:
    """Matches with one bot."""

    def __init__(self, referee: Referee) -> None:
        self.referee = referee
        self.record: Record = referee.record
        self.forgiving = True
        """A connection that the bot ends is noted, and play goes on when it is back. Else it ends the step."""
        self.plies = 0
        """How many moves of the bot counted."""
        self._matches = 0

    async def start(self, seat: int = 0, game: Game | None = None) -> Table:
        """Begin a match, and ask for the bot's first move if it is to move first, or after the opponent's."""
        referee = self.referee
        self._matches += 1
        table = Table(
            match=f"{referee.tournament}.1.1.{self._matches}.1",
            game=game or referee.game,
            seat=seat,
            name=referee.login.name,
            control=referee.control,
            random=Random(SEED + self._matches),
        )
        referee.tables[table.match] = table
        await self.begin(table)
        return table

    async def begin(self, table: Table) -> None:
        """Tell of the match, and ask."""
        await self.referee.say(table.start_message(resumed=False))
        await self.advance(table)

    async def advance(self, table: Table) -> None:
        """Go on to the bot's next turn, or to the end."""
        state = table.state
        while state.outcome is None and state.to_move != table.seat:
            table.reply()
            state = table.state
        if state.outcome is not None:
            await self.referee.finish(table, state.outcome)
        elif len(table.moves) >= MOST_PLIES:
            await self.give_up(table)
        else:
            await self.referee.ask(table)

    async def give_up(self, table: Table) -> None:
        """The opponent resigns, if the match is still on."""
        if not table.over:
            outcome = Outcome.win(table.seat, f"{OPPONENT} resigned", termination=Termination.RESIGNATION)
            await self.referee.finish(table, outcome)

    async def moved(self) -> Asked:
        """Wait for an answer to any open turn. Raises Trouble where none comes in time."""
        while True:
            turns = [table.turn for table in self.referee.tables.values() if table.turn is not None]
            first = min(turns, key=lambda turn: turn.deadline)
            try:
                heard = await self.referee.hear(first.deadline)
            except TimeoutError:
                raise await self.referee.too_late(first) from None
            match heard:
                case Moved(turn):
                    self.plies += 1
                    return turn
                case Resigned(table):
                    raise GaveUp(table)
                case Ended() | Exited():
                    await self._lost(heard)
                case _:
                    pass

    async def one_turn(self, table: Table) -> None:
        """See the bot answer the open turn of a match, and then another, if the match goes on."""
        if not table.over:
            await self.moved()
            await self.advance(table)
        if not table.over:
            await self.moved()
        await self.give_up(table)

    async def play_out(self, *tables: Table) -> GaveUp | None:
        """Play matches to their ends, all at the same time. Gives the last resignation, if there was one.

        A bot may resign; but one that does before it has moved shows nothing, and that is raised.
        """
        gave_up = None
        while not all(table.over for table in tables):
            try:
                turn = await self.moved()
            except GaveUp as resigned:
                if len(resigned.table.moves) < resigned.table.game.seats:
                    raise
                gave_up = resigned
            else:
                await self.advance(turn.table)
        return gave_up

    async def idle(self, seconds: float) -> None:
        """Let time pass, answering what comes."""
        until = self.record.now() + seconds
        while True:
            try:
                heard = await self.referee.hear(until)
            except TimeoutError:
                return
            if isinstance(heard, Ended | Exited):
                await self._lost(heard)

    async def logged_in(self) -> bot.Login:
        """Wait for the bot to be back. Raises Trouble."""
        until = self.record.now() + BACK_S
        while True:
            try:
                heard = await self.referee.hear(until)
            except TimeoutError:
                raise Trouble("stays-connected", f"it did not log in again within {BACK_S:g} s") from None
            match heard:
                case LoggedIn(login):
                    return login
                case Exited():
                    raise Trouble("stays-connected", f"its program {heard.how}")
                case _:
                    pass

    async def _lost(self, heard: Ended | Exited) -> None:
        if isinstance(heard, Exited):
            raise Trouble("stays-connected", f"its program {heard.how}")
        why = f"it ended its connection ({heard.code}) before the tournament was over"
        if not self.forgiving and "stays-connected" not in self.record.found:
            raise Trouble("stays-connected", await self._how_it_ended() or why)
        await self.logged_in()
        if heard.code not in UNREADABLE:
            self.record.breach("stays-connected", why)

    async def _how_it_ended(self) -> str | None:
        """The end of the program, if its connection ended by that: it tells more."""
        until = self.record.now() + LAST_WORDS_S
        while True:
            try:
                heard = await self.referee.hear(until)
            except TimeoutError:
                return None
            if isinstance(heard, Exited):
                return f"its program {heard.how}"
