"""Clocks and budgets, computed again from the log's own times: nobody gains any, and nobody is robbed of any."""

from dataclasses import dataclass

import orjson

from tests.simulation.checks.case import Attempt, Case, Fact, Problems, Run

MOST_LAG_MS = 200


def check_clocks(case: Case) -> Problems:
    """All problems with thinking time, banks, away and absent budgets."""
    for attempt in case.attempts.values():
        if attempt.started is not None:
            yield from _Clocks(case, attempt, attempt.started).check()
    yield from _absence(case)


@dataclass(slots=True)
class _Seat:
    bank_ms: int
    away_left_ms: int
    away_since_ms: int | None = None


class _Clocks:
    """One attempt's clocks, fact by fact."""

    def __init__(self, case: Case, attempt: Attempt, started: Fact) -> None:
        self.case = case
        self.facts = attempt.facts
        self.what = f"{attempt.match}, attempt {attempt.attempt}"
        self.control = started["time_control"]
        self.bots = [bot.casefold() for bot in started["seats"]]
        self.seats = [_Seat(self.control["bank_ms"], started["away_ms"]) for _ in started["seats"]]
        self.run = case.run_of(started)
        self.ply = len(started["moves"])
        self.used_ms = 0
        """Thought about this ply, in earlier askings of this run."""
        self.asked: Fact | None = None

    def check(self) -> Problems:
        for fact in self.facts:
            self._see_restart(fact)
            if fact["fact"] != "frame_seen":
                yield from self._nobody_away_too_long(fact)
            match fact["fact"]:
                case "turn_asked":
                    yield from self._asked(fact)
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

    # --- thinking ---

    def _asked(self, fact: Fact) -> Problems:
        if self.asked is not None:
            self._stop_thinking(fact["at_ms"])
        seat = self.seats[fact["seat"]]
        what = f"{self.what}: turn {fact['turn_id']}"
        expected = [self.control["move_ms"] + each.bank_ms for each in self.seats]
        expected[fact["seat"]] = max(0, expected[fact["seat"]] - self.used_ms)
        if fact["seats_ms"] != expected or fact["remaining_ms"] != expected[fact["seat"]]:
            yield f"{what} gives {fact['seats_ms']} ms by seat; it should be {expected}"
        if fact["ply"] != self.ply:
            yield f"{what} is of ply {fact['ply']}, not {self.ply}"
        lags = [wire.lag_ms for wire in self.case.wires_of(self.bots[fact["seat"]])]
        if fact["lag_ms"] > min(MOST_LAG_MS, max(lags, default=0)):
            yield f"{what} allows {fact['lag_ms']} ms for the network, which was measured at {max(lags, default=0)}"
        if seat.away_since_ms is not None:
            yield f"{what} was asked of a bot that was away"
        self.asked = {**fact, "told_ms": self.case.turns_told.get(fact["turn_id"])}

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
        late_ms = fact["at_ms"] - asked["told_ms"] - asked["lag_ms"] - asked["remaining_ms"]
        if late_ms > _excuse_ms(self.run, asked["told_ms"], fact["at_ms"]):
            yield f"{what} was accepted {late_ms} ms after its clock had run out"
        self._stop_thinking(fact["at_ms"])
        seat = self.seats[fact["seat"]]
        over_ms = max(0, self.used_ms - self.control["move_ms"])
        seat.bank_ms = max(0, seat.bank_ms - over_ms) + self.control["increment_ms"]
        if fact["bank_ms"] != seat.bank_ms:
            yield f"{what} leaves {fact['bank_ms']} ms in the bank; it should be {seat.bank_ms}"
            seat.bank_ms = fact["bank_ms"]
        self.used_ms = 0
        self.ply += 1

    def _stop_thinking(self, at_ms: int) -> None:
        """The clock ran from when the turn was told: while it waited in the server, that was nobody's time."""
        if self.asked is not None and self.asked["told_ms"] is not None:
            self.used_ms += max(0, at_ms - self.asked["told_ms"] - self.asked["lag_ms"])
        self.asked = None

    # --- away ---

    def _away(self, fact: Fact) -> Problems:
        seat = self.seats[fact["seat"]]
        if seat.away_since_ms is not None:
            yield f"{self.what}: seat {fact['seat']} went away twice"
        if fact["away_left_ms"] != seat.away_left_ms:
            yield f"{self.what}: seat {fact['seat']} went away with {fact['away_left_ms']} ms, not {seat.away_left_ms}"
            seat.away_left_ms = fact["away_left_ms"]
        seat.away_since_ms = fact["at_ms"]
        if self.asked is not None and self.asked["seat"] == fact["seat"]:
            self._stop_thinking(fact["at_ms"])

    def _back(self, fact: Fact) -> Problems:
        seat = self.seats[fact["seat"]]
        if seat.away_since_ms is None:
            yield f"{self.what}: seat {fact['seat']} came back without having been away"
            return
        away_ms = max(0, fact["at_ms"] - self._away_from(seat))
        expected = max(0, seat.away_left_ms - away_ms)
        if fact["away_left_ms"] != expected:
            left_ms = fact["away_left_ms"]
            yield f"{self.what}: seat {fact['seat']} came back with {left_ms} ms to be away, not {expected}"
        seat.away_left_ms = fact["away_left_ms"]
        seat.away_since_ms = None

    def _away_from(self, seat: _Seat) -> int:
        return max(seat.away_since_ms or 0, self.run.grace_until_ms)

    def _nobody_away_too_long(self, fact: Fact) -> Problems:
        for number, seat in enumerate(self.seats):
            if seat.away_since_ms is not None:
                until_ms = self._away_from(seat) + seat.away_left_ms
                late_ms = fact["at_ms"] - until_ms
                if late_ms > _excuse_ms(self.run, until_ms, fact["at_ms"]):
                    yield f"{self.what}: seat {number} was away {late_ms} ms too long at fact {fact['number']}"

    # --- verdicts ---

    def _over(self, over: Fact) -> Problems:
        if over["termination"] == "timeout":
            asked = self.asked
            allowed_ms = 0 if asked is None else asked["lag_ms"] + asked["remaining_ms"]
            if asked is None or over["at_fault"] != [asked["seat"]]:
                yield f"{self.what}: lost on time by seats {over['at_fault']}, and the open turn is {asked}"
            elif allowed_ms and (asked["told_ms"] is None or over["at_ms"] < asked["told_ms"] + allowed_ms):
                yield f"{self.what}: lost on time before the clock had run out"
        elif over["termination"] == "disconnect":
            seat = self.seats[over["at_fault"][0]]
            if seat.away_since_ms is None:
                yield f"{self.what}: seat {over['at_fault'][0]} lost by disconnect, and was there"
            elif over["at_ms"] < self._away_from(seat) + seat.away_left_ms:
                yield f"{self.what}: seat {over['at_fault'][0]} lost by disconnect before its budget was used up"


def _excuse_ms(run: Run, from_ms: int, to_ms: int) -> int:
    """How late a verdict may be: while the server did nothing, and once more as long."""
    stalls = [(at_ms, until_ms - at_ms) for at_ms, until_ms in run.stalls]
    return 2 * sum(lasted_ms for at_ms, lasted_ms in stalls if at_ms <= to_ms and at_ms + 2 * lasted_ms >= from_ms)


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
