"""Every game of OpenSpiel on a real server: played by random bots, killed once in the middle, replayed from the log."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from rumble_engine import Outcome, game_families, get_game
from websockets.asyncio.client import ClientConnection

from tests.e2e.processes import TOKEN
from tests.e2e.recording_bot import Frame, RecordingBot
from tests.e2e.restartable_server import RestartableServer, restartable_server
from tests.simulation.checks.board import Board
from tests.simulation.checks.case import Fact

pytestmark = [pytest.mark.e2e, pytest.mark.long]

pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")

GROUP = 10
"""Number of games that are played at the same time."""
MOST_HELD = 20
"""Maximum ply at which a match is held for the kill."""
MOST_MOVES = 2_000
"""Maximum number of plies that bots make."""
NAMES = [game for name in ("openspiel",) if name in game_families() for game in game_families()[name].names()]


@dataclass(slots=True)
class Evening:
    """Matches of some games, each in a tournament of its own, `t0`, `t1` and so on."""

    held_at: list[int]
    """The ply of each match at which bots stop answering until the kill."""
    going: asyncio.Event = field(default_factory=asyncio.Event)
    """Set after the kill."""
    ready: dict[int, str] = field(default_factory=dict)
    """The matches that are held or over before the kill, by tournament."""
    all_ready: asyncio.Event = field(default_factory=asyncio.Event)
    over: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The `match_over` of each match."""

    def note(self, tournament: int, what: str) -> None:
        self.ready.setdefault(tournament, what)
        if len(self.ready) == len(self.held_at):
            self.all_ready.set()


@dataclass(slots=True)
class Guest(RecordingBot):
    """A bot that plays legal moves at random. Before the kill, it answers no turn from the held ply on."""

    number: int = 0
    """The number of its tournament."""
    evening: Evening = field(default_factory=lambda: Evening([]))
    random: Random = field(default_factory=Random)

    async def _on(self, socket: ClientConnection, frame: Frame) -> None:
        kind = frame["type"]
        assert kind not in ("error", "rejected"), f"{self.number}: {frame}"
        if kind == "match_over":
            self.evening.note(self.number, "over")
            self.evening.over[self.number] = frame
        if kind == "turn" and frame["ply"] >= self.evening.held_at[self.number] and not self.evening.going.is_set():
            self.evening.note(self.number, "held")
        else:
            await RecordingBot._on(self, socket, frame)

    def move_frame(self, turn: Frame) -> Frame:
        return {**RecordingBot.move_frame(self, turn), "move": self.random.choice(turn["legal"])}


async def play_all(server: RestartableServer, games: Sequence[str], held_at: list[int]) -> Evening:
    """Play a match of each game, and kill the server while all matches are held or over."""
    evening = Evening(held_at)
    host = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx.AsyncClient(base_url=server.server.url, headers=host, timeout=60) as client:
        for number, name in enumerate(games):
            seats = get_game(name).seats
            config = {"name": f"t{number}", "game": name, "start_at_bots": seats, "format": "knockout"}
            config |= {"seats": seats, "time_control": {"move_ms": 600_000}, "replays": 0}
            config |= {"legs": 1} if seats == 2 else {}
            (await client.post("/api/tournaments", json=config)).raise_for_status()
    async with asyncio.TaskGroup() as bots:
        for number, name in enumerate(games):
            for seat in range(get_game(name).seats):
                url, own = server.server.bot_url, Random(f"{number} {seat}")
                bot = Guest(url, f"t{number}", f"t{number}-{seat}", number=number, evening=evening, random=own)
                bots.create_task(bot.play())
        async with asyncio.timeout(120):
            await evening.all_ready.wait()
        await asyncio.to_thread(server.kill)
        evening.going.set()
        await asyncio.to_thread(server.start)
    return evening


def replayed(facts: list[Fact], name: str) -> Board:
    """Replay the match of a game from the log."""
    (started,) = [fact for fact in facts if fact["fact"] == "match_started" and fact["game"] == name]
    board = Board(started)
    for fact in facts:
        if fact.get("match") == started["match"]:
            board.note(fact)
    return board


def least_plies(name: str) -> int:
    """Return the number of plies of the shortest of some random matches."""
    found, random = [], Random(name)
    for _ in range(5):
        state, plies = get_game(name).initial(), 0
        while state.outcome is None and plies < 2 * MOST_HELD:
            if state.is_chance:
                state = state.after(state.draw(random.getrandbits(256)))
            else:
                state = state.after_all({seat: random.choice(state.codes_for(seat)) for seat in state.movers})
            plies += 1
        found.append(plies)
    return min(found)


@pytest.mark.parametrize("games", [NAMES[start : start + GROUP] for start in range(0, len(NAMES), GROUP)])
def test_every_game_is_played_through_a_kill(games: list[str], tmp_path: Path) -> None:
    held_at = [min(MOST_HELD, least_plies(name) // 2) for name in games]
    with restartable_server(tmp_path) as server:
        evening = asyncio.run(play_all(server, games, held_at))
        facts = server.facts()
    for number, name in enumerate(games):
        over, board = evening.over[number], replayed(facts, name)
        assert evening.ready[number] == "held", f"{name} was over before the kill"
        assert over["termination"] == "normal", (name, over["reason"])
        assert board.moves == over["moves"], name
        assert len(board.moves) - board.draws <= MOST_MOVES, name
        outcome = board.state.outcome
        assert isinstance(outcome, Outcome), name
        assert list(outcome.scores) == over["scores"], name
        assert over.get("payoffs") == (None if outcome.payoffs is None else list(outcome.payoffs)), name
        assert over["state"] == board.state.view(-1), name
