"""The evidence put in order: facts by what they are about, runs, connections, and who was there when.

This package shares no code with the server: it reads the log's JSON text and what was seen from outside. Only the
rules of the games are asked of the engine.
"""

import json
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson
from rumble_server.store.codec import FIELDS

from tests.simulation.trace import Entry

Fact = dict[str, Any]
Problems = Iterator[str]


NEVER_MS = 1 << 60
NOTICED_MS = 20
"""A stall of the server of this many ms or more is excused; a shorter one is part of its work."""


class Seen(NamedTuple):
    """A frame of a connection, read."""

    entry: Entry
    frame: dict[str, Any]
    place: int
    """Its place in the trace."""


class Came(NamedTuple):
    """When something came to the leader, and the number of the last fact before."""

    at_ms: int
    last: int


@dataclass(slots=True)
class Run:
    """One life of the server. Its facts are those after `first`, up to `last`; it ended at `end_ms`."""

    start_ms: int
    grace_until_ms: int
    first: int
    last: int
    end_ms: int
    clean_ms: list[int] = field(default_factory=list)
    """When all that had been appended was on disk."""
    stalls: list[tuple[int, int]] = field(default_factory=list)
    """From when to when it did nothing."""
    suspended: list[tuple[int, int]] = field(default_factory=list)
    """From when to when its lease was over."""
    excused_ms: int = 0
    """Most that may be excused in an attempt before it is void,"""
    proxied_lag_ms: int = 0
    """and most lag that a seat is allowed in an attempt where only pings measure it."""


@dataclass(slots=True)
class NodeLog:
    """One of several nodes."""

    level_ms: list[int] = field(default_factory=list)
    """When all that its bots and their leader had said had come to the other, and was on disk."""
    frozen: list[tuple[int, int]] = field(default_factory=list)
    """From when to when it did nothing."""

    @property
    def noticed(self) -> list[tuple[int, int]]:
        """The times in which it did nothing that it noticed."""
        return [(at_ms, until_ms) for at_ms, until_ms in self.frozen if until_ms - at_ms >= NOTICED_MS]


@dataclass(slots=True)
class WireLog:
    """One connection of a bot, as the server saw it. `lost_ms` is its end, however it came."""

    number: int
    bot: str
    lag_ms: int
    lag_by_pings: bool
    runs: list[tuple[int, Run]]
    """Which runs it spoke with, and from which place in the trace on."""
    taken: list[tuple[int, int]] = field(default_factory=list)
    """When a leader took its login, by place and time; over links that may be more than once."""
    let_in: list[int] = field(default_factory=list)
    """The places at which one did that did not know it: of two sessions of a bot the newer is the one let in later."""
    left: list[int] = field(default_factory=list)
    """The places at which a leader gave it up."""
    is_replaced: bool = False
    """Its leader has a newer session of its bot: what comes of this one is heard no more."""
    node: NodeLog | None = None
    """The node that it leads to, where there are several."""
    arrived: list[Seen] = field(default_factory=list)
    told: list[Seen] = field(default_factory=list)
    login: Seen | None = None
    closing_place: int | None = None
    closing_ms: int | None = None
    closing_code: int | None = None
    lost_ms: int | None = None

    def run_at(self, place: int) -> Run | None:
        """The run that it spoke with; None: with none yet."""
        return next((run for since, run in reversed(self.runs) if since <= place), None)

    def let_in_at(self, place: int) -> int:
        """Where it had been let in by then; -1: nowhere."""
        return next((each for each in reversed(self.let_in) if each <= place), -1)

    def given_up_at(self, place: int) -> int:
        """Where its leader had given it up by then; -1: nowhere. If its node stood, it hears later what came before."""
        left = max((each for each in self.left if each <= place), default=-1)
        return left if left > max((each for each, _ in self.taken if each <= place), default=-1) else -1

    def is_settled(self, from_ms: int, to_ms: int) -> bool:
        """Whether between two times all that had been said was on disk and told."""
        times = [self.node.level_ms] if self.node is not None else [run.clean_ms for _, run in self.runs]
        return any(bisect_left(each, to_ms) > bisect_right(each, from_ms) for each in times)

    @property
    def end_ms(self) -> int:
        """When it was over, or began to be closed."""
        return min(self.closing_ms or NEVER_MS, self.lost_ms or NEVER_MS)

    @property
    def worker(self) -> str:
        """The worker that logged in; empty if it was none."""
        return "" if self.login is None else self.login.frame.get("worker", "")


