"""A referee at work, driven as the arena drives it, on a time that only `pass_ms` moves.

The driver checks each frame against its model. It also checks that facts hold every frame in both directions, for the
transcript, and that only results wait for the disk.
"""

import itertools
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from rumble_engine import Termination
from rumble_protocol.fields import TimeControl
from rumble_server.limits.bounds import Bounds
from rumble_server.match.clock import FastControl
from rumble_server.match.facts import (
    FrameSeen,
    MatchFact,
    MatchOver,
    MatchStarted,
    MoveMade,
    StartTold,
    TurnAsked,
    with_turns,
)
from rumble_server.match.progress import Progress
from rumble_server.match.rebuild import RebuiltMatch
from rumble_server.match.referee import Referee

from tests.server.frames import Frame, Inbox

BANK = TimeControl(move_ms=1000, bank_ms=500, increment_ms=100)
START_MS = 1_000_000
SECOND = TimeControl(move_ms=1000)


def terms(**given: Any) -> MatchStarted:
    """Return the terms of a match of tic-tac-toe between ann and ben, with a second a move, or as given."""
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
        "away_clock": "stands",
    }
    return MatchStarted(**{**usual, **given})


@dataclass
class Connected:
    """A connection as the referee sees it."""

    lag_ms: int = 0
    lag_by_pings: bool = False
    omit: tuple[str, ...] = ()
    is_stamped: bool = False


class TurnIds:
    """Turn ids of a run of the server, in the arena's form."""

    def __init__(self, run: int = 1) -> None:
        self._run = run
        self._numbers = itertools.count(1)

    def __call__(self) -> str:
        return f"{self._run:x}.{next(self._numbers):x}"


