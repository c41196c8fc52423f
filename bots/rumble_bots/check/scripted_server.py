"""The scripted server: the state of the bot's login, tournament and matches, and the messages to the bot."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from rumble_engine import Game, Outcome, Termination, get_game
from rumble_protocol import bot_messages as bot
from rumble_protocol import server_messages
from rumble_protocol.clubs import MAIN
from rumble_protocol.codec import NamedTurn, write_message
from rumble_protocol.codes import CLOSE_REASONS, CloseCode, ErrorCode, Rejection
from rumble_protocol.fields import ServerMessageModel, TimeControl

from rumble_bots.check.errors import Trouble
from rumble_bots.check.events import Event
from rumble_bots.check.link import PING_S, Link
from rumble_bots.check.record import Record
from rumble_bots.check.scripted_match import AskedTurn, ScriptedMatch

SERVER = "rumble check"
TOURNAMENT_ID = "check"
PONG_S = 2.0
LIMITS = server_messages.Limits(ping_ms=round(PING_S * 1000), pong_ms=round(PONG_S * 1000))
LAG_S = 0.2
"""Time in s for the network: a turn's deadline is `LAG_S` after the end of the turn's clock."""


@dataclass(slots=True)
class ScriptedServer:
    """The state of a bot's server, and the messages to the bot. `ScriptedReferee` answers the bot's messages."""

    inbox: "asyncio.Queue[Event]"
    record: Record
    games: Sequence[str]
    """The games listed in `welcome`."""
    game: Game
    """The game of the tournament."""
    control: TimeControl
    club: str = MAIN
    """The club named in `welcome`."""
    wanted: Sequence[str] = ()
    """Games that may replace `game` if the bot's login has a list of games without `game`.

    If `wanted` is empty, any game of `games` may replace `game`.
    """
    tournament_id: str | None = None
    """Id of the tournament; None before the bot has joined. Any id in the bot's first join is accepted."""
    status: server_messages.TournamentStatus = "running"
    link: Link | None = None
    """The connection on which the bot is logged in; None while the bot is away."""
    logins: list[bot.Login] = field(default_factory=list)
    refused: str = ""
    """Description of the problem in the last login with a bad name; empty without such a login."""
    member: bool = False
    """True if the bot has joined the tournament. A bot stays a member while away."""
    matches: dict[str, ScriptedMatch] = field(default_factory=dict)
    turns: dict[str, AskedTurn] = field(default_factory=dict)
    unknown_fields: bool = False
    """True if each message to the bot gets additional fields, which version 1 of the protocol does not know."""

    @property
    def login(self) -> bot.Login:
        """The last accepted login. Use this property only after a login."""
        return self.logins[-1]

    @property
    def max_matches(self) -> int:
        return min(self.login.max_matches, LIMITS.max_matches)

    def plays(self, game: Game) -> bool:
        return self.login.games is None or game.name in self.login.games

    def choose_game(self, named: Sequence[str] | None) -> None:
        """Replace the tournament's game by the first possible game of `named`, the games in the bot's login.

        If `named` contains the tournament's game, or is None (any game), it stays. It also stays if no game of `named`
        is possible.
        """
        if named is not None and self.game.name not in named:
            possible = [name for name in named if name in (self.wanted or self.games)]
            self.game = get_game(possible[0]) if possible else self.game

    # --- outgoing messages ---

    async def say(self, message: ServerMessageModel, link: Link | None = None) -> None:
        """Send a message on `link`. If `link` is None, send the message to the bot that is logged in."""
        await self.say_frame(write_message(message), link)

    async def say_raw(self, message: dict[str, Any]) -> None:
        """Send a message of a type that version 1 of the protocol does not know."""
        await self.say_frame(orjson.dumps(message))

    async def say_frame(self, frame: bytes, link: Link | None = None) -> None:
        """Send a frame on `link`. If `link` is None, send the frame to the bot that is logged in.

        If `link` is None and the bot is away, send nothing.
        """
        link = link or self.link
        if link is not None:
            await link.send(_with_unknown_fields(frame) if self.unknown_fields else frame)

    async def error(self, link: Link, code: ErrorCode, message: str, *, fatal: bool = False) -> None:
        await self.say(server_messages.Error(code=code, message=message, fatal=fatal), link)

    async def reject(self, move: bot.Move | NamedTurn, code: Rejection, message: str) -> None:
        match = self.matches.get(move.match)
        mine = match is not None and match.turn is not None
        left_ms = match.remaining_ms if match is not None and mine else None
        rejected = server_messages.Rejected(
            match=move.match, turn_id=move.turn_id, code=code, message=message, your_turn=mine, remaining_ms=left_ms
        )
        await self.say(rejected)

    async def ask(self, match: ScriptedMatch) -> None:
        """Ask the bot for its next move. An earlier open turn of the match is closed."""
        self.close_turn(match)
        turn_id = f"k{len(self.turns) + 1:x}"
        now = self.record.now()
        deadline = now + match.remaining_ms / 1000 + LAG_S
        turn = AskedTurn(turn_id, match, len(match.moves), now, deadline, match.remaining_ms)
        self.turns[turn_id] = match.turn = turn
        await self.say_frame(match.turn_message(turn_id, list(self.login.omit)))

    def close_turn(self, match: ScriptedMatch) -> None:
        """Close the open turn of a match, if any. Later answers to the turn do not count."""
        if match.turn is not None:
            match.turn.open = False
            match.turn = None

    async def finish(self, match: ScriptedMatch, outcome: Outcome | None) -> None:
        """Send the message `match_over` of a match. If `outcome` is None, the match is void."""
        self.close_turn(match)
        match.result = match.over_message(outcome)
        await self.say(match.result)

    async def lose(self, match: ScriptedMatch, termination: Termination, reason: str) -> None:
        """Let the bot fall out of the match, and send `match_over` at the end of the match.

        Two or more opponents first play the match to its end.
        """
        match.fall([match.seat], termination, reason)
        await self.finish(match, match.conclude())

    async def welcome(self, link: Link) -> None:
        """Send `welcome`. Raises Trouble if the bot offers only sub-protocols other than `rumble.v1`."""
        if not link.speaks_ours:
            await self.error(link, ErrorCode.PROTOCOL_NOT_SUPPORTED, "this kit speaks rumble.v1", fatal=True)
            await self.close(link, CloseCode.PROTOCOL_NOT_SUPPORTED)
            raise Trouble("connect", "it offers only sub-protocols other than rumble.v1")
        features = ["failure", *(["from_the_future"] if self.unknown_fields else [])]
        welcome = server_messages.Welcome(
            server=SERVER, limits=LIMITS, games=list(self.games), features=features, club=self.club
        )
        await self.say(welcome, link)

    async def close(self, link: Link, code: CloseCode) -> None:
        link.gone = True
        if link is self.link:
            self.leave()
        await link.close(code, CLOSE_REASONS[code])

    def leave(self) -> None:
        """Mark the bot as away, and close its open turns. After its return, the bot is asked again."""
        if self.link is not None:
            self.link.gone = True
        self.link = None
        for match in self.matches.values():
            self.close_turn(match)

    async def say_session(self, matches: list[ScriptedMatch]) -> None:
        """Answer a login with the message `session`. `matches` are the matches that go on."""
        mine = [self.tournament_id] if self.tournament_id is not None and self.member else []
        session = server_messages.Session(
            name=self.login.name,
            open=self.login.key is None,
            max_matches=self.max_matches,
            matches=[match.match_id for match in matches],
            tournaments=[
                server_messages.TournamentSummary(id=name, game=self.game.name, status=self.status) for name in mine
            ],
        )
        await self.say(session)

    async def say_joined(self) -> None:
        joined = server_messages.Joined(
            tournament=self.tournament_id or TOURNAMENT_ID,
            game=self.game.name,
            settings=self.game.complete(),
            time_control=self.control,
            status=self.status,
        )
        await self.say(joined)

    async def too_late(self, turn: AskedTurn) -> Trouble:
        """Let the bot lose the match because the clock of `turn` has run out.

        Return a Trouble, which the caller has to raise.
        """
        reason = f"no answer within {turn.remaining_ms} ms to the turn at ply {turn.ply} of {turn.match.match_id}"
        await self.lose(turn.match, Termination.TIMEOUT, reason)
        return Trouble("deadlines", reason)


def _with_unknown_fields(frame: bytes) -> bytes:
    """Return a frame with additional fields, like a frame of a later server. Version 1 does not know these fields."""
    message = orjson.loads(frame)
    extra = {"from_the_future": {"kit": [1, "two", None]}}
    for name in ("clock", "time_control", "limits"):
        if name in message:
            message[name] |= extra
    return orjson.dumps(message | extra)