@dataclass(slots=True)
class Attempt:
    """The facts of one attempt of a match, in order."""

    match: str
    attempt: int
    facts: list[Fact] = field(default_factory=list)

    def of(self, kind: str) -> list[Fact]:
        """Its facts of a kind."""
        return [fact for fact in self.facts if fact["fact"] == kind]

    @property
    def started(self) -> Fact | None:
        """Its start; None if it was lost before it began."""
        return next((fact for fact in self.facts if fact["fact"] == "match_started"), None)

    @property
    def over(self) -> Fact | None:
        """Its end."""
        return next((fact for fact in self.facts if fact["fact"] == "match_over"), None)


@dataclass(slots=True)
class Case:
    """Everything that is known of one simulation."""

    facts: list[Fact]
    trace: list[Entry]
    bots: dict[str, dict[str, Any]]
    """By name in lower case: `max_matches` of each connection, `fault` or None, and `workers` (0: it has none)."""
    by_kind: dict[str, list[Fact]] = field(default_factory=lambda: defaultdict(list))
    by_tournament: dict[str, list[Fact]] = field(default_factory=lambda: defaultdict(list))
    attempts: dict[tuple[str, int], Attempt] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    """In their order. Where there are several nodes each time that one led is a run, and ends when the next begins."""
    numbered: dict[int, Run] = field(default_factory=dict)
    wires: dict[int, WireLog] = field(default_factory=dict)
    nodes: dict[int, NodeLog] = field(default_factory=lambda: defaultdict(NodeLog))
    turns_said: dict[str, int] = field(default_factory=dict)
    """When its leader said each turn, by its id."""
    turns_told: dict[str, int] = field(default_factory=dict)
    """When each turn was told, by its id."""
    wire_of_turn: dict[str, WireLog] = field(default_factory=dict)
    """The connection on which each turn was told."""
    reached: dict[tuple[int, str], list[Came]] = field(default_factory=lambda: defaultdict(list))
    """When answers that it heard came to the leader, from another node or its own: by connection, match and turn."""
    asked: dict[tuple[int, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    """When a node told how long its bot had thought by then: by connection, and match and turn,"""
    heard: dict[tuple[int, str], list[Came]] = field(default_factory=lambda: defaultdict(list))
    """and when the leader came to know."""
    said_late: list[tuple[int, int]] = field(default_factory=list)
    """Runs that said something when another led, and when."""
    presence: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    """By name in lower case: from when to when the server had a connection that was logged in."""

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
        """The run that recorded a fact."""
        return next(run for run in self.runs if run.first < fact["number"] <= run.last)

    def counted(self, tournament: str) -> list[Fact]:
        """The results that count, in order of finishing: no void attempt, none that was taken back."""
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
        """By bot and worker: its newest connection that is logged in."""
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
                if wire.node is None and wire.runs[0][1] is run and wire.lost_ms is None:
                    wire.lost_ms = at_ms

        def arrive(wire: WireLog, number: int, at_ms: int, place: int) -> None:
            there = self.wires.get(current.get(wire.bot, {}).get(wire.worker, 0))
            if there is not None and there.let_in_at(place) > wire.let_in_at(place):
                return
            if wire.lost_ms is not None:  # it is gone, and the one in whose place it came is closed
                if there is not None:
                    leave(wire.bot, wire.worker, at_ms)
                return
            current.setdefault(wire.bot, {})[wire.worker] = number
            since.setdefault(wire.bot, at_ms)

        def left(number: int, at_ms: int) -> None:
            wire = self.wires[number]
            if current.get(wire.bot, {}).get(wire.worker) == number:
                leave(wire.bot, wire.worker, at_ms)

        for place, entry in enumerate(self.trace):
            match entry.kind:
                case "start":
                    given = orjson.loads(entry.text)
                    last = self.facts[-1]["number"] if self.facts else 0
                    if self.runs:
                        self.runs[-1].last = entry.written
                        end(self.runs[-1], entry.at_ms)
                    run = Run(entry.at_ms, entry.at_ms + given["grace_ms"], entry.written, last, self.trace[-1].at_ms)
                    run.excused_ms, run.proxied_lag_ms = given["excused_ms"], given["proxied_lag_ms"]
                    self.runs.append(run)
                    self.numbered[entry.wire] = run
                case "kill" | "stop":
                    end(self.numbered[entry.wire], entry.at_ms)
                case "clean":
                    self.numbered[entry.wire].clean_ms.append(entry.at_ms)
                case "stall":
                    self.numbered[entry.wire].stalls.append((entry.at_ms, int(entry.text)))
                case "suspended":
                    self.numbered[entry.wire].suspended.append((entry.at_ms, int(entry.text)))
                case "open":
                    opened = orjson.loads(entry.text)
                    bot = opened["bot"].casefold()
                    wire = WireLog(entry.wire, bot, opened["lag_ms"], opened["lag_by_pings"], [])
                    if "node" in opened:
                        wire.node = self.nodes[opened["node"]]
                    else:
                        wire.runs.append((place, self.numbered[opened["run"]]))
                    self.wires[entry.wire] = wire
                case "arrived":
                    wire = self.wires[entry.wire]
                    arrived = Seen(entry, _read(entry.text), place)
                    wire.arrived.append(arrived)
                    if wire.login is None and is_login(arrived.frame, wire.bot):
                        wire.login = arrived
                        if wire.node is None:
                            wire.taken.append((place, entry.at_ms))
                            wire.let_in.append(place)
                        if wire.node is None and wire.runs[0][1] is self.runs[-1]:
                            arrive(wire, entry.wire, entry.at_ms, place)
                case "taken":
                    wire = self.wires[entry.wire]
                    which, _, again = entry.text.partition(" ")
                    run = self.numbered[int(which)]
                    if wire.run_at(place) is not run:
                        wire.runs.append((place, run))
                    wire.taken.append((place, entry.at_ms))
                    if not again:
                        wire.let_in.append(place)
                    self._replace(wire, run, place)
                    if run is self.runs[-1]:
                        arrive(wire, entry.wire, entry.at_ms, place)
                case "left":
                    self.wires[entry.wire].left.append(place)
                    if self.numbered[int(entry.text)] is self.runs[-1]:
                        left(entry.wire, entry.at_ms)
                case "said":
                    if self.numbered[entry.wire] is not self.runs[-1]:
                        self.said_late.append((entry.wire, entry.at_ms))
                    if entry.text:
                        self.turns_said.setdefault(entry.text, entry.at_ms)
                case "reached":
                    about, came = _came(entry)
                    if not self.wires[entry.wire].is_replaced:
                        self.reached[entry.wire, about].append(came)
                case "level":
                    self.nodes[entry.wire].level_ms.append(entry.at_ms)
                case "froze":
                    self.nodes[entry.wire].frozen.append((entry.at_ms, int(entry.text)))
                case "asked":
                    self.asked[entry.wire, entry.text].append(entry.at_ms)
                case "heard":
                    about, came = _came(entry)
                    self.heard[entry.wire, about].append(came)
                case "told":
                    wire = self.wires[entry.wire]
                    told = Seen(entry, orjson.loads(entry.text), place)
                    wire.told.append(told)
                    if told.frame["type"] == "turn":
                        turn_id = told.frame["turn_id"]
                        self.turns_told[turn_id] = entry.at_ms
                        self.turns_said.setdefault(turn_id, entry.at_ms)
                        self.wire_of_turn[turn_id] = wire
                case "closing":
                    wire = self.wires[entry.wire]
                    wire.closing_place, wire.closing_ms, wire.closing_code = place, entry.at_ms, int(entry.text)
                case "lost":
                    wire = self.wires[entry.wire]
                    wire.lost_ms = entry.at_ms if wire.lost_ms is None else wire.lost_ms
                    left(entry.wire, entry.at_ms)
                case "died":
                    for each, wire in self.wires.items():
                        if wire.node is self.nodes[entry.wire] and wire.lost_ms is None:
                            wire.lost_ms = entry.at_ms
                            left(each, entry.at_ms)
        if self.trace:  # of a real server there is none
            all_leave(self.trace[-1].at_ms)

    def _replace(self, wire: WireLog, run: Run, place: int) -> None:
        """A leader took a login: of all sessions that it has of a worker the newest stays."""
        there = [
            each
            for each in self.wires_of(wire.bot)
            if each.worker == wire.worker and each.run_at(place) is run and each.given_up_at(place) < 0
        ]
        newest = max(there, key=lambda each: each.let_in_at(place))
        for each in there:
            each.is_replaced = each is not newest

    def answers(self, match: str, turn_id: str) -> list[tuple[int, Came]]:
        """When each answer to a turn came to its node, and when to the leader, where there are several nodes."""
        wire = self.wire_of_turn.get(turn_id)
        if wire is None or wire.node is None:
            return []
        named = {"match": match, "turn_id": turn_id}
        came = [seen.entry.at_ms for seen in wire.arrived if named.items() <= seen.frame.items()]
        return list(zip(came, self.reached[wire.number, f"{match} {turn_id}"], strict=False))

    def measured(self, match: str, turn_id: str) -> list[tuple[int, Came]]:
        """When a node measured how long a bot had thought about a turn, and when the leader came to know, in order."""
        wire = self.wire_of_turn.get(turn_id)
        if wire is None or wire.node is None:
            return []
        key = wire.number, f"{match} {turn_id}"
        told = list(zip(self.asked[key], self.heard[key], strict=False))
        return sorted([*self.answers(match, turn_id), *told], key=lambda each: each[1])

    def most_matches(self, bot: str) -> int:
        """How many matches a bot may play at once, on all its connections."""
        plan = self.bots[bot]
        return int(plan["max_matches"] * max(1, plan["workers"]))

    def wires_of(self, bot: str) -> list[WireLog]:
        """The connections that a bot had."""
        return [wire for wire in self.wires.values() if wire.bot == bot.casefold()]


def is_login(frame: dict[str, Any], bot: str) -> bool:
    """Whether a frame logs the bot in."""
    return frame.get("type") == "login" and frame["name"].casefold() == bot


def _came(entry: Entry) -> tuple[str, Came]:
    about, _, last = entry.text.rpartition(" ")
    return about, Came(entry.at_ms, int(last))


def _read(text: str) -> dict[str, Any]:
    try:
        frame = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return frame if isinstance(frame, dict) else {}


FORMS = {"compact": (",", ":"), "spaced": (", ", ": ")}
"""What stands for a frame of a move that has nothing but its fields: the separators of its JSON."""


def read_rows(rows: Iterable[str]) -> list[Fact]:
    """The facts in the rows of a log, in order of their numbers. A row tells how many fields each kind of fact has.

    A turn that was asked with a move follows it, as a fact of its own of the same number.
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
    facts.sort(key=lambda fact: int(fact["number"]))
    return facts


def _asked_with(made: Fact) -> Fact:
    """The turn that was asked together with a move."""
    seat = made["next_seat"]
    same = {name: made[name] for name in ("number", "match", "attempt", "at_ms", "seats_ms", "lag_ms", "omit")}
    own = {"ply": made["ply"] + 1, "seat": seat, "turn_id": made["next_turn_id"]}
    return {**same, **own, "fact": "turn_asked", "with_move": True, "remaining_ms": made["seats_ms"][seat]}
