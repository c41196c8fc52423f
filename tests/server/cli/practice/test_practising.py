"""The screen of `rumble practice`; tests/server/cli/commands/test_practice.py plays whole practices."""

import json
from pathlib import Path

import pytest
from rumble_bots.check.events import Exited
from rumble_bots.sdk.processes import filled
from rumble_server.cli.output.screen import Screen
from rumble_server.cli.output.trace import Trace
from rumble_server.cli.practice.practising import CONNECT, _ended_early

from tests.server.cli.run_here import Captured

WELCOME = '{"type": "welcome"}'
LOGIN = '{"type": "login", "name": "my-bot", "join": "practice"}'
SESSION = '{"type": "session", "name": "my-bot"}'
TURN = json.dumps(
    {"type": "turn", "match": "practice.1.1.1.1", "game": "tictactoe", "turn_id": "t", "ply": 0, "moves": []}
    | {"state": {"board": "........."}, "legal": ["0"]}
)


async def test_each_frame_is_shown_for_people(capsys: Captured) -> None:
    screen = Screen(as_json=False, step=False)
    screen.show(*screen.trace.opened())
    await screen.frame("server", WELCOME)
    await screen.frame("bot", LOGIN)
    screen.show(*screen.trace.closed("bot", 1000, ""))
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in shown if line.startswith(("server", "bot"))] == [
        ["server", "welcome"],
        ["bot", "login"],
    ]
    assert shown[-2] == "note   your bot closed the connection: 1000"
    assert shown[-1].startswith("next   Keep the connection and the program until tournament_over")


async def test_frames_are_shown_as_json_until_only_the_ends_of_programs_follow(capsys: Captured) -> None:
    screen = Screen(as_json=True, step=False)
    await screen.frame("server", WELCOME)
    assert json.loads(capsys.readouterr().out) == {"from": "server", "frame": {"type": "welcome"}}
    screen.end()
    await screen.frame("bot", LOGIN)
    assert capsys.readouterr().out == ""


async def test_a_step_waits_for_a_line_before_each_turn_until_there_is_none(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured, tmp_path: Path
) -> None:
    (tmp_path / "lines").write_text("\n")
    asked = []
    with (tmp_path / "lines").open() as lines:
        monkeypatch.setattr("sys.stdin", lines)
        screen = Screen(as_json=True, step=True)
        for _ in range(3):
            await screen.frame("server", TURN)
            asked.append((capsys.readouterr().err, screen.steps))
    prompt = "Enter sends this turn to your bot: "
    assert asked == [(prompt, True), (prompt, False), ("", False)]


@pytest.mark.parametrize(
    ("frames", "code", "advice"),
    [
        (None, 1, f"It never connected: {CONNECT}"),
        ([WELCOME], 0, 'When "welcome" comes, send'),
        ([WELCOME, LOGIN, SESSION], 2, "Fix its error and try again."),
        ([WELCOME, LOGIN, SESSION], -9, "Fix its error and try again."),
    ],
)
def test_a_program_that_ended_early_is_told_why(frames: list[str] | None, code: int, advice: str) -> None:
    trace = Trace()
    if frames is not None:
        list(trace.opened())
        for frame in frames:
            list(trace.frame("bot" if frame is LOGIN else "server", frame))
    ended, following = _ended_early(Exited(code, ""), trace)
    assert (f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}") in ended.text
    assert advice in following.text


def test_words_of_a_command_have_places() -> None:
    assert filled(["x", "{name}@{join}"], {"{name}": "ada", "{join}": "friday"}) == ["x", "ada@friday"]
