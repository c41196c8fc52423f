"""What a bot is told after its login: the matches that are open, their starts, and results of before."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from tests.simulation.checks.case import Attempt, Case, Problems, Seen, WireLog

MOST_UNTOLD = 16
"""Number of the newest results that a bot is told at its login."""


def check_logins(case: Case) -> Problems:
    """Yield all problems with matches and results at logins."""
    for wire in case.wires.values():
        yield from _resumed(case, wire)
    yield from _results(case)


def _results(case: Case) -> Problems:
    """Check that each bot of a match that logs in after the match's end was told the result, in any session."""
    told, logins, ends = set[tuple[str, str, int]](), defaultdict(list), Counter[str]()
    for wire in case.wires.values():
        for seen in wire.told:
            if seen.frame["type"] == "match_over":
                told.add((wire.bot, seen.frame["match"], seen.frame["attempt"]))
            elif seen.frame["type"] == "session" and _is_told_all(case, wire, seen.entry.at_ms):
                logins[wire.bot].append((wire.run, seen.entry.at_ms))
    for over in reversed(case.by_kind["match_over"]):
        is_begun = case.attempts[over["match"], over["attempt"]].started is not None
        for bot in map(str.casefold, over["seats"]) if is_begun else ():
            run, at_ms = case.run_of(over), over["at_ms"]
            is_back = any(login_run is run and login_ms > at_ms for login_run, login_ms in logins[bot])
            if is_back and ends[bot] < MOST_UNTOLD and (bot, over["match"], over["attempt"]) not in told:
                yield f"{bot} logged in after {over['match']} ended at {at_ms}, and was never told the result"
            ends[bot] += 1


def _is_told_all(case: Case, wire: WireLog, at_ms: int) -> bool:
    """Return whether all results for the bot must be told at its login: none waits on another worker's connection."""
    others = [other for other in case.wires_of(wire.bot) if other.run is wire.run and other.worker != wire.worker]
    return wire.is_settled(at_ms, min(wire.end_ms, wire.run.end_ms)) and not any(
        other.login is not None and other.login.entry.at_ms <= at_ms < other.end_ms for other in others
    )


def _resumed(case: Case, wire: WireLog) -> Problems:
    """Check that a login's open matches go on: listed in `session`, and each resumed by `match_start`."""
    login = wire.login
    sessions = [seen for seen in wire.told if seen.frame["type"] == "session"]
    if login is None or not sessions:
        return
    for session in sessions:
        yield from _listed(case, wire, login.entry.at_ms, session)
    if wire.worker:
        return  # `workers` checks which matches a worker is told of
    logins = [other.login for other in case.wires_of(wire.bot) if other.login is not None]
    until_ms = min([wire.end_ms, *(other.entry.at_ms for other in logins if other.place > login.place)])
    if wire.is_settled(login.entry.at_ms, until_ms):
        for attempt in _open_at(case, wire.bot, login.entry.at_ms):
            if not any(_goes_on(seen, attempt.match) for seen in wire.told if seen.place > login.place):
                yield f"{wire.bot} logged in with {attempt.match} open, and was not told its start"


def _goes_on(seen: Seen, match: str) -> bool:
    frame = seen.frame
    return frame["type"] == "match_start" and frame["match"] == match and frame["resumed"] is True


def _is_late_result(case: Case, seen: Seen, at_ms: int) -> bool:
    """Return whether a frame tells the end of an attempt that had ended by the time `at_ms`."""
    if seen.frame["type"] != "match_over":
        return False
    attempt = case.attempts.get((seen.frame["match"], seen.frame["attempt"]))
    return attempt is not None and attempt.over is not None and bool(attempt.over["at_ms"] <= at_ms)


def _open_at(case: Case, bot: str, at_ms: int) -> Iterator[Attempt]:
    """Yield the attempts of a bot that were open at a time."""
    for attempt in case.attempts.values():
        started, over = attempt.started, attempt.over
        if started is None or over is None or not started["at_ms"] < at_ms < over["at_ms"]:
            continue
        if bot in [each.casefold() for each in started["seats"]]:
            yield attempt


def _listed(case: Case, wire: WireLog, at_ms: int, session: Seen) -> Problems:
    """Check that each match in `session` is open and goes on, and that no open match is missing once all is on disk."""
    open_matches = session.frame["matches"]
    later = [seen for seen in wire.told if seen.place > session.place and not _is_late_result(case, seen, at_ms)]
    for match in open_matches:
        start = next((seen for seen in later if seen.frame.get("match") == match), None)
        if not (_may_wait(wire, at_ms) if start is None else _goes_on(start, match)):
            yield f"{wire.bot} logged in with {match} open, and was not told its start"
    if wire.worker or not any(clean_ms >= at_ms for clean_ms in wire.run.clean_ms):
        return
    for attempt in _open_at(case, wire.bot, at_ms):
        if attempt.match not in open_matches:
            yield f"{wire.bot} logged in while {attempt.match} was open, and was not told of it"
    for match in open_matches:
        attempts = [each for (name, _), each in case.attempts.items() if name == match]
        for attempt in attempts if len(attempts) == 1 else ():
            started, over = attempt.started, attempt.over
            if started is not None and over is not None and not started["at_ms"] <= at_ms <= over["at_ms"]:
                yield f"{wire.bot} logged in, and was told that {match} is open when it was not"


def _may_wait(wire: WireLog, at_ms: int) -> bool:
    """Return whether the starts of matches at a login may have waited for the disk until the connection ended.

    A start waits behind an older frame, such as the end of a tournament, whose facts were not on disk at the login.
    """
    if wire.opened_clean and wire.arrived[0] is wire.login:
        return False
    return not wire.is_settled(at_ms, min(wire.end_ms, wire.run.end_ms))
