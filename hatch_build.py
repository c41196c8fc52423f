"""The build hook: with `RUMBLE_COMPILE=1` a wheel has the way of a move compiled by mypyc, beside its sources.

Without the variable a wheel is pure Python, and its build needs nothing of this. An editable install is always pure.
"""

import os
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILED = (
    "engine/rumble_engine/grid.py",
    "engine/rumble_engine/squares.py",
    "engine/rumble_engine/games/connect4.py",
    "engine/rumble_engine/games/tictactoe.py",
    "protocol/rumble_protocol/frames.py",
    "server/rumble_server/histogram.py",
    "server/rumble_server/match/clock.py",
    "server/rumble_server/match/facts.py",
    "server/rumble_server/match/frames.py",
    "server/rumble_server/match/progress.py",
    "server/rumble_server/match/referee.py",
    "server/rumble_server/match/seat.py",
    "server/rumble_server/results/result.py",
    "server/rumble_server/results/tally.py",
    "server/rumble_server/tournament/absence.py",
    "server/rumble_server/tournament/agenda.py",
    "server/rumble_server/tournament/entrant.py",
    "server/rumble_server/tournament/terms.py",
    "server/rumble_server/tournament/tournament.py",
    "server/rumble_server/arena/arena.py",
    "server/rumble_server/arena/matches.py",
    "server/rumble_server/arena/player.py",
    "server/rumble_server/arena/recorder.py",
    "server/rumble_server/arena/scheduler.py",
    "server/rumble_server/arena/session.py",
    "server/rumble_server/gateway/connection.py",
    "server/rumble_server/gateway/frames.py",
    "server/rumble_server/gateway/loop_clock.py",
    "server/rumble_server/gateway/outbox.py",
    "server/rumble_server/gateway/session.py",
    "server/rumble_server/gateway/sessions.py",
    "server/rumble_server/gateway/turns.py",
    "server/rumble_server/store/batch.py",
    "server/rumble_server/store/lines.py",
)
"""What a move runs through, without what does not gain or cannot be native.

Left out: records and messages (pydantic reads their annotations, which compiled classes simplify, and fills them
itself; the values of a fact are validated apart), the bases of games and schedules (plug-ins need plain ones), errors
(`except` with a native class binds one type for all, `from None` is lost), and what is weakly referenced.
"""


def is_wanted() -> bool:
    """Return whether whoever installs wants a compiled wheel."""
    return os.environ.get("RUMBLE_COMPILE") == "1"


class CompileHook(BuildHookInterface[Any]):
    """Compiles `COMPILED` into the wheel."""

    PLUGIN_NAME = "custom"
    _folder: "TemporaryDirectory[str] | None" = None

    def dependencies(self) -> list[str]:
        """Return what the compiler needs: itself, and what the sources import, whose types it reads."""
        return ["mypy[mypyc]>=2.4", *self.metadata.core.dependencies] if is_wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not is_wanted():
            return
        if version == "editable":
            self.app.display_warning("RUMBLE_COMPILE is ignored: an editable install is pure Python")
            return
        self._folder = TemporaryDirectory()
        built = Path(self._folder.name, "built")
        try:
            with chdir(self.root):
                compile_into(built, Path(self._folder.name))
        except BuildError as error:
            self.app.abort(f"RUMBLE_COMPILE=1: {error}")
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        for path in built.rglob("*"):
            if path.is_file():
                build_data["force_include"][str(path)] = str(path.relative_to(built))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self._folder is not None:
            self._folder.cleanup()


class BuildError(Exception):
    """The modules cannot be compiled here; the text is one line for a person."""


def compile_into(built: Path, scratch: Path) -> None:
    """Compile `COMPILED`, from the root of the sources, to extension modules in `built`. Raises BuildError."""
    try:
        from mypyc.build import mypycify
        from setuptools import Distribution
        from setuptools.errors import BaseError, CCompilerError
    except ImportError as error:
        raise BuildError(f"it needs mypy and setuptools: {error}") from error
    options = ["--config-file=pyproject.toml", f"--cache-dir={scratch / 'cache'}"]
    extensions = mypycify([*options, *COMPILED], debug_level="0", group_name="rumble", target_dir=str(scratch / "c"))
    command = Distribution({"name": "rumble", "ext_modules": extensions}).get_command_obj("build_ext")
    command.build_lib, command.build_temp = str(built), str(scratch / "objects")
    command.ensure_finalized()
    try:
        command.run()
    except (BaseError, CCompilerError) as error:
        raise BuildError(f"it needs a C compiler: {error}") from error
