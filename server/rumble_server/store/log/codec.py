"""Conversion of facts and records to text (for `store/log/batch.py`) and back (for `store/log/reader.py`).

The text of a row begins with the kinds of facts in the row. After each kind comes the number of fields that the kind
had when the row was written:

{"fields": {"move_made": 15}, "facts": [[17, "move_made", "friday.1.1.1.1", 1, ...], ...]}

Old rows stay readable if a kind keeps its name, no field is removed or moved, and new fields come last.
"""

import dataclasses
import re
from collections.abc import Callable, Container, Sequence
from functools import cache
from typing import Any, get_args, get_type_hints

import orjson
from pydantic import TypeAdapter, ValidationError
from rumble_protocol.fields import TimeControl

from rumble_server.match.facts import MoveMade
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact

Numbered = tuple[int, LogFact]
Line = tuple[Any, ...]
"""A fact in a row of the log: its number, the name of its kind, and the values of its fields in order."""

_ended = TypeAdapter(EndedTournament)

_TAGS: dict[type[LogFact], str] = {
    kind: re.sub("(?<!^)(?=[A-Z])", "_", kind.__name__).lower() for kind in get_args(LogFact)
}
"""Name of each kind of fact in the log, by class: the class's name in lower case, with `_` between words."""
_KINDS = {tag: kind for kind, tag in _TAGS.items()}
FIELDS = {tag: [field.name for field in dataclasses.fields(kind)] for tag, kind in _KINDS.items()}
"""Names of the fields of each kind of fact, in order. The keys are the kinds' names in the log."""
FORMS = {
    "compact": '{"type":"move","match":"%s","turn_id":"%s","move":"%s"}',
    "spaced": '{"type": "move", "match": "%s", "turn_id": "%s", "move": "%s"}',
}
"""The usual forms of a move's frame, by name: JSON with only the fields of a move, in order.

To save space in the log, the name of the form replaces a frame of the form.
"""


def short_frame(fact: MoveMade) -> str:
    """Return the text of a move's frame in the log: the name of the frame's form, or the whole frame."""
    frame = fact.frame
    form = "spaced" if frame[8:9] == " " else "compact"  # the character after `{"type":`
    return form if frame == FORMS[form] % (fact.match, fact.turn_id, fact.move) else frame


def line_of(tag: str) -> Callable[[int, Any], Line]:
    """Return a function that makes a line of the log from a fact's number and the fact, for facts of the kind `tag`.

    The function is generated code, which takes a third of the time of a loop over the fields.
    """
    values = {name: f"fact.{name}" for name in FIELDS[tag]}
    if tag == _TAGS[MoveMade]:
        values["frame"] = "short_frame(fact)"
    line: Callable[[int, Any], Line] = eval(f"lambda number, fact: (number, {tag!r}, {', '.join(values.values())})")
    return line


LINES = {kind: line_of(tag) for kind, tag in _TAGS.items()}
"""Functions that make a line of the log from a fact's number and the fact, by class of the fact."""


def write_lines(lines: Sequence[Line]) -> str:
    """Return the text of a row that holds these lines. The text begins with the number of fields of each kind."""
    fields = {tag: len(FIELDS[tag]) for tag in {line[1]: None for line in lines}}
    return orjson.dumps({"fields": fields, "facts": lines}, default=_plain).decode()


def read_facts(text: str, match_ids: Container[str] | None = None) -> list[Numbered]:
    """Return the facts of a row with their numbers. With `match_ids`, return only the facts of these matches.

    Raises ValueError if the row is damaged, or has a game that this server cannot play.
    """
    row = orjson.loads(text)
    try:
        counts, facts = row["fields"], row["facts"]
        fields = {kind: FIELDS[kind][:number] for kind, number in counts.items()}
        if match_ids is not None:
            index = {kind: 2 + names.index("match") for kind, names in fields.items() if "match" in names}
            facts = [fact for fact in facts if fact[1] in index and fact[index[fact[1]]] in match_ids]
        readers = {kind: _reader(kind, len(names)) for kind, names in fields.items()}
        return [(number, readers[kind](values)) for number, kind, *values in facts]
    except ValidationError as error:
        raise ValueError(error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")) from None
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError(f"not a row of the log: {error!r}") from None


@cache  # at most one entry for each kind and number of its fields
def _reader(kind: str, number: int) -> Callable[[object], LogFact]:
    """Return a function that validates the values of the first `number` fields, and makes a fact of the kind.

    The fields after the first `number` get their defaults.
    """
    fact = _KINDS[kind]
    hints = get_type_hints(fact)
    types = tuple(hints[name] for name in FIELDS[kind][:number])
    validate = TypeAdapter(tuple[types]).validator.validate_python  # type: ignore[valid-type]
    if fact is MoveMade:
        return lambda values: _restore_frame(MoveMade(*validate(values)))
    return lambda values: fact(*validate(values))


def _restore_frame(fact: MoveMade) -> MoveMade:
    form = FORMS.get(fact.frame)
    if form is not None:
        fact.frame = form % (fact.match, fact.turn_id, fact.move)
    return fact


def write_ended(ended: EndedTournament) -> str:
    """Encode the record of an ended tournament as JSON, which `read_ended` reads."""
    return orjson.dumps(ended, default=_plain).decode()


def read_ended(text: str) -> EndedTournament:
    """Return the record of an ended tournament from its text. Raises ValueError if the text is damaged."""
    return _ended.validate_json(text)


def _plain(value: Any) -> Any:
    if type(value) is TimeControl:  # in every `MatchStarted`, so the cheapest way is taken: all fields are plain
        return vars(value)
    return value.model_dump(mode="json")
