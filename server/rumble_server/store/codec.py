"""Facts to text and back. A row of the log is JSON that explains itself, and says no field's name twice:

{"fields": {"move_made": ["match", "attempt", ...]}, "facts": [[17, "move_made", "friday.1.1.1.1", 1, ...], ...]}
"""

import dataclasses
from collections.abc import Sequence
from operator import attrgetter
from typing import Annotated, Any, get_args

import orjson
from pydantic import Field, TypeAdapter

from rumble_server.match.facts import (
    FrameSeen,
    MatchOver,
    MatchStarted,
    MoveMade,
    MoveRefused,
    SeatAway,
    SeatBack,
    StartTold,
    TurnAsked,
)
from rumble_server.tournament.facts import (
    BotAbsent,
    BotBenched,
    BotJoined,
    BotLeft,
    InviteChanged,
    LogFact,
    NameReset,
    NameUsed,
    ResultVoided,
    RoundPaired,
    TournamentCreated,
    TournamentEnded,
    TournamentPaused,
    TournamentResumed,
    TournamentStarted,
)

Numbered = tuple[int, LogFact]

_TaggedFact = Annotated[
    FrameSeen
    | MatchOver
    | MatchStarted
    | MoveMade
    | MoveRefused
    | SeatAway
    | SeatBack
    | StartTold
    | TurnAsked
    | BotAbsent
    | BotBenched
    | BotJoined
    | BotLeft
    | InviteChanged
    | NameReset
    | NameUsed
    | ResultVoided
    | RoundPaired
    | TournamentCreated
    | TournamentEnded
    | TournamentPaused
    | TournamentResumed
    | TournamentStarted,
    Field(discriminator="fact"),
]

_adapter: TypeAdapter[LogFact] = TypeAdapter(_TaggedFact)


_KINDS: tuple[type[LogFact], ...] = get_args(get_args(_TaggedFact)[0])
_FIELDS = {kind: [field.name for field in dataclasses.fields(kind) if field.name != "fact"] for kind in _KINDS}
_TAGS = {
    kind: next(str(field.default) for field in dataclasses.fields(kind) if field.name == "fact") for kind in _KINDS
}
_VALUES = {kind: attrgetter("fact", *fields) for kind, fields in _FIELDS.items()}


def write_facts(facts: Sequence[Numbered]) -> str:
    """The text of a row: the fields of each kind of fact in it once, then each fact as its number and values."""
    kinds = dict.fromkeys(type(fact) for _, fact in facts)
    row = {
        "fields": {_TAGS[kind]: _FIELDS[kind] for kind in kinds},
        "facts": [(number, *_VALUES[type(fact)](fact)) for number, fact in facts],
    }
    return orjson.dumps(row, default=_plain).decode()


def read_facts(text: str) -> list[Numbered]:
    """The facts of a row. Raises ValueError (pydantic's ValidationError is one) where it was damaged."""
    row = orjson.loads(text)
    try:
        fields, facts = row["fields"], row["facts"]
        return [
            (number, _adapter.validate_python({"fact": kind, **dict(zip(fields[kind], values, strict=True))}))
            for number, kind, *values in facts
        ]
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a row of the log: {error!r}") from None


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json")
