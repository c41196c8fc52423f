"""Programs that answer, hang, crash and write nonsense, as real processes."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from rumble_bots.bridges import program as program_module
from rumble_bots.bridges.dialogue import Dialogue, Garbled, Talk, until
from rumble_bots.bridges.program import Launch, Program, margin_ms
from rumble_bots.sdk.bot import Turn
from rumble_bots.sdk.errors import BadProgram, GiveUp, Resign

from tests.bots.bridges.scripts import CRASHES, FIRST, HANGS, asked, launch, once
from tests.waiting import PATIENCE_S, has_ended, until_true

pytestmark = pytest.mark.e2e


@pytest.fixture
async def running() -> AsyncIterator[Callable[[Launch], Program]]:
    """Return a maker of programs that are ended after the test."""
    made: list[Program] = []

    def make(launched: Launch) -> Program:
        made.append(Program(launched))
        return made[-1]

    yield make
    for program in made:
        await program.close()


Make = Callable[[Launch], Program]


async def test_a_program_answers_turn_after_turn(tmp_path: Path, running: Make) -> None:
    program = running(launch(tmp_path, FIRST)[0])
    await program.start()
    assert [await program.choose(asked()), await program.choose(asked("0"))] == ["0", "1"]
    assert not program.busy


async def test_a_crash_is_made_good(tmp_path: Path, running: Make) -> None:
    launched, said = launch(tmp_path, once(tmp_path / "flag", CRASHES, FIRST))
    assert await running(launched).choose(asked()) == "0"
    (line,) = said
    assert line.endswith("ended by itself (exit code 3); its last words: 'boom'; starting it again")
    assert launched.failures == 0, "it has answered since"


@pytest.mark.slow
async def test_a_hang_is_ended_and_asked_again(tmp_path: Path, running: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_module, "SHARE", 1.5)
    monkeypatch.setattr(program_module, "MOST_MARGIN_MS", 2000)
    launched, said = launch(tmp_path, once(tmp_path / "flag", HANGS, FIRST))
    program = running(launched)
    await program.start()
    assert await program.choose(asked(remaining_ms=3000)) == "0"
    assert "did not answer within" in said[0]


async def test_a_hang_without_time_for_more_resigns(tmp_path: Path, running: Make) -> None:
    program = running(launch(tmp_path, HANGS)[0])
    began = time.monotonic()
    with pytest.raises(Resign, match=r"0\.\d s \(does it flush each line that it writes\?\); no time is left"):
        await program.choose(asked(remaining_ms=400))
    assert time.monotonic() - began < PATIENCE_S


async def test_a_crash_twice_resigns_and_a_third_time_gives_up(tmp_path: Path, running: Make) -> None:
    program = running(launch(tmp_path, CRASHES)[0])
    with pytest.raises(Resign, match=r"ended by itself \(exit code 3\), as before; its last words: 'boom'"):
        await program.choose(asked())
    with pytest.raises(GiveUp, match=r"\(failed 3 times in a row; see .*err\.log\)"):
        await program.choose(asked())


async def test_a_signal_is_named(tmp_path: Path, running: Make) -> None:
    program = running(launch(tmp_path, "sys.stdin.readline(); os.kill(os.getpid(), 11)")[0])
    with pytest.raises(Resign, match="was ended by SIGSEGV, as before"):
        await program.choose(asked())


class Handshake(Dialogue):
    """Waits for `hello`, writes `go`, and makes the program answer a move with `now`."""

    hurry = ("now",)
    goodbye = ("bye",)

    def begin(self) -> Talk[None]:
        line = yield ["hello"]
        if line != "hello":
            raise Garbled(f"it said {line}, not hello")

    def move(self, turn: Turn, think_ms: int) -> Talk[str]:
        return (yield from until(["go"], lambda answer: answer.startswith("move")))


ECHOES = "for line in sys.stdin: print(line.strip().replace('now', 'move 4'), flush=True)"


@pytest.mark.slow
async def test_a_program_that_would_go_on_thinking_is_hurried(tmp_path: Path, running: Make) -> None:
    program = running(launch(tmp_path, ECHOES, Handshake)[0])
    await program.start()
    assert await program.choose(asked(remaining_ms=1500)) == "move 4"


async def test_a_program_of_another_protocol_is_told_at_the_start(tmp_path: Path, running: Make) -> None:
    with pytest.raises(BadProgram, match=r"it said 0, not hello when it was started; is it a program for this kind"):
        await running(launch(tmp_path, "print(0, flush=True); time.sleep(60)", Handshake)[0]).start()
    with pytest.raises(BadProgram, match=r"\(exit code 3\) when it was started; its last words: 'boom'"):
        await running(launch(tmp_path, CRASHES, Handshake)[0]).start()


async def test_a_program_that_is_never_ready(tmp_path: Path, running: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_module, "START_S", 0.3)
    made, said = launch(tmp_path, HANGS, Handshake)
    with pytest.raises(BadProgram, match=r"did not answer within 0\.3 s when it was started"):
        await running(made).start()
    assert said == []
    monkeypatch.setattr(program_module, "QUIET_S", 0.1)
    with pytest.raises(BadProgram):
        await running(made).start()
    assert said == [f"{made.label} has not answered yet; waiting up to 0 s for its first line"]


async def test_a_program_that_is_not_there(tmp_path: Path, running: Make) -> None:
    launched, _ = launch(tmp_path, "")
    launched.command = ["/no/such/program"]
    with pytest.raises(BadProgram, match="cannot start /no/such/program: No such file or directory"):
        await running(launched).start()


async def test_an_endless_line_is_a_failure_and_no_memory(tmp_path: Path, running: Make) -> None:
    program = running(launch(tmp_path, "sys.stdin.readline(); sys.stdout.write('x' * (3 << 20)); time.sleep(60)")[0])
    with pytest.raises(Resign, match="wrote a line of more than 1048576 bytes, as before"):
        await program.choose(asked())


async def test_processes_that_a_program_started_end_with_the_program(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = f"child = os.fork() or time.sleep(60)\nopen({str(pids)!r}, 'w').write(str(child))\n{FIRST}"
    program = Program(launch(tmp_path, code)[0])
    await program.choose(asked())
    grandchild = int(pids.read_text())
    await program.close()
    await until_true(lambda: has_ended(grandchild))


@pytest.mark.parametrize(("left", "margin"), [(0, 0), (10, 10), (100, 20), (2000, 200), (10_000, 1000), (10**7, 1000)])
def test_margins(left: int, margin: int) -> None:
    assert margin_ms(left) == margin


# --- the bot ---


async def test_a_program_that_starts_for_a_match_that_is_over_is_ended_too(tmp_path: Path, running: Make) -> None:
    program = running(launch(tmp_path, HANGS)[0])
    thinking = asyncio.create_task(program.choose(asked(remaining_ms=600_000)))
    await asyncio.sleep(0)
    assert program.busy
    program.kill()
    with pytest.raises(Resign, match="the match is over"):
        await asyncio.wait_for(thinking, PATIENCE_S)
    assert not program.busy
