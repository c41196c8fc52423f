"""Starter bots in several languages, and copies of them for authors.

The programs are in `bots/<language>`; a wheel has the programs under `data/starters`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rumble_bots.sdk.errors import BadStarter
from rumble_bots.sdk.keys import check_name

README = "README.md"
PLACEHOLDER = "my-bot"
"""The bot's name in the files. In a copy, the name of the new bot takes its place."""

_PACKAGE = Path(__file__).parents[1]
_IN_WHEEL = _PACKAGE / "data" / "starters"
_IN_SOURCES = _PACKAGE.parent


@dataclass(frozen=True, slots=True)
class Starter:
    """The starter of a language: a folder with a README, and commands for a shell in that folder."""

    language: str
    sources: Sequence[str]
    build: str | None
    """The command to run once, and for a compiled starter after each change; None for no command."""
    run: str
    """The command to play; an argument names a strategy.

    The program reads the variables RUMBLE_SERVER, RUMBLE_JOIN, RUMBLE_NAME, RUMBLE_KEY and RUMBLE_INVITE.
    """

    compiled: bool = False

    @property
    def folder(self) -> Path:
        root = _IN_WHEEL if _IN_WHEEL.is_dir() else _IN_SOURCES
        return root / self.language

    @property
    def files(self) -> Sequence[str]:
        return (*self.sources, README)

    def write(self, name: str, parent: Path) -> Path:
        """Write the bot `name` into a new folder of that name in `parent`. Raises BadName, BadStarter and OSError."""
        target = parent / check_name(name)
        texts = {file: (self.folder / file).read_text(encoding="utf-8") for file in self.files}
        try:
            target.mkdir(parents=True)
        except FileExistsError:
            raise BadStarter(f"{target} exists: choose another name, or another --dir") from None
        for file, text in texts.items():
            (target / file).write_text(text.replace(PLACEHOLDER, name), encoding="utf-8")
        return target


STARTERS = {
    starter.language: starter
    for starter in (
        Starter("python", ["bot.py"], "pip install websockets", "python bot.py"),
        Starter("javascript", ["bot.js", "package.json"], "npm install", "node bot.js"),
        Starter("java", ["Bot.java"], None, "java Bot.java"),
        Starter("go", ["bot.go", "go.mod"], "go mod tidy && go build -o bot", "./bot", compiled=True),
        Starter("cpp", ["bot.cpp"], "g++ -std=c++17 -o bot bot.cpp -pthread", "./bot", compiled=True),
        Starter("shell", ["bot.sh"], None, "rumble bridge stdio -- sh bot.sh"),
    )
}
"""The starters by language."""
