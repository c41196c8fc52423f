"""Reports as text for people, as JSON, and as JUnit XML for CI systems."""

import json
import re
from collections import Counter
from xml.etree import ElementTree

from rumble_bots.check.report import Report, Result, Status

MOST_ALIKE = 3
"""Maximum number of lines in the report for rules that were skipped for the same reason.

Each skipped rule has a line. If more rules were skipped for the reason, a single line has the number of these rules.
"""
FRAMES_SHOWN = 6
FRAME_WIDTH = 400
WORDS: dict[Status, str] = {"pass": "pass", "fail": "FAIL", "warning": "warn", "skip": "skip"}
ARROWS = {"bot": "bot >", "kit": "kit >", "note": "     "}
NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_lines(report: Report) -> list[str]:
    """Return a report as lines for a terminal. Below a failed rule are the last frames before the failure."""
    counts = report.counts()
    lines = [f"{report.bot or 'a bot'}, checked in {report.seconds:.1f} s"]
    width = max(len(result.label) for result in report.results)
    skipped = Counter(result.why for result in report.of("skip"))
    for result in report.results:
        if result.status == "skip" and skipped[result.why] > MOST_ALIKE:
            continue
        lines.append(f"  {WORDS[result.status]}  {result.label:{width}}  {_plain(result.why)}")
        if result.status in ("fail", "warning"):
            lines.append(f"        next: {result.rule.mend}")
        if result.status == "fail":
            lines += [f"        {line}" for line in _shown(result, FRAME_WIDTH)[-FRAMES_SHOWN:]]
    for why, times in skipped.items():
        if times > MOST_ALIKE:
            lines.append(f"  skip  {f'{times} others':{width}}  {_plain(why)}")
    summary = [f"{counts['pass']} passed", f"{counts['fail']} failed", f"{counts['skip']} skipped"]
    if counts["warning"]:
        summary.append(f"{counts['warning']} with a warning")
    if report.out_of_time:
        lines.append("  next: the check was out of time; --patience 3 gives it three times as much")
    return [*lines, ", ".join(summary)]


def as_json(report: Report) -> str:
    """Return the whole report as JSON."""
    return json.dumps(report.as_json(), indent=2)


def as_junit(report: Report) -> str:
    """Return a report as JUnit XML, with a test case for each rule.

    A warning counts as passed; the output of its test case is the text of the warning.
    """
    counts = report.counts()
    totals = {
        "tests": str(len(report.results)),
        "failures": str(counts["fail"]),
        "errors": "0",
        "skipped": str(counts["skip"]),
        "time": f"{report.seconds:.3f}",
    }
    root = ElementTree.Element("testsuites", {"name": "rumble check", **totals})
    suite = ElementTree.SubElement(root, "testsuite", {"name": f"rumble check {report.bot or ''}".strip(), **totals})
    for result in report.results:
        case = ElementTree.SubElement(
            suite, "testcase", classname="rumble.check", name=result.label, time=f"{result.seconds:.3f}"
        )
        why = _in_xml(result.why)
        match result.status:
            case "fail":
                failure = ElementTree.SubElement(case, "failure", message=why, type=result.rule.id)
                failure.text = _in_xml("\n".join([f"next: {result.rule.mend}", *_shown(result, None)]))
            case "skip":
                ElementTree.SubElement(case, "skipped", message=why)
            case "warning":
                ElementTree.SubElement(case, "system-out").text = f"warning: {why}; next: {result.rule.mend}"
            case "pass":
                ElementTree.SubElement(case, "system-out").text = why
    ElementTree.indent(root)
    return f"<?xml version='1.0' encoding='UTF-8'?>\n{ElementTree.tostring(root, encoding='unicode')}\n"


def _shown(result: Result, width: int | None) -> list[str]:
    """Return the frames of a result as lines, each cut to `width` characters (None: not cut)."""
    lines = []
    for entry in result.frames:
        text = _plain(entry.text)
        cut = text if width is None or len(text) <= width else f"{text[:width]}..."
        lines.append(f"{entry.at_ms / 1000:7.3f} s {ARROWS[entry.side]} {cut}")
    return lines


def _plain(text: str) -> str:
    """Return text from outside as one line, with control characters escaped."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def _in_xml(text: str) -> str:
    """Return a text in which characters that XML forbids are replaced."""
    return NOT_IN_XML.sub("\ufffd", text)
