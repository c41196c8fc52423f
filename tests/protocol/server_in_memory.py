"""A server core in memory for golden conversations: real gateway connections over pipes, on virtual time.

Clients' frames go in as WebSocket bytes. Each frame of the server, on any connection, is appended to
`ServerInMemory.said`. Nothing waits and nothing is random.
"""

import json
from collections import deque
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, cast

from rumble_protocol.server_messages import Limits
from rumble_server.gateway.connection import Connection
from rumble_server.gateway.descriptors import ENDLESS, Descriptors
from rumble_server.gateway.handshake import HandshakePolicy
from rumble_server.gateway.outbox import Outbox
from rumble_server.gateway.read_fairness import ReadFairness
from rumble_server.gateway.shared_by_connections import SharedByConnections
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.permits import Permits
from rumble_server.limits.quotas import Quotas
from rumble_server.limits.refusals import Refusals
from rumble_server.limits.source import Source, Sources
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import BotJoined
from rumble_server.tournament.formats import AnyRound
from rumble_server.tournament.next_tournament import next_config
from websockets.client import ClientProtocol
from websockets.frames import Close, Frame, Opcode
from websockets.http11 import Response
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from tests.server.gateway.served import OneClub
from tests.server.world import World

ADDRESS = ("127.0.0.1", 8765)
IDENTITY = "0f6e2b7a91c44d58a3e5d0c7b8f91624"


class Said(NamedTuple):
    """A frame or a close code that the server sent on the connection `on`."""

    on: str
    what: Literal["frame", "close"]
    value: Any


class Pipe:
    """Both ends of one connection: the server's transport, and a client of the `websockets` library."""

    def __init__(self, server: "ServerInMemory", name: str, subprotocols: list[str], *, forwarded: bool) -> None:
        self._said = server.said
        self._name = name
        self._to_server: deque[bytes] = deque()
        self.open = True
        self.closing = False
        self._client = ClientProtocol(
            parse_uri(f"ws://{ADDRESS[0]}:{ADDRESS[1]}/bot"),
            subprotocols=[cast(Subprotocol, each) for each in subprotocols] or None,
        )
        bounds = Bounds()
        permits, refusals = Permits(bounds), Refusals()
        shared = SharedByConnections(
            clubs=OneClub(server.world.gateway),
            clock=server.world.clock,
            policy=HandshakePolicy(),
            bounds=bounds,
            sources=Sources(),
            permits=permits,
            refusals=refusals,
            outbox=Outbox(lambda write: write()),
            fairness=ReadFairness(bounds.strangers_ms_per_iteration, lambda begin: begin()),
            descriptors=Descriptors(ENDLESS, refusals, lambda: 0),
        )
        source = Source(ADDRESS[0], is_local=not forwarded, scheme="http")
        self.server = Connection(server.world.gateway, shared, source, permits.uncounted(ADDRESS[0]), set())
        self.server.connection_made(cast(Any, self))
        self._client.send_request(self._client.connect())
        self.server.open(b"".join(self._client.data_to_send()), b"")
        self.pump()

    # --- the client's end ---

    def send(self, opcode: Opcode, data: bytes) -> None:
        """Send an unfragmented frame."""
        send = self._client.send_text if opcode is Opcode.TEXT else self._client.send_binary
        send(data)
        self.pump()

    def drop(self) -> None:
        """End the connection without a closing handshake."""
        if self.open:
            self.open = False
            self.server.connection_lost(None)

    def pump(self) -> None:
        """Carry the client's bytes to the server until there are no more."""
        while True:
            for data in self._client.data_to_send():
                if self.open and data:
                    self.server.data_received(data)
            if not self._to_server:
                break
        if self.closing:
            self.drop()

    # --- the transport of the server's end ---

    def get_extra_info(self, what: str) -> tuple[str, int] | None:
        if what == "socket":
            return None
        return (ADDRESS[0], 40_000) if what == "peername" else ADDRESS

    def get_write_buffer_size(self) -> int:
        return 0

    def resume_reading(self) -> None: ...

    def is_closing(self) -> bool:
        return not self.open

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.closing = True

    def close(self) -> None:
        self.closing = True

    abort = close

    def write(self, data: bytes) -> None:
        self._client.receive_data(data)
        for event in self._client.events_received():
            if isinstance(event, Response):
                assert event.status_code == 101, event
            elif isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                self._said.append(Said(self._name, "frame", json.loads(bytes(event.data))))
            elif isinstance(event, Frame) and event.opcode is Opcode.CLOSE:
                self._said.append(Said(self._name, "close", Close.parse(bytes(event.data)).code))


