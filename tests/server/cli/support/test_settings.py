from pathlib import Path
from typing import Any

import pytest
from rumble_protocol.server_messages import Limits
from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support.bot_names import DEFAULT_HOUSE, read_house
from rumble_server.cli.support.settings import read_config, settings
from rumble_server.config import ServerConfig
from rumble_server.limits.bounds import Bounds, Constants


def test_every_field_is_a_setting_with_its_docstring_and_default() -> None:
    own, bounds = set(ServerConfig.model_fields) - {"bounds"}, set(Bounds.model_fields) - set(Constants.model_fields)
    assert not own & bounds, "two settings have one name"
    assert settings().keys() == own | bounds
    assert all(setting.about for setting in settings().values())
    found = settings()["streams_per_address"]
    assert (found.option, found.variable) == ("--streams-per-address", "RUMBLE_STREAMS_PER_ADDRESS")
    assert (found.kind, found.shown_default, found.about) == (
        int,
        "128",
        "Maximum number of open event streams of an address.",
    )
    assert (settings()["allowed_hosts"].option, settings()["allowed_hosts"].kind) == ("--allow-host", frozenset)


def test_constants_are_no_settings(tmp_path: Path) -> None:
    file = tmp_path / "rumble.toml"
    file.write_text("header_ms = 1")
    with pytest.raises(CliError, match="there is no setting 'header_ms'"):
        read_config({"config": str(file)}, {})
    assert read_config({}, {"RUMBLE_HEADER_MS": "1"}).bounds == Bounds()


def test_the_limits_that_bots_are_told_are_the_bounds() -> None:
    assert Bounds().limits == Limits()
    assert Bounds(frame_bytes=5, max_matches=3).limits == Limits(frame_bytes=5, max_matches=3)


def test_by_default_all_is_as_the_models_say() -> None:
    assert read_config({}, {}) == ServerConfig(house=read_house(DEFAULT_HOUSE))


def test_an_option_goes_before_the_environment_and_that_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "rumble.toml"
    file.write_text("port = 1\nidle_ms = 1\nping_ms = 1\n")
    given = {"config": str(file), "port": "3"}
    config = read_config(given, {"RUMBLE_PORT": "2", "RUMBLE_IDLE_MS": "2"})
    assert (config.port, config.bounds.idle_ms, config.bounds.ping_ms, config.bounds.pong_ms) == (3, 2, 1, 120_000)


def test_the_environment_may_name_the_file_and_every_kind_of_value_can_be_given_everywhere(tmp_path: Path) -> None:
    file = tmp_path / "rumble.toml"
    file.write_text(
        """db = "x.db"\nopen_names = true\nallowed_hosts = ["A.org", "b.org"]\nhouse = "none"\nidle_ms = 7"""
    )
    by_file = read_config({}, {"RUMBLE_CONFIG": str(file)})
    variables = {"DB": "x.db", "OPEN_NAMES": "yes", "ALLOWED_HOSTS": "A.org, b.org", "HOUSE": "none", "IDLE_MS": "7"}
    by_environment = read_config({}, {f"RUMBLE_{name}": value for name, value in variables.items()})
    options = {"db": "x.db", "open_names": True, "allowed_hosts": ["A.org", "b.org"], "house": "none", "idle_ms": "7"}
    assert by_file == by_environment == read_config(options, {})
    assert (by_file.allowed_hosts, by_file.house, by_file.open_names) == (frozenset({"a.org", "b.org"}), (), True)
    assert not read_config({"open_names": False}, {"RUMBLE_OPEN_NAMES": "1"}).open_names


@pytest.mark.parametrize(
    ("given", "environment", "text", "message"),
    [
        ({"port": "x"}, {}, "", "--port: Input should be a valid integer, unable to parse"),
        ({"port": "65536"}, {}, "", "--port: Input should be less than or equal to 65535"),
        ({}, {"RUMBLE_EXCUSED_MS": "0"}, "", "RUMBLE_EXCUSED_MS: Input should be greater than or equal to 1"),
        ({}, {"RUMBLE_OPEN_NAMES": "maybe"}, "", "RUMBLE_OPEN_NAMES: Input should be a valid boolean"),
        ({}, {"RUMBLE_IDEL_MS": "1"}, "", "RUMBLE_IDEL_MS: there is no such setting; did you mean RUMBLE_IDLE_MS?"),
        ({}, {"RUMBLE_HOUSE": "chaos"}, "", "RUMBLE_HOUSE: unknown bot 'chaos'"),
        ({"log_level": "loud"}, {}, "", "--log-level: Input should be 'debug', 'info', 'warning' or 'error'"),
        ({"behind_proxy": ["10.0.0.1", "here"]}, {}, "", "--behind-proxy: 'here' does not appear to be"),
        ({}, {}, "prot = 1", "FILE: there is no setting 'prot'; did you mean port?"),
        ({}, {}, "idle-ms = 1", "FILE: there is no setting 'idle-ms'; did you mean idle_ms?"),
        ({}, {}, "idle_ms = 1.5", "FILE: idle_ms: Input should be a valid integer, got a number with"),
        ({}, {}, "idle_ms = true", "FILE: idle_ms: Input should be a whole number, not true or false"),
        ({}, {}, "db = 1", "FILE: db: Input should be a valid string"),
        ({}, {}, "allowed_hosts = [1]", "FILE: allowed_hosts: Input should be a valid string"),
        ({}, {}, "house = 1", "FILE: house: unknown bot '1'"),
        ({}, {}, "max_matches = 0", "FILE: max_matches: Input should be greater than or equal to 1"),
        ({"ping_ms": 5_001}, {}, "", "--ping-ms: Input should be less than or equal to 5000"),
        ({}, {}, "pong_ms =", "FILE: not a TOML file: "),
        ({}, {}, "tls_key = 'a.pem'", "FILE: tls_key: a key without a certificate"),
    ],
)
def test_a_wrong_key_or_value_is_told_with_its_place(
    given: dict[str, Any], environment: dict[str, str], text: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "rumble.toml"
    file.write_text(text)
    with pytest.raises(CliError) as caught:
        read_config({"config": str(file), **given}, environment)
    assert caught.value.message.startswith(message.replace("FILE", str(file)))
    assert caught.value.exit_code == ExitCode.USAGE


def test_variables_of_others_are_left_alone_and_a_secret_is_not_repeated() -> None:
    others = ("SERVER", "JOIN", "NAME", "KEY", "CONFIG_DIR", "STATE_DIR", "DEBUG", "TOURNAMENT", "SERVICE_HOST")
    read_config({}, {f"RUMBLE_{name}": "x" for name in others})
    with pytest.raises(CliError) as caught:
        read_config({"host_token": "sesame"}, {})
    assert caught.value.message == "--host-token: String should have at least 8 characters"
