"""The compiled wheel: which modules are in it, and who gets it."""

import os
import subprocess
import sys
import sysconfig
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
BUILT = os.environ.get("RUMBLE_COMPILE") == "1"
"""Set where the tests run with the compiled wheel."""


@pytest.fixture(scope="module")
def build() -> ModuleType:
    """The build hook's module."""
    spec = spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_installed_is_compiled_where_it_was_asked_for(build: ModuleType) -> None:
    suffix = sysconfig.get_config_var("EXT_SUFFIX") if BUILT else ".py"
    for path in map(Path, build.COMPILED):
        spec = find_spec(".".join(path.with_suffix("").parts[1:]))
        assert spec is not None
        assert (spec.origin or "").endswith(f"/{path.stem}{suffix}"), f"{path} is run from {spec.origin}"


@pytest.mark.parametrize("wanted", ["", "0", "1"])
def test_only_who_asks_for_it_needs_a_compiler(build: ModuleType, wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUMBLE_COMPILE", wanted)
    assert build.is_wanted() is (wanted == "1")


@pytest.mark.e2e
@pytest.mark.long
def test_without_a_compiler_the_build_says_so_in_one_line(tmp_path: Path) -> None:
    pytest.importorskip("mypyc")
    environment = {**os.environ, "RUMBLE_COMPILE": "1", "CC": "no-such-compiler"}
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert [line for line in said.splitlines() if line.startswith("RUMBLE_COMPILE=1: it needs a C compiler")]
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []
