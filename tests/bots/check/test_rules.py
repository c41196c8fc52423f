"""The kit and PROTOCOL.md have the same rules."""

from rumble_bots.check.course import BEYOND_PLAIN, TRIALS
from rumble_bots.check.rules import HABITS, RULES, STEPS

from tests.protocol.protocol_md import rows, section


def test_the_page_lists_every_rule_as_the_kit_tells_it() -> None:
    told = [(row[0].strip("`"), row[1]) for row in rows(section("## Testing your bot")) if row[0] != "rule"]
    assert told == [(rule.id, rule.title) for rule in (*STEPS, *HABITS)]


def test_each_rule_is_tried_once_in_its_order() -> None:
    tried = [
        "connect",
        "login",
        "whole-match",
        *(rule for rule, _ in (*TRIALS, *BEYOND_PLAIN)),
        "clean-end",
        "key",
        "replaced",
    ]
    assert tried == [rule.id for rule in STEPS]
    assert len(RULES) == len(STEPS) + len(HABITS)


def test_each_rule_says_what_to_do_next() -> None:
    assert all(rule.mend.endswith(".") and rule.title[0].islower() for rule in RULES.values())
