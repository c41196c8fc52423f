"""Simulated bots: they play at random, reconnect with backoff, and some of them have a fault (see `faults`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import orjson
from rumble_engine import State, get_game

from tests.server.virtual_clock import VirtualClock
from tests.simulation import faults
from tests.simulation.network import Network, Place, Wire

Frame = dict[str, Any]

REPLACED, WRONG_KEY, FLOODED = 4001, 4003, 4008
MOST_REPEATS = 30
"""Maximum number of frames that a bot repeats in total; more would count as a flood."""


@dataclass(frozen=True, slots=True)
class BotPlan:
    """Plan of one bot. `tournaments` are the names of the tournaments to join."""

    name: str
    tournaments: tuple[str, ...]
    key: str | None = None
    fault: str | None = None
    max_matches: int = 1
    think_ms: tuple[int, int] = (1, 50)
    omit: tuple[str, ...] = ()
    repeat: float = 0.0
    """Chance that the bot sends a frame twice, or repeats its last move after a reconnect."""
    restart: float = 0.0
    """Chance, per turn, that a second process logs in under the bot's name while the first is still connected."""
    shouts: bool = False
    """True if the bot sometimes writes its name with upper and lower case swapped."""
    rivals: tuple[str, ...] = ()
    """Bots to challenge, at most one per connection. A bot with rivals also takes challenges."""
    workers: int = 0
    """Number of worker programs, each with its own connection; 0: one program that logs in without a worker name."""
    drop: float = 0.0
    """Chance, per turn, that the connection drops; the bot reconnects within `pause_ms`."""
    pause_ms: int = 0
    follow: bool = False
    """True if the bot follows its host to the next tournament."""

    @property
    def programs(self) -> tuple[str | None, ...]:
        """Worker name of each program; None for the single program of a bot without workers."""
        return tuple(f"w{number}" for number in range(self.workers)) or (None,)


