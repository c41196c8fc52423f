"""No command of a test touches the user's keys, or takes defaults from the environment."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("SERVER", "JOIN", "NAME", "KEY", "HOST_TOKEN", "DEBUG"):
        monkeypatch.delenv(f"RUMBLE_{variable}", raising=False)
    monkeypatch.setenv("RUMBLE_CONFIG_DIR", str(tmp_path / "config"))
