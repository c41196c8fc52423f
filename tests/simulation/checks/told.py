"""Frames to bots and confirmations to the host: the log has their facts, on disk first and in that order."""

import re
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise
from typing import Any

import orjson
from rumble_engine import State

from tests.simulation.checks.board import boards, commitment
from tests.simulation.checks.case import Case, Fact, Problems, WireLog

MOST_POINTS_APART = 1e-9
HOUR_MS = 3_600_000


def check_told(case: Case) -> Problems:
    """Yield all problems with frames that the server sent, and with confirmed commands."""
    index = _Index(case)
    for wire in case.wires.values():
        yield from _durable(index, wire)
        yield from _order(index, wire)
        yield from _open_at_once(index, wire)
        yield from _seeds(index, wire)
        yield from _followed(index, wire)
        for seen in wire.told:
            if seen.frame["type"] == "turn":
                yield from _turn(index, wire, seen.frame)
    yield from _orders(case)
    yield from _by_one_leader(case)


def _by_one_leader(case: Case) -> Problems:
    """Check that a former leader tells nothing after the next leader's start."""
    for before, after in pairwise(case.runs):
        for wire in case.wires.values():
            for seen in wire.told if wire.run is before else ():
                if seen.entry.at_ms > after.start_ms and seen.frame["type"] != "welcome":
                    yield f"{wire.bot} was told {_short(seen.frame)} by who did not lead at {seen.entry.at_ms}"


