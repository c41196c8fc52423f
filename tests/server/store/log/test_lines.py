"""The lines made by explicit code equal those made from the fields' names."""

from hypothesis import given
from rumble_server.match.facts import MoveMade, TurnAsked
from rumble_server.store.log.codec import line_of
from rumble_server.store.log.lines import line_of_move, line_of_turn

from tests.server.store.samples import facts_of


@given(facts_of(MoveMade))
def test_the_line_of_a_move_has_its_fields_in_order(fact: MoveMade) -> None:
    assert line_of_move(7, fact) == line_of("move_made")(7, fact)


@given(facts_of(TurnAsked))
def test_the_line_of_a_turn_has_its_fields_in_order(fact: TurnAsked) -> None:
    assert line_of_turn(7, fact) == line_of("turn_asked")(7, fact)
