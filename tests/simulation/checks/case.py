"""The evidence in order: facts by tournament, match and kind; runs; connections; and presence of bots.

This package shares no logic with the server: it reads the log's JSON text and the trace. Only the engine is asked for
the rules of the games.
"""

import json
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson
from rumble_server.store.log.codec import FIELDS

from tests.simulation.trace import Entry

Fact = dict[str, Any]
Problems = Iterator[str]


NEVER_MS = 1 << 60
NOTICED_MS = 20
"""Shortest stall in ms that the server excuses; a shorter stall is part of its work."""


class Seen(NamedTuple):
    """A parsed frame of a connection."""

    entry: Entry
    frame: dict[str, Any]
    place: int
    """Index of its entry in the trace."""


@dataclass(slots=True)
class Run:
    """A run of the server. Its facts are those after `first`, up to `last`; the run ended at `end_ms`."""

    start_ms: int
    graces: list[tuple[int, int]]
    """Periods without away or absent time: after the start, and after a suspension that closed the bots."""
    first: int
    last: int
    end_ms: int
    clean_ms: list[int] = field(default_factory=list)
    """Times in ms at which all facts were on disk and told."""
    stalls: list[tuple[int, int]] = field(default_factory=list)
    """Periods in which the process stood still."""
    suspended: list[tuple[int, int]] = field(default_factory=list)
    """Periods in which the lease was over."""
    is_whole: bool = False
    """True if the run stopped with all facts on disk."""
    excused_ms: int = 0
    """Maximum time in ms that may be excused in an attempt before the attempt is void."""
    proxied_lag_ms: int = 0
    """Maximum lag in ms that a seat is allowed per attempt where only pings measure the lag."""

    def grace_at(self, at_ms: int) -> tuple[int, int]:
        """Return the newest grace begun by `at_ms`, or the first grace."""
        return next((each for each in self.graces[:0:-1] if each[0] <= at_ms), self.graces[0])


@dataclass(slots=True)
class WireLog:
    """Connection of a bot, as the server saw it. `lost_ms` is the time of its end, by any cause."""

    number: int
    bot: str
    lag_ms: int
    lag_by_pings: bool
    run: Run
    arrived: list[Seen] = field(default_factory=list)
    told: list[Seen] = field(default_factory=list)
    login: Seen | None = None
    """The login frame of its bot."""
    opened_clean: bool = False
    """True if all facts were on disk and told when its first frame arrived."""
    closing_place: int | None = None
    closing_ms: int | None = None
    closing_code: int | None = None
    lost_ms: int | None = None

    def is_settled(self, from_ms: int, to_ms: int) -> bool:
        """Return whether all facts were on disk and told at some time between the two."""
        return bisect_left(self.run.clean_ms, to_ms) > bisect_right(self.run.clean_ms, from_ms)

    @property
    def end_ms(self) -> int:
        """Time in ms at which the connection ended, or began to close."""
        return min(self.closing_ms or NEVER_MS, self.lost_ms or NEVER_MS)

    @property
    def worker(self) -> str:
        """Name of the worker that logged in; empty for a bot without workers."""
        return "" if self.login is None else self.login.frame.get("worker", "")


@dataclass(slots=True)
class Attempt:
    """The facts of one attempt of a match, in order."""

    match: str
    attempt: int
    facts: list[Fact] = field(default_factory=list)

    def of(self, kind: str) -> list[Fact]:
        """Return the attempt's facts of one kind."""
        return [fact for fact in self.facts if fact["fact"] == kind]

    @property
    def started(self) -> Fact | None:
        """Its start; None if the match was decided before it began."""
        return next((fact for fact in self.facts if fact["fact"] == "match_started"), None)

    @property
    def is_plain(self) -> bool:
        """False if it began as a match of joint moves or of chance."""
        return self.started is None or not self.started["chance_seed"]

    @property
    def over(self) -> Fact | None:
        """Its end."""
        return next((fact for fact in self.facts if fact["fact"] == "match_over"), None)


