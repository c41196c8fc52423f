"""Facts and records to text and back. A row of the log explains itself, and has the name of each field once:

{"fields": {"move_made": ["match", "attempt", ...]}, "facts": [[17, "move_made", "friday.1.1.1.1", 1, ...], ...]}
"""

import dataclasses
from collections.abc import Container, Sequence
from operator import attrgetter
from typing import Annotated, Any, get_args

import orjson
from pydantic import Field, TypeAdapter
from rumble_protocol.fields import TimeControl

from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact

Numbered = tuple[int, LogFact]

_fact: TypeAdapter[LogFact] = TypeAdapter(Annotated[LogFact, Field(discriminator="fact")])
_ended = TypeAdapter(EndedTournament)

_KINDS: tuple[type[LogFact], ...] = get_args(LogFact)
_FIELDS = {kind: [field.name for field in dataclasses.fields(kind) if field.name != "fact"] for kind in _KINDS}
_TAGS = {
    kind: next(str(field.default) for field in dataclasses.fields(kind) if field.name == "fact") for kind in _KINDS
}
_VALUES = {kind: attrgetter("fact", *fields) for kind, fields in _FIELDS.items()}


def write_facts(facts: Sequence[Numbered]) -> str:
    """Return the text of a row: the fields of each kind of fact in it, then each fact as its number and values."""
    kinds = dict.fromkeys([type(fact) for _, fact in facts])
    row = {
        "fields": {_TAGS[kind]: _FIELDS[kind] for kind in kinds},
        "facts": [(number, *_VALUES[type(fact)](fact)) for number, fact in facts],
    }
    return orjson.dumps(row, default=_plain).decode()


def read_facts(text: str, match_ids: Container[str] | None = None) -> list[Numbered]:
    """Return the facts of a row, or those of some matches, which costs less.

    Raises ValueError (pydantic's ValidationError is one) if it is damaged.
    """
    row = orjson.loads(text)
    try:
        fields, facts = row["fields"], row["facts"]
        if match_ids is not None:
            place = {kind: 2 + names.index("match") for kind, names in fields.items() if "match" in names}
            facts = [fact for fact in facts if fact[1] in place and fact[place[fact[1]]] in match_ids]
        return [
            (number, _fact.validate_python({"fact": kind, **dict(zip(fields[kind], values, strict=True))}))
            for number, kind, *values in facts
        ]
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError(f"not a row of the log: {error!r}") from None


def write_ended(ended: EndedTournament) -> str:
    """Return the text of a record."""
    return orjson.dumps(ended, default=_plain).decode()


def read_ended(text: str) -> EndedTournament:
    """Return the record of a text. Raises ValueError if it is damaged."""
    return _ended.validate_json(text)


def _plain(value: Any) -> Any:
    if type(value) is TimeControl:  # every match that begins has one; its fields are plain
        return vars(value)
    return value.model_dump(mode="json")
