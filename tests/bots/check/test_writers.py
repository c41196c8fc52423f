"""The forms of a report, with any text that a bot may have sent."""

import json
from xml.etree import ElementTree

from rumble_bots.check.report import Entry, Report, Result
from rumble_bots.check.rules import RULES, STEPS
from rumble_bots.check.writers import as_json, as_junit, as_lines

EVIL = "\x1b[2J</failure><b>&\x00\ud800]]>\n\u202e"
FRAMES = (Entry(1, "kit", '{"type":"turn"}'), Entry(1500, "bot", EVIL), Entry(1600, "note", "the bot connects"))
REPORT = Report(
    "alice",
    [
        Result(RULES["connect"], "pass", "at /bot"),
        Result(RULES["whole-match"], "pass", "2 matches", game="othello", seconds=0.25),
        Result(RULES["retry"], "warning", f"odd {EVIL}", FRAMES),
        Result(RULES["legal-moves"], "fail", f"sent {EVIL}", FRAMES),
        Result(RULES["key"], "skip", "it brings no key"),
    ],
    2.5,
)


def test_people_read_a_line_for_each_rule() -> None:
    lines = as_lines(REPORT)
    assert lines[0] == "alice, checked in 2.5 s"
    assert lines[1] == "  pass  connect                at /bot"
    assert lines[2] == "  pass  whole-match (othello)  2 matches"
    assert lines[-1] == "2 passed, 1 failed, 1 skipped, 1 with a warning"
    assert f"        next: {RULES['legal-moves'].mend}" in lines
    assert "          1.600 s       the bot connects" in lines
    assert all(line.isprintable() for line in lines), "what a bot sends is no command to a terminal"


def test_rules_that_were_skipped_for_one_reason_share_a_line() -> None:
    lines = as_lines(Report(None, [Result(rule, "skip", "not tried") for rule in STEPS]))
    assert lines == [
        "a bot, checked in 0.0 s",
        f"  skip  {f'{len(STEPS)} others':18}  not tried",
        f"0 passed, 0 failed, {len(STEPS)} skipped",
    ]


def test_json_has_everything() -> None:
    told = json.loads(as_json(REPORT))
    assert told["counts"] == {"pass": 2, "fail": 1, "warning": 1, "skip": 1}
    assert (told["bot"], told["passed"], told["seconds"]) == ("alice", False, 2.5)
    failed = told["rules"][3]
    assert (failed["id"], failed["status"], failed["game"]) == ("legal-moves", "fail", None)
    assert failed["next"] == RULES["legal-moves"].mend
    assert failed["frames"][1] == {"at_ms": 1500, "from": "bot", "text": EVIL}
    assert told["rules"][0]["next"] is None


def test_junit_has_the_form_that_ci_systems_read() -> None:
    text = as_junit(REPORT)
    root = ElementTree.fromstring(text.encode())
    (suite,) = root
    for element in (root, suite):
        totals = {name: element.get(name) for name in ("tests", "failures", "errors", "skipped", "time")}
        assert totals == {"tests": "5", "failures": "1", "errors": "0", "skipped": "1", "time": "2.500"}
    assert (root.tag, suite.tag, suite.get("name")) == ("testsuites", "testsuite", "rumble check alice")
    cases = {str(case.get("name")): case for case in suite}
    assert list(cases) == ["connect", "whole-match (othello)", "retry", "legal-moves", "key"]
    assert all(case.tag == "testcase" and case.get("classname") == "rumble.check" for case in suite)
    assert cases["whole-match (othello)"].get("time") == "0.250"
    (failure,) = cases["legal-moves"]
    assert failure.get("type") == "legal-moves"
    assert "&" in str(failure.get("message"))
    assert str(failure.text).startswith(f"next: {RULES['legal-moves'].mend}\n")
    assert [child.tag for child in cases["key"]] == ["skipped"]
    assert str(cases["retry"][0].text).startswith("warning: odd")
