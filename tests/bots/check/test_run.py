"""Each rule, by a bot in this process that breaks only this rule. All bots are checked at the same time."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from rumble_bots.check.course import BEYOND_PLAIN
from rumble_bots.check.harness import Harness
from rumble_bots.check.report import Report
from rumble_bots.check.rules import HABITS, RULES, STEPS
from rumble_bots.check.run import Plan, check_bot
from rumble_protocol.fields import TimeControl

from tests.bots.check.quirky import KEY, QuirkyBot, check_here
from tests.virtual_loop import run_virtually

NO_TABLE = "no game of many seats, joint moves or chance was played"
WAIT_S = 4.0
MOVE_MS = 250


class Case(NamedTuple):
    """A bot, the ids of the rules that it fails and that warn, with spaces between, and the games of its check."""

    bot: QuirkyBot
    fails: str = ""
    warns: str = ""
    games: Sequence[str] = ()


CASES: Mapping[str, Case] = {
    "good": Case(QuirkyBot(), games=["snakes", "tictactoe", "dilemma", "backgammon"]),
    "bare": Case(QuirkyBot(login={"key": None, "max_matches": None}, subprotocol=""), warns="key"),
    "omits": Case(QuirkyBot(login={"omit": ["legal", "moves"]})),
    "joins later": Case(QuirkyBot("joins-later", {"join": None})),
    "takes challenges": Case(QuirkyBot(login={"join": None, "challenges": True})),
    "plays another game": Case(QuirkyBot(login={"games": ["connect4"]})),
    "is asked for another game": Case(QuirkyBot(login={"games": ["connect4"]}), "whole-match", games=["tictactoe"]),
    "is asked for two games": Case(QuirkyBot(login={"games": ["connect4"]}), games=["tictactoe", "connect4"]),
    "speaks another protocol": Case(QuirkyBot(subprotocol="chat"), "connect"),
    "knocks elsewhere": Case(QuirkyBot(path="/socket"), "connect"),
    "never logs in": Case(QuirkyBot("no-login"), "login"),
    "has no name": Case(QuirkyBot(login={"name": "no name"}), "login"),
    "joins nothing": Case(QuirkyBot(login={"join": None}), "login"),
    "has a typo": Case(QuirkyBot(login={"jion": "check"}), "login valid-messages"),
    "talks before its login": Case(QuirkyBot("moves-first"), "valid-messages"),
    "sends numbers for moves": Case(QuirkyBot("numbers"), "valid-messages"),
    "sends binary frames": Case(QuirkyBot("binary"), "valid-messages"),
    "sends what is not UTF-8": Case(QuirkyBot("not-utf8"), "valid-messages"),
    "leaves": Case(QuirkyBot("leaves"), "stays-connected"),
    "resigns": Case(QuirkyBot("resigns"), "whole-match"),
    "crashes": Case(QuirkyBot("crashes"), "whole-match"),
    "resigns later": Case(QuirkyBot("resigns-later"), warns="whole-match"),
    "dies of rejected": Case(QuirkyBot("ends-at-rejected"), "rejected retry stale-turns void-match"),
    "dies of error": Case(QuirkyBot("ends-at-error"), "error unknown-messages"),
    "dies of what is new": Case(QuirkyBot("ends-at-from_the_future"), "unknown-messages unknown-fields"),
    "dies of a second result": Case(QuirkyBot("ends-at-second-result"), "told-twice"),
    "answers the first asking": Case(QuirkyBot("first-asking"), "stale-turns dropped-connection server-restart"),
    "plays a match once": Case(QuirkyBot("played-once"), "void-match"),
    "knows one match": Case(QuirkyBot("one-match"), "answers deadlines"),
    "sends no pongs": Case(QuirkyBot("no-pongs"), "ping"),
    "is gone after a drop": Case(QuirkyBot("no-reconnect"), "dropped-connection"),
    "is gone after a restart": Case(QuirkyBot("no-restart"), "server-restart"),
    "makes new keys": Case(QuirkyBot("new-keys"), "key"),
    "comes back after 4001": Case(QuirkyBot("comes-back"), warns="replaced"),
    "needs all moves": Case(QuirkyBot("needs-moves"), "deadlines", games=["snakes"]),
    "forgets its turn at news of others": Case(QuirkyBot("forgets-at-news"), "moves-between", games=["snakes"]),
    "dies when another falls": Case(QuirkyBot("ends-at-other-fall"), "another-fell", games=["snakes"]),
    "answers after its fall": Case(QuirkyBot("talks-when-fallen"), "fallen", "answers", ["snakes"]),
    "ends when it falls": Case(QuirkyBot("ends-when-fallen"), "fallen", games=["dilemma"]),
}


async def check(bot: QuirkyBot, **plan: Any) -> Report:
    return await check_here(Plan(**{"wait_s": WAIT_S, "move_ms": MOVE_MS, **plan}), bot.run)


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    async def all_of_them() -> list[Report]:
        return await asyncio.gather(*(check(case.bot, games=case.games) for case in CASES.values()))

    return dict(zip(CASES, run_virtually(all_of_them()), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_a_bot_fails_the_rules_it_breaks_and_no_others(name: str, reports: dict[str, Report]) -> None:
    report = reports[name]
    told = {result.label: result.why for result in report.of("fail")}
    assert {result.rule.id for result in report.of("fail")} == set(CASES[name].fails.split()), told
    assert {result.rule.id for result in report.of("warning")} == set(CASES[name].warns.split())
    assert list(dict.fromkeys(result.rule for result in report.results)) == [*STEPS, *HABITS]
    assert all(result.why and result.frames for result in report.of("fail"))
    assert KEY not in json.dumps(report.as_json())


def test_a_good_bot_is_tried_by_every_rule(reports: dict[str, Report]) -> None:
    report = reports["good"]
    assert (report.bot, report.passed) == ("quirky", True)
    assert {result.rule.id for result in report.of("pass")} == set(RULES)


def test_rules_about_other_seats_are_tried_in_each_game_that_has_them(reports: dict[str, Report]) -> None:
    about = {rule for rule, _ in BEYOND_PLAIN}
    told = {result.label: result for result in reports["good"].results if result.rule.id in about}
    assert len(told) == 3 * len(about)
    assert {result.status for label, result in told.items() if not label.startswith("another-fell")} == {"pass"}
    assert told["another-fell (snakes)"].status == "pass"
    assert {told[f"another-fell ({game})"].why for game in ("dilemma", "backgammon")} == {
        "a match of two seats ends when one falls out"
    }
    others = {game: told[f"moves-between ({game})"].why[-1] for game in ("snakes", "dilemma", "backgammon")}
    assert others == {"snakes": "4", "dilemma": "1", "backgammon": "3"}


def test_rules_that_do_not_apply_to_the_bot_are_skipped_with_the_reason(reports: dict[str, Report]) -> None:
    assert {result.rule.id: result.why for result in reports["bare"].of("skip")} == {
        "two-matches": "its login says max_matches 1, or nothing",
        **dict.fromkeys((rule for rule, _ in BEYOND_PLAIN), f"{NO_TABLE}: --game snakes"),
    }
    (warned,) = reports["bare"].of("warning")
    assert (warned.rule.id, "from another machine it is refused" in warned.why) == ("key", True)


def test_after_a_failure_of_the_basics_nothing_more_is_tried(reports: dict[str, Report]) -> None:
    skipped = {result.rule.id: result.why for result in reports["joins nothing"].of("skip")}
    assert skipped["rejected"] == "not tried: first mend login"
    assert set(skipped) >= {step.id for step in STEPS[2:]}


@pytest.mark.parametrize(
    ("name", "rule", "why"),
    [
        ("knocks elsewhere", "connect", "it asked for /socket; bots connect at /bot"),
        ("has no name", "login", "'no name' is not a name"),
        ("joins nothing", "login", "it logged in, but joined no tournament within"),
        ("has a typo", "valid-messages", "did you mean `join`?"),
        ("sends numbers for moves", "valid-messages", "not a valid move: move: should be text, in quotes"),
        ("plays another game", "whole-match", "2 matches"),
        ("crashes", "whole-match", "it failed in check.1.1.1.1 at ply 0: KeyError: 1"),
        ("answers after its fall", "fallen", "it sent messages after it had fallen out"),
        ("sends no pongs", "ping", "pings had no answer within 2 s"),
    ],
)
def test_the_reason_is_told(name: str, rule: str, why: str, reports: dict[str, Report]) -> None:
    (result,) = [result for result in reports[name].results if result.rule.id == rule]
    assert why in result.why


def test_the_game_is_one_that_the_bot_names(reports: dict[str, Report]) -> None:
    assert [result.game for result in reports["plays another game"].results if result.game] == ["connect4"]


def test_a_game_that_the_bot_does_not_name_is_skipped(reports: dict[str, Report]) -> None:
    told = {result.game: result.status for result in reports["is asked for two games"].results if result.game}
    assert told == {"connect4": "pass", "tictactoe": "skip"}


def test_a_bot_that_never_comes() -> None:
    report = run_virtually(check_bot(Plan(wait_s=300)))
    assert report.never_came == "no bot connected within 300 s"
    assert report.bot is None
    assert not report.passed


def test_the_whole_check_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rumble_bots.check.run.WHOLE_S", 0.3)
    report = run_virtually(check(QuirkyBot()))
    assert report.out_of_time
    assert not report.passed, "what was not tried cannot pass"
    assert report.of("fail") == [], "nobody is blamed for what had no time"
    left = [result.why for result in report.of("skip")]
    assert left[0] == "not judged: the 0 s of the check were over in the middle of it"
    assert "not tried: out of time" in left
    assert report.seconds < 5


@pytest.mark.parametrize(
    ("given", "started_s", "patience", "move_ms"),
    [(None, 0.0, 1.0, 500), (None, 1.9, 1.0, 500), (None, 5.0, 2.5, 1250), (None, 90.0, 10.0, 5000), (3, 5.0, 3, 1500)],
)
def test_limits_grow_with_the_start_of_the_program(
    given: float | None, started_s: float, patience: float, move_ms: int
) -> None:
    referee: Any = SimpleNamespace(record=None, control=TimeControl(move_ms=500, bank_ms=1000))
    nothing: Any = None
    harness = Harness(referee, nothing, nothing, 10.0, given)
    harness.started_s = started_s
    harness.set_patience()
    harness.set_patience()
    assert harness.play.patience == patience
    assert (referee.control.move_ms, referee.control.bank_ms) == (move_ms, 2 * move_ms)


def test_a_slow_bot_has_the_time_that_its_owner_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rumble_bots.check.run.WHOLE_S", 0.3)
    assert run_virtually(check(QuirkyBot(), patience=100, move_ms=50)).passed


def test_a_bot_started_by_hand_may_take_the_wait_to_start_again() -> None:
    lines: list[str] = []
    tasks: list[asyncio.Task[None]] = []

    async def run(after_s: float) -> None:
        await asyncio.sleep(after_s)
        await QuirkyBot("ends-with-tournament").run(lines[0].partition("ws://")[2].partition("/")[0])

    def say(line: str) -> None:
        lines.append(line)
        tasks.append(asyncio.ensure_future(run(0 if len(lines) == 1 else 60)))

    report = run_virtually(check_bot(Plan(games=["tictactoe", "connect4"], wait_s=90), say))
    assert lines[1:] == ["start the bot again for connect4"]
    assert ([result.why for result in report.of("fail")], report.out_of_time) == ([], False)
    assert {result.game: result.status for result in report.results if result.game}["connect4"] == "pass"
