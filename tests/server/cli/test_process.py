"""The process of `rumble` as a function: exit codes, streams and signs. Other modules here start a real process."""

import io
import signal
import sys
from collections.abc import Iterator

import pytest
from rumble_server.cli import __main__ as process
from rumble_server.cli import main


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("code", [0, 2])
def test_the_exit_code_is_that_of_the_command(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "run", lambda: code)
    with pytest.raises(SystemExit) as ended:
        process.main()
    assert ended.value.code == code


def test_a_second_ctrl_c_ends_the_process_with_130_and_a_third_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "run", interrupted)
    with pytest.raises(SystemExit) as ended:
        process.main()
    assert (ended.value.code, signal.getsignal(signal.SIGINT)) == (130, signal.SIG_IGN)


def test_a_stream_takes_any_text_in_any_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    process.open_streams()
    print("31 ± 2… é", flush=True)
    assert written.getvalue() == b"31 +- 2... \\xe9\n"
