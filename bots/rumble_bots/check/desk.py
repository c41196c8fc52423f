"""What the kit knows of the bot it checks, and what it says to it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from rumble_engine import Game, Outcome, Termination, get_game
from rumble_protocol import bot_messages as bot
from rumble_protocol import server_messages as say
from rumble_protocol.codec import write_message
from rumble_protocol.codes import CLOSE_REASONS, CloseCode, ErrorCode, Rejection
from rumble_protocol.fields import ServerMessageModel, TimeControl

from rumble_bots.check.errors import Trouble
from rumble_bots.check.events import Event
from rumble_bots.check.listener import PING_S, Link, with_unknown_fields
from rumble_bots.check.record import Record
from rumble_bots.check.table import Asked, Table

SERVER = "rumble check"
TOURNAMENT = "check"
PONG_S = 2.0
LIMITS = say.Limits(ping_ms=round(PING_S * 1000), pong_ms=round(PONG_S * 1000))
LAG_S = 0.2
"""What the network is allowed on top of a turn's clock."""


@dataclass(slots=True)
class Desk:
    """One bot's server, as far as it speaks."""

    inbox: "asyncio.Queue[Event]"
    record: Record
    games: Sequence[str]
    """What `welcome` lists."""
    game: Game
    """What the tournament plays."""
    control: TimeControl
    wanted: Sequence[str] = ()
    """The games that may be played instead of `game`, if the bot names others; empty: all of them."""
    tournament: str | None = None
    """The id under which the bot entered; any will do."""
    status: say.TournamentStatus = "running"
    link: Link | None = None
    """The connection that is logged in."""
    logins: list[bot.Login] = field(default_factory=list)
    refused: str = ""
    """What was wrong with the last login that was not accepted."""
    member: bool = False
    """The bot has entered the tournament; it need not again when it comes back."""
    tables: dict[str, Table] = field(default_factory=dict)
    asked: dict[str, Asked] = field(default_factory=dict)
    unknown_fields: bool = False
    """Add fields that nobody knows to every message."""

    @property
    def login(self) -> bot.Login:
        """The last login that was accepted."""
        return self.logins[-1]

    @property
    def max_matches(self) -> int:
        """What is granted."""
        return min(self.login.max_matches, LIMITS.max_matches)

    def plays(self, game: Game) -> bool:
        """Whether the bot says that it plays a game."""
        return self.login.games is None or game.name in self.login.games

    def choose_game(self, named: Sequence[str] | None) -> None:
        """Let the tournament play a game that the bot names, if there is one."""
        if named is not None and self.game.name not in named:
            possible = [name for name in named if name in (self.wanted or self.games)]
            self.game = get_game(possible[0]) if possible else self.game

    # --- what goes out ---

    async def say(self, message: ServerMessageModel, link: Link | None = None) -> None:
        """Send a message; to the bot that is logged in, if no connection is named."""
        await self.say_frame(write_message(message), link)

    async def say_raw(self, message: dict[str, Any]) -> None:
        """Send what is no message of version 1."""
        await self.say_frame(orjson.dumps(message))

    async def say_frame(self, frame: bytes, link: Link | None = None) -> None:
        """Send a frame."""
        link = link or self.link
        if link is not None:
            await link.send(with_unknown_fields(frame) if self.unknown_fields else frame)

    async def error(self, link: Link, code: ErrorCode, message: str, *, fatal: bool = False) -> None:
        """Refuse what was sent."""
        await self.say(say.Error(code=code, message=message, fatal=fatal), link)

    async def reject(self, move: bot.Move, code: Rejection, message: str) -> None:
        """Refuse a move."""
        table = self.tables.get(move.match)
        mine = table is not None and table.turn is not None
        left_ms = table.remaining_ms if table is not None and mine else None
        rejected = say.Rejected(
            match=move.match, turn_id=move.turn_id, code=code, message=message, your_turn=mine, remaining_ms=left_ms
        )
        await self.say(rejected)

    async def ask(self, table: Table) -> None:
        """Ask for the next ply; a turn of the match that is still open is no more."""
        self.close_turn(table)
        turn_id = f"k{len(self.asked) + 1:x}"
        now = self.record.now()
        deadline = now + table.remaining_ms / 1000 + LAG_S
        turn = Asked(turn_id, table, len(table.moves), now, deadline, table.remaining_ms)
        self.asked[turn_id] = table.turn = turn
        await self.say_frame(table.turn_message(turn_id, list(self.login.omit)))

    def close_turn(self, table: Table) -> None:
        """An answer to the open turn no longer counts."""
        if table.turn is not None:
            table.turn.open = False
            table.turn = None

    async def finish(self, table: Table, outcome: Outcome | None) -> None:
        """Tell how a match ended; None: it is void."""
        self.close_turn(table)
        table.told = table.over_message(outcome)
        await self.say(table.told)

    async def welcome(self, link: Link) -> None:
        """Greet a connection."""
        if not link.speaks_ours:
            await self.error(link, ErrorCode.PROTOCOL_NOT_SUPPORTED, "this kit speaks rumble.v1", fatal=True)
            await self.close(link, CloseCode.PROTOCOL_NOT_SUPPORTED)
            raise Trouble("connect", "it offers only sub-protocols other than rumble.v1")
        features = ["from_the_future"] if self.unknown_fields else []
        await self.say(say.Welcome(server=SERVER, limits=LIMITS, games=list(self.games), features=features), link)

    async def close(self, link: Link, code: CloseCode) -> None:
        """Close a connection as a server does."""
        link.gone = True
        if link is self.link:
            self.leave()
        await link.close(code, CLOSE_REASONS[code])

    def leave(self) -> None:
        """The bot is away: its turns are asked again when it is back."""
        if self.link is not None:
            self.link.gone = True
        self.link = None
        for table in self.tables.values():
            self.close_turn(table)

    async def say_session(self, tables: list[Table]) -> None:
        """Answer a login; `tables` are the matches that go on."""
        mine = [self.tournament] if self.tournament is not None and self.member else []
        session = say.Session(
            name=self.login.name,
            open=self.login.key is None,
            max_matches=self.max_matches,
            matches=[table.match for table in tables],
            tournaments=[say.TournamentSummary(id=name, game=self.game.name, status=self.status) for name in mine],
        )
        await self.say(session)

    async def say_joined(self) -> None:
        """Tell the bot that it is in."""
        joined = say.Joined(
            tournament=self.tournament or TOURNAMENT,
            game=self.game.name,
            settings=self.game.complete(),
            time_control=self.control,
            status=self.status,
        )
        await self.say(joined)

    async def too_late(self, turn: Asked) -> Trouble:
        """The clock of an open turn has run out: the match is lost; the trouble to raise."""
        reason = f"no answer within {turn.remaining_ms} ms to the turn at ply {turn.ply} of {turn.table.match}"
        await self.finish(turn.table, Outcome.win(1 - turn.table.seat, reason, termination=Termination.TIMEOUT))
        return Trouble("deadlines", reason)
