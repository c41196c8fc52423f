import pytest
from rumble_bots.sdk.errors import BadFunction, BadServer
from rumble_engine import BadPosition
from rumble_server.cli.output.errors import ExitCode, as_cli_error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadFunction("no such file"), ExitCode.USAGE),
        (BadPosition("no such position"), ExitCode.USAGE),
        (BadServer("nobody there"), ExitCode.FAILED),
        (OSError("it broke"), ExitCode.FAILED),
    ],
)
def test_an_error_of_ours_is_one_line_and_a_code(error: Exception, code: ExitCode) -> None:
    known = as_cli_error(error)
    assert known is not None
    assert (known.message, known.exit_code) == (str(error), code)


def test_what_is_no_error_of_ours_is_none() -> None:
    assert as_cli_error(TypeError("x")) is None
