"""Promise 5: every frame of a bot has an answer or an effect."""

from collections import Counter, defaultdict
from typing import Any

from tests.simulation.checks.case import Case, Fact, Problems, Seen, WireLog

ANSWERS = {"login": "session", "join": "joined", "challenge": "joined", "leave": "left"}


def check_answers(case: Case) -> Problems:
    """Yield all frames of bots without an answer or an effect, and all moves that were rejected too often."""
    made: dict[str, list[Fact]] = defaultdict(list)
    for fact in case.by_kind["move_made"]:
        made[fact["turn_id"]].append(fact)
    for wire in case.wires.values():
        yield from _answers(case, wire, made)
        yield from _rejections(wire)


def _answers(case: Case, wire: WireLog, made: dict[str, list[Fact]]) -> Problems:
    """Check that every frame has an answer or an effect, unless the connection ended before the answer."""
    waiting = [
        seen
        for seen in wire.arrived
        if (wire.closing_place is None or seen.place < wire.closing_place) and not _may_be_untold(wire, seen)
    ]
    if not waiting:
        return
    rejected: Counter[tuple[str, str]] = Counter()
    answers: Counter[str] = Counter()
    for seen in wire.told:
        frame = seen.frame
        if frame["type"] == "rejected":
            rejected[frame["match"], frame["turn_id"]] += 1
        else:
            answers[frame["type"]] += 1
    counted: set[str] = set()
    for seen in waiting:
        frame = seen.frame
        kind = frame.get("type")
        if kind == "move" and isinstance(frame.get("turn_id"), str):
            turn_id, match = frame["turn_id"], frame["match"]
            if rejected[match, turn_id]:
                rejected[match, turn_id] -= 1
                continue
            if turn_id not in counted and any(fact["frame"] == seen.entry.text for fact in made[turn_id]):
                counted.add(turn_id)
                continue
            if _take_one(answers, kind):
                continue
        elif (
            (kind == "resign" and _resigned(case, frame))
            or _take_one(answers, kind)
            or (kind == "join" and _was_removed(case, wire, frame))
        ):
            continue
        yield f"{wire.bot} sent {seen.entry.text[:80]!r} at {seen.entry.at_ms}, and nothing came of it"


def _rejections(wire: WireLog) -> Problems:
    """Check that no move is rejected more often than the bot sent it."""
    sent: Counter[tuple[Any, Any]] = Counter()
    for place, frame in sorted(
        [
            (seen.place, seen.frame)
            for seen in (*wire.arrived, *wire.told)
            if seen.frame.get("type") in ("move", "rejected")
        ],
        key=lambda each: each[0],
    ):
        move = str(frame.get("match")), str(frame.get("turn_id"))
        sent[move] += 1 if frame["type"] == "move" else -1
        if sent[move] < 0:
            yield f"{wire.bot} was rejected more often than it moved, at turn {move[1]} (entry {place})"


def _take_one(answers: Counter[str], kind: Any) -> bool:
    for each in (ANSWERS.get(kind, "error"), "error"):
        if answers[each]:
            answers[each] -= 1
            return True
    return False


def _resigned(case: Case, frame: dict[str, Any]) -> bool:
    return any(
        fact["match"] == frame["match"] and fact["termination"] == ("crashed" if frame.get("failed") else "resignation")
        for fact in (*case.by_kind["match_over"], *case.by_kind["seat_fell"])
    )


def _was_removed(case: Case, wire: WireLog, frame: dict[str, Any]) -> bool:
    return any(
        fact["tournament"] == frame["tournament"] and fact["bot"].casefold() == wire.bot and fact["removed"]
        for fact in case.by_kind["bot_left"]
    )


def _may_be_untold(wire: WireLog, seen: Seen) -> bool:
    """Return whether the connection ended before all facts since the frame's arrival were told."""
    return not wire.is_settled(seen.entry.at_ms, min(wire.end_ms, wire.run.end_ms))
