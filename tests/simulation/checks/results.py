"""Results: every leg of every pairing has exactly one result that counts, and every match can be replayed."""

from collections import Counter
from itertools import combinations, takewhile

import orjson
from rumble_engine import EngineError, get_game

from tests.simulation.checks.board import Board
from tests.simulation.checks.case import Attempt, Case, Fact, Problems

MOST_COMPANY_APART = 4
"""Maximum difference between the meetings of any two pairs of bots in a round-robin of tables."""


def check_results(case: Case) -> Problems:
    """Yield all problems with matches and results."""
    numbers = [fact["number"] for fact in case.facts if not fact.get("with_move")]
    if numbers != list(range(1, len(numbers) + 1)):
        yield "the log has a gap, or a number twice"
    yield from _ids(case)
    for created in case.by_kind["tournament_created"]:
        yield from _tournament(case, created)
    yield from _attempts(case)
    for attempt in case.attempts.values():
        yield from _play(attempt)
    yield from _matches_at_once(case)


def _ids(case: Case) -> Problems:
    tournaments = [fact["tournament"] for fact in case.by_kind["tournament_created"]]
    started = [(fact["match"], fact["attempt"]) for fact in case.by_kind["match_started"]]
    over = [(fact["match"], fact["attempt"]) for fact in case.by_kind["match_over"]]
    turns = [fact["turn_id"] for fact in case.by_kind["turn_asked"]]
    seeds = [fact["chance_seed"] for fact in case.by_kind["match_started"] if fact["chance_seed"]]
    placed = {
        (seen.frame["turn_id"], seen.frame["match"], seen.frame["ply"])
        for wire in case.wires.values()
        for seen in wire.told
        if seen.frame["type"] == "turn"
    }
    for what, ids in (
        ("tournament", tournaments),
        ("start of a match attempt", started),
        ("end of a match attempt", over),
        ("turn in the log", turns),
        ("seed of chance", seeds),
        ("turn that was told", [turn_id for turn_id, _, _ in placed]),
    ):
        for each, count in Counter(ids).items():
            if count > 1:
                yield f"{what} {each} occurs {count} times"


def _tournament(case: Case, created: Fact) -> Problems:
    name, config = created["tournament"], created["config"]
    facts = case.by_tournament[name]
    kinds = Counter(fact["fact"] for fact in facts)
    ended = next((fact for fact in facts if fact["fact"] == "tournament_ended"), None)
    if kinds["tournament_started"] > 1 or kinds["tournament_ended"] != 1 or ended is None:
        yield f"{name}: started {kinds['tournament_started']} times, ended {kinds['tournament_ended']} times"
        return
    for fact in facts:
        counts = fact["fact"] == "match_over" and fact["scores"] is not None
        if fact["number"] > ended["number"] and (counts or fact["fact"] in ("match_started", "result_voided")):
            yield f"{name}: {fact['fact']} of {fact['match']} after the end"
    started = next((fact for fact in facts if fact["fact"] == "tournament_started"), None)
    if started is None:
        return
    field = _field(facts, started, config["late_join"])
    if field is None:
        yield f"{name}: started with {started['bots']}, which are not those who had joined"
        return
    yield from _pauses(name, facts)
    results = case.counted(name)
    if config["seats"] > 2:
        yield from _tables(case, name, config, started["bots"], _is_complete(ended))
        return
    if config["format"] != "round-robin":
        return
    met = Counter(frozenset(result["seats"]) for result in results)
    wanted = config["cycles"] * config["legs"]
    complete = _is_complete(ended)
    for pair in combinations(field, 2):
        count = met[frozenset(pair)]
        if count > wanted or (complete and count != wanted):
            yield f"{name}: {' and '.join(pair)} have {count} results that count, not {wanted}"
    if complete:
        for bot in field:
            seats = Counter(result["seats"].index(bot) for result in results if bot in result["seats"])
            if abs(seats[0] - seats[1]) > 1:
                yield f"{name}: {bot} had the first move {seats[0]} times, the second {seats[1]} times"


def _is_complete(ended: Fact) -> bool:
    return bool(ended["status"] == "finished") and not ended["reason"].startswith("the host")


def _tables(case: Case, name: str, config: Fact, bots: list[str], complete: bool) -> Problems:
    """Check that each table has one result, that bots play together equally often, and that no table starves."""
    made: dict[str, list[str]] = {}
    for fact in case.by_tournament[name]:
        if fact["fact"] == "tables_seated":
            for cycle, number, board, numbers in (
                (each["cycle"], each["round"], each["board"], each["bots"]) for each in fact["seatings"]
            ):
                made[f"{name}.{cycle}.{number}.{board}.1"] = [bots[own] for own in numbers]
    played = {result["match"]: sorted(result["seats"] + result["absent"]) for result in case.counted(name)}
    for match in made if complete else played:
        if played.get(match) != sorted(made.get(match, ())):
            yield f"{name}: {match} was made for {made.get(match)}, and its result is of {played.get(match)}"
    met = Counter(pair for seats in made.values() for pair in combinations(sorted(seats), 2))
    times = [met[pair] for pair in combinations(sorted(bots), 2)]
    if complete and config["format"] == "round-robin" and max(times) - min(times) > MOST_COMPANY_APART:
        yield f"{name}: two bots meet {max(times)} times, and two others {min(times)} times"
    yield from _reserved(case, name, made)


def _reserved(case: Case, name: str, made: dict[str, list[str]]) -> Problems:
    """Check that no bot starts a newer table with a place that one of its older tables needs."""
    waiting: dict[str, None] = {}
    seated = False
    for fact in case.by_tournament[name]:
        match fact["fact"]:
            case "tables_seated":
                order = (f"{name}.{e['cycle']}.{e['round']}.{e['board']}.1" for e in fact["seatings"])
                waiting |= dict.fromkeys(order)
                seated = True
            case "match_started" if seated:
                for bot in fact["seats"]:
                    older = [each for each in takewhile(fact["match"].__ne__, waiting) if bot in made[each]]
                    if len(older) >= case.most_matches(bot.casefold()):
                        yield f"{fact['match']} was started, though {bot} was reserved for {', '.join(older)}"
                waiting.pop(fact["match"], None)
            case "match_over":
                waiting.pop(fact["match"], None)
                if fact["scores"] is None:
                    waiting[fact["match"]] = None
            case "result_voided":
                waiting[fact["match"]] = None
            case _:
                pass


def _field(facts: list[Fact], started: Fact, late_join: bool) -> list[str] | None:
    """Return the bots that ever played; None if the tournament started with a field other than the joined bots."""
    field: dict[str, None] = {}
    for fact in facts:
        if fact["fact"] == "bot_joined":
            field[fact["bot"]] = None
        elif fact["fact"] == "bot_left" and fact["number"] < started["number"]:
            del field[fact["bot"]]
        elif fact["fact"] == "tournament_started" and (
            set(field) != set(fact["bots"]) or len(field) != len(fact["bots"])
        ):
            return None
    return list(field) if late_join or set(field) == set(started["bots"]) else None


def _pauses(name: str, facts: list[Fact]) -> Problems:
    paused = False
    for fact in facts:
        match fact["fact"]:
            case "tournament_paused":
                paused = True
            case "tournament_resumed":
                paused = False
            case "match_started" if paused:
                yield f"{name}: {fact['match']} was started during a pause"
            case _:
                pass


def _attempts(case: Case) -> Problems:
    """Check that an attempt begins only when the one before has ended and does not count."""
    voided = {(fact["match"], fact["attempt"]): fact["number"] for fact in case.by_kind["result_voided"]}
    for (match, number), attempt in case.attempts.items():
        over = attempt.over
        first = attempt.facts[0]
        if over is None:
            yield f"{match}, attempt {number}, never ended"
            continue
        if attempt.started is not None and first is not attempt.started:
            yield f"{match}, attempt {number}: {first['fact']} before its start"
        for fact in attempt.facts:
            late = fact["number"] > over["number"]
            if late and not (fact["fact"] == "frame_seen" and fact["sender"] == "server"):
                yield f"{match}, attempt {number}: {fact['fact']} after its end"
        if (over["scores"] is None) != (over["termination"] == "aborted"):
            yield f"{match}, attempt {number}: scores {over['scores']} by {over['termination']}"
        if number == 1:
            continue
        before = case.attempts.get((match, number - 1))
        if before is None or before.over is None:
            yield f"{match} has an attempt {number} without an end of the one before"
        else:
            freed = before.over["number"] if before.over["scores"] is None else voided.get((match, number - 1))
            if freed is None or freed > first["number"]:
                yield f"{match}: attempt {number} was played although the one before counts"


