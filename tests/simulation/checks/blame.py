"""Blame: no bot loses by a fault that was not its own, judged from outside the server."""

from typing import Any

import orjson
from rumble_engine import MoveError

from tests.simulation.checks.board import boards
from tests.simulation.checks.case import NEVER_MS, Attempt, Case, Fact, Problems, Seen, overlap_ms

MINUTE_MS = 60_000
UNSOLICITED_PER_MINUTE = 120
HARMFUL = ("illegal", "flood")
"""Faults that may lose a match for an illegal move or for too many messages."""


def check_blame(case: Case) -> Problems:
    """Yield all problems with matches lost by a fault."""
    for attempt in case.attempts.values():
        over = attempt.over
        if over is None or over["scores"] is None:
            continue
        losses = [(seat, over) for seat, score in enumerate(over["scores"]) if score == 0]
        if not attempt.is_plain:
            losses = [(fall["seat"], fall) for fall in sorted(attempt.of("seat_fell"), key=lambda fall: fall["seat"])]
        elif len(over["seats"]) > 2:
            losses = [(seat, over) for seat, _, _ in over["placement"]["falls"]]
        faults = [seat for seat, loss in losses if loss["termination"] not in ("normal", "resignation")]
        if over["at_fault"] != faults:
            yield f"{attempt.match}: {faults} lost by {over['termination']}, blaming {over['at_fault']}"
        for seat, loss in losses:
            bot = over["seats"][seat].casefold()
            if problem := _problem(case, attempt, loss, seat, bot):
                yield f"{attempt.match}, attempt {attempt.attempt}: {bot} lost by {loss['termination']}, {problem}"
    yield from _benches(case)


def _problem(case: Case, attempt: Attempt, over: Fact, seat: int, bot: str) -> str | None:
    """Return why a seat should not have lost by `over`, the match's end or a fall; None if the seat lost rightly."""
    fault = case.bots[bot]["fault"]
    match over["termination"]:
        case "timeout":
            return _timeout(case, attempt, over, seat, bot)
        case "disconnect":
            if not case.bots[bot]["workers"] and _was_there(case, bot, over["at_ms"]):
                return "and was connected"
        case "illegal_move":
            return _illegal(attempt, over, seat) if fault in HARMFUL else f"and is a bot with fault {fault}"
        case "flood":
            return _flood(case, over, bot) if fault in HARMFUL else f"and is a bot with fault {fault}"
        case "crashed":
            error = over["failure"] if "failure" in over else over["failures"][seat]
            return None if _failed(case, bot, over, error) else f"and never said {error!r}"
        case "resignation":
            return None if _said(case, bot, over, "resign", "leave") else "and never said so"
        case "adjudication":
            if not _left(case, over, bot, removed=True):
                return "and was not removed"
        case "no_show":
            return _no_show(case, over, bot)
        case _:
            pass
    return None


def _was_there(case: Case, bot: str, at_ms: int) -> bool:
    return any(start < at_ms < end for start, end in case.presence[bot])


def _before(attempt: Attempt, over: Fact) -> list[Fact]:
    return [fact for fact in attempt.facts if fact["number"] < over["number"]]


def _was_away(case: Case, attempt: Attempt, over: Fact, seat: int) -> bool:
    """Return whether the seat was without a session at the attempt's end, after a drop or a restart."""
    there = False
    for fact in _before(attempt, over):
        if case.run_of(fact) is not case.run_of(over):
            continue
        if fact["fact"] == "start_told" and (fact["all_seats"] or fact["seat"] == seat):
            there = True
        elif fact["fact"] == "seat_away" and fact["seat"] == seat:
            there = False
    return not there


def _arrived(case: Case, bot: str, worker: str | None = None) -> list[Seen]:
    """Return the frames of a bot, or of one of its workers."""
    return [seen for wire in case.wires_of(bot) if worker in (None, wire.worker) for seen in wire.arrived]


def _timeout(case: Case, attempt: Attempt, over: Fact, seat: int, bot: str) -> str | None:
    asked = _asked(attempt, over, seat)
    away = not _was_there(case, bot, over["at_ms"])
    if case.bots[bot]["workers"]:  # `workers` checks that the bot was away with reason
        away = away or _was_away(case, attempt, over, seat)
    if away and attempt.started is not None and attempt.started["away_clock"] == "runs":
        return None
    if asked is None:
        return "and was not asked"
    wires = case.wires_of(bot)
    asking = [wire for wire in wires for seen in wire.told if seen.frame.get("turn_id") == asked["turn_id"]]
    if not asking:
        return "and was never told of the turn"
    until_ms = min(over["at_ms"], asking[0].closing_ms or NEVER_MS)
    for seen in asking[0].arrived:
        frame, is_in_time = seen.frame, seen.entry.at_ms < until_ms
        is_answer = (frame.get("type"), frame.get("turn_id")) == ("move", asked["turn_id"])
        is_answer = is_answer and frame["match"] == over["match"]
        if is_in_time and is_answer and _is_legal(attempt, over, seat, frame["move"]):
            return f"and had answered at {seen.entry.at_ms}"
    return None


def _asked(attempt: Attempt, over: Fact, seat: int) -> Fact | None:
    """Return the turn of a seat that was open at the loss; None if no turn was open."""
    own = [f for f in _before(attempt, over) if f["fact"] in ("turn_asked", "move_made") and f["seat"] == seat]
    asked = [fact for fact in own if fact["fact"] == "turn_asked"][-1:]
    return asked[0] if asked and own[-1] is asked[0] else None


