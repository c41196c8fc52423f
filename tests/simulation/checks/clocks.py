"""Clocks and budgets, computed again from the log's times: no bot gains time, and no bot is robbed of time."""

from dataclasses import dataclass

import orjson

from tests.simulation.checks.board import Board, boards
from tests.simulation.checks.case import NOTICED_MS, Attempt, Case, Fact, Problems, Run, overlap_ms

MOST_LAG_MS = 200
MOST_STALLED = 2
"""Number of stalled attempts at a match that pause the tournament."""


def check_clocks(case: Case) -> Problems:
    """Yield all problems with thinking time, banks, away and absent budgets."""
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
    used_away_ms: int = 0
    """Away time in ms used before a grace began, not yet told by a fact."""
    excused_ms: int = 0
    counted_ms: int = 0
    """Excused ms on the present ply."""
    drops: int = 0
    lag_ms: int = 0
    used_ms: int = 0
    """Thinking time in ms of this ply, in earlier askings of this run."""
    asked: Fact | None = None
    """Open turn whose clock may run; `told_ms` is None until the turn is told."""


class _Clocks:
    """The clocks of one attempt, followed fact by fact."""

    def __init__(self, case: Case, attempt: Attempt, started: Fact) -> None:
        self.case = case
        self.facts, self.is_plain = attempt.facts, attempt.is_plain
        self.board = Board(started)
        self.what = f"{attempt.match}, attempt {attempt.attempt}"
        self.control = started["time_control"]
        self.runs = started["away_clock"] == "runs"
        """True if a bot's clock runs on while the bot is away."""
        self.bots = [bot.casefold() for bot in started["seats"]]
        self.seats = [_Seat(self.control["bank_ms"], started["away_ms"]) for _ in started["seats"]]
        self.run = case.run_of(started)
        self.grace_since_ms, self.grace_until_ms = self.run.grace_at(started["at_ms"])
        self.ply = len(started["moves"])
        self.counted_ms = 0
        """Sum of the excused ms that may make the attempt void: of seats on one ply, the largest time counts."""
        self.told_ms: list[int] = []
        """Time of each seat as told with this ply's turns; empty before the first of these."""

    def check(self) -> Problems:
        at_ms = 0
        for fact, board in boards(self.board.started, self.facts):
            self.board = board
            if len(self.board.moves) > self.ply:
                self._next_ply(at_ms)
            at_ms = int(fact["at_ms"])
            self._see_restart(fact)
            self._see_graces(int(fact["at_ms"]))
            if fact["fact"] != "frame_seen":
                yield from self._nobody_away_too_long(fact)
            match fact["fact"]:
                case "turn_asked":
                    yield from self._asked(fact)
                case "start_told":
                    yield from self._stopped(fact, f"{self.what}: the start told at fact {fact['number']}")
                case "move_made":
                    yield from self._made(fact)
                case "seat_fell":
                    yield from self._fell(fact)
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
        """Reset clocks at a restart: the ply begins anew, all bots are away, and the time between runs is free."""
        run = self.run if self.run.first < fact["number"] <= self.run.last else self.case.run_of(fact)
        if run is not self.run:
            self.run = run
            for seat in self.seats:
                seat.used_ms, seat.asked = 0, None
                seat.away_since_ms, seat.used_away_ms = run.start_ms, 0
            self.grace_since_ms, self.grace_until_ms = run.graces[0]
            self._run_on(run.start_ms)

    def _see_graces(self, at_ms: int) -> None:
        """Stop away clocks at a grace, in which closed bots may come back for free; time used before stays used."""
        for since_ms, until_ms in self.run.graces:
            if not self.grace_since_ms < since_ms <= at_ms:
                continue
            for seat in self.seats:
                if seat.away_since_ms is not None:
                    seat.used_away_ms = seat.away_left_ms - self._away_left_ms(seat, since_ms)
                    seat.away_since_ms = since_ms
                    self._stop_thinking(seat, since_ms, self._excused(seat, since_ms), allows_lag=False)
            self.grace_since_ms, self.grace_until_ms = since_ms, until_ms
            self._run_on(since_ms)

    # --- thinking ---

    def _next_ply(self, at_ms: int) -> None:
        self.ply, self.told_ms = len(self.board.moves), []
        for seat in self.seats:
            seat.used_ms = seat.counted_ms = 0
        self._run_on(at_ms)

    def _run_on(self, at_ms: int) -> None:
        """Run the clocks of movers whose bots are away if the terms say so, after the grace at the earliest."""
        for number in self.board.waits_for() if self.runs else ():
            seat = self.seats[number]
            if seat.away_since_ms is not None and seat.asked is None and not self.board.is_out(number):
                left_ms = max(0, self.control["move_ms"] + seat.bank_ms - seat.used_ms)
                from_ms = max(at_ms, self.grace_until_ms)
                times = {"told_ms": from_ms, "late_from_ms": at_ms, "lag_ms": 0, "remaining_ms": left_ms}
                seat.asked = {"turn_id": None, **times}

    def _excuse(self, seat: _Seat, ms: int) -> None:
        before_ms = max(each.counted_ms for each in self.seats)
        seat.excused_ms += ms
        seat.counted_ms += ms
        self.counted_ms += max(0, seat.counted_ms - before_ms)

    def _excused(self, seat: _Seat, at_ms: int) -> int:
        """Return the ms to excuse in the open turn of a seat at a time: the server was late meanwhile."""
        asked = seat.asked
        if asked is None or asked["told_ms"] is None:
            return 0
        told_ms = int(asked["told_ms"])
        return max(0, min(_late_ms(self.run, int(asked.get("late_from_ms", told_ms)), at_ms), at_ms - told_ms))

    def _stopped(self, fact: Fact, what: str) -> Problems:
        """Stop the clock of a seat, if running: its connection ended, or its bot is told of the match again."""
        seat = self.seats[fact["seat"]]
        expected = self._excused(seat, fact["at_ms"])
        if fact["excused_ms"] != expected:
            yield f"{what} excuses {fact['excused_ms']} ms; it should be {expected}"
        if seat.asked is not None:
            self._excuse(seat, fact["excused_ms"])
            self._stop_thinking(seat, fact["at_ms"], fact["excused_ms"], allows_lag=False)
        seat.away_since_ms = None

    def _asked(self, fact: Fact) -> Problems:
        seat = self.seats[fact["seat"]]
        what = f"{self.what}: turn {fact['turn_id']}"
        for each in self.seats if self.is_plain else (seat,):
            if each.asked is not None:
                yield f"{what} was asked while {each.asked['turn_id']} was open"
        if fact["seat"] not in self.board.waits_for() or self.board.is_out(fact["seat"]):
            yield f"{what} was asked of seat {fact['seat']}, which has answered, fallen out, or nothing to move"
        used_ms = [self._used_ms(each, fact["at_ms"], self._excused(each, fact["at_ms"])) for each in self.seats]
        limits_ms = [self.control["move_ms"] + each.bank_ms for each in self.seats]
        expected = [max(0, limit_ms - ms) for limit_ms, ms in zip(limits_ms, used_ms, strict=True)]
        if self.told_ms:  # present times of the others would tell who has answered
            expected = [
                told_ms if each is not seat else now_ms
                for each, told_ms, now_ms in zip(self.seats, self.told_ms, expected, strict=True)
            ]
        if not self.told_ms or len(self.board.state.movers) == 1:
            self.told_ms = expected
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
        seat.asked = {**fact, "told_ms": self.case.turns_told.get(fact["turn_id"])}

    def _made(self, fact: Fact) -> Problems:
        if not fact["turn_id"]:
            return  # drawn for a fallen seat
        what = f"{self.what}: the move of ply {fact['ply']}"
        seat = self.seats[fact["seat"]]
        asked = seat.asked
        sent = orjson.loads(fact["frame"])
        if (sent["match"], sent["turn_id"], sent["move"]) != (fact["match"], fact["turn_id"], fact["move"]):
            yield f"{what} is not what its bot sent: {fact['frame']}"
        if asked is None or asked["turn_id"] != fact["turn_id"]:
            yield f"{what} answers turn {fact['turn_id']}, which was not open"
            return
        if asked["told_ms"] is None:
            yield f"{what} answers turn {fact['turn_id']}, which was never told"
            return
        expected = self._excused(seat, fact["at_ms"])
        late_ms = fact["at_ms"] - asked["told_ms"] - asked["lag_ms"] - asked["remaining_ms"] - expected
        if late_ms > _late_ms(self.run, asked["told_ms"], fact["at_ms"], unnoticed=True):
            yield f"{what} was accepted {late_ms} ms after its clock had run out"
        expected += max(0, late_ms)
        if fact["excused_ms"] != expected:
            yield f"{what} excuses {fact['excused_ms']} ms; it should be {expected}"
        self._stop_thinking(seat, fact["at_ms"], expected, allows_lag=True)
        self._excuse(seat, fact["excused_ms"])
        over_ms = max(0, seat.used_ms - self.control["move_ms"])
        seat.bank_ms = max(0, seat.bank_ms - over_ms) + self.control["increment_ms"]
        if fact["bank_ms"] != seat.bank_ms:
            yield f"{what} leaves {fact['bank_ms']} ms in the bank; it should be {seat.bank_ms}"
            seat.bank_ms = fact["bank_ms"]
        seat.used_ms = 0

    def _stop_thinking(self, seat: _Seat, at_ms: int, excused_ms: int, *, allows_lag: bool) -> None:
        """Close the open turn, and count its thinking time. Only the turn that is answered is allowed its lag."""
        seat.used_ms, seat.asked = self._used_ms(seat, at_ms, excused_ms, allows_lag=allows_lag), None

    def _used_ms(self, seat: _Seat, at_ms: int, excused_ms: int, *, allows_lag: bool = True) -> int:
        """Return the thinking time of this ply, with the open turn since it was told; waiting in the server is free."""
        asked = seat.asked
        if asked is None or asked["told_ms"] is None:
            return seat.used_ms
        lag_ms = int(asked["lag_ms"]) if allows_lag else 0
        return seat.used_ms + max(0, at_ms - int(asked["told_ms"]) - lag_ms - excused_ms)

    # --- away ---

    def _away(self, fact: Fact) -> Problems:
        seat = self.seats[fact["seat"]]
        if seat.away_since_ms is not None:
            yield f"{self.what}: seat {fact['seat']} went away twice"
        if fact["away_left_ms"] != seat.away_left_ms:
            yield f"{self.what}: seat {fact['seat']} went away with {fact['away_left_ms']} ms, not {seat.away_left_ms}"
            seat.away_left_ms = fact["away_left_ms"]
        what = f"{self.what}: seat {fact['seat']} went away at fact {fact['number']} and"
        asked = seat.asked
        if asked is not None and asked["turn_id"] is not None and fact["at_ms"] >= self.grace_until_ms:
            at_ms = fact["at_ms"]
            if fact["on_turn"] and asked["told_ms"] is None and at_ms in [until for _, until in self.run.suspended]:
                asked["told_ms"] = at_ms  # the turn went to a connection whose end the arena did not know yet
            told_ms = asked["told_ms"]
            # For events within one ms, the log knows the order.
            seat.drops += told_ms is not None and (told_ms < at_ms or (told_ms == at_ms and fact["on_turn"]))
        if not self.runs or fact["at_ms"] < self.grace_until_ms:
            yield from self._stopped(fact, what)
        elif fact["excused_ms"]:
            yield f"{what} excuses {fact['excused_ms']} ms while its clock runs on"
        elif asked is not None and (asked["told_ms"] is None or asked["told_ms"] > fact["at_ms"]):
            # The turn was never told, or told only to a connection that was already replaced, whose frames had to wait
            # for the disk. The clock runs from now on.
            seat.asked = None
        seat.away_since_ms = fact["at_ms"]
        self._run_on(fact["at_ms"])

    def _back(self, fact: Fact) -> Problems:
        seat = self.seats[fact["seat"]]
        if seat.away_since_ms is None:
            yield f"{self.what}: seat {fact['seat']} came back without having been away"
            return
        expected = self._away_left_ms(seat, fact["at_ms"])
        if fact["away_left_ms"] != expected:
            left_ms = fact["away_left_ms"]
            yield f"{self.what}: seat {fact['seat']} came back with {left_ms} ms to be away, not {expected}"
        seat.away_left_ms, seat.used_away_ms = fact["away_left_ms"], 0
        seat.away_since_ms = None

    def _away_until(self, seat: _Seat, at_ms: int) -> int:
        """Return when the away budget will be used up, as known at `at_ms`. Graces and the server's delays are free."""
        since_ms, left_ms = seat.away_since_ms or 0, seat.away_left_ms - seat.used_away_ms
        return max(since_ms, self.grace_until_ms) + _late_ms(self.run, since_ms, at_ms) + left_ms

    def _away_left_ms(self, seat: _Seat, at_ms: int) -> int:
        return min(seat.away_left_ms - seat.used_away_ms, max(0, self._away_until(seat, at_ms) - at_ms))

    def _nobody_away_too_long(self, fact: Fact) -> Problems:
        for number, seat in enumerate(self.seats):
            if seat.away_since_ms is not None and not self.board.is_out(number):
                late_ms = fact["at_ms"] - self._away_until(seat, fact["at_ms"])
                if late_ms > _late_ms(self.run, seat.away_since_ms, fact["at_ms"], unnoticed=True):
                    yield f"{self.what}: seat {number} was away {late_ms} ms too long at fact {fact['number']}"

    # --- verdicts ---

    def _over(self, over: Fact) -> Problems:
        yield from self._sums(over)
        for number in over["at_fault"] if self.is_plain else ():
            yield from self._lost(number, over)

    def _lost(self, number: int, fact: Fact) -> Problems:
        """Check the loss of a seat by its clock or its absence, at a fall or at the end of a plain match."""
        seat, at_ms = self.seats[number], fact["at_ms"]
        asked = seat.asked
        if fact["termination"] == "timeout":
            allowed_ms = 0 if asked is None else asked["lag_ms"] + asked["remaining_ms"] + self._excused(seat, at_ms)
            if asked is None:
                yield f"{self.what}: lost on time by seat {number}, which had no open turn"
            elif allowed_ms and (asked["told_ms"] is None or at_ms < asked["told_ms"] + allowed_ms):
                yield f"{self.what}: lost on time before the clock had run out"
        elif fact["termination"] == "disconnect":
            if seat.away_since_ms is None:
                yield f"{self.what}: seat {number} lost by disconnect, and was there"
            elif at_ms < self._away_until(seat, at_ms):
                yield f"{self.what}: seat {number} lost by disconnect before its budget was used up"

    def _fell(self, fact: Fact) -> Problems:
        yield from self._lost(fact["seat"], fact)
        seat = self.seats[fact["seat"]]
        expected = self._excused(seat, fact["at_ms"])
        if fact["excused_ms"] != expected:
            yield f"{self.what}: the fall of ply {fact['ply']} excuses {fact['excused_ms']} ms; it should be {expected}"
        seat.excused_ms += expected
        seat.asked = None

    def _sums(self, over: Fact) -> Problems:
        """Check the sums of excused time, and that too much makes an attempt void, the open turn not counted."""
        too_much = self.counted_ms > self.run.excused_ms
        for seat in self.seats:
            seat.excused_ms += self._excused(seat, over["at_ms"])
        excused = [seat.excused_ms for seat in self.seats]
        drops = [seat.drops for seat in self.seats]
        if (over["seats_excused_ms"], over["drops"]) != (excused, drops):
            sums = f"{over['seats_excused_ms']} ms and drops {over['drops']}"
            yield f"{self.what}: sums up as excused {sums}; it should be {excused} and {drops}"
        judged = over["termination"] in ("normal", "timeout", "disconnect")
        if over["stalled"] != (too_much and over["stalled"]) or (judged and too_much):
            yield f"{self.what}: {sum(excused)} ms were excused, and it was {over['termination']}: {over['reason']}"
        if over["stalled"] and (over["scores"] is not None or over["at_fault"]):
            yield f"{self.what}: void because the server was late, with a result or blame"


def _late_ms(run: Run, from_ms: int, to_ms: int, *, unnoticed: bool = False) -> int:
    """Return the ms without service in a period: in noticed stalls and suspensions, or in unnoticed stalls."""
    stalls = [stall for stall in run.stalls if (stall[1] - stall[0] < NOTICED_MS) == unnoticed]
    suspended = [] if unnoticed else run.suspended
    return overlap_ms([*stalls, *suspended], from_ms, to_ms)


def _stalled(case: Case) -> Problems:
    """Check that no match is simply started again after its last allowed stall."""
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
    """Check that an absent budget only shrinks."""
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
