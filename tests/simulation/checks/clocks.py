"""Clocks and budgets, computed again from the log's own times: nobody gains any, and nobody is robbed of any."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import orjson

from tests.simulation.checks.case import NOTICED_MS, Attempt, Case, Fact, Problems, Run

MOST_LAG_MS = 200
LENIENT_MS = 2
"""By how much a time that an edge measured may exceed its allowance."""
THE_WAY_MS = 250
"""What is excused at one time for the way between nodes; it makes no match void."""
MOST_STALLED = 2
"""Attempts at a match that are void for that before its tournament is paused."""


def check_clocks(case: Case) -> Problems:
    """All problems with thinking time, banks, away and absent budgets."""
    for attempt in case.attempts.values():
        if attempt.started is not None:
            yield from _Clocks(case, attempt, attempt.started).check()
    yield from _stalled(case)
    yield from _absence(case)


@dataclass(slots=True)
class _Seat:
    bank_ms: int
    away_left_ms: int
    away_since_ms: int | None = None
    excused_ms: int = 0
    counted_ms: int = 0
    """What counts of it: that at one time it is more than a way between nodes."""
    drops: int = 0
    lag_ms: int = 0

    def excuse(self, ms: int) -> None:
        """Time was excused."""
        self.excused_ms += ms
        self.counted_ms += max(0, ms - THE_WAY_MS)


class _Clocks:
    """One attempt's clocks, fact by fact."""

    def __init__(self, case: Case, attempt: Attempt, started: Fact) -> None:
        self.case = case
        self.facts = attempt.facts
        self.what = f"{attempt.match}, attempt {attempt.attempt}"
        self.control = started["time_control"]
        self.runs = started["away_clock"] == "runs"
        """Whether clocks run on while their bots are away."""
        self.bots = [bot.casefold() for bot in started["seats"]]
        self.seats = [_Seat(self.control["bank_ms"], started["away_ms"]) for _ in started["seats"]]
        self.run = case.run_of(started)
        self.ply = len(started["moves"])
        self.used_ms = 0
        """Thought about this ply, in earlier askings of this run."""
        self.asked: Fact | None = None
        """The turn whose clock may run; it has not been told while its `told_ms` is None."""
        self.settled_ms: int | None = None
        """When a turn that was in question was answered or stopped last."""

    def check(self) -> Problems:
        for fact in self.facts:
            self._see_restart(fact)
            if fact["fact"] != "frame_seen":
                yield from self._nobody_away_too_long(fact)
            match fact["fact"]:
                case "turn_asked":
                    yield from self._asked(fact)
                case "start_told":
                    yield from self._stopped(fact, f"{self.what}: the start told at fact {fact['number']}")
                case "move_made":
                    yield from self._made(fact)
                case "seat_away":
                    yield from self._away(fact)
                case "seat_back":
                    yield from self._back(fact)
                case "match_over":
                    yield from self._over(fact)
                    return
                case _:
                    pass

    def _see_restart(self, fact: Fact) -> None:
        """After a restart a ply has its first clock again, and nobody is there; time in between is nobody's."""
        run = self.run if self.run.first < fact["number"] <= self.run.last else self.case.run_of(fact)
        if run is not self.run:
            self.run = run
            self.used_ms = 0
            self.asked = None
            for seat in self.seats:
                seat.away_since_ms = run.start_ms
            self._run_on(run.start_ms)

    # --- thinking ---

    def _run_on(self, at_ms: int) -> None:
        """From now or the end of the grace the clock of whoever is to move and is away runs, if the terms say so."""
        to_move = self.ply % 2
        seat = self.seats[to_move]
        if self.runs and seat.away_since_ms is not None:
            left_ms = max(0, self.control["move_ms"] + seat.bank_ms - self.used_ms)
            from_ms = max(at_ms, self.run.grace_until_ms)
            times = {"told_ms": from_ms, "late_from_ms": at_ms, "lag_ms": 0, "remaining_ms": left_ms}
            self.asked = {"seat": to_move, "turn_id": None, **times}

    def _excused(self, fact: Fact) -> int:
        """What is excused in the open turn at a fact: the server was late meanwhile, or answers were on their way."""
        asked, at_ms = self.asked, int(fact["at_ms"])
        if asked is None or asked["told_ms"] is None:
            return 0
        told_ms = int(asked["told_ms"])
        since_ms, excused_ms = int(asked.get("late_from_ms", told_ms)), 0
        for reached_ms, thought_ms in self._thought(asked, fact):
            excused_ms += _late_ms(self.run, since_ms, reached_ms)
            excused_ms = max(min(excused_ms, reached_ms - told_ms), reached_ms - told_ms - thought_ms)
            since_ms = reached_ms
        return max(0, min(excused_ms + _late_ms(self.run, since_ms, at_ms), at_ms - told_ms))

    def _thought(self, asked: Fact, until: Fact) -> Iterator[tuple[int, int]]:
        """When the leader came to know how long the bot had thought by the measure of its node, and how long.

        Of what came in the same ms, that counts which came before the fact.
        """
        turn_id = asked["turn_id"]
        wire = self.case.wire_of_turn.get(turn_id)
        if wire is None or wire.node is None:
            return
        written_ms = self.case.turns_told[turn_id]
        for came_ms, reached in self.case.measured(asked["match"], turn_id):
            if reached.last < until["number"]:
                yield reached.at_ms, max(0, came_ms - written_ms - _overlap_ms(wire.node.noticed, written_ms, came_ms))

    def _is_remote(self, turn_id: str) -> bool:
        wire = self.case.wire_of_turn.get(turn_id)
        return bool(self.case.nodes) if wire is None else wire.node is not None

    def _stopped(self, fact: Fact, what: str) -> Problems:
        """The clock of a seat stops, if it runs: its connection ended, or it is told of the match again."""
        own = self.asked is not None and self.asked["seat"] == fact["seat"]
        expected = self._excused(fact) if own else 0
        if fact["excused_ms"] != expected:
            yield f"{what} excuses {fact['excused_ms']} ms; it should be {expected}"
        if own:
            self.seats[fact["seat"]].excuse(fact["excused_ms"])
            self._stop_thinking(fact["at_ms"], fact["excused_ms"])
        self.seats[fact["seat"]].away_since_ms = None

    def _asked(self, fact: Fact) -> Problems:
        seat = self.seats[fact["seat"]]
        what = f"{self.what}: turn {fact['turn_id']}"
        if self.asked is not None:
            yield f"{what} was asked while {self.asked['turn_id']} was open"
        expected = [self.control["move_ms"] + each.bank_ms for each in self.seats]
        expected[fact["seat"]] = max(0, expected[fact["seat"]] - self.used_ms)
        if fact["seats_ms"] != expected or fact["remaining_ms"] != expected[fact["seat"]]:
            yield f"{what} gives {fact['seats_ms']} ms by seat; it should be {expected}"
        if fact["ply"] != self.ply:
            yield f"{what} is of ply {fact['ply']}, not {self.ply}"
        lags = [wire.lag_ms for wire in self.case.wires_of(self.bots[fact["seat"]])]
        if fact["lag_ms"] > min(MOST_LAG_MS, max(lags, default=0)):
            yield f"{what} allows {fact['lag_ms']} ms for the network, which was measured at {max(lags, default=0)}"
        seat.lag_ms += fact["lag_ms"]
        by_pings = any(wire.lag_by_pings for wire in self.case.wires_of(self.bots[fact["seat"]]))
        if by_pings and seat.lag_ms > self.run.proxied_lag_ms:
            yield f"{what}: {seat.lag_ms} ms were allowed for a network that only pings measured"
        if seat.away_since_ms is not None:
            yield f"{what} was asked of a bot that was away"
        self.asked = {**fact, "told_ms": self.case.turns_said.get(fact["turn_id"])}

    def _made(self, fact: Fact) -> Problems:
        what = f"{self.what}: the move of ply {fact['ply']}"
        asked = self.asked
        sent = orjson.loads(fact["frame"])
        if (sent["match"], sent["turn_id"], sent["move"]) != (fact["match"], fact["turn_id"], fact["move"]):
            yield f"{what} is not what its bot sent: {fact['frame']}"
        if asked is None or asked["turn_id"] != fact["turn_id"] or asked["seat"] != fact["seat"]:
            yield f"{what} answers turn {fact['turn_id']}, which was not open"
            return
        if asked["told_ms"] is None:
            yield f"{what} answers turn {fact['turn_id']}, which was never told"
            return
        expected = self._excused(fact)
        late_ms = fact["at_ms"] - asked["told_ms"] - asked["lag_ms"] - asked["remaining_ms"] - expected
        lenient_ms = LENIENT_MS if self._is_remote(asked["turn_id"]) else 0
        if late_ms > lenient_ms + _late_ms(self.run, asked["told_ms"], fact["at_ms"], unnoticed=True):
            yield f"{what} was accepted {late_ms} ms after its clock had run out"
        expected += max(0, late_ms)
        if fact["excused_ms"] != expected:
            yield f"{what} excuses {fact['excused_ms']} ms; it should be {expected}"
        self._stop_thinking(fact["at_ms"], expected)
        self.seats[fact["seat"]].excuse(fact["excused_ms"])
        seat = self.seats[fact["seat"]]
        over_ms = max(0, self.used_ms - self.control["move_ms"])
        seat.bank_ms = max(0, seat.bank_ms - over_ms) + self.control["increment_ms"]
        if fact["bank_ms"] != seat.bank_ms:
            yield f"{what} leaves {fact['bank_ms']} ms in the bank; it should be {seat.bank_ms}"
            seat.bank_ms = fact["bank_ms"]
        self.used_ms = 0
        self.ply += 1
        self._run_on(fact["at_ms"])

    def _stop_thinking(self, at_ms: int, excused_ms: int) -> None:
        """The clock ran from when the turn was told: while it waited in the server, that was nobody's time."""
        if self._is_in_question(at_ms):
            self.settled_ms = at_ms
        if self.asked is not None and self.asked["told_ms"] is not None:
            self.used_ms += max(0, at_ms - self.asked["told_ms"] - self.asked["lag_ms"] - excused_ms)
        self.asked = None

    # --- away ---

    def _away(self, fact: Fact) -> Problems:
        seat = self.seats[fact["seat"]]
        if seat.away_since_ms is not None:
            yield f"{self.what}: seat {fact['seat']} went away twice"
        if fact["away_left_ms"] != seat.away_left_ms:
            yield f"{self.what}: seat {fact['seat']} went away with {fact['away_left_ms']} ms, not {seat.away_left_ms}"
            seat.away_left_ms = fact["away_left_ms"]
        what = f"{self.what}: seat {fact['seat']} went away at fact {fact['number']} and"
        asked = self.asked
        if asked is not None and asked["seat"] == fact["seat"] and asked["turn_id"] is not None:
            told_ms, at_ms = asked["told_ms"], fact["at_ms"]
            # Of what was in one ms, the log knows the order.
            seat.drops += told_ms is not None and (told_ms < at_ms or (told_ms == at_ms and fact["on_turn"]))
        if not self.runs or fact["at_ms"] < self.run.grace_until_ms:
            yield from self._stopped(fact, what)
        elif fact["excused_ms"]:
            yield f"{what} excuses {fact['excused_ms']} ms while its clock runs on"
        seat.away_since_ms = fact["at_ms"]
        if self.asked is None:
            self._run_on(fact["at_ms"])

    def _back(self, fact: Fact) -> Problems:
        seat = self.seats[fact["seat"]]
        if seat.away_since_ms is None:
            yield f"{self.what}: seat {fact['seat']} came back without having been away"
            return
        away_ms = max(0, fact["at_ms"] - self._away_from(seat, fact["at_ms"]))
        expected = max(0, seat.away_left_ms - away_ms)
        if fact["away_left_ms"] != expected:
            left_ms = fact["away_left_ms"]
            yield f"{self.what}: seat {fact['seat']} came back with {left_ms} ms to be away, not {expected}"
        seat.away_left_ms = fact["away_left_ms"]
        seat.away_since_ms = None

    def _away_from(self, seat: _Seat, at_ms: int) -> int:
        """From when the budget would have run up to a time, if it had run all along and not stood while it was late."""
        since_ms = seat.away_since_ms or 0
        return max(since_ms, self.run.grace_until_ms) + _late_ms(self.run, since_ms, at_ms)

    def _nobody_away_too_long(self, fact: Fact) -> Problems:
        for number, seat in enumerate(self.seats):
            if seat.away_since_ms is not None:
                if self._is_in_question(fact["at_ms"]) or fact["at_ms"] == self.settled_ms:
                    continue
                late_ms = fact["at_ms"] - self._away_from(seat, fact["at_ms"]) - seat.away_left_ms
                if late_ms > _late_ms(self.run, seat.away_since_ms, fact["at_ms"], unnoticed=True):
                    yield f"{self.what}: seat {number} was away {late_ms} ms too long at fact {fact['number']}"

    def _is_in_question(self, at_ms: int) -> bool:
        """Whether the clock of the open turn has run out, as far as is known where that is not measured.

        Until its node has told, nothing is judged in the match; and what it tells comes in time for that.
        """
        asked = self.asked
        if asked is None or asked["told_ms"] is None or asked["turn_id"] is None:
            return False
        return self._is_remote(asked["turn_id"]) and at_ms >= asked["told_ms"] + asked["remaining_ms"]

    # --- verdicts ---

    def _over(self, over: Fact) -> Problems:
        yield from self._sums(over)
        if over["termination"] == "timeout":
            asked = self.asked
            allowed_ms = 0 if asked is None else asked["lag_ms"] + asked["remaining_ms"] + self._excused(over)
            if asked is None or over["at_fault"] != [asked["seat"]]:
                yield f"{self.what}: lost on time by seats {over['at_fault']}, and the open turn is {asked}"
            elif allowed_ms and (asked["told_ms"] is None or over["at_ms"] < asked["told_ms"] + allowed_ms):
                yield f"{self.what}: lost on time before the clock had run out"
        elif over["termination"] == "disconnect":
            seat = self.seats[over["at_fault"][0]]
            if seat.away_since_ms is None:
                yield f"{self.what}: seat {over['at_fault'][0]} lost by disconnect, and was there"
            elif over["at_ms"] < self._away_from(seat, over["at_ms"]) + seat.away_left_ms:
                yield f"{self.what}: seat {over['at_fault'][0]} lost by disconnect before its budget was used up"

    def _sums(self, over: Fact) -> Problems:
        """What was excused in the whole attempt, and whether that was too much."""
        if self.asked is not None:
            self.seats[self.asked["seat"]].excuse(self._excused(over))
        excused = [seat.excused_ms for seat in self.seats]
        drops = [seat.drops for seat in self.seats]
        if (over["seats_excused_ms"], over["drops"]) != (excused, drops):
            told = f"{over['seats_excused_ms']} ms and drops {over['drops']}"
            yield f"{self.what}: sums up as excused {told}; it should be {excused} and {drops}"
        too_much = sum(seat.counted_ms for seat in self.seats) > self.run.excused_ms
        judged = over["termination"] in ("normal", "timeout", "disconnect")
        if over["stalled"] != (too_much and over["stalled"]) or (judged and too_much):
            yield f"{self.what}: {sum(excused)} ms were excused, and it was {over['termination']}: {over['reason']}"
        if over["stalled"] and (over["scores"] is not None or over["at_fault"]):
            yield f"{self.what}: void because the server was late, with a result or blame"


