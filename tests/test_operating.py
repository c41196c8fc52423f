"""docs/OPERATING.md agrees with the settings, the figures and the commands; its systemd unit and its proxies work.

`python -m tests.test_operating` writes the tables of settings into the page.
"""

import configparser
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import yaml
from rumble_server.cli.main import COMMANDS
from rumble_server.cli.support.settings import Setting, read_config, settings

from tests.command_line import parse_all
from tests.docs_blocks import ROOT, Block, blocks
from tests.needs import need
from tests.server.web.memory_server import MemoryServer

PAGE = ROOT / "docs" / "OPERATING.md"
MARKER = "<!-- settings: python -m tests.test_operating writes these tables -->\n"
TITLES = {
    "host": "What a first server needs",
    "public_url": "Server",
    "tls_cert": "TLS",
    "log_level": "Logs and metrics",
    "ping_ms": "Bounds of a connection, an address, a match, a club",
}
"""The titles of the tables, by the first setting of each."""
EXPOSURE = "20"
"""Maximum exposure, of 100, that `systemd-analyze security` may find for the unit."""


def tables() -> str:
    """Return the tables of all settings."""
    parts: list[str] = []
    for setting in settings().values():
        if title := TITLES.get(setting.name):
            parts += [f"\n### {title}\n", "\n| setting | default | what it is |\n|---|---|---|\n"]
        parts.append(_row(setting))
    return "".join(parts)


def _row(setting: Setting) -> str:
    option = "" if setting.option == f"--{setting.name.replace('_', '-')}" else f" (`{setting.option}`)"
    default = f"`{setting.shown_default}`" if setting.shown_default else "no" if setting.kind is bool else ""
    return f"| `{setting.name}`{option} | {default} | {setting.about} |\n"


def found(language: str, marker: str | None = None) -> Block:
    (block,) = (b for b in blocks(PAGE) if b.language == language and marker in (None, b.marker))
    return block


def test_every_setting_is_in_its_table() -> None:
    _, marker, rest = PAGE.read_text(encoding="utf-8").partition(MARKER)
    assert marker, "the page has no place for the tables"
    assert rest == tables(), "python -m tests.test_operating writes the tables"


def test_the_sample_file_has_real_settings(tmp_path: Path) -> None:
    file = tmp_path / "rumble.toml"
    file.write_text(found("toml").text)
    config = read_config({"config": str(file)}, {})
    assert config.bounds.connections_per_address == 512
    assert set(tomllib.loads(file.read_text())) <= set(settings())


def test_every_command_is_one_of_the_command_line() -> None:
    lines = [line for block in blocks(PAGE) if block.language == "sh" for line in block.text.splitlines()]
    assert len(lines) >= 9
    parse_all(line for line in lines if line.split()[1] in COMMANDS)
    mentioned = re.findall(r"`(--[a-z-]+)", PAGE.read_text(encoding="utf-8"))
    options = {setting.option for setting in settings().values()} | {"--config"}
    assert {option for option in mentioned if option not in options} == set()


async def test_the_figures_are_those_of_the_server() -> None:
    _, _, rest = PAGE.read_text(encoding="utf-8").partition("<!-- table: figures -->\n\n")
    names = set(re.findall(r"`((?:rumble|process)_\w+)", rest.partition("\n\n")[0]))
    answer = await MemoryServer().browser().get("/metrics")
    served = set(re.findall(r"^# TYPE (\w+)", answer.text, re.MULTILINE))
    assert {name for name in served if name.startswith("rumble_")} == {n for n in names if n.startswith("rumble_")}
    assert yaml.safe_load(found("yaml").text)["scrape_configs"]


def test_the_unit_runs_a_command_of_ours() -> None:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(found("ini").text)
    service = parser["Service"]
    command = service["ExecStart"].split()
    parse_all([" ".join(["rumble", *command[1:]])])
    assert service["StateDirectory"] == "rumble"


def test_systemd_takes_the_unit_and_finds_it_safe(tmp_path: Path) -> None:
    analyze = need("systemd-analyze", "systemd")
    unit = tmp_path / "rumble.service"
    unit.write_text(re.sub(r"(?m)^(ExecStart=)\S+", rf"\1{shutil.which('true')}", found("ini").text))
    for arguments in (["verify"], ["security", "--offline=true", f"--threshold={EXPOSURE}"]):
        done = subprocess.run([analyze, *arguments, str(unit)], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


if __name__ == "__main__":
    before, marker, _ = PAGE.read_text(encoding="utf-8").partition(MARKER)
    PAGE.write_text(before + marker + tables(), encoding="utf-8")
