"""Sessions and matches: one session plays a match, and no match waits while a session of its bot has room."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.simulation.checks.case import Case, Fact, Problems, WireLog

REPLACED = 4001
"""Code with which the server closes a connection when a newer login takes its place."""
Playing = dict[int, set[str]]
"""Matches told of and not over, by logged-in connection that does not close."""
Away = set[tuple[str, int, str]]
"""Match, attempt and bot, for each bot that is away from a match."""


def check_workers(case: Case) -> Problems:
    """Yield all problems with the choice of sessions for matches."""
    yield from _asked_of_one(case)
    yield from _away_without_need(case)
    yield from _replaced_by_a_newer(case)


def _replaced_by_a_newer(case: Case) -> Problems:
    """Check that only a newer login of the same worker replaces a login."""
    for number, wire in case.wires.items():
        if wire.closing_code != REPLACED or wire.closing_place is None or wire.login is None:
            continue
        others = [each for each in case.wires_of(wire.bot) if each is not wire and each.worker == wire.worker]
        if not any(_login_place(wire) < _login_place(other) < wire.closing_place for other in others):
            yield f"connection {number} of {wire.bot} was replaced, and no newer one of it had logged in"


def _asked_of_one(case: Case) -> Problems:
    """Check that a turn is told only to the connection that plays the match, and answered there."""
    told_on: dict[str, set[int]] = defaultdict(set)
    for number, wire in case.wires.items():
        for seen in wire.told:
            if seen.frame["type"] == "turn":
                told_on[seen.frame["turn_id"]].add(number)
    for turn_id, wires in told_on.items():
        if len(wires) > 1:
            yield f"turn {turn_id} was told on the connections {sorted(wires)}"
    for made in case.by_kind["move_made"]:
        if not made["turn_id"]:
            continue  # drawn for a fallen seat
        answered = [
            seen
            for number in told_on[made["turn_id"]]
            for seen in case.wires[number].arrived
            if seen.frame.get("turn_id") == made["turn_id"]
        ]
        if not answered:
            yield f"{made['match']}: turn {made['turn_id']} was answered by another connection than was asked"
    yield from _told_to_who_plays(case)


def _told_to_who_plays(case: Case) -> Problems:
    player: dict[tuple[str, str, int], int] = {}
    for number, wire, frame, place in _told_of_matches(case):
        kind, match, attempt = frame["type"], frame["match"], frame["attempt"]
        key = wire.bot, match, attempt
        if kind == "match_start" and _in_session(case, number, place):
            player[key] = number
        elif kind == "turn" and player.get(key) != number and _in_session(case, number, place):
            yield f"{wire.bot} was asked in {match} on connection {number}, and plays it on another"


def _told_of_matches(case: Case) -> Iterator[tuple[int, WireLog, dict[str, Any], int]]:
    told = [
        (seen.place, number, wire, seen.frame)
        for number, wire in case.wires.items()
        for seen in wire.told
        if seen.frame["type"] in ("match_start", "turn")
    ]
    for place, number, wire, frame in sorted(told, key=lambda each: each[0]):
        yield number, wire, frame, place


def _in_session(case: Case, number: int, place: int) -> bool:
    """Return whether the connection was not yet replaced by a later login of its worker."""
    wire = case.wires[number]
    return not any(
        _login_place(wire) < _login_place(other) < place
        for other in case.wires_of(wire.bot)
        if other is not wire and other.worker == wire.worker and wire.login is not None
    )


def _login_place(wire: WireLog) -> int:
    return -1 if wire.login is None else wire.login.place


def _away_without_need(case: Case) -> Problems:
    """Check that no bot is away from a match while a session has room, whenever all facts are on disk and told."""
    sessions: dict[tuple[str, str], int] = {}
    playing: Playing = {}
    away: Away = set()
    read = 0
    told = {seen.place: seen.frame for wire in case.wires.values() for seen in wire.told}
    for place, entry in enumerate(case.trace):
        while read < len(case.facts) and case.facts[read]["number"] <= entry.written:
            _note(case.facts[read], away, case)
            read += 1
        match entry.kind:
            case "start":
                sessions.clear()
                playing.clear()
                away.update(_all_away(case, entry.written))
            case "told":
                wire, frame = case.wires[entry.wire], told[place]
                if frame["type"] == "session":
                    _log_in(wire, entry.wire, sessions, playing)
                elif entry.wire in playing and frame["type"] == "match_start":
                    playing[entry.wire].add(frame["match"])
                elif entry.wire in playing and frame["type"] == "match_over":
                    playing[entry.wire].discard(frame["match"])
            case "closing" | "lost":
                playing.pop(entry.wire, None)
            case "clean":
                yield from _with_room(case, playing, away, entry.at_ms)
            case _:
                pass


def _log_in(wire: WireLog, number: int, sessions: dict[tuple[str, str], int], playing: Playing) -> None:
    older = sessions.get((wire.bot, wire.worker), 0)
    if older != number:
        playing.pop(older, None)
    sessions[wire.bot, wire.worker] = number
    playing[number] = set()


def _with_room(case: Case, playing: Playing, away: Away, at_ms: int) -> Problems:
    for number, matches in playing.items():
        bot = case.wires[number].bot
        if len(matches) < case.bots[bot]["max_matches"]:
            for match, _, gone in away:
                if gone == bot:
                    yield f"{bot} is away from {match} at {at_ms}, although connection {number} has room"


def _note(fact: Fact, away: Away, case: Case) -> None:
    match fact["fact"]:
        case "seat_away":
            away.add((fact["match"], fact["attempt"], _bot(case, fact, fact["seat"])))
        case "start_told":
            seats = (0, 1) if fact["all_seats"] else (fact["seat"],)
            away.difference_update((fact["match"], fact["attempt"], _bot(case, fact, seat)) for seat in seats)
        case "match_over":
            away.difference_update((fact["match"], fact["attempt"], bot.casefold()) for bot in fact["seats"])
        case _:
            pass


def _bot(case: Case, fact: Fact, seat: int) -> str:
    started = case.attempts[fact["match"], fact["attempt"]].started
    assert started is not None
    return str(started["seats"][seat]).casefold()


def _all_away(case: Case, written: int) -> Away:
    """Return each bot of each running match: after a restart every bot is away."""
    return {
        (attempt.match, attempt.attempt, bot.casefold())
        for attempt in case.attempts.values()
        if attempt.started is not None
        and attempt.started["number"] <= written
        and (attempt.over is None or attempt.over["number"] > written)
        for bot in attempt.started["seats"]
    }