class _Index:
    """The log's facts, by the ids that frames name."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.asked = {fact["turn_id"]: fact for fact in case.by_kind["turn_asked"]}
        self.boards: dict[str, tuple[State, int, list[Any]]] = {}
        """The position at the asking, its ply, and the news for the seat (`since`), by turn id."""
        self.seeds: dict[str, Fact] = {}
        """The start of each attempt with a seed of chance, by seed."""
        for started in case.by_kind["match_started"]:
            if started["chance_seed"]:
                self.seeds[started["chance_seed"]] = started
            for fact, board in boards(started, case.attempts[started["match"], started["attempt"]].facts):
                if fact["fact"] == "turn_asked":
                    own = fact["seat"]
                    since = [[seat, text] for ply, seat, text in board.parts[own] if ply >= board.last[own]]
                    self.boards[fact["turn_id"]] = board.state, len(board.moves), since
        self.names = {fact["name"].casefold(): fact for fact in reversed(case.by_kind["name_used"])}
        self.benched = [fact for fact in case.by_kind["bot_benched"] if fact["benched"]]
        self.points = {name: _points(case, name) for name in case.by_tournament}

    def about(self, tournament: str, kind: str, bot: str | None = None) -> list[Fact]:
        """Return the facts of a kind about a tournament, or about one bot in the tournament."""
        facts = self.case.by_tournament.get(tournament, ())
        return [
            fact
            for fact in facts
            if fact["fact"] == kind and (bot is None or fact.get("bot", "").casefold() == bot.casefold())
        ]


def _points(case: Case, tournament: str) -> dict[str, Fraction | float]:
    config: Fact = case.by_tournament[tournament][0]["config"]
    points: dict[str, Fraction | float] = defaultdict(float)
    for result in case.counted(tournament):
        if config["seats"] > 2:
            for bot, own in _points_of_table(result, config).items():
                points[bot.casefold()] += own
            continue
        for seat, bot in enumerate(result["seats"]):
            points[bot.casefold()] += result["scores"][seat]
    bots, legs = [], 0
    for fact in case.by_tournament[tournament]:
        if fact["fact"] == "tournament_created" and fact["config"]["format"] == "swiss":
            legs = fact["config"]["legs"]
        elif fact["fact"] == "tournament_started":
            bots = fact["bots"]
        elif fact["fact"] == "round_paired" and fact["pairings"]:
            for number in fact["byes"]:
                points[bots[number].casefold()] += legs
        elif fact["fact"] == "tables_seated":
            for number in fact["byes"]:
                points[bots[number].casefold()] += _worth(config, 1, 1, config["seats"])
    return points


def _points_of_table(result: Fact, config: Fact) -> dict[str, Fraction]:
    """Return the points of each bot of a table, absent bots included."""
    end = result["placement"]
    seats, places = result["seats"] + result["absent"], list(end["places"])
    lost = {fall[0] for fall in end["falls"] if fall[2] == "no_show"}.union(range(len(places), len(seats)))
    places += [len(places) + 1] * len(result["absent"])
    points = {}
    for seat, (bot, place) in enumerate(zip(seats, places, strict=True)):
        first, last = (len(seats), len(seats)) if seat in lost else (place, place + places.count(place) - 1)
        points[bot] = _worth(config, first, last, len(seats))
    return points


def _worth(config: Fact, first: int, last: int, seats: int) -> Fraction:
    """Return the points of the places from `first` to `last`, which bots of a table of so many seats share."""
    if config["points"] == "places":
        return Fraction((2 * seats - first - last) * (config["seats"] - 1), 2 * (seats - 1))
    each = [config["points"][min(place, len(config["points"])) - 1] for place in range(first, last + 1)]
    return Fraction(sum(map(Fraction, each))) / len(each)


# --- on disk first ---


def _durable(index: _Index, wire: WireLog) -> Problems:
    """Check that each told fact is in the log, says the same, and was on disk when told."""
    for seen in wire.told:
        frame, written = seen.frame, seen.entry.written
        facts = _facts_behind(index, wire, frame)
        if facts is None:
            continue
        what = f"{wire.bot} was told {_short(frame)}"
        if not facts:
            yield f"{what}, but the log has nothing of it"
        elif facts[0]["number"] > written:
            yield f"{what} when {written} facts were on disk; it is fact {facts[0]['number']}"
        if frame["type"] == "match_over" and facts:
            for name, logged in _end_of(facts[0]).items():
                if frame.get(name) != logged:
                    yield f"{what} with {name} {frame.get(name)}; the log has {logged}"
        if frame["type"] == "tournament_over" and facts:
            yield from _standing(index, wire, frame, what)


def _end_of(over: Fact) -> dict[str, Any]:
    """Return the fields that a `match_over` frame must have from its fact."""
    end = over["placement"]
    fields = {name: over[name] for name in ("scores", "termination", "reason", "moves")}
    fields |= {name: end and end[name] for name in ("places", "payoffs")}
    falls = end and [dict(zip(("seat", "ply", "termination"), fall, strict=True)) for fall in end["falls"]]
    return {**fields, "falls": falls, "seed": (end and end["chance_seed"]) or None}


def _facts_behind(index: _Index, wire: WireLog, frame: dict[str, Any]) -> list[Fact] | None:
    """Return the facts of which one must be on disk before the frame is sent; None if the frame needs no fact."""
    case = index.case
    match frame["type"]:
        case "match_over":
            attempt = case.attempts.get((frame["match"], frame["attempt"]))
            return [] if attempt is None or attempt.over is None else [attempt.over]
        case "tournament_over":
            return index.about(frame["tournament"], "tournament_ended")
        case "session":
            name = index.names.get(wire.bot)
            return [] if name is None else [name]
        case "joined":
            return index.about(frame["tournament"], "bot_joined", wire.bot)
        case "left":
            return index.about(frame["tournament"], "bot_left", wire.bot)
        case "notice":
            tournament = frame["tournament"]
            match frame["code"]:
                case "paused":
                    return index.about(tournament, "tournament_paused")
                case "removed":
                    return index.about(tournament, "bot_left", wire.bot)
                case "cancelled":
                    return index.about(tournament, "tournament_ended")
                case "benched":
                    return index.about(tournament, "bot_benched", wire.bot)
                case "match_voided":
                    return [fact for fact in case.by_kind["result_voided"] if fact["match"] == frame["match"]]
    return None


def _standing(index: _Index, wire: WireLog, frame: dict[str, Any], what: str) -> Problems:
    points = index.points[frame["tournament"]]
    own = points[wire.bot]
    if abs(own - frame["points"]) > MOST_POINTS_APART:
        yield f"{what} with {frame['points']} points; its results in the log make {own}"
    if index.about(frame["tournament"], "tournament_created")[0]["config"]["format"] == "knockout":
        return
    field = {fact["bot"].casefold() for fact in index.about(frame["tournament"], "bot_joined")}
    better = sum(points[bot] > own for bot in field)
    equal = sum(points[bot] == own for bot in field)
    if not better < frame["rank"] <= better + equal:
        yield f"{what} with rank {frame['rank']}, where {better} bots have more points and {equal} as many"


def _orders(case: Case) -> Problems:
    """Check that each confirmed command of the host is in the log, and was on disk when confirmed."""
    kinds = {
        "create": ("tournament_created",),
        "enter": ("bot_joined",),
        "start": ("tournament_started",),
        "pause": ("tournament_paused",),
        "resume": ("tournament_resumed",),
        "remove": ("bot_left",),
        "unbench": ("bot_benched",),
        "end": ("tournament_ended",),
        "cancel": ("tournament_ended",),
        "replay": ("result_voided", "match_over"),
    }
    confirmed: Counter[tuple[str, str]] = Counter()
    for entry in case.trace:
        if entry.kind != "ordered":
            continue
        order = orjson.loads(entry.text)
        command, what = order["command"], order["what"]
        confirmed[command, what] += 1
        target, _, bot = what.partition(" ")
        found = [
            fact
            for kind in kinds[command]
            for fact in case.by_kind[kind]
            if target in (fact.get("tournament"), fact.get("match"))
            and fact["number"] <= entry.written
            and (not bot or fact["bot"] == bot)
            and (kind != "match_over" or fact["scores"] is None)
        ]
        if len(found) < confirmed[command, what]:
            yield f"the host was told that {command} {what} was done, but {len(found)} of these are on disk"


# --- in order ---


def _order(index: _Index, wire: WireLog) -> Problems:
    """Check that the facts behind a match's frames ascend, and that none overtakes a `tournament_over`."""
    newest: dict[str, int] = {}
    barrier = 0
    for seen in wire.told:
        fact = _first_telling(index, seen.frame)
        if fact is None or not wire.run.first < fact["number"] <= wire.run.last:
            continue
        number = fact["number"]
        if seen.frame["type"] == "tournament_over":
            barrier = max(barrier, number)
            continue
        match = seen.frame["match"]
        before = max(newest.get(match, 0), barrier)
        if number < before:
            yield f"{wire.bot} was told {_short(seen.frame)} (fact {number}) after fact {before}"
        newest[match] = max(newest.get(match, 0), number)


