"""Reads Dockerfile and docker-compose.yml as data."""

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[1]


class Instruction(NamedTuple):
    """An instruction of a Dockerfile, with continued lines joined."""

    word: str
    rest: str

    @property
    def command(self) -> list[str]:
        """Words of a command in JSON form, without the options before the command."""
        words = json.loads(self.rest[self.rest.index("[") :])
        assert all(isinstance(word, str) for word in words)
        return list(words)


def dockerfile() -> list[Instruction]:
    """Return the instructions of the Dockerfile."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    whole = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))
    return [Instruction(*line.split(maxsplit=1)) for line in whole.splitlines() if line]


def the(word: str) -> Instruction:
    """Return the only instruction with this word."""
    (found,) = (instruction for instruction in dockerfile() if instruction.word == word)
    return found


def compose(environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Read docker-compose.yml, with `${NAME:-default}` filled in from `environment`."""
    given = environment or {}
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    filled = re.sub(r"\$\{(\w+):-([^}]*)\}", lambda match: given.get(match[1], match[2]), text)
    assert "${" not in filled
    loaded = yaml.safe_load(filled)
    assert isinstance(loaded, dict)
    return loaded


def command(service: Mapping[str, Any]) -> list[str]:
    """Return the command of a service; without a command, the image's."""
    return shlex.split(service["command"]) if "command" in service else the("CMD").command