@dataclass(slots=True)
class Case:
    """All evidence of one simulation."""

    facts: list[Fact]
    trace: list[Entry]
    bots: dict[str, dict[str, Any]]
    """Bots by name in lower case: `max_matches` of each connection, `fault` or None, number of `workers` (0: none)."""
    by_kind: dict[str, list[Fact]] = field(default_factory=lambda: defaultdict(list))
    by_tournament: dict[str, list[Fact]] = field(default_factory=lambda: defaultdict(list))
    attempts: dict[tuple[str, int], Attempt] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    """Runs in order. On several nodes, each period of leading is a run, which ends when the next begins."""
    numbered: dict[int, Run] = field(default_factory=dict)
    wires: dict[int, WireLog] = field(default_factory=dict)
    turns_told: dict[str, int] = field(default_factory=dict)
    """Time in ms at which each turn was told, by turn id."""
    presence: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    """Periods with a logged-in connection, by the bot's name in lower case."""

    def __post_init__(self) -> None:
        self._sort_facts()
        self._sort_trace()

    # --- facts ---

    def _sort_facts(self) -> None:
        for fact in self.facts:
            self.by_kind[fact["fact"]].append(fact)
            if "match" in fact:
                self.by_tournament[fact["match"].partition(".")[0]].append(fact)
                if "attempt" in fact and fact["fact"] != "result_voided":
                    key = fact["match"], fact["attempt"]
                    if key not in self.attempts:
                        self.attempts[key] = Attempt(*key)
                    self.attempts[key].facts.append(fact)
            elif "tournament" in fact:
                self.by_tournament[fact["tournament"]].append(fact)

    def run_of(self, fact: Fact) -> Run:
        """Return the run that recorded a fact."""
        return next(run for run in self.runs if run.first < fact["number"] <= run.last)

    def counted(self, tournament: str) -> list[Fact]:
        """Return the results that count, in order of finishing: no void attempt and no withdrawn result."""
        results: dict[str, Fact] = {}
        for fact in self.by_tournament[tournament]:
            if fact["fact"] == "match_over" and fact["scores"] is not None:
                results[fact["match"]] = fact
            elif fact["fact"] == "result_voided":
                results.pop(fact["match"], None)
        return list(results.values())

    # --- the trace ---

    def _sort_trace(self) -> None:
        current: dict[str, dict[str, int]] = {}
        """Newest logged-in connection, by bot and worker."""
        since: dict[str, int] = {}

        def leave(bot: str, worker: str, at_ms: int) -> None:
            del current[bot][worker]
            if not current[bot]:
                del current[bot]
                self.presence[bot].append((since.pop(bot), at_ms))

        def all_leave(at_ms: int) -> None:
            for bot, workers in list(current.items()):
                for worker in list(workers):
                    leave(bot, worker, at_ms)

        def end(run: Run, at_ms: int) -> None:
            run.end_ms = min(run.end_ms, at_ms)
            if run is self.runs[-1]:
                all_leave(at_ms)
            for wire in self.wires.values():
                if wire.run is run and wire.lost_ms is None:
                    wire.lost_ms = at_ms

        def arrive(wire: WireLog, at_ms: int) -> None:
            current.setdefault(wire.bot, {})[wire.worker] = wire.number
            since.setdefault(wire.bot, at_ms)

        for place, entry in enumerate(self.trace):
            match entry.kind:
                case "start":
                    given = orjson.loads(entry.text)
                    last = self.facts[-1]["number"] if self.facts else 0
                    if self.runs:
                        self.runs[-1].last = entry.written
                        end(self.runs[-1], entry.at_ms)
                    graces = [(entry.at_ms, entry.at_ms + given["grace_ms"])]
                    run = Run(entry.at_ms, graces, entry.written, last, self.trace[-1].at_ms)
                    run.excused_ms, run.proxied_lag_ms = given["excused_ms"], given["proxied_lag_ms"]
                    self.runs.append(run)
                    self.numbered[entry.wire] = run
                case "kill" | "stop":
                    end(self.numbered[entry.wire], entry.at_ms)
                    self.numbered[entry.wire].is_whole |= entry.text == "whole"
                case "clean":
                    self.numbered[entry.wire].clean_ms.append(entry.at_ms)
                case "stall":
                    self.numbered[entry.wire].stalls.append((entry.at_ms, int(entry.text)))
                case "suspended":
                    self.numbered[entry.wire].suspended.append((entry.at_ms, int(entry.text)))
                case "grace":
                    self.numbered[entry.wire].graces.append((entry.at_ms, int(entry.text)))
                case "open":
                    opened = orjson.loads(entry.text)
                    bot = opened["bot"].casefold()
                    run = self.numbered[opened["run"]]
                    self.wires[entry.wire] = WireLog(entry.wire, bot, opened["lag_ms"], opened["lag_by_pings"], run)
                case "first":
                    self.wires[entry.wire].opened_clean = entry.text == "clean"
                case "arrived":
                    wire = self.wires[entry.wire]
                    arrived = Seen(entry, _read(entry.text), place)
                    wire.arrived.append(arrived)
                    if wire.login is None and is_login(arrived.frame, wire.bot):
                        wire.login = arrived
                        if wire.run is self.runs[-1]:
                            arrive(wire, entry.at_ms)
                case "told":
                    wire = self.wires[entry.wire]
                    seen = Seen(entry, orjson.loads(entry.text), place)
                    wire.told.append(seen)
                    if seen.frame["type"] == "turn":
                        self.turns_told.setdefault(seen.frame["turn_id"], entry.at_ms)
                case "closing":
                    wire = self.wires[entry.wire]
                    wire.closing_place, wire.closing_ms, wire.closing_code = place, entry.at_ms, int(entry.text)
                case "lost":
                    wire = self.wires[entry.wire]
                    wire.lost_ms = entry.at_ms if wire.lost_ms is None else wire.lost_ms
                    if current.get(wire.bot, {}).get(wire.worker) == entry.wire:
                        leave(wire.bot, wire.worker, entry.at_ms)
        if self.trace:  # the trace of a real server is empty
            all_leave(self.trace[-1].at_ms)

    def most_matches(self, bot: str) -> int:
        """Return how many matches a bot may play at once, on all its connections."""
        plan = self.bots[bot]
        return int(plan["max_matches"] * max(1, plan["workers"]))

    def wires_of(self, bot: str) -> list[WireLog]:
        """Return all connections of a bot."""
        return [wire for wire in self.wires.values() if wire.bot == bot.casefold()]