def _is_legal(attempt: Attempt, over: Fact, seat: int, move: str) -> bool:
    assert attempt.started is not None
    try:
        next(board for fact, board in boards(attempt.started, attempt.facts) if fact is over).state.code_for(seat, move)
    except MoveError:
        return False
    return True


def _illegal(attempt: Attempt, over: Fact, seat: int) -> str | None:
    started = attempt.started
    before = _before(attempt, over)
    refused = [fact for fact in before if (fact["fact"], fact.get("seat")) == ("move_refused", seat)]
    if started is None or len(refused) != started["illegal_retries"]:
        return f"after {len(refused)} retries"
    asked = _asked(attempt, over, seat)
    seen = [f for f in before if f["fact"] == "frame_seen" and (f["sender"], f["seat"]) == ("bot", seat)]
    said: list[dict[str, Any]] = [orjson.loads(fact["frame"]) for fact in seen]
    if not said or asked is None or said[-1].get("turn_id") != asked["turn_id"]:
        return "and its last word was no answer to the open turn"
    return "with a legal move" if _is_legal(attempt, over, seat, said[-1]["move"]) else None


def _flood(case: Case, over: Fact, bot: str) -> str | None:
    worker = _worker_at(case, over, bot)
    lately = [seen for seen in _arrived(case, bot, worker) if 0 <= over["at_ms"] - seen.entry.at_ms <= MINUTE_MS]
    return None if len(lately) > UNSOLICITED_PER_MINUTE else f"with {len(lately)} frames in the last minute"


def _worker_at(case: Case, over: Fact, bot: str) -> str | None:
    """Return the worker that was last told of an attempt by the time of `over`; None if no worker was."""
    tellers = [
        (seen.place, wire.worker)
        for wire in case.wires_of(bot)
        for seen in wire.told
        if seen.frame["type"] == "match_start" and (seen.frame["match"], seen.frame["attempt"]) == _id(over)
        if seen.entry.at_ms <= over["at_ms"]
    ]
    return max(tellers)[1] if tellers else None


def _id(over: Fact) -> tuple[str, int]:
    return over["match"], over["attempt"]


def _failed(case: Case, bot: str, over: Fact, error: str) -> bool:
    return any(
        seen.frame.get("failed") and (seen.frame["match"], seen.frame["reason"]) == (over["match"], error)
        for seen in _arrived(case, bot)
        if seen.entry.at_ms <= over["at_ms"]
    )


def _said(case: Case, bot: str, over: Fact, *kinds: str) -> bool:
    tournament = over["match"].partition(".")[0]
    return any(
        seen.frame.get("type") in kinds
        and over["match" if seen.frame["type"] == "resign" else "at_ms"]
        in (seen.frame.get("match"), over["at_ms"] if seen.frame.get("tournament") == tournament else None)
        for seen in _arrived(case, bot)
        if seen.entry.at_ms <= over["at_ms"]
    )


def _left(case: Case, over: Fact, bot: str, *, removed: bool | None = None) -> bool:
    tournament = over["match"].partition(".")[0]
    return any(
        fact["tournament"] == tournament
        and fact["bot"].casefold() == bot
        and fact["number"] < over["number"]
        and removed in (None, fact["removed"])
        for fact in case.by_kind["bot_left"]
    )


def _no_show(case: Case, over: Fact, bot: str) -> str | None:
    """Return why a bot should not be a no-show: not benched, not gone, and away for less than its absent budget."""
    tournament = over["match"].partition(".")[0]
    benched = False
    started_ms, absent_ms = 0, 0
    for fact in case.by_tournament[tournament]:
        if fact["number"] >= over["number"]:
            break
        if fact["fact"] == "bot_benched" and fact["bot"].casefold() == bot:
            benched = fact["benched"]
        elif fact["fact"] == "tournament_created":
            absent_ms = fact["config"]["absent_ms"]
        elif fact["fact"] == "tournament_started":
            started_ms = fact["at_ms"]
    if benched or _left(case, over, bot):
        return None
    away_ms = _away_ms(case, bot, started_ms, over["at_ms"])
    return None if away_ms >= absent_ms else f"after {away_ms} ms away, of {absent_ms}"


def _away_ms(case: Case, bot: str, from_ms: int, to_ms: int) -> int:
    """Return how long in ms a bot was away while the server ran. Graces do not count, except the first run's first."""
    total = 0
    for number, run in enumerate(case.runs):
        starts_ms = [run.graces[0][1] if number else run.start_ms, *(until_ms for _, until_ms in run.graces[1:])]
        ends_ms = [*(since_ms for since_ms, _ in run.graces[1:]), run.end_ms]
        for start_ms, end_ms in zip(starts_ms, ends_ms, strict=True):
            since_ms, until_ms = max(from_ms, start_ms), min(to_ms, end_ms)
            if until_ms > since_ms:
                total += until_ms - since_ms - overlap_ms(case.presence[bot], since_ms, until_ms)
    return total


def _benches(case: Case) -> Problems:
    """Check that a bot is benched only after the configured number of faulty matches in a row, `no_show` aside."""
    for created in case.by_kind["tournament_created"]:
        name, limit = created["tournament"], created["config"]["bench_after"]
        in_a_row: dict[str, int] = {}
        for fact in case.by_tournament[name]:
            if fact["fact"] == "match_over" and fact["scores"] is not None and fact["termination"] != "no_show":
                for seat, bot in enumerate(fact["seats"]):
                    in_a_row[bot] = in_a_row.get(bot, 0) + 1 if seat in fact["at_fault"] else 0
            elif fact["fact"] == "bot_benched":
                count = in_a_row.pop(fact["bot"], 0)
                if fact["benched"] and (limit == 0 or count < limit):
                    yield f"{name}: {fact['bot']} was benched after {count} faulty matches, of {limit}"
