"""The digest of what nodes must have in common."""

import dataclasses

import pytest
from rumble_protocol.server_messages import Limits
from rumble_server.cluster import setup
from rumble_server.cluster.setup import setup_of


def test_nodes_that_are_the_same_have_the_same_setup() -> None:
    assert setup_of(Limits()) == setup_of(Limits())


def test_another_limit_is_another_setup() -> None:
    assert setup_of(Limits()) != setup_of(Limits(max_matches=3))


def test_another_game_is_another_setup(monkeypatch: pytest.MonkeyPatch) -> None:
    before = setup_of(Limits())
    monkeypatch.setattr(setup, "game_names", lambda: ["tictactoe"])
    assert setup_of(Limits()) != before


def test_a_new_field_of_a_fact_is_another_setup(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclasses.dataclass
    class Fact:
        match: str

    @dataclasses.dataclass
    class Newer(Fact):
        note: str

    @dataclasses.dataclass
    class Other:
        at_ms: int

    told = []
    for kind in (Fact, Newer):
        kind.__name__ = "Fact"
        monkeypatch.setattr(setup, "LogFact", kind | Other)
        told.append(setup_of(Limits()))
    assert told[0] != told[1]
