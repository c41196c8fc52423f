"""The 320 made-up events of `events.tar.xz` as TRF files, and their standings by two editions of the tie-break rules.

The files are what bbpPairings 6 wrote (its generator, `--dutch`) and checked (`-c`) by the Dutch rules in force since
1 February 2026: 3 to 9 rounds, 5 to 40 players, forfeits (`+`, `-`), pairing-allocated byes (`U`), half-point byes
(`H`), absences and withdrawals (`Z`). They name neither the number of rounds (all are there) nor the first colour
(that of round 1), and field 092, which that program always writes, names no edition. The standings, a line for each
file and edition, are what FIDE's TieBreakServer gives. Players and results are drawn by chance; no person or real
event is in them, and no code of either program is here. The files may be used like the rest of this repository.
"""

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


def published() -> list[dict[str, Any]]:
    """Return the published standings: `file`, `edition`, `columns` and `rows`."""
    return [json.loads(line) for line in _members()["tiebreaks.jsonl"].splitlines()]
