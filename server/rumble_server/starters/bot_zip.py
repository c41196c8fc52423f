"""A bot as a zip: a starter with server, tournament, name and key. The starter connects only to the server."""

import json
import stat
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import distribution
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import websockets

from rumble_server.starters.scripts import LAUNCHES, NEEDED
from rumble_server.starters.starter import STARTERS, Language

FOLDER = "bot"
"""Name of the folder in every zip. The name does not depend on the bot, so all bots share the zip of `_constant`."""
NOT_CARRIED = frozenset({"asyncio", "legacy", "trio"})
"""Parts of the package `websockets` that the starter does not use."""

_README = """\
{name}: a bot in {language} for {tournament} at {server}

1. Unpack the zip: on Windows right-click it, and choose "Extract All".
2. Run the bot. Windows: double-click run.bat. Linux: sh run.sh. Mac: right-click run.command, and choose "Open".
3. Change {strategy}, and run the bot again. turn.json is the first turn of a match, as the strategy gets turns.

It needs {needs}.
Where the strategy fails, the bot prints the error and its line, and resigns that match.
The server's page /write says more about turns and moves.
Do not hand key.json on, nor this zip: whoever has the key plays as {name}.
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """The contents of `key.json`. Fields with the value None are left out of the file."""

    server: str
    tournament: str | None
    name: str
    key: str
    game: str | None = None
    invite: str | None = None


def bot_zip(language: Language, kept: Kept, turn: Mapping[str, Any] | None) -> bytes:
    """Make the zip of a bot. `kept` is written to `key.json`, and `turn`, an example of a turn, to `turn.json`."""
    buffer = BytesIO()
    buffer.write(_constant(language))
    known = {name: value for name, value in asdict(kept).items() if value is not None}
    bot = {"name": kept.name, "server": kept.server, "tournament": kept.tournament or "a tournament"}
    about = {"language": language, "strategy": STARTERS[language].strategy, "needs": LAUNCHES[language].needs}
    with ZipFile(buffer, "a") as archive:
        _add(archive, NEEDED, json.dumps(known, indent=1), 0o600)
        _add(archive, "README.txt", _README.format(**bot, **about))
        if turn is not None:
            _add(archive, "turn.json", json.dumps(turn, indent=1))
    return buffer.getvalue()


@cache
def _constant(language: Language) -> bytes:
    """Return a zip with the files that are the same in all zips of a language."""
    buffer = BytesIO()
    starter, launch = STARTERS[language], LAUNCHES[language]
    with ZipFile(buffer, "w") as archive:
        for path, text in starter.texts(starter.sources).items():
            _add(archive, path, text)
        for path in ("run.sh", "run.command"):
            _add(archive, path, launch.shell, 0o755)
        if launch.batch is not None:
            _add(archive, "run.bat", launch.batch)
        if language is Language.PYTHON:
            for path, text in _websockets().items():
                _add(archive, path, text)
    return buffer.getvalue()


def _websockets() -> Mapping[str, str]:
    """Return the Python files and the licence of the installed library `websockets`, by path.

    The files work without any other library. Parts in `NOT_CARRIED` are left out.
    """
    package = Path(websockets.__file__).parent
    files = (path.relative_to(package.parent) for path in sorted(package.rglob("*.py")))
    texts = {
        path.as_posix(): (package.parent / path).read_text(encoding="utf-8")
        for path in files
        if path.parts[1] not in NOT_CARRIED
    }
    licence = distribution("websockets").read_text("licenses/LICENSE")
    return texts if licence is None else {**texts, "websockets/LICENSE": licence}


def _add(archive: ZipFile, path: str, text: str, mode: int = 0o644) -> None:
    info = ZipInfo(f"{FOLDER}/{path}")
    info.create_system = 3  # Unix, which has the bits of `mode`
    info.external_attr = (stat.S_IFREG | mode) << 16
    archive.writestr(info, text, ZIP_DEFLATED)
