"""A referee at work, driven as the arena drives it, on a time that only `pass_ms` moves.

Whatever it does, the desk checks: frames fit their models and the design, every frame either way is held by a fact
(so that a transcript can be rebuilt), and only results wait for the disk.
"""

import itertools
import json
from collections.abc import Iterable
from typing import Any

from rumble_engine import Termination
from rumble_protocol.fields import TimeControl
from rumble_server.match.facts import (
    Effect,
    FrameSeen,
    MatchFact,
    MatchOver,
    MatchStarted,
    MoveMade,
    Send,
    StartTold,
    TurnAsked,
)
from rumble_server.match.referee import Referee

from tests.server.frames import Frame, Inbox

START_MS = 1_000_000
SECOND = TimeControl(move_ms=1000)


def terms(**given: Any) -> MatchStarted:
    """A match of tic-tac-toe between ann and ben, one second a move, or as given."""
    usual: dict[str, Any] = {
        "match": "friday.1.1.1.1",
        "attempt": 1,
        "game": "tictactoe",
        "settings": {},
        "seed": 0,
        "seats": ("ann", "ben"),
        "moves": (),
        "time_control": SECOND,
        "illegal_retries": 0,
        "away_ms": 5000,
        "at_ms": START_MS,
    }
    return MatchStarted(**{**usual, **given})


class TurnIds:
    """Turn ids of one run, as the arena makes them."""

    def __init__(self, run: int = 1) -> None:
        self._run = run
        self._numbers = itertools.count(1)

    def __call__(self) -> str:
        return f"{self._run:x}.{next(self._numbers):x}"


class Desk:
    """One referee and its two seats; `facts` is the log."""

    def __init__(self, referee: Referee | None = None, *, now_ms: int = START_MS, **given: Any) -> None:
        started = terms(**given)
        self.referee = Referee(started, TurnIds()) if referee is None else referee
        self.now_ms = now_ms
        self.facts: list[MatchFact] = [self.referee.terms]
        self.seats = (Inbox(), Inbox())

    @classmethod
    def seated(cls, **given: Any) -> "Desk":
        """A match with both bots connected."""
        desk = cls(**given)
        desk.connect(0)
        desk.connect(1)
        return desk

    @classmethod
    def resumed(cls, facts: Iterable[MatchFact], *, now_ms: int, grace_ms: int = 30_000, run: int = 2) -> "Desk":
        """The match after a restart at `now_ms`, nobody connected."""
        referee = Referee.resume(facts, TurnIds(run), now_ms=now_ms, nobody_away_before_ms=now_ms + grace_ms)
        desk = cls(referee, now_ms=now_ms)
        desk._do(referee.conclude(now_ms))
        return desk

    # --- what happens ---

    def pass_ms(self, ms: int, *, loop_lag_ms: int = 0) -> None:
        """Let time pass; the referee is woken whenever it asked for it."""
        until_ms = self.now_ms + ms
        while self.referee.wake_at_ms is not None and self.referee.wake_at_ms <= until_ms:
            wake_at_ms = self.referee.wake_at_ms
            self.now_ms = max(self.now_ms, wake_at_ms)
            self._do(self.referee.wake(self.now_ms, loop_lag_ms))
            assert self.referee.wake_at_ms != wake_at_ms, "woken for nothing, again and again"
        self.now_ms = until_ms

    def connect(self, seat: int, *, lag_ms: int = 0, omit: tuple[str, ...] = ()) -> None:
        self._do(self.referee.connect(seat, self.now_ms, lag_ms=lag_ms, omit=omit))

    def disconnect(self, *seats: int) -> None:
        for seat in seats:
            self._do(self.referee.disconnect(seat, self.now_ms))

    def move(self, seat: int, move: str, *, turn: Frame | None = None, turn_id: str | None = None) -> None:
        """The seat answers its newest turn, or the one given."""
        assert self.referee.over is None, f"the match is over: {self.referee.over}"
        if turn_id is None:
            turn_id = str((turn or self.seats[seat].last("turn"))["turn_id"])
        frame = json.dumps({"type": "move", "match": self.referee.match, "turn_id": turn_id, "move": move})
        effects = self.referee.move(seat, turn_id, move, self.now_ms, frame)
        kept = [
            effect.frame
            for effect in effects
            if isinstance(effect, MoveMade) or (isinstance(effect, FrameSeen) and effect.sender == "bot")
        ]
        assert kept == [frame], "the bot's frame is not in the log exactly once"
        self._do(effects)

    def play(self, *moves: str, after_ms: int = 0) -> None:
        """The seats make these moves in turn, thinking so long about each."""
        for move in moves:
            self.pass_ms(after_ms)
            self.move(self.referee.state.to_move, move)

    def resign(self, seat: int) -> None:
        frame = json.dumps({"type": "resign", "match": self.referee.match})
        self._do(self.referee.resign(seat, self.now_ms, frame))

    def forfeit(self, seat: int, termination: Termination, reason: str) -> None:
        self._do(self.referee.forfeit(seat, termination, reason, self.now_ms))

    def abort(self, reason: str) -> None:
        self._do(self.referee.abort(reason, self.now_ms))

    # --- what is known ---

    @property
    def turn(self) -> Frame:
        """The newest turn of whichever seat is to move."""
        return self.seats[self.referee.state.to_move].last("turn")

    @property
    def over(self) -> MatchOver:
        assert self.referee.over is not None, "the match goes on"
        return self.referee.over

    def all_facts(self, kind: type[MatchFact]) -> list[Any]:
        return [fact for fact in self.facts if type(fact) is kind]

    def _do(self, effects: list[Effect]) -> None:
        over = next((effect for effect in effects if isinstance(effect, MatchOver)), None)
        for before, effect in itertools.pairwise([None, *effects]):
            if isinstance(effect, Send):
                frame = self.seats[effect.seat].add(effect.frame)
                assert effect.durable == (frame["type"] == "match_over")
                if frame["type"] == "turn":
                    assert isinstance(before, TurnAsked)
                    assert before.turn_id == frame["turn_id"]
                elif frame["type"] == "match_start":
                    assert isinstance(before, StartTold)
                    assert (before.seat, before.resumed) == (effect.seat, frame["resumed"])
                elif frame["type"] == "match_over":
                    assert over is not None
                    assert effect.seat in over.told
                else:
                    assert isinstance(before, FrameSeen)
                    assert (before.sender, before.seat, before.frame) == ("server", effect.seat, effect.frame.decode())
            elif effect is not None:
                self.facts.append(effect)
        if self.referee.over is not None:
            assert self.referee.wake_at_ms is None
