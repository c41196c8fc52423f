import pytest
from rumble_server.cli.output.errors import CliError
from rumble_server.cli.support.options import no_options_for_functions, read_settings, without_none


def test_settings_are_json_or_text() -> None:
    assert read_settings(["columns=5", "swap=true", "rule=fair", "text=5.5", "empty="]) == {
        "columns": 5,
        "swap": True,
        "rule": "fair",
        "text": "5.5",
        "empty": "",
    }
    assert read_settings(None) == {}
    assert read_settings(["rule=" + "[" * 10_000]) == {"rule": "[" * 10_000}


@pytest.mark.parametrize("text", ["columns", "=5", ""])
def test_a_text_that_is_no_setting_is_refused(text: str) -> None:
    with pytest.raises(CliError, match="write NAME=VALUE") as raised:
        read_settings([text])
    assert raised.value.exit_code == 2


def test_options_that_were_not_given_are_left_out() -> None:
    assert without_none(depth=3, search=None) == {"depth": 3}
    no_options_for_functions({})
    with pytest.raises(CliError, match="--time-ms, --depth: only for reference bots"):
        no_options_for_functions({"time_ms": 1, "depth": 2})
