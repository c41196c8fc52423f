import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from rumble_bots.reference import Choice, remote
from rumble_bots.reference.remote import MOVES_TO_COME, RemoteReferenceBot, budget_ms
from rumble_bots.sdk.bot import SAFETY_MS, Noted, Turn
from rumble_bots.sdk.errors import Resign
from rumble_bots.search.thinking import SHARE
from rumble_engine import State
from rumble_engine.games import dilemma
from rumble_protocol import server_messages as server

from tests.bots.sdk import says


def asked(remaining_ms: int = 1000, control: dict[str, int] | None = None) -> Turn:
    frame = says.turn(board="XX.OO....", moves=("0", "3", "1", "4"), remaining_ms=remaining_ms)
    start = says.read(server.MatchStart, says.match_start(control=control)) if control else None
    return Turn.of(says.read(server.Turn, frame), start, lambda: 0.0)


@pytest.mark.parametrize(
    ("remaining_ms", "control", "budget"),
    [
        (1000, {}, 1000 - SAFETY_MS),
        (1000, {"move_ms": 1000}, 1000 - SAFETY_MS),
        (20_000, {"bank_ms": 20_000}, 20_000 // MOVES_TO_COME),
        (20_000, {"bank_ms": 20_000, "increment_ms": 100}, 20_000 // MOVES_TO_COME + 100),
        (21_000, {"bank_ms": 20_000, "move_ms": 1000}, 20_000 // MOVES_TO_COME + 1000),
        (400, {"bank_ms": 20_000, "move_ms": 1000}, 400 - SAFETY_MS),
        (100, {"bank_ms": 20_000, "increment_ms": 5000}, 100 - SAFETY_MS),
        (0, {"bank_ms": 20_000}, 0),
    ],
)
def test_a_bot_thinks_never_beyond_its_clock_and_for_a_share_of_the_bank(
    remaining_ms: int, control: dict[str, int], budget: int
) -> None:
    assert budget_ms(asked(remaining_ms, control)) == pytest.approx(budget, abs=1)


def test_a_reference_bot_tells_its_thoughts_if_it_thinks() -> None:
    answer = RemoteReferenceBot("minimax", search="alphabeta").choose(asked())
    assert isinstance(answer, Noted)
    assert answer == "2"
    assert answer.note.startswith("value +1.00, ")
    assert answer.note.endswith(" positions")
    assert set(answer.info) == {"score", "depth", "nodes", "time_ms", "pv"}
    assert (answer.info["score"], answer.info["depth"]) == (1, 1)
    assert answer.info["nodes"] > 0
    assert answer.info["time_ms"] >= 0
    assert not isinstance(RemoteReferenceBot("random").choose(asked()), Noted)


def test_only_perfect_is_choosy_about_games() -> None:
    assert RemoteReferenceBot("perfect").games == ("tictactoe",)
    assert RemoteReferenceBot("minimax").games is None


def test_bots_at_the_same_time_are_different_ones_and_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(2)
    made: list[int] = []

    class Waiting:
        games = None
        remembers = False

        def choose(self, state: State, budget_ms: int, seat: int) -> Choice:
            assert budget_ms == pytest.approx(1000 - SAFETY_MS, abs=1)
            together.wait(60)
            return Choice("5")

    def make(name: str, *, seed: int) -> Waiting:
        made.append(seed)
        return Waiting()

    monkeypatch.setattr(remote, "make_reference_bot", make)
    bot = RemoteReferenceBot("any", seed=7)
    with ThreadPoolExecutor(2) as pool:
        for _ in range(2):
            assert list(pool.map(bot.choose, [asked(), asked()])) == ["5", "5"]
    assert made == [7, 8]


class Overshooting:
    """Takes half of its time, as searches do, and then `late_ms` more, on a clock of the test."""

    remembers = False

    def __init__(self, late_ms: float) -> None:
        self.late_ms = late_ms
        self.now_ms = 0.0
        self.budgets: list[int] = []

    def choose(self, state: State, budget_ms: int, seat: int) -> Choice:
        self.budgets.append(budget_ms)
        self.now_ms += budget_ms * SHARE + self.late_ms
        return Choice("2")


def test_a_bot_is_made_if_another_thread_takes_the_last_one() -> None:
    class Emptied(list[Any]):
        """A list that another thread has emptied since the check."""

        def __bool__(self) -> bool:
            return True

    playing = RemoteReferenceBot("winner")
    playing.idle = Emptied()
    assert playing.choose(asked()) == "2"
    assert len(playing.idle) == 1


def test_a_search_that_was_late_gets_less_time() -> None:
    search: Any = Overshooting(late_ms=180)
    bot = RemoteReferenceBot("minimax")
    bot.idle = [search]
    took = []
    for _ in range(4):
        turn = replace(asked(300), now=lambda: search.now_ms / 1000, deadline=(search.now_ms + 270) / 1000)
        began = search.now_ms
        bot.choose(turn)
        took.append(search.now_ms - began)
    assert search.budgets[0] == 270
    assert took[0] > 300, "lost on time"
    assert max(took[1:]) < 270, "and once measured, no more"
    search.late_ms = 10_000
    bot.choose(replace(turn, now=lambda: search.now_ms / 1000, deadline=(search.now_ms + 270) / 1000))
    bot.choose(replace(turn, now=lambda: search.now_ms / 1000, deadline=(search.now_ms + 270) / 1000))
    assert search.budgets[-1] == 27, "there is always a little to think with"


def dilemma_turn(match: str, plies: str, attempt: int = 1) -> Turn:
    """Return the turn of seat 1 after plies such as `CD CC`, in a game that no entry point offers."""
    state = dilemma.GAME.initial()
    for ply in plies.split():
        state = state.play(" ".join(ply))
    turn = replace(asked(), match=match, attempt=attempt, game="dilemma", seat=1)
    turn.__dict__["position"] = state
    return turn


def test_a_bot_that_remembers_has_an_instance_for_each_match_and_attempt() -> None:
    bot = RemoteReferenceBot("friedman")
    first = [dilemma_turn("m-1", plies) for plies in ("", "DC", "DC CD", "DC CD CD")]
    other = [dilemma_turn("m-2", plies) for plies in ("", "CC", "CC CC", "CC CC CC")]
    answers = [(bot.choose(one), bot.choose(two)) for one, two in zip(first, other, strict=True)]
    assert answers == [("C", "C"), ("D", "C"), ("D", "C"), ("D", "C")]
    assert bot.choose(dilemma_turn("m-1", "", attempt=2)) == "C"
    assert bot.choose(first[3]) == "D"


def test_a_bot_that_cannot_play_a_game_resigns_with_the_reason() -> None:
    with pytest.raises(Resign, match="minimax plays games of two seats in turn without chance; here seats move at"):
        RemoteReferenceBot("minimax").choose(dilemma_turn("m-1", ""))
