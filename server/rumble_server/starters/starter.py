"""Starter bots in several languages, and copies of them for authors.

The programs are in `bots/<language>`; a wheel has the programs under `starters/data`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

README = "README.md"
PLACEHOLDER = "my-bot"
"""The bot's name in the files. In a copy, the name of the new bot takes its place."""

_IN_WHEEL = Path(__file__).with_name("data")
_IN_SOURCES = Path(__file__).parents[3] / "bots"


class Language(StrEnum):
    """The languages of the starters."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    JAVA = "java"
    GO = "go"
    CPP = "cpp"
    SHELL = "shell"


@dataclass(frozen=True, slots=True)
class Starter:
    """The starter of a language: a folder with a README, and commands for a shell in that folder."""

    language: Language
    strategy: str
    """The file with the strategy, for the author to change."""
    others: Sequence[str]
    """The program files besides the strategy, with the code for the connection to the server."""
    build: str | None
    """The command to run before the first start; None if there is none.

    If `compiled` is true, the command has to be run again after each change.
    """
    run: str
    """The command to play.

    The program reads the variables RUMBLE_SERVER, RUMBLE_JOIN, RUMBLE_NAME, RUMBLE_KEY and RUMBLE_INVITE, and
    `key.json` in its folder.
    """

    compiled: bool = False

    @property
    def sources(self) -> Sequence[str]:
        return (self.strategy, *self.others)

    @property
    def files(self) -> Sequence[str]:
        return (*self.sources, README)

    @property
    def folder(self) -> Path:
        return (_IN_WHEEL if _IN_WHEEL.is_dir() else _IN_SOURCES) / self.language

    def texts(self, files: Sequence[str], name: str = PLACEHOLDER) -> Mapping[str, str]:
        """Return the texts of the starter's `files`, by file name, with `name` as the bot's name. Raises OSError."""
        return {file: (self.folder / file).read_text(encoding="utf-8").replace(PLACEHOLDER, name) for file in files}

    def write(self, name: str, parent: Path) -> Path:
        """Write the bot `name` into a new folder of that name in `parent`. Raises OSError."""
        target, texts = parent / name, self.texts(self.files, name)
        target.mkdir(parents=True)
        for file, text in texts.items():
            (target / file).write_text(text, encoding="utf-8")
        return target


STARTERS = {
    starter.language: starter
    for starter in (
        Starter(Language.PYTHON, "strategy.py", ["bot.py"], "pip install websockets", "python bot.py"),
        Starter(Language.JAVASCRIPT, "strategy.js", ["bot.js", "websocket.js", "package.json"], None, "node bot.js"),
        Starter(
            Language.JAVA, "Strategy.java", ["Bot.java"], "javac -encoding UTF-8 Bot.java", "java Bot", compiled=True
        ),
        Starter(
            Language.GO, "strategy.go", ["bot.go", "go.mod"], "go mod tidy && go build -o bot", "./bot", compiled=True
        ),
        Starter(
            Language.CPP, "strategy.h", ["bot.cpp"], "g++ -std=c++17 -o bot bot.cpp -pthread", "./bot", compiled=True
        ),
        Starter(Language.SHELL, "strategy.awk", ["bot.sh"], None, "rumble bridge stdio --follow -- sh bot.sh"),
    )
}
"""The starters by language."""
