"""The host of the simulated tournaments: creates, starts, pauses, replays, removes, and asks again after a crash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

import orjson
from rumble_protocol.fields import TimeControl
from rumble_server.arena.commands.joining import Joining
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.tournament import Tournament

from tests.server.virtual_clock import VirtualClock
from tests.simulation.trace import Entry, Trace

if TYPE_CHECKING:
    from tests.simulation.server import ServerRun

EACH_MS = 250
"""Interval in ms at which the host looks at its tournaments."""
LOBBY_MS = 3000
"""Time in ms that the host waits for bots; it starts once there are enough."""
LONGEST_LOBBY_MS = 60_000
"""Time in ms after which the host cancels a tournament with too few bots."""
AGAIN = 0.3
"""Chance, per second after a lesson's tournament, that the host makes the next one."""
PUPILS_ADDRESS = "203.0.113.7"


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """Plan of a tournament: its configuration, and the chance per second of each command of the host."""

    config: dict[str, Any]
    pause: float = 0.0
    replay: float = 0.0
    abort: float = 0.0
    remove: float = 0.0
    end: float = 0.0
    cancel: float = 0.0
    pupils: tuple[tuple[str, str], ...] = ()
    """Names and keys of the bots that join a classroom by its code."""
    follows: str | None = None
    """Name of the tournament whose pupils the host moves to this one after the end; None: a tournament of its own."""

    @property
    def name(self) -> str:
        """Name of the tournament, which is also its id unless the id is taken."""
        return str(self.config["name"])


class Host:
    """Gives random commands, and notes each confirmed command in the trace."""

    def __init__(self, plans: tuple[TournamentPlan, ...], timeline: VirtualClock, trace: Trace, random: Random) -> None:
        self._plans = plans
        self._timeline = timeline
        self._trace = trace
        self._random = random
        self._paused_until_ms: dict[str, int] = {}
        self._waiting: list[tuple[int, dict[str, Any]]] = []
        self._run: ServerRun | None = None
        self.calm = False
        """True once the host only brings the tournaments to their end."""

    def look(self, run: ServerRun) -> None:
        """Look at every tournament once."""
        if run is not self._run:
            self._run = run
            self._waiting = []
            run.log.on_durable.append(self._confirm)
        if run.log.trouble is None and not run.arena.scheduler.is_draining:
            for plan in self._plans:
                self._look_at(plan, run)

    def _look_at(self, plan: TournamentPlan, run: ServerRun) -> None:
        arena, organiser = run.arena, Organiser(run.arena)
        tournament = arena.tournaments.get(plan.name)
        if tournament is None:
            if plan.name not in arena.tournaments.taken_ids:
                self._create(plan, run)
            return
        if tournament.status == "lobby":
            self._enter_pupils(plan, run, tournament)
        now_ms = self._timeline.now_ms()
        waited_ms = now_ms - tournament.created_at_ms
        match tournament.status:
            case "lobby" if waited_ms > LOBBY_MS and len(tournament.field) >= tournament.config.least_bots:
                self._order("start", plan.name, lambda: organiser.start(plan.name))
            case "lobby" if waited_ms > LONGEST_LOBBY_MS:
                self._order("cancel", plan.name, lambda: organiser.end(plan.name, cancelled=True))
            case "paused" if not tournament.is_paused_by_disk and now_ms >= self._paused_until_ms.get(plan.name, 0):
                self._order("resume", plan.name, lambda: organiser.resume(plan.name))
            case "running" if not self.calm:
                self._disturb(plan, run, tournament)
            case _:
                pass

    def _create(self, plan: TournamentPlan, run: ServerRun) -> None:
        organiser = Organiser(run.arena)
        config = TournamentConfig(**{**plan.config, "time_control": TimeControl(**plan.config["time_control"])})
        if plan.follows is None:
            self._order("create", plan.name, lambda: organiser.create(config))
            return
        ended = run.disk.reader.ended([plan.follows]).get(plan.follows)
        if ended is not None and plan.follows not in run.arena.tournaments and (self.calm or self._lot(AGAIN)):
            self._order("create", plan.name, lambda: organiser.create_next(ended, config))

    def _enter_pupils(self, plan: TournamentPlan, run: ServerRun, tournament: Tournament) -> None:
        """Have pupils join by the code, except those whose bots have joined by themselves."""
        field, code = {bot.casefold() for bot in tournament.field}, tournament.join_code or ""
        for name, key in plan.pupils:
            if name.casefold() not in field:
                self._order("enter", plan.name, partial(Joining(run.arena).join, code, name, key, PUPILS_ADDRESS))

    def _disturb(self, plan: TournamentPlan, run: ServerRun, tournament: Tournament) -> None:
        organiser = Organiser(run.arena)
        if self._lot(plan.pause):
            self._paused_until_ms[plan.name] = self._timeline.now_ms() + self._random.randint(0, 5000)
            self._order("pause", plan.name, lambda: organiser.pause(plan.name, "a break"))
        elif self._lot(plan.replay) and tournament.results:
            match = self._random.choice(sorted(tournament.results))
            self._order("replay", match, lambda: organiser.play_again(match))
        elif self._lot(plan.abort) and tournament.running:
            match = self._random.choice(sorted(tournament.running))
            self._order("replay", match, lambda: organiser.play_again(match))
        elif self._lot(plan.remove):
            bot = self._random.choice(sorted(tournament.field))
            if tournament.field[bot].withdrawn:
                return
            self._order("remove", f"{plan.name} {bot}", lambda: organiser.remove(plan.name, bot))
        elif self._lot(plan.end):
            self._order("end", plan.name, lambda: organiser.end(plan.name, cancelled=False))
        elif self._lot(plan.cancel):
            self._order("cancel", plan.name, lambda: organiser.end(plan.name, cancelled=True))
        else:
            for bot, entrant in tournament.field.items():
                if entrant.benched and self._lot(0.1):
                    self._order("unbench", f"{plan.name} {bot}", partial(organiser.unbench, plan.name, bot))

    def _lot(self, chance_a_second: float) -> bool:
        return chance_a_second > 0 and self._random.random() < chance_a_second * EACH_MS / 1000

    def _order(self, command: str, what: str, give: Callable[[], object]) -> None:
        run = self._run
        if run is not None:
            try:
                with run.arena.transaction:
                    give()
            except CommandRefused:
                return
            self._waiting.append((run.log.last, {"command": command, "what": what}))
            run.log.flush_soon()
            self._confirm()

    def _confirm(self) -> None:
        run = self._run
        if run is None:
            return
        waiting, self._waiting = self._waiting, []
        for number, order in waiting:
            if number <= run.log.durable:
                text = orjson.dumps(order).decode()
                self._trace.append(Entry(self._timeline.now_ms(), "ordered", 0, text, run.disk.written))
            else:
                self._waiting.append((number, order))
