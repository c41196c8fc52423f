"""A bot's thoughts about a move, made fit to be sent.

Wrong thoughts are left out, so that the move can still be sent.
"""

import json
from collections.abc import Iterable, Mapping
from itertools import accumulate, takewhile
from typing import Any

from pydantic import ValidationError
from rumble_protocol.fields import MOST_INFO_BYTES, MoveInfo

NUMBERS_BYTES = 128
"""Maximum number of bytes of an info's JSON without the moves of `pv`."""


def fitted(info: Mapping[str, Any]) -> tuple[MoveInfo | None, list[str]]:
    """Return the part of `info` that can be sent, and the names of wrong fields. The list `pv` is cut to fit."""
    given = {str(name): value for name, value in info.items() if value is not None}
    if isinstance(given.get("pv"), list | tuple):
        given["pv"] = _first(given["pv"])
    try:
        return MoveInfo.model_validate(given) if given else None, []
    except ValidationError as error:
        wrong = {str(problem["loc"][0]) for problem in error.errors()}
    right = {name: value for name, value in given.items() if name not in wrong}
    return MoveInfo.model_validate(right) if right else None, sorted(wrong)


def _first(moves: Iterable[Any]) -> list[Any]:
    """Return the first moves of `moves`, as many as fit into an info."""
    listed = list(moves)
    sizes = accumulate(len(json.dumps(str(move))) + 1 for move in listed)
    return listed[: sum(1 for _ in takewhile(lambda size: size <= MOST_INFO_BYTES - NUMBERS_BYTES, sizes))]
