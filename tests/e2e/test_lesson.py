"""A lesson: a teacher and 25 pupils on two machines that reach nothing else, over a narrow cable."""

import asyncio
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.namespaces import SERVER
from tests.needs import missing, need, need_module

if TYPE_CHECKING:
    from tests.e2e.lesson.pupils import Pupil

pytestmark = pytest.mark.e2e
LARGE = 8 << 20
"""Size of a file in bytes."""
PYTHONS, SCRIPTS = (int(each) for each in os.environ.get("LESSON", "5,8").split(","))
"""Numbers of pupils who write Python and JavaScript in the editor."""
LEGS = 2
"""Results of a pair of bots."""
LESSON_S = 2400
"""Longest time in s of a lesson."""
CLICKS = 3
"""Most clicks from the code to the first move: to join, to open the editor, to play."""
JAVASCRIPT_S, PYTHON_S = 10.0, 60.0
"""Longest times in s from opening the editor to a version that plays."""


@pytest.fixture
def chromium() -> str:
    """The path of a browser."""
    need_module("playwright", "test")
    from tests.browser.chromium import chromium

    return chromium() or missing("there is no Chromium here (`CHROMIUM` may name one)")


@pytest.mark.slow
async def test_the_classroom_has_a_narrow_network_without_a_way_out(tmp_path: Path, chromium: str) -> None:
    from tests.e2e.lesson.classroom import MBIT, at_a_browser, classroom, seated

    need("curl")
    url = f"http://{SERVER}:8000/"
    with classroom(tmp_path) as (here, there):
        (route,) = there.types("pupil", "ip route").splitlines()
        assert route.startswith("192.168.77.0/24 dev cable ")
        (here.home("teacher")[0] / "large.html").write_text("<title>Large</title>".ljust(LARGE))
        with here.leaves_running("teacher", "python -m http.server 8000"):
            there.types("pupil", f"curl -s --retry 20 --retry-delay 1 --retry-connrefused {url}")
            began = time.monotonic()
            there.types("pupil", f"curl -s -o large {url}large.html")
            assert time.monotonic() - began > LARGE * 8 / (MBIT * 1e6) - 0.1
            async with at_a_browser(there, chromium) as browser, seated(browser) as pupil:
                await pupil.page.goto(f"{url}large.html")
                assert await pupil.page.evaluate("[document.title, isSecureContext]") == ["Large", False]
                pupil.problems.allow("^leaves the host|^failed|^console: Failed")
                assert await pupil.page.evaluate("fetch('http://192.168.78.1/').catch(() => 'nothing')") == "nothing"
    pupil.problems.allow("favicon|status of 404")
    assert pupil.problems.found == []


@pytest.mark.long
async def test_a_lesson(tmp_path: Path, chromium: str) -> None:
    """The teacher's and the pupils' actions are counted; the log is judged at the end. Figures are printed."""
    from tests.e2e.lesson.classroom import classroom
    from tests.e2e.lesson.lesson import JOINING, lesson
    from tests.e2e.lesson.log import facts_of, judge
    from tests.e2e.lesson.pupils import class_of

    need("unzip")
    pupils = class_of(PYTHONS, SCRIPTS)
    wrong: list[str] = []
    figures: dict[str, Any] = {}
    async with asyncio.timeout(LESSON_S):
        with classroom(tmp_path) as machines:
            async with lesson(*machines, chromium) as (made, teachers, theirs):
                lines = made.serve()
                url, code = lines["page"], await made.teacher_creates(teachers, lines)
                several = asyncio.Semaphore(JOINING)

                async def joins(pupil: "Pupil") -> None:
                    async with several:
                        await made.joins(theirs, url, code, pupil)

                tried = await asyncio.gather(*(joins(each) for each in pupils), return_exceptions=True)
                wrong += [f"{pupil.name}: {why}" for pupil, why in zip(pupils, tried, strict=True) if why]
                await made.starts()
                figures["commands and clicks to the first match"] = (made.commands, made.teacher.clicks)
                await made.until_results(len(pupils))
                await made.lunch()
                await made.until("finished")
                clicks = made.teacher.clicks
                await made.final()
                figures["clicks to the final"] = made.teacher.clicks - clicks
                await made.until("finished")
                figures["strips, bytes of the print"] = await made.results(url, tmp_path)
            database = machines[0].home("teacher")[0] / "rumble.db"
    facts = facts_of(database)
    shown = {fact["name"]: fact["display"] for fact in facts if fact["fact"] == "display_named"}
    honest = {pupil.name for pupil in pupils if pupil.is_honest}
    for tournament in made.ids:
        judged = judge(facts, tournament)
        wrong += [f"{tournament}: {pair} have not {LEGS} results" for pair in judged.unplayed(LEGS)]
        wrong += [f"{tournament}: {match} has two results" for match in judged.twice]
        wrong += [f"blamed: {each}" for each in judged.blamed if shown.get(each[0]) in honest]
        figures[tournament] = {
            "bots": len(judged.bots),
            "results": judged.results.total(),
            "blamed": {f"{shown.get(bot)}: {how}": count for (bot, how), count in judged.blamed.items()},
        }
    figures["joined: bot, clicks, typed characters, s to play"] = [
        f"{took.pupil.where} {took.pupil.language}: {took.clicks}, {took.typed}, {took.seconds}" for took in made.took
    ]
    for took in made.took:
        if took.pupil.where == "editor" and took.pupil.code is None:
            limit = {"javascript": JAVASCRIPT_S, "python": PYTHON_S}[took.pupil.language]
            if took.clicks > CLICKS or took.typed > 20 or took.seconds is None or took.seconds > limit:
                wrong.append(f"slow or long: {took}")
    for name, person in {**made.people, "the teacher": made.teacher}.items():
        wrong += [f"{name}: {problem[:200]}" for problem in dict.fromkeys(person.problems.found)]
    print(json.dumps(figures, indent=1, ensure_ascii=False))
    commands, clicks = figures["commands and clicks to the first match"]
    assert commands <= 2
    assert clicks <= 5
    assert figures["clicks to the final"] == 1
    assert not wrong, "\n".join(wrong)