def is_login(frame: dict[str, Any], bot: str) -> bool:
    """Return whether a frame is the bot's login."""
    return frame.get("type") == "login" and frame["name"].casefold() == bot


def overlap_ms(times: Iterable[tuple[int, int]], from_ms: int, to_ms: int) -> int:
    """Return how many ms between `from_ms` and `to_ms` lie in the given periods."""
    return sum(max(0, min(until_ms, to_ms) - max(at_ms, from_ms)) for at_ms, until_ms in times)


def _read(text: str) -> dict[str, Any]:
    try:
        frame = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return frame if isinstance(frame, dict) else {}


FORMS = {"compact": (",", ":"), "spaced": (", ", ": ")}
"""Separators of a move frame's JSON. The log stores only the key if the frame has the plain fields."""


def read_rows(rows: Iterable[str]) -> list[Fact]:
    """Return the facts in the rows of a log, in order of their numbers. A row tells the number of fields of each kind.

    After a fact that asks turns, too, a `turn_asked` fact of the same number follows for each turn.
    """
    facts: list[Fact] = []
    for text in rows:
        row = orjson.loads(text)
        for number, kind, *values in row["facts"]:
            names = FIELDS[kind][: row["fields"][kind]]
            fact = {"number": number, "fact": kind, **dict(zip(names, values, strict=True))}
            if kind == "move_made" and fact["frame"] in FORMS:
                said = {"type": "move", **{name: fact[name] for name in ("match", "turn_id", "move")}}
                fact["frame"] = json.dumps(said, separators=FORMS[fact["frame"]])
            facts.append(fact)
            if fact.get("next_turn_id"):
                facts.append(_asked_with(fact))
            elif kind == "turns_asked":
                facts += _each_asked(fact)
    facts.sort(key=lambda fact: int(fact["number"]))
    return facts


def _asked_with(made: Fact) -> Fact:
    """Return the turn that was asked together with a move."""
    seat = made["next_seat"]
    same = {name: made[name] for name in ("number", "match", "attempt", "at_ms", "seats_ms", "lag_ms", "omit")}
    own = {"ply": made["ply"] + 1, "seat": seat, "turn_id": made["next_turn_id"]}
    return {**same, **own, "fact": "turn_asked", "with_move": True, "remaining_ms": made["seats_ms"][seat]}


def _each_asked(asked: Fact) -> Iterator[Fact]:
    """Yield the turns that were asked at once."""
    same = {name: asked[name] for name in ("number", "match", "attempt", "ply", "at_ms", "seats_ms")}
    for place, seat in enumerate(asked["asked"]):
        own = {"seat": seat, "turn_id": asked["turn_ids"][place]}
        own |= {name: asked[name][place] for name in ("remaining_ms", "lag_ms", "omit")}
        yield {**same, **own, "fact": "turn_asked", "with_move": True}