def _open_at_once(index: _Index, wire: WireLog) -> Problems:
    """Check that a bot never has more open matches than allowed. Matches open at its login count once resumed."""
    open_matches: set[str] = set()
    for seen in wire.told:
        match seen.frame["type"]:
            case "match_over":
                open_matches.discard(seen.frame["match"])
            case "match_start":
                open_matches.add(seen.frame["match"])
                allowed = index.case.bots[wire.bot]["max_matches"]
                if len(open_matches) > allowed:
                    yield f"{wire.bot} was told of {len(open_matches)} matches open at once; it may have {allowed}"


def _first_telling(index: _Index, frame: dict[str, Any]) -> Fact | None:
    match frame["type"]:
        case "turn":
            return index.asked.get(frame["turn_id"])
        case "match_over" | "match_start" if not frame.get("resumed"):
            attempt = index.case.attempts.get((frame["match"], frame["attempt"]))
            if attempt is None:
                return None
            return attempt.over if frame["type"] == "match_over" else attempt.started
        case "tournament_over":
            return next(iter(index.about(frame["tournament"], "tournament_ended")), None)
    return None


def _followed(index: _Index, wire: WireLog) -> Problems:
    """Check that a pupil who follows is told of the next tournament first, or of the end after an hour."""
    joined: set[str] = set()
    for seen in wire.told if wire.login is not None and wire.login.frame.get("follow") else ():
        frame, name = seen.frame, str(seen.frame.get("tournament"))
        if frame["type"] in ("joined", "session"):
            joined.update([name], [each["id"] for each in frame.get("tournaments", ())])
        if frame["type"] != "tournament_over" or not index.about(name, "bot_joined", wire.bot)[-1]["by_code"]:
            continue
        ended_ms = index.about(name, "tournament_ended")[0]["at_ms"]
        made = [fact for fact in index.case.by_kind["tournament_created"] if fact["follows"] == name]
        if seen.entry.at_ms < min([ended_ms + HOUR_MS, *[fact["at_ms"] for fact in made]]):
            yield f"{wire.bot} follows, and was told {_short(frame)} before the next tournament"
        for each in made:
            if index.about(each["tournament"], "bot_joined", wire.bot) and each["tournament"] not in joined:
                yield f"{wire.bot} was told {_short(frame)} before it joined {each['tournament']}"


