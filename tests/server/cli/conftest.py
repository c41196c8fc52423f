"""No command of a test touches the user's keys, or takes defaults from the environment."""

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in [name for name in os.environ if name.startswith("RUMBLE_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("RUMBLE_CONFIG_DIR", str(tmp_path / "config"))
