"""The course of a check: which step follows which, and what a trouble in one means."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from rumble_engine import Game, get_game

from rumble_bots.check import endings, steps
from rumble_bots.check.errors import Skipped, Trouble, Warned
from rumble_bots.check.report import Report, Result, Status
from rumble_bots.check.rules import HABITS, RULES, Rule
from rumble_bots.check.stage import Stage

Step = Callable[[Stage], Awaitable[str]]

TRIALS: tuple[tuple[str, Step], ...] = (
    ("rejected", steps.rejected),
    ("retry", steps.retry),
    ("error", steps.error),
    ("stale-turns", steps.stale_turns),
    ("void-match", steps.void_match),
    ("told-twice", steps.told_twice),
    ("unknown-messages", steps.unknown_messages),
    ("two-matches", steps.two_matches),
    ("ping", steps.ping),
    ("dropped-connection", steps.dropped_connection),
    ("server-restart", steps.server_restart),
    ("unknown-fields", steps.unknown_fields),
    ("clean-end", endings.clean_end),
)
"""What is tried with a bot that has shown that it can play. After one that fails it is given a fresh start."""
AT_THE_END = ("clean-end", "key", "replaced", "whole-match")
"""After these the bot is started again anyhow, where that is needed."""
ABOUT_TURNS = ("legal-moves", "answers", "deadlines")


class Course:
    """One check, from the first connection to the report."""

    def __init__(self, stage: Stage, games: Sequence[str], budget_s: float, say: Callable[[str], None]) -> None:
        self._stage = stage
        self._record = stage.record
        self._games = games
        self._budget_s = budget_s
        self._say = say
        self._results: list[Result] = []
        self._stopped: str | None = None
        """Why nothing more is tried."""
        self._until = self._record.now() + budget_s

    async def run(self) -> Report:
        """Try everything, and put the report together."""
        stage = self._stage
        if stage.child is None:
            self._until += stage.wait_s
        await self._basics("connect", steps.connect)
        self._until = min(self._until, self._record.now() + self._budget_s)
        await self._basics("login", steps.login)
        first = stage.referee.game
        others = [get_game(name) for name in self._games if name != first.name]
        await self._basics("whole-match", partial(steps.whole_match, game=first), first)
        stage.forgiving = False
        for rule, step in TRIALS:
            await self._trial(rule, step)
        for game in others:
            await self._trial("whole-match", partial(self._another_game, game=game), game)
        await self._trial("key", endings.key)
        await self._trial("replaced", endings.replaced)
        self._results += [self._habit(rule) for rule in HABITS]
        logins = stage.referee.logins
        return Report(logins[0].name if logins else None, self._results, self._record.elapsed_ms / 1000)

    async def _basics(self, rule: str, step: Step, game: Game | None = None) -> None:
        """A step without which there is nothing more to see: a trouble ends the check, and fails its own rule."""
        first = len(self._record.entries)
        trouble = await self._try(rule, step, game)
        if trouble is None:
            return
        self._stopped = self._stopped or f"not tried: first mend {trouble.rule}"
        if trouble.rule == rule:
            self._add(rule, "fail", trouble.why, first, game)
        else:
            self._record.breach(trouble.rule, trouble.why)
            self._add(rule, "skip", f"could not be judged: {trouble.why}", first, game)

    async def _trial(self, rule: str, step: Step, game: Game | None = None) -> None:
        """A step that fails by whatever goes wrong in it, since all went well before it."""
        first = len(self._record.entries)
        trouble = await self._try(rule, step, game)
        if trouble is None:
            return
        self._add(rule, "fail", trouble.why, first, game)
        if rule in AT_THE_END or self._stopped is not None:
            return
        try:
            async with asyncio.timeout_at(self._until):
                await self._stage.begin_again()
        except Trouble as lost:
            self._stopped = f"not tried: after {rule} the bot could not be had again: {lost.why}"
        except TimeoutError:
            self._stopped = f"not tried: after {rule} the bot was not back in time"

    async def _try(self, rule: str, step: Step, game: Game | None) -> Trouble | None:
        """Take a step, and add its result; or give the trouble that ended it."""
        first, began = len(self._record.entries), self._record.now()
        status: Status
        try:
            if self._stopped is not None:
                raise Skipped(self._stopped)
            async with asyncio.timeout_at(self._until):
                status, why = "pass", await step(self._stage)
        except Warned as warned:
            status, why = "warning", str(warned)
        except Skipped as skipped:
            status, why = "skip", str(skipped)
        except Trouble as trouble:
            return trouble
        except TimeoutError:
            self._stopped = "not tried: the time of the check was over"
            return Trouble(rule, f"the {self._budget_s:g} s of the check were over; a bot that thinks less fits in")
        self._add(rule, status, why, first, game, self._record.now() - began)
        return None

    def _add(self, rule: str, status: Status, why: str, first: int, game: Game | None, seconds: float = 0.0) -> None:
        frames = self._record.since(first) or self._record.since(0)
        self._results.append(Result(RULES[rule], status, why, frames, game.name if game else None, seconds))

    async def _another_game(self, stage: Stage, game: Game) -> str:
        if not stage.referee.plays(game):
            raise Skipped("its login does not name it among its games")
        if stage.child is None and stage.referee.link is None:
            self._until += stage.wait_s
            self._say(f"start the bot again for {game.name}")
        await stage.begin_again(game)
        return await steps.whole_match(stage, game)

    def _habit(self, rule: Rule) -> Result:
        """What was seen of a rule all the time."""
        found = self._record.found.get(rule.id)
        if found is not None:
            times = f" ({found.times} times in all)" if found.times > 1 else ""
            return Result(rule, "fail" if found.fault else "warning", f"{found.why}{times}", found.frames)
        if not self._stage.referee.logins:
            return Result(rule, "skip", "it never logged in")
        if rule.id not in ABOUT_TURNS:
            return Result(rule, "pass", "all the time")
        answers = [turn for turn in self._stage.referee.asked.values() if turn.took_ms is not None]
        if not answers:
            return Result(rule, "skip", "it answered no turn")
        slowest = max(turn.took_ms or 0 for turn in answers)
        return Result(rule, "pass", f"{len(answers)} answers, the slowest after {slowest} ms")