class SimBot:
    """A program of a bot, with its newest connection."""

    def __init__(
        self,
        plan: BotPlan,
        worker: str | None,
        timeline: VirtualClock,
        network: Network,
        server: Callable[[], Place | None],
        seed: str,
    ) -> None:
        self.plan = plan
        self.worker = worker
        self.name = plan.name
        self.random = Random(seed if worker is None else f"{seed} {worker}")
        self.timeline = timeline
        self.network = network
        self.wire: Wire | None = None
        self.tournaments = list(plan.tournaments)
        """Tournaments to play: the planned tournaments, then the tournaments to which the host moves the bot."""
        self.over: set[str] = set()
        """Tournaments in which the bot has nothing left to play."""
        self.gone = False
        """True once the bot has left for good."""
        self.last_move: str | None = None
        self.seen_matches: set[str] = set()
        self.odd_turns = 0
        self._server = server
        self._backoff_ms = 100
        self._repeats = 0
        self._starts: dict[str, Frame] = {}

    # --- connections ---

    def connect(self) -> None:
        """Open a connection, which replaces the newest one once the server accepts it."""
        if not self.gone and not self.is_done:
            self.network.connect(self._server(), self, self._opened)

    def _opened(self, wire: Wire | None) -> None:
        if wire is None:
            self._connect_again()
        else:
            self.wire = wire

    def _connect_again(self) -> None:
        wait_ms = self.random.randint(self._backoff_ms // 2, self._backoff_ms)
        self._backoff_ms = min(5000, self._backoff_ms * 2)
        self.timeline.call_in(wait_ms, self.connect)

    def ended(self, wire: Wire, code: int | None) -> None:
        """Note the end of a connection, and reconnect if the connection was the newest."""
        if wire is self.wire and code not in (REPLACED, WRONG_KEY):
            self.wire = None
            if code == FLOODED:
                self._backoff_ms = 5000
            self._connect_again()

    def hang_up(self) -> None:
        """Close the connection and reconnect later, unless the bot has left for good."""
        if self.wire is not None:
            wire, self.wire = self.wire, None
            wire.hang_up()
            self._connect_again()

    @property
    def is_done(self) -> bool:
        """True if the bot has nothing left to play in any tournament."""
        return self.over.issuperset(self.tournaments)

    # --- speaking ---

    def say(self, **message: Any) -> None:
        """Send a message on the newest connection."""
        self.say_text(orjson.dumps(message).decode())

    def say_text(self, text: str) -> None:
        """Send any text on the newest connection."""
        if self.wire is not None:
            self.wire.say(text)

    def wants_to_repeat(self) -> bool:
        """Decide by chance whether to repeat a frame, at most `MOST_REPEATS` times."""
        if self.plan.repeat and self._repeats < MOST_REPEATS and self.random.random() < self.plan.repeat:
            self._repeats += 1
            return True
        return False

    # --- listening ---

    def heard(self, wire: Wire, text: str) -> None:
        """Handle a frame from the server."""
        if wire is not self.wire:
            return
        frame = orjson.loads(text)
        match frame["type"]:
            case "turn":
                self._on_turn(wire, frame)
            case "match_start":
                self._starts[frame["match"]] = frame
                self.seen_matches.add(frame["match"])
            case "welcome":
                self._login()
            case "session":
                self._learn(*[each["id"] for each in frame["tournaments"]])
                self._on_session()
            case "tournament_over":
                self._finish(frame["tournament"])
            case "left":
                self._finish(frame["tournament"])
            case "error":
                self._on_error(frame)
            case "joined" if self.plan.fault == "absent":
                self.gone = True
                self.hang_up()
            case "joined":
                self._learn(frame["tournament"])
            case _:
                pass

    def _learn(self, *tournaments: str) -> None:
        """Note the next tournaments of the host, if the bot follows. Their ids begin like that of a planned one."""
        if self.plan.follow:
            new = [each for each in tournaments if each.startswith(self.plan.tournaments)]
            self.tournaments += [each for each in new if each not in self.tournaments]

    def _login(self) -> None:
        name = self.name.swapcase() if self.plan.shouts and self.random.random() < 0.5 else self.name
        login: Frame = {"type": "login", "name": name, "max_matches": self.plan.max_matches}
        if self.plan.key is not None:
            login["key"] = self.plan.key
        if self.worker is not None:
            login["worker"] = self.worker
        if self.plan.omit:
            login["omit"] = self.plan.omit
        if self.plan.rivals:
            login["challenges"] = True
        if self.plan.follow:
            login["follow"] = True
        if (wanted := self._wanted()) and self.random.random() < 0.8:
            login["join"] = wanted[0]
        self.say(**login)

    def _on_session(self) -> None:
        self._backoff_ms = 100
        for tournament in self._wanted():
            self.say(type="join", tournament=tournament)
        if self.last_move is not None and self.wants_to_repeat():
            self.say_text(self.last_move)
        if self.plan.rivals and not self.network.calm and self.random.random() < 0.5:
            control = {"bank_ms": 2000, "increment_ms": 50}
            rival = self.random.choice(self.plan.rivals)
            self.say(type="challenge", against=rival, game="tictactoe", time_control=control)

    def _wanted(self) -> list[str]:
        return [name for name in self.tournaments if name not in self.over]

    def _on_error(self, error: Frame) -> None:
        if error["code"] == "unknown_tournament":
            self.timeline.call_in(self.random.randint(1000, 3000), self._join_again)
        elif error["code"] == "tournament_closed":
            for name in self.tournaments:
                if name in error["message"].split():
                    self._finish(name)

    def _join_again(self) -> None:
        for tournament in self._wanted():
            self.say(type="join", tournament=tournament)

    def _finish(self, tournament: str) -> None:
        self.over.add(tournament)
        if self.is_done and self.wire is not None:
            wire, self.wire = self.wire, None
            wire.hang_up()

    # --- playing ---

    def _on_turn(self, wire: Wire, turn: Frame) -> None:
        if self.plan.restart and self.random.random() < self.plan.restart:
            self.connect()
        if self.plan.drop and not self.network.calm and self.random.random() < self.plan.drop:
            self._backoff_ms = self.plan.pause_ms
            wire.cut_off_silent()
            return
        think_ms = self.random.randint(*self.plan.think_ms)
        think_ms = min(think_ms, turn["clock"]["remaining_ms"] // 4)
        fault = None if self.plan.fault is None else faults.AT_A_TURN.get(self.plan.fault)
        if fault is None:
            self.timeline.call_in(think_ms, lambda: self.answer(wire, turn))
        else:
            self.timeline.call_in(think_ms, lambda: fault(self, wire, turn))

    def answer(self, wire: Wire, turn: Frame) -> None:
        """Play a random legal move."""
        if wire is self.wire:
            self.move(turn, self.random.choice(self._legal(turn)))
            if self.last_move is not None and self.wants_to_repeat():
                self.say_text(self.last_move)

    def move(self, turn: Frame, move: str) -> None:
        """Answer a turn with the given move."""
        message = {"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": move}
        self.last_move = orjson.dumps(message).decode()
        self.say_text(self.last_move)

    def _legal(self, turn: Frame) -> list[str]:
        if "legal" in turn:
            legal: list[str] = turn["legal"]
            return legal
        state = self.state(turn)
        return [state.text_for(turn["seat"], code) for code in state.codes_for(turn["seat"])]

    def state(self, turn: Frame) -> State:
        """Load the position of a turn with the engine; if something is hidden, one that agrees with the turn."""
        return get_game(turn["game"]).sample(turn["state"], self.random)