class DrivenReferee:
    """A referee and its seats, which keep the frames sent to them; `facts` is the log."""

    def __init__(self, *, now_ms: int = START_MS, run: int = 1, grace_until_ms: int = 0, **given: Any) -> None:
        started = given["started"] if "started" in given else terms(**given)
        self.now_ms = now_ms
        self.facts: list[MatchFact] = [started]
        self.seats = tuple(Inbox() for _ in started.seats)
        self.late_ms = 0
        """The server's sum of lateness, which the referee reads."""
        self.suspended_until_ms = 0
        bounds = Bounds(excused_ms=10_000, proxied_lag_ms=500)
        make_progress = given.get("make_progress") or partial(Progress, started, FastControl(started.time_control))
        self.progress = make_progress(self, grace_until_ms)
        self.referee = Referee(self.progress, self, TurnIds(run), bounds)

    @classmethod
    def seated(cls, *, lag_ms: int = 0, is_stamped: bool = False, **given: Any) -> "DrivenReferee":
        """Return a match with both bots connected."""
        driven = cls(**given)
        connected = Connected(lag_ms, is_stamped=is_stamped)
        driven.referee.start([connected for _ in driven.seats], driven.now_ms)
        return driven

    @classmethod
    def rebuilt(
        cls, facts: Iterable[MatchFact], *, now_ms: int, grace_ms: int = 30_000, run: int = 2
    ) -> "DrivenReferee":
        """Return the match after a restart at `now_ms`, with nobody connected."""
        started, *later = facts
        assert isinstance(started, MatchStarted)
        rebuilt = RebuiltMatch(started, FastControl(started.time_control), later)
        given = {"started": started, "make_progress": rebuilt.progress}
        driven = cls(now_ms=now_ms, run=run, grace_until_ms=now_ms + grace_ms, **given)
        driven.referee.go_on(rebuilt, now_ms)
        return driven

    # --- the driver's part ---

    def append(self, fact: MatchFact) -> None:
        self.facts.append(fact)

    record = append

    # Each frame must follow from the fact before; otherwise no transcript could be rebuilt.

    def send_start(self, seat: int, frame: bytes) -> None:
        message, before = self.seats[seat].add(frame), self.facts[-1]
        assert isinstance(before, StartTold)
        assert seat == before.seat or before.all_seats
        assert (message["type"], message["seat"], message["resumed"]) == ("match_start", seat, before.resumed)

    def send(self, seat: int, frame: bytes) -> None:
        message, before = self.seats[seat].add(frame), self.facts[-1]
        assert message["type"] not in ("match_start", "turn", "match_over"), "sent by another call"
        assert isinstance(before, FrameSeen)
        assert (before.sender, before.seat, before.frame) == ("server", seat, frame.decode())

    def ask(self, seat: int, frame: bytes, turn_id: str) -> None:
        message = self.seats[seat].add(frame)
        asked = [fact.turn_id for fact in with_turns(self.facts[-1:]) if isinstance(fact, TurnAsked)]
        assert turn_id in asked
        assert turn_id == message["turn_id"]

    def send_match_over(self, seat: int, frame: bytes) -> None:
        """Only results wait for the disk. The result is kept for a bot that is away."""
        assert self.facts[-1] is self.progress.over
        if seat in self.over.connected:
            assert self.seats[seat].add(frame)["type"] == "match_over"

    # --- events ---

    def stall(self, ms: int) -> None:
        """Let time pass in which the server does nothing, then wake the referee if a wake is due."""
        self.now_ms += ms
        self.late_ms += ms
        self.pass_ms(0)

    def pass_ms(self, ms: int) -> None:
        """Let time pass, and wake the referee at each time that it asked for."""
        until_ms = self.now_ms + ms
        while self.progress.wake_at_ms is not None and self.progress.wake_at_ms <= until_ms:
            wake_at_ms = self.progress.wake_at_ms
            self.now_ms = max(self.now_ms, wake_at_ms)
            self.referee.wake(self.now_ms, self.now_ms)
            assert self.progress.wake_at_ms != wake_at_ms, "woken for nothing, again and again"
        self.now_ms = until_ms

    def connect(self, seat: int, **session: Any) -> None:
        self.referee.connect(seat, Connected(**session), self.now_ms)

    def disconnect(self, *seats: int) -> None:
        for seat in seats:
            self.referee.disconnect(seat, self.now_ms)

    def move(self, seat: int, move: str, *, turn: Frame | None = None, turn_id: str | None = None, **said: Any) -> None:
        """Answer the seat's newest turn, or the turn given; `said` has further fields of the message."""
        assert self.progress.over is None, f"the match is over: {self.progress.over}"
        if turn_id is None:
            turn_id = str((turn or self.seats[seat].last("turn"))["turn_id"])
        message = {"type": "move", "match": self.progress.terms.match, "turn_id": turn_id, "move": move, **said}
        frame = json.dumps(message)
        before = len(self.facts)
        self.referee.move(seat, turn_id, move, self.now_ms, frame)
        kept = [
            fact.frame
            for fact in self.facts[before:]
            if isinstance(fact, MoveMade) or (isinstance(fact, FrameSeen) and fact.sender == "bot")
        ]
        assert [each for each in kept if each] == [frame], "the bot's frame is not in the log exactly once"

    def play(self, *moves: str, after_ms: int = 0) -> None:
        """Make these moves with the seats in turn, after thinking `after_ms` about each."""
        for move in moves:
            self.pass_ms(after_ms)
            self.move(self.progress.state.to_move, move)

    def resign(self, seat: int, failure: str | None = None) -> None:
        frame = json.dumps({"type": "resign", "match": self.progress.terms.match})
        self.referee.resign(seat, self.now_ms, frame, failure)

    def forfeit(self, seat: int, termination: Termination, reason: str) -> None:
        self.referee.forfeit(seat, termination, reason, self.now_ms)

    def abort(self, reason: str) -> None:
        self.referee.abort(reason, self.now_ms)

    # --- state ---

    @property
    def turn(self) -> Frame:
        """The newest turn of the seat to move."""
        return self.seats[self.progress.state.to_move].last("turn")

    @property
    def over(self) -> MatchOver:
        assert self.progress.over is not None, "the match goes on"
        assert self.progress.wake_at_ms is None
        return self.progress.over

    def all_facts(self, kind: type[MatchFact]) -> list[Any]:
        return [fact for fact in with_turns(self.facts) if type(fact) is kind]


def at_fault(driven: DrivenReferee, termination: Termination, after_ms: int) -> tuple[int, ...] | None:
    """Return the seats at fault for an end of this kind; None while the match goes on.

    With `after_ms`, let this time pass first, in ms; the match must not end before its last millisecond.
    """
    if after_ms:
        driven.pass_ms(after_ms - 1)
        assert driven.progress.over is None, "the match ended too early"
        driven.pass_ms(1)
    if driven.progress.over is None:
        return None
    assert driven.over.termination is termination
    return driven.over.at_fault


def timed_out(driven: DrivenReferee, after_ms: int = 0) -> tuple[int, ...] | None:
    """Return the seats at fault for the timeout, see `at_fault`."""
    return at_fault(driven, Termination.TIMEOUT, after_ms)


def disconnected(driven: DrivenReferee, after_ms: int = 0) -> tuple[int, ...] | None:
    """Return the seats whose absence lost the match, see `at_fault`."""
    return at_fault(driven, Termination.DISCONNECT, after_ms)
