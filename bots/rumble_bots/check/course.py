"""The course of a check: the order of the steps, and what happens after a step raises `Trouble`."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from rumble_engine import Game, get_game

from rumble_bots.check import endings, steps
from rumble_bots.check.errors import Skipped, Trouble, Warned
from rumble_bots.check.harness import Harness
from rumble_bots.check.report import Report, Result, Status
from rumble_bots.check.rules import HABITS, RULES, Rule
from rumble_bots.check.scripted_match import is_plain

Step = Callable[[Harness], Awaitable[str]]

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
)
"""The steps for a bot that can play, each with the id of its rule. If a step fails, the bot is started again."""
BEYOND_PLAIN: tuple[tuple[str, Step], ...] = (
    ("moves-between", steps.moves_between),
    ("another-fell", steps.another_fell),
    ("fallen", steps.fallen),
)
"""The steps for games with many seats, joint moves or chance, each with the id of its rule."""
AT_THE_END = ("clean-end", "key", "replaced", "whole-match")
"""Rules of the steps at the end of the check. If such a rule fails, the bot is not started again, because the
next step starts the bot if the step needs a new start."""
STARTS = 2
"""Number of times that a check starts the program again if the bot keeps every rule."""
ONE_OF_THEM = "--game snakes"
ABOUT_TURNS = ("legal-moves", "answers", "deadlines")


class Course:
    """A check, from the first connection to the report."""

    def __init__(self, harness: Harness, games: Sequence[str], budget_s: float, say: Callable[[str], None]) -> None:
        self._harness = harness
        self._record = harness.record
        self._games = games
        self._budget_s = budget_s
        self._say = say
        self._results: list[Result] = []
        self._stopped: str | None = None
        """Reason why no further step is tried; None while the check continues."""
        self._out_of_time = False
        self._until = self._record.now() + budget_s
        self._timeout = asyncio.timeout_at(self._until)
        """The time limit of the present step."""

    async def run(self) -> Report:
        harness = self._harness
        self._until += harness.wait_s
        await self._basics("connect", steps.connect)
        harness.set_patience()
        self._budget_s = self._budget_s * harness.play.patience + STARTS * harness.started_s
        self._until = self._record.now() + self._budget_s
        await self._basics("login", steps.login)
        first = harness.referee.game
        others = [get_game(name) for name in self._games if name != first.name]
        await self._basics("whole-match", partial(steps.whole_match, game=first), first)
        harness.play.forgiving = False
        for rule, step in TRIALS:
            await self._trial(rule, step)
        if not is_plain(first) or all(map(is_plain, others)):
            await self._beyond_plain(first)
        await self._trial("clean-end", endings.clean_end)
        for game in others:
            await self._trial("whole-match", partial(self._another_game, game=game), game)
            if not is_plain(game):
                await self._beyond_plain(game)
        await self._trial("key", endings.key)
        await self._trial("replaced", endings.replaced)
        self._results += [self._habit(rule) for rule in HABITS]
        logins = harness.referee.logins
        name = logins[0].name if logins else None
        return Report(name, self._results, self._record.elapsed_ms / 1000, self._out_of_time)

    async def _beyond_plain(self, game: Game) -> None:
        """Run the steps for matches that are not plain. Skip them if the bot plays no such game."""

        async def taken(harness: Harness, step: Step) -> str:
            if is_plain(game) or harness.referee.game is not game:
                raise Skipped(f"no game of many seats, joint moves or chance was played: {ONE_OF_THEM}")
            return await step(harness)

        for rule, step in BEYOND_PLAIN:
            await self._trial(rule, partial(taken, step=step), None if is_plain(game) else game)

    async def _basics(self, rule: str, step: Step, game: Game | None = None) -> None:
        """Run a step on which later steps depend.

        If the step raises a Trouble, the rule that the Trouble names fails, and no later step is tried.
        """
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
        """Run a step. If the step raises a Trouble, the step's rule fails.

        After a Trouble, the bot is started again if later steps need the bot.
        """
        first = len(self._record.entries)
        trouble = await self._try(rule, step, game)
        if trouble is None:
            return
        self._add(rule, "fail", trouble.why, first, game)
        if rule in AT_THE_END or self._stopped is not None:
            return
        try:
            await self._harness.begin_again()
            self._until += self._harness.started_s
        except Trouble as lost:
            self._stopped = f"not tried: after {rule} the bot could not be started again: {lost.why}"

    async def _try(self, rule: str, step: Step, game: Game | None) -> Trouble | None:
        """Run a step, and add its result. If the step raises a Trouble, return the Trouble, and add no result."""
        first, began = len(self._record.entries), self._record.now()
        status: Status
        try:
            if self._stopped is not None:
                raise Skipped(self._stopped)
            async with asyncio.timeout_at(self._until) as self._timeout:
                status, why = "pass", await step(self._harness)
        except Warned as warned:
            status, why = "warning", str(warned)
        except Skipped as skipped:
            status, why = "skip", str(skipped)
        except Trouble as trouble:
            return trouble
        except TimeoutError:
            self._out_of_time = True
            self._stopped = "not tried: out of time"
            status, why = "skip", f"not judged: the {self._budget_s:.0f} s of the check were over in the middle of it"
        self._add(rule, status, why, first, game, self._record.now() - began)
        return None

    def _add(self, rule: str, status: Status, why: str, first: int, game: Game | None, seconds: float = 0.0) -> None:
        frames = self._record.since(first) or self._record.since(0)
        self._results.append(Result(RULES[rule], status, why, frames, game.name if game else None, seconds))

    async def _another_game(self, harness: Harness, game: Game) -> str:
        if not harness.referee.plays(game):
            raise Skipped("its login does not name it among its games")
        if harness.child is None and harness.referee.link is None:
            self._until += harness.wait_s
            self._timeout.reschedule(self._until)
            self._say(f"start the bot again for {game.name}")
        await harness.begin_again(game)
        return await steps.whole_match(harness, game)

    def _habit(self, rule: Rule) -> Result:
        """Return the result of a rule that is watched during the whole check."""
        found = self._record.found.get(rule.id)
        if found is not None:
            times = f" ({found.times} times in all)" if found.times > 1 else ""
            return Result(rule, "fail" if found.fault else "warning", f"{found.why}{times}", found.frames)
        if not self._harness.referee.logins:
            return Result(rule, "skip", "it never logged in")
        if rule.id not in ABOUT_TURNS:
            return Result(rule, "pass", "all the time")
        answers = [turn for turn in self._harness.referee.turns.values() if turn.took_ms is not None]
        if not answers:
            return Result(rule, "skip", "it answered no turn")
        slowest = max(turn.took_ms or 0 for turn in answers)
        return Result(rule, "pass", f"{len(answers)} answers, the slowest after {slowest} ms")
