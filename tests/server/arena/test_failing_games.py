"""A game whose code fails, in any method and at any ply, in play and after a crash, stops its own tournament alone."""

from collections.abc import Callable
from typing import Any

import pytest
from rumble_engine.games.dilemma import DilemmaGame, DilemmaState
from rumble_engine.games.tictactoe import TicTacToe, TicTacToeState
from rumble_protocol.server_messages import OVER
from rumble_server.match.facts import MatchOver, state_after
from rumble_server.match.transcript import public_facts, transcript

from tests.server.arena.playing import first_legal
from tests.server.world import Bot, World

THINK_MS = 10
"""Time in ms that the bots think about each move."""
CRASH_AFTER_MS = 45
"""Time in ms after the start of a tournament at which the server crashes, in the middle of a match."""
NAMES = ("ann", "ben")
PLAIN = ("view", "text", "diagram", "code_of", "text_of", "after", "outcome", "legal_moves", "codes", "to_move")
JOINT = (
    *("view", "text", "diagram", "code_for", "text_for", "codes_for", "after_all", "joint_text", "movers", "outcome"),
    *("is_chance", "chances", "draw", "code_of", "text_of", "after", "finished", "told", "seen"),
)


def squares(state: TicTacToeState) -> int:
    """Return the number of plies before a position of tic-tac-toe."""
    get = object.__getattribute__
    return int((get(state, "x") | get(state, "o")).bit_count())


def steps(state: DilemmaState) -> int:
    """Return the number of plies before a position of the dilemma with noise: two in each round."""
    get = object.__getattribute__
    return 2 * int(get(state, "round")) + bool(get(state, "chosen"))


def fail(monkeypatch: pytest.MonkeyPatch, kind: type, name: str, is_bad: Callable[[Any], bool]) -> None:
    """Let each use of an attribute fail in objects for which `is_bad` returns true."""

    def get(of: Any, asked: str) -> Any:
        if asked == name and is_bad(of):
            raise RuntimeError(f"a bug in {name}")
        return object.__getattribute__(of, asked)

    monkeypatch.setattr(kind, "__getattribute__", get, raising=False)
    state_after.cache_clear()  # a new run of the server has no states of the run before


def come(world: World, *names: str) -> list[Bot]:
    """Let bots log in, join both tournaments, and play the first legal move."""
    bots = []
    for name in names:
        bots.append(world.player(name, first_legal, lambda: THINK_MS, join="bad"))
        bots[-1].say(type="join", tournament="good")
    return bots


def begin(**bad: Any) -> World:
    """Return a world with two tournaments that begin when the bots join."""
    world = World()
    world.create(name="Bad", legs=2, start_at_bots=2, **bad)
    world.create(name="Good", legs=1, start_at_bots=2, game="connect4", openings="none")
    return world


def in_play(monkeypatch: pytest.MonkeyPatch, kind: type, name: str, is_bad: Callable[[Any], bool], **bad: Any) -> None:
    """Play with a game that fails from the beginning. A bot loses its connection, and comes back, during a match."""
    world = begin(**bad)
    fail(monkeypatch, kind, name, is_bad)
    ann, ben = come(world, *NAMES)
    world.run(CRASH_AFTER_MS)
    ben.drop()
    world.run(THINK_MS)
    check(world, [ann, *come(world, "ben")])


def after_a_crash(
    monkeypatch: pytest.MonkeyPatch, kind: type, name: str, is_bad: Callable[[Any], bool], **bad: Any
) -> None:
    """Play with a game that fails only after a crash of the server in the middle of a match."""
    world = begin(**bad)
    come(world, *NAMES)
    world.run(CRASH_AFTER_MS)
    fail(monkeypatch, kind, name, is_bad)
    again = world.after_crash()
    check(again, come(again, *NAMES))


def check(world: World, bots: list[Bot]) -> None:
    """Play on, and check that the failing game has no effect outside its tournament, which ends or is paused.

    The transcripts of its matches can be read.
    """
    world.run()
    assert (world.tournament("good").status, len(world.tournament("good").results)) == ("finished", 1)
    bad = world.tournament("bad")
    assert bad.status in (*OVER, "paused")
    assert bad.reason
    assert world.arena.matches.live == {}
    assert not any(player.is_playing for player in world.arena.players)
    assert [over.at_fault for over in world.log.facts if isinstance(over, MatchOver) and over.at_fault] == []
    assert [bot.link.closed for bot in bots] == [None, None]
    assert not any(bot.link.was_cut for bot in bots)
    for match in {over.match for over in world.log.facts if isinstance(over, MatchOver)}:
        told = [fact for fact in world.log.facts if getattr(fact, "match", None) == match]
        assert list(transcript(public_facts(told, to_a_seat=True)))


@pytest.mark.parametrize("play", [in_play, after_a_crash])
@pytest.mark.parametrize("ply", [0, 1, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_game_that_fails_stops_its_tournament_alone(
    monkeypatch: pytest.MonkeyPatch, name: str, ply: int, play: Callable[..., None]
) -> None:
    play(monkeypatch, TicTacToeState, name, lambda state: squares(state) == ply, openings=[["0", "1"]])


@pytest.mark.parametrize("play", [in_play, after_a_crash])
@pytest.mark.parametrize("name", ["initial", "initial_for", "load", "drawing", "diagram", "written", "path"])
@pytest.mark.parametrize(("kind", "game"), [(TicTacToe, "tictactoe"), (DilemmaGame, "dilemma")])
def test_a_kind_of_game_that_fails_stops_its_tournament_alone(
    monkeypatch: pytest.MonkeyPatch, kind: type, game: str, name: str, play: Callable[..., None]
) -> None:
    play(monkeypatch, kind, name, lambda _: True, game=game)


@pytest.mark.parametrize("play", [in_play, after_a_crash])
@pytest.mark.parametrize("ply", [0, 1, 2, 3, 5, 6])
@pytest.mark.parametrize("name", JOINT)
def test_a_game_of_joint_moves_that_fails_stops_its_tournament_alone(
    monkeypatch: pytest.MonkeyPatch, name: str, ply: int, play: Callable[..., None]
) -> None:
    settings = {"rounds": 3, "noise": 30}
    play(monkeypatch, DilemmaState, name, lambda state: steps(state) == ply, game="dilemma", settings=settings)
