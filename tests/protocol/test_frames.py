"""Frames built directly are equal to the frames of their models."""

from collections.abc import Callable
from inspect import signature
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from rumble_protocol import server_messages as server
from rumble_protocol.codec import read_server_message, write_message
from rumble_protocol.frames import (
    FIRST_LEGAL,
    MOST_LEGAL,
    listed_moves,
    match_over_frame,
    match_start_frame,
    turn_frame,
)

from tests.protocol import messages


@given(
    messages.server_messages[server.Turn].filter(lambda turn: turn.since is not None or turn.legal_complete),
    st.booleans(),
    st.booleans(),
)
def test_a_turn_built_directly_is_the_models(turn: server.Turn, no_legal: bool, no_moves: bool) -> None:
    omit = {name for name, omitted in (("legal", no_legal), ("moves", no_moves)) if omitted}
    fields = {name: getattr(turn, name) for name in type(turn).model_fields if name not in ("type", "clock", "state")}
    fields |= dict.fromkeys(omit)
    clock = turn.clock.model_dump()
    for state in (turn.state, orjson.Fragment(orjson.dumps(turn.state))):
        frame = turn_frame(state=state, **fields, **clock)
        assert list(orjson.loads(frame).items()) == list(turn.model_dump(mode="json", exclude=omit).items())
        assert frame == write_message(turn) or omit
        assert read_server_message(frame) == turn.model_copy(update={name: [] for name in omit})


@pytest.mark.parametrize(
    ("build", "model"),
    [(turn_frame, server.Turn), (match_start_frame, server.MatchStart), (match_over_frame, server.MatchOver)],
)
def test_a_frame_built_directly_takes_the_fields_of_its_model(
    build: Callable[..., bytes], model: type[BaseModel]
) -> None:
    clock = [*server.TurnClock.model_fields]
    fields = [[name] if name != "clock" else clock for name in model.model_fields if name != "type"]
    assert list(signature(build).parameters) == [name for names in fields for name in names]


@given(messages.server_messages[server.MatchStart])
def test_a_match_start_built_directly_is_the_models(start: server.MatchStart) -> None:
    fields = {name: getattr(start, name) for name in type(start).model_fields if name != "type"}
    assert match_start_frame(**fields) == write_message(start)


@given(
    messages.server_messages[server.MatchOver].filter(
        lambda over: over.falls is not None or over.places is over.payoffs is over.seed is None
    )
)
def test_a_match_over_built_directly_is_the_models(over: server.MatchOver) -> None:
    fields = over.model_dump(exclude={"type"})
    assert match_over_frame(**fields) == write_message(over)


@pytest.mark.parametrize("count", [0, MOST_LEGAL, MOST_LEGAL + 1, 4 * MOST_LEGAL])
def test_a_turn_lists_all_moves_or_the_first_and_a_sample(count: int) -> None:
    state: Any = SimpleNamespace(codes_for=lambda seat: range(count), text_for=lambda seat, code: f"{code:05}")
    listed, is_whole = listed_moves(state, 0, "a turn")
    every = [f"{code:05}" for code in range(count)]
    assert (listed == every, len(listed)) == (is_whole, min(count, MOST_LEGAL))
    assert (listed, listed[:FIRST_LEGAL]) == (sorted(set(listed)), every[:FIRST_LEGAL])
    assert listed == listed_moves(state, 0, "a turn")[0]
    assert is_whole or listed != listed_moves(state, 0, "another turn")[0]