def _play(attempt: Attempt) -> Problems:
    """Check that the moves can be played, match the outcome's moves, and lead to its scores."""
    started, over = attempt.started, attempt.over
    if over is None:
        return
    what = f"{attempt.match}, attempt {attempt.attempt}"
    made = attempt.of("move_made")
    if started is None:
        if made or over["termination"] != "no_show":
            yield f"{what} was not started, but ended by {over['termination']}"
        return
    if (over["seats"], over["absent"]) != (started["seats"], started["absent"]):
        yield f"{what} ended with other seats than it started with"
    if attempt.is_plain is not get_game(started["game"]).is_plain(len(started["seats"])):
        yield f"{what} of {started['game']} began with the seed {started['chance_seed']!r}"
    board, cause = Board(started), started
    try:
        for fact in attempt.facts:
            if fact["fact"] == "frame_seen":
                yield from _notice(board, fact, cause, what)
            else:
                cause = fact
            yield from _ply(board, fact, what)
            board.note(fact)
    except EngineError as error:
        yield f"{what}: its moves cannot be replayed: {error}"
        return
    if over["moves"] != board.moves:
        yield f"{what}: its outcome has moves {over['moves']}, its plies {board.moves}"
    outcome = board.state.outcome
    if not attempt.is_plain and over["scores"] is not None:
        yield from _placement(board, over, what)
    elif over["termination"] == "normal":
        if outcome is None or list(outcome.scores) != over["scores"] or outcome.reason != over["reason"]:
            yield f"{what}: {over['scores']} ({over['reason']}) is not what its moves lead to"
    elif outcome is not None and not over["stalled"]:
        yield f"{what} ended on the board, but was told as {over['termination']}"


def _ply(board: Board, fact: Fact, what: str) -> Problems:
    """Check that a part of a ply was due, and that a drawn part follows from the seed."""
    kind, seat, due = fact["fact"], fact.get("seat"), board.waits_for()
    if kind not in ("move_made", "seat_fell", "chance_drawn"):
        return
    ply = len(board.moves)
    is_due = {
        "move_made": seat in due and (seat in board.falls) is not bool(fact.get("turn_id")),
        "seat_fell": seat is not None and not board.is_out(seat),
        "chance_drawn": board.state.is_chance,
    }
    if fact["ply"] != ply or not is_due[kind]:
        yield f"{what}: {kind} in ply {fact['ply']} by seat {seat} where ply {ply} of {due} was due"
    elif kind != "seat_fell" and not fact.get("turn_id") and fact["move"] != (text := board.drawn_text(seat)):
        yield f"{what}: {fact['move']} of ply {ply} is not the draw of the seed, {text}"


def _notice(board: Board, seen: Fact, cause: Fact, what: str) -> Problems:
    """Check that a notice about another seat tells of an absence at once, or of a fall once its ply is made."""
    frame = orjson.loads(seen["frame"]) if seen["sender"] == "server" else {}
    if (frame.get("type"), frame.get("match")) != ("notice", seen["match"]):
        return
    seat, code = frame.get("seat", 1 - seen["seat"]), frame["code"]
    fall = board.falls.get(seat)
    is_right = (
        (cause["fact"], cause.get("seat")) == ("seat_away", seat)
        if code == "opponent_away"
        else code == "seat_fell" and fall and (seat == seen["seat"] or fall["ply"] < len(board.moves))
    )
    if not is_right:
        yield f"{what}: seat {seen['seat']} was told {code} about seat {seat} after {cause['fact']}"


def _placement(board: Board, over: Fact, what: str) -> Problems:
    """Check the end of a match of joint moves or of chance: fallen seats are last, and a later fall is better."""
    outcome, falls, placement = board.state.outcome, board.falls, over["placement"]
    seats = range(len(over["seats"]))
    ranks = [(s not in falls, falls[s]["ply"] if s in falls else outcome.scores[s] if outcome else 0) for s in seats]
    places = [1 + sum(other > own for other in ranks) for own in ranks]
    scores = [(sum(o < own for o in ranks) + (ranks.count(own) - 1) / 2) / (len(seats) - 1) for own in ranks]
    fallen = [[seat, fall["ply"], fall["termination"]] for seat, fall in sorted(falls.items())]
    if outcome is None and (board.state.can_fall or len(falls) < len(seats) - 1):
        yield f"{what} ended as {over['termination']} while seats {board.waits_for()} had to move"
    last = [*falls.values()][-1:] if len(seats) == 2 or outcome is None else []
    ended = [(fall["termination"], fall["reason"]) for fall in last] or [("normal", outcome and outcome.reason)]
    if (over["termination"], over["reason"]) != ended[0]:
        yield f"{what} ended as {over['termination']} ({over['reason']}), not as {ended[0]}"
    payoffs = outcome and outcome.payoffs and list(outcome.payoffs)
    expected = places, scores, payoffs, fallen, board.started["chance_seed"]
    told = placement["places"], over["scores"], placement["payoffs"], placement["falls"], placement["chance_seed"]
    if told != expected:
        yield f"{what} ended with {told} instead of {expected}"


def _matches_at_once(case: Case) -> Problems:
    playing: Counter[str] = Counter()
    for fact in case.facts:
        if fact["fact"] == "match_started":
            for bot in fact["seats"]:
                playing[bot] += 1
                allowed = case.most_matches(bot.casefold())
                if playing[bot] > allowed:
                    yield f"{bot} played {playing[bot]} matches at once, and asked for {allowed}"
        elif fact["fact"] == "match_over" and case.attempts[fact["match"], fact["attempt"]].started is not None:
            playing.subtract(fact["seats"])