# --- turns ---


def _turn(index: _Index, wire: WireLog, turn: dict[str, Any]) -> Problems:
    """Check that a told turn agrees with the log, and with the engine's position."""
    asked = index.asked.get(turn["turn_id"])
    what = f"turn {turn['turn_id']} of {turn['match']}"
    if asked is None:
        if wire.run.is_whole:
            yield f"{what} was told by a run that had stopped in good order, and the log has nothing of it"
        return
    attempt = index.case.attempts[asked["match"], asked["attempt"]]
    told = (turn["match"], turn["attempt"], turn["ply"], turn["seat"], turn["clock"]["remaining_ms"])
    logged = (asked["match"], asked["attempt"], asked["ply"], asked["seat"], asked["remaining_ms"])
    if told != logged:
        yield f"{what} was told as {told}, and logged as {logged}"
    if asked["turn_id"] not in index.boards:
        return  # `results` tells that the moves cannot be replayed
    seat, (state, ply, since) = asked["seat"], index.boards[asked["turn_id"]]
    if seat not in state.movers or ply != asked["ply"]:
        yield f"{what} asked seat {seat} for ply {asked['ply']}, but seats {state.movers} are to move at ply {ply}"
        return
    legal = [state.text_for(seat, code) for code in state.codes_for(seat)]
    if turn["state"] != state.view(seat) or list(turn.get("legal", legal)) != legal:
        yield f"{what}: its position or legal moves are not those after its moves"
    if not attempt.is_plain and (turn["since"] != since or turn.get("moves")):
        yield f"{what} tells {turn['since']} and moves {turn.get('moves')}; since the seat's last answer was {since}"


def _seeds(index: _Index, wire: WireLog) -> Problems:
    """Check that `match_start` commits to the seed in the log, and that only the attempt's end has the seed."""
    for seen in wire.told:
        frame, own = seen.frame, None
        if frame["type"] in ("match_start", "match_over"):
            attempt = index.case.attempts.get((frame["match"], frame["attempt"]))
            own = None if attempt is None else attempt.started
        for seed in re.findall("[0-9a-f]{64}", seen.entry.text) if index.seeds else ():
            started = index.seeds.get(seed)
            if started is not None and (started is not own or frame["type"] == "match_start"):
                yield f"{wire.bot} was told the seed of {started['match']} in {_short(frame)}"
        if frame["type"] == "match_start":
            expected = commitment(own) if own is not None and own["chance_seed"] else None
            if frame.get("seed_commitment") != expected:
                yield f"{wire.bot} was told the commitment {frame.get('seed_commitment')}, not {expected}"


def _short(frame: dict[str, Any]) -> str:
    named = [str(frame[name]) for name in ("code", "tournament", "match", "attempt") if frame.get(name) is not None]
    return " ".join([frame["type"], *named])