class ServerInMemory:
    """The server, its organiser, and the bots' connections by name."""

    def __init__(self, limits: dict[str, int]) -> None:
        self._settings: dict[str, Any] = {
            "limits": Limits(**limits),
            "run_pairing": self._run_pairing,
            "server": "rumble 0.1.0",
            "identity": IDENTITY,
        }
        self.said: deque[Said] = deque()
        self._pipes: dict[str, Pipe] = {}
        self._pairing: list[tuple[Callable[[], AnyRound], Callable[[AnyRound], None]]] | None = None
        """The rounds being paired, while pairing takes time."""
        self.world = World(**self._settings)

    # --- actions of a bot ---

    def connect(self, on: str, subprotocols: list[str], *, forwarded: bool) -> None:
        self._pipes[on] = Pipe(self, on, subprotocols, forwarded=forwarded)
        self.run_due()

    def send(self, on: str, data: bytes, *, binary: bool = False) -> None:
        self._pipes[on].send(Opcode.BINARY if binary else Opcode.TEXT, data)
        self.run_due()

    def drop(self, on: str) -> None:
        self._pipes.pop(on).drop()
        self.run_due()

    # --- actions of the host, and events that happen to the server ---

    def host(self, does: str, **given: Any) -> None:
        """Carry out an organiser's command, named as in the HTTP API."""
        organiser = self.world.organiser
        match does, given:
            case "create", {"tournament": config}:
                organiser.create(TournamentConfig.model_validate_json(json.dumps(config)))
            case "enter", {"tournament": tournament, "bot": bot}:
                self._enter_by_code(tournament, bot)
            case "again", {"tournament": tournament}:
                config = next_config(self.world.tournament(tournament).config, {}, given.get("top"))
                ended = self.world.log.records[tournament]
                organiser.create_next(ended, TournamentConfig.model_validate_json(config), top=given.get("top"))
            case "start", {"tournament": tournament}:
                organiser.start(tournament)
            case "pause", {"tournament": tournament, "reason": reason}:
                organiser.pause(tournament, reason)
            case "notice", {"tournament": tournament, "message": message}:
                organiser.send_notice(tournament, message)
            case "resume", {"tournament": tournament}:
                organiser.resume(tournament)
            case "end" | "cancel", {"tournament": tournament}:
                organiser.end(tournament, cancelled=does == "cancel")
            case "remove", {"tournament": tournament, "bot": bot}:
                organiser.remove(tournament, bot)
            case "bye", {"tournament": tournament, "bot": bot, "round": int(number)}:
                organiser.give_half_bye(tournament, bot, number)
            case "replay", {"match": match}:
                organiser.play_again(match)
            case "reset_key", {"bot": bot}:
                organiser.reset_key(bot, given.get("key"))
            case "ban", {"bot": bot, "reason": reason}:
                organiser.ban(bot, by_name=True, until_ms=None, reason=reason)
            case "lift_ban", {"bot": bot}:
                organiser.lift_ban(bot, by_name=True)
            case _:
                raise ValueError(f"the host cannot {does} with {given}")
        self.run_due()

    def _enter_by_code(self, tournament: str, bot: str) -> None:
        """Enter a bot as a pupil does with a join code."""
        arena = self.world.arena
        joined = BotJoined(tournament, bot, self.world.clock.now_ms(), by_code=True)
        with arena.transaction:
            arena.lifecycle.record_entry(arena.players.get_or_add(bot), arena.tournaments.find(tournament), joined)

    def happens(self, what: str, **given: Any) -> None:
        """Make an event happen that no participant causes."""
        match what, given:
            case "wait", {"ms": int(ms)}:
                self.world.clock.advance(ms)
            case "disk_full", {}:
                self.world.arena.on_trouble("no space left on device")
            case "disk_works", {}:
                self.world.arena.on_trouble(None)
            case "pairing_takes_time", {}:
                self._pairing = []
            case "round_paired", {}:
                under_way, self._pairing = self._pairing or [], None
                for task, done in under_way:
                    done(task())
            case "quota", quotas:
                self.world.arena.allowance.quotas = Quotas(**quotas)
            case "drain", {}:
                self.world.arena.drain()
            case "restart", {"down_ms": int(down_ms)}:
                self._restart(down_ms)
            case _:
                raise ValueError(f"{what} with {given} cannot happen")
        self.run_due()

    def _restart(self, down_ms: int) -> None:
        """Stop as `rumble_server.app.Server.stop` does, and start again after `down_ms`."""
        self.world.arena.stop()
        for pipe in list(self._pipes.values()):
            pipe.server.shutdown()
            pipe.pump()
        self._pipes.clear()
        self.world = self.world.after_crash(down_ms=down_ms, **self._settings)

    def _run_pairing(self, task: Callable[[], AnyRound], done: Callable[[AnyRound], None]) -> None:
        if self._pairing is None:
            done(task())
        else:
            self._pairing.append((task, done))

    def run_due(self) -> None:
        """Run all callbacks due now, and complete the closing handshakes."""
        self.world.clock.advance(0)
        for name, pipe in list(self._pipes.items()):
            pipe.pump()
            if not pipe.open:
                del self._pipes[name]

    def finish(self) -> None:
        """Drop every connection."""
        for pipe in self._pipes.values():
            pipe.drop()
