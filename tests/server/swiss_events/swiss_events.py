"""The reference events of `events.tar.xz`, and their standings by two editions of the rules."""

import json
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

ARCHIVE = Path(__file__).with_name("events.tar.xz")


@cache
def _members() -> dict[str, str]:
    with tarfile.open(ARCHIVE) as archive:
        files = ((member.name, archive.extractfile(member)) for member in archive if member.isfile())
        return {name: file.read().decode() for name, file in files if file is not None}


def texts() -> dict[str, str]:
    """Return the text of each event by the name of its file."""
    return {name: text for name, text in _members().items() if name.endswith(".trf")}


def tables() -> list[dict[str, Any]]:
    """Return the published tables: `file`, `edition`, `columns` and `rows`."""
    return [json.loads(line) for line in _members()["tiebreaks.jsonl"].splitlines()]
