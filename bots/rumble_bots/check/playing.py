"""Matches with the bot: asking for moves, waiting for answers within the clock, and moving for the opponents."""

from random import Random

from rumble_engine import Game, Termination
from rumble_protocol import bot_messages as bot

from rumble_bots.check.errors import Trouble
from rumble_bots.check.events import Ended, Exited
from rumble_bots.check.record import Record
from rumble_bots.check.scripted_match import OPPONENT, AskedTurn, ScriptedMatch
from rumble_bots.check.scripted_referee import UNREADABLE, LoggedIn, Moved, Resigned, ScriptedReferee

BACK_S = 6.0
"""Maximum time in s until a bot logs in again after its connection ended."""
LAST_WORDS_S = 0.3
"""Time in s after a connection's end. If the program ends within this time, its end counts as the reason for the
connection's."""
MOST_PLIES = 120
"""After this many plies of a match, the opponents resign."""
SEED = 1
"""Seed of the opponents' random moves, so that every check is the same."""


class GaveUp(Trouble):
    """The bot resigned. This breaks no rule, but the present step cannot use the match any more."""

    def __init__(self, match: ScriptedMatch) -> None:
        super().__init__("whole-match", f"it resigned {match.match_id} at ply {len(match.moves)}")
        self.match = match


class Play:
    """The matches between the bot and opponents that move at random."""

    def __init__(self, referee: ScriptedReferee) -> None:
        self.referee = referee
        self.record: Record = referee.record
        self.forgiving = True
        """True if the bot may end its connection and come back.

        If false, the end of a connection raises Trouble. But if `record` already has a breach of the rule
        `stays-connected`, the bot may come back. The end of the bot's program always raises Trouble.
        """
        self.patience = 1.0
        """Factor for all time limits; above 1 for a slow program or machine."""
        self.plies = 0
        """Number of the bot's moves that were accepted."""
        self._started = 0

    async def start(self, seat: int = 0, game: Game | None = None) -> ScriptedMatch:
        """Begin a match with the bot at `seat`, and ask for its first move.

        If the bot does not move first, the opponents move before the bot is asked.
        """
        referee = self.referee
        self._started += 1
        match = ScriptedMatch(
            match_id=f"{referee.tournament_id}.1.1.{self._started}.1",
            game=game or referee.game,
            seat=seat,
            name=referee.login.name,
            control=referee.control,
            random=Random(SEED + self._started),
        )
        referee.matches[match.match_id] = match
        await self.begin(match)
        return match

    async def begin(self, match: ScriptedMatch) -> None:
        await self.referee.say(match.start_message(resumed=False))
        await self.advance(match)

    async def advance(self, match: ScriptedMatch) -> None:
        """Move for the opponents until it is the bot's turn, and ask the bot for a move.

        If the match is over, send its result. After `MOST_PLIES`, let the opponents resign.
        """
        while match.outcome is None and not match.asks:
            match.go_on()
        if match.outcome is not None:
            await self.referee.finish(match, match.outcome)
        elif len(match.moves) >= MOST_PLIES:
            await self.give_up(match)
        else:
            await self.referee.ask(match)

    async def give_up(self, match: ScriptedMatch) -> None:
        """Let the opponents resign, unless the match is over."""
        if not match.over:
            others = [seat for seat in range(match.seats) if seat != match.seat]
            match.fall(others, Termination.RESIGNATION, f"{OPPONENT} resigned")
            await self.referee.finish(match, match.conclude())

    async def moved(self) -> AskedTurn:
        """Wait for the bot's answer to any open turn, and return the answered turn.

        Raises Trouble if no answer is in time.
        """
        while True:
            turns = [match.turn for match in self.referee.matches.values() if match.turn is not None]
            first = min(turns, key=lambda turn: turn.deadline)
            match heard := await self.referee.hear(first.deadline):
                case None:
                    raise await self.referee.too_late(first)
                case Moved(turn):
                    self.plies += 1
                    return turn
                case Resigned(match):
                    raise GaveUp(match)
                case Ended() | Exited():
                    await self._lost(heard)
                case _:
                    pass

    async def one_turn(self, match: ScriptedMatch) -> None:
        """Wait for the bot's answers to the open turn of a match and to the next turn. Then let the opponents resign.

        If the match ends earlier, return at once.
        """
        if not match.over:
            await self.moved()
            await self.advance(match)
        if not match.over:
            await self.moved()
        await self.give_up(match)

    async def play_out(self, *matches: ScriptedMatch) -> GaveUp | None:
        """Play matches to their ends, all at the same time. Return the bot's last resignation, or None.

        Raises GaveUp if a match has fewer than `game.seats` plies when the bot resigns. A match of so few plies
        does not test the bot.
        """
        gave_up = None
        while not all(match.over for match in matches):
            try:
                turn = await self.moved()
            except GaveUp as resigned:
                if len(resigned.match.moves) < resigned.match.game.seats:
                    raise
                gave_up = resigned
            else:
                await self.advance(turn.match)
        return gave_up

    async def idle(self, seconds: float) -> None:
        """Wait for `seconds`, and answer the bot's messages meanwhile."""
        until = self.record.now() + seconds
        while heard := await self.referee.hear(until):
            if isinstance(heard, Ended | Exited):
                await self._lost(heard)

    async def logged_in(self) -> bot.Login:
        """Wait for the bot's next login. Raises Trouble."""
        limit_s = BACK_S * self.patience
        until = self.record.now() + limit_s
        while heard := await self.referee.hear(until):
            match heard:
                case LoggedIn(login):
                    return login
                case Exited():
                    raise Trouble("stays-connected", f"its program {heard.how}")
                case _:
                    pass
        raise Trouble("stays-connected", f"it did not log in again within {limit_s:.3g} s")

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
        """Wait at most `LAST_WORDS_S` for the end of the bot's program.

        Return a text that describes the end, or None if the program did not end.
        """
        until = self.record.now() + LAST_WORDS_S
        while heard := await self.referee.hear(until):
            if isinstance(heard, Exited):
                return f"its program {heard.how}"
        return None
