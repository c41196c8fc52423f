"""Hypothesis strategies for every fact of the log, and for records of ended tournaments."""

import dataclasses
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from rumble_protocol.fields import DAY_MS, LARGEST_INTEGER, TimeControl
from rumble_server.tournament.config import TournamentConfig

times = st.integers(0, LARGEST_INTEGER)
durations = st.integers(0, DAY_MS)
controls = st.builds(TimeControl, move_ms=st.integers(1, DAY_MS), bank_ms=durations, increment_ms=durations)
configs = st.builds(
    TournamentConfig,
    name=st.text(st.characters(codec="utf-8"), min_size=1, max_size=80),
    game=st.just("connect4"),
    settings=st.fixed_dictionaries({}, optional={"columns": st.integers(5, 9), "rows": st.integers(5, 9)}),
    cycles=st.integers(1, 1000),
    legs=st.integers(1, 1000),
    time_control=controls,
    seed=times,
    start_at_bots=st.none() | st.integers(2, 4096),
    illegal_retries=st.integers(0, 100),
    away_ms=durations,
    away_clock=st.sampled_from(["stands", "runs"]),
    absent_ms=durations,
    rated=st.booleans(),
    listed=st.booleans(),
    invite=st.none() | st.text(st.characters(codec="utf-8"), min_size=1, max_size=64),
)
OF_TYPE: dict[Any, st.SearchStrategy[Any]] = {
    NoneType: st.none(),
    bool: st.booleans(),
    int: times,
    float: st.floats(-1e9, 1e9),
    str: st.text(st.characters(codec="utf-8"), max_size=12),
    TimeControl: controls,
    TournamentConfig: configs,
}


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy of values of a type. A dataclass gets a value for each field, whatever the field's default."""
    origin, args = get_origin(kind), get_args(kind)
    if kind in OF_TYPE:
        return OF_TYPE[kind]
    if origin in (Union, UnionType):
        return st.one_of(*map(values_of, args))
    if origin is Literal:
        return st.sampled_from(args)
    if origin is dict:
        return st.dictionaries(*map(values_of, args), max_size=3)
    if origin is tuple and args[-1] is Ellipsis:
        return st.lists(values_of(args[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values_of, args))
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    hints = get_type_hints(kind)
    return st.builds(kind, **{field.name: values_of(hints[field.name]) for field in dataclasses.fields(kind)})