def _late_ms(run: Run, from_ms: int, to_ms: int, *, unnoticed: bool = False) -> int:
    """How long of a time the server did nothing: in the stalls that it notices, or in those that are too short."""
    stalls = [stall for stall in run.stalls if (stall[1] - stall[0] < NOTICED_MS) == unnoticed]
    suspended = [] if unnoticed else run.suspended
    return _overlap_ms([*stalls, *suspended], from_ms, to_ms)


def _overlap_ms(times: Iterable[tuple[int, int]], from_ms: int, to_ms: int) -> int:
    return sum(max(0, min(until_ms, to_ms) - max(at_ms, from_ms)) for at_ms, until_ms in times)


def _stalled(case: Case) -> Problems:
    """A match that was void for the server's lateness again is not simply begun once more."""
    for created in case.by_kind["tournament_created"]:
        voids: dict[str, int] = {}
        held: set[str] = set()
        running = False
        for fact in case.by_tournament[created["tournament"]]:
            match fact["fact"]:
                case "tournament_started" | "tournament_resumed":
                    running = True
                    held.clear()
                case "tournament_paused" | "tournament_ended":
                    running = False
                    held.clear()
                case "match_over" if fact["stalled"]:
                    voids[fact["match"]] = voids.get(fact["match"], 0) + 1
                    if running and voids[fact["match"]] >= MOST_STALLED:
                        held.add(fact["match"])
                case "match_started" if fact["match"] in held:
                    yield f"{fact['match']} was begun again after {voids[fact['match']]} attempts that stalled"
                case _:
                    pass


def _absence(case: Case) -> Problems:
    """What is left of an absent budget only ever gets less."""
    left: dict[tuple[str, str], int] = {}
    for created in case.by_kind["tournament_created"]:
        for fact in case.by_tournament[created["tournament"]]:
            if fact["fact"] == "bot_joined":
                left[fact["tournament"], fact["bot"]] = created["config"]["absent_ms"]
            elif fact["fact"] == "bot_absent":
                before, now = left[fact["tournament"], fact["bot"]], fact["absent_left_ms"]
                if not 0 <= now <= before:
                    yield f"{fact['tournament']}: {fact['bot']} may be absent {now} ms, after {before}"
                left[fact["tournament"], fact["bot"]] = now
