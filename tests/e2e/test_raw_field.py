"""The judge of the raw field finds each lie planted in the frames of bots, and no fault in the true frames."""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pytest

from tests.e2e.raw_field import RawField
from tests.e2e.recording_bot import Frame
from tests.e2e.restartable_server import restartable_server

pytestmark = pytest.mark.e2e

LIES: list[tuple[str, Callable[[Frame], None], str]] = [
    ("match_over", lambda frame: frame.update(scores=[9, 9]), "with scores"),
    ("match_over", lambda frame: frame.update(match="cup.9.9.9.9"), "has nothing of it"),
    ("turn", lambda frame: frame["clock"].update(remaining_ms=1), "was told as"),
    ("turn", lambda frame: frame.update(legal=["0"]), "legal moves"),
    ("tournament_over", lambda frame: frame.update(points=99), "with 99 points"),
    ("match_start", lambda frame: frame.update(type="rejected", code="illegal_move"), "illegal_move"),
    ("match_start", lambda frame: frame.update(type="error", code="too_many_messages"), "too_many_messages"),
    ("match_start", lambda frame: frame.update(type="notice", code="benched"), "benched"),
]


@pytest.mark.slow
async def test_each_planted_lie_is_found(tmp_path: Path) -> None:
    with restartable_server(tmp_path) as restartable:
        field = RawField.of_cup(restartable.server, 4, 1, [restartable.server.bot_url])
        async with field.playing(60):
            await field.turns_of_all(30)
        facts = restartable.facts()
    field.judge(facts, results=12)
    with pytest.raises(AssertionError):
        field.judge(facts, results=13)
    truth = field.frames
    for kind, lie, found in LIES:
        field.frames = deepcopy(truth)
        lie(next(frame for _, frame in field.frames if frame["type"] == kind))
        with pytest.raises(AssertionError, match=found):
            field.judge(facts, results=12)
    lost = next(fact for fact in facts if fact["fact"] == "match_over")
    field.frames = truth
    with pytest.raises(AssertionError):
        field.judge([fact for fact in facts if fact is not lost], results=11)
