"""Facts to the text of a row and back: nothing is lost, and damage is noticed."""

import json
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.match.facts import MoveMade
from rumble_server.store.log.codec import FIELDS, read_ended, read_facts, write_ended
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import BotJoined, LogFact, TournamentCreated

from tests.server.store.disk import write_facts
from tests.server.store.samples import values_of

FIELDS_NOW = {
    "administrator_set": "salt digest at_ms",
    "ban_lifted": "what by_name at_ms",
    "banned": "what by_name until_ms reason at_ms",
    "bot_absent": "tournament bot absent_left_ms at_ms",
    "bot_benched": "tournament bot benched reason at_ms version",
    "bot_joined": "tournament bot at_ms house by_code display_name",
    "bot_left": "tournament bot removed at_ms",
    "chance_drawn": "match attempt ply move at_ms",
    "club_changed": "club title listed house quotas at_ms",
    "club_created": "club title quotas at_ms",
    "club_removed": "club at_ms",
    "display_named": "name display at_ms",
    "config_changed": "tournament config at_ms",
    "frame_seen": "match attempt seat sender frame at_ms bytes sha256 excused_ms",
    "frame_shared": "match attempt seat other other_number at_ms",
    "half_bye_given": "tournament bot round at_ms",
    "half_bye_taken": "tournament bot round at_ms",
    "host_token_removed": "name at_ms",
    "host_token_set": "name salt digest at_ms",
    "host_tokens_removed": "rows at_ms",
    "invite_changed": "tournament invite at_ms made_invite",
    "join_code_changed": "tournament code at_ms",
    "match_over": "match attempt seats scores termination reason at_fault "
    "moves at_ms connected seats_excused_ms drops stalled informed started_at_ms placement absent failures versions",
    "match_started": "match attempt game settings seed seats "
    "moves time_control illegal_retries away_ms at_ms away_clock free_since_ms chance_seed absent spectator_delay_ms "
    "versions",
    "move_made": "match attempt ply seat turn_id move bank_ms "
    "frame at_ms excused_ms next_turn_id next_seat seats_ms lag_ms omit",
    "move_refused": "match attempt seat retries_left at_ms",
    "name_reset": "name at_ms",
    "name_used": "name salt digest at_ms",
    "result_voided": "match attempt at_ms",
    "roster_changed": "tournament names at_ms",
    "round_paired": "tournament pairings byes at_ms half_byes",
    "tables_seated": "tournament seatings byes at_ms",
    "seat_away": "match attempt seat away_left_ms at_ms excused_ms on_turn",
    "seat_back": "match attempt seat away_left_ms at_ms",
    "seat_fell": "match attempt ply seat termination reason at_ms excused_ms failure",
    "start_told": "match attempt seat resumed at_ms excused_ms all_seats",
    "slip_made": "name tournament salt digest at_ms",
    "slip_voided": "name at_ms",
    "tournament_created": "tournament config at_ms challenger made_invite follows",
    "tournament_ended": "tournament status reason at_ms",
    "tournament_paused": "tournament reason by at_ms",
    "tournament_resumed": "tournament at_ms",
    "tournament_started": "tournament bots openings at_ms",
    "turn_asked": "match attempt ply seat turn_id remaining_ms seats_ms lag_ms omit at_ms",
    "turns_asked": "match attempt ply asked turn_ids remaining_ms lag_ms omit seats_ms at_ms",
    "version_saved": "bot number language source at_ms oldest freed_bytes",
}
"""Fields of each kind of fact."""
numbers = st.integers(1, 2**53 - 1)


@pytest.mark.parametrize("kind", get_args(LogFact), ids=lambda kind: str(kind.__name__))
def test_every_kind_of_fact_comes_back_as_it_was(kind: type[LogFact]) -> None:
    @given(numbers, values_of(kind))
    def comes_back(number: int, fact: LogFact) -> None:
        assert read_facts(write_facts([(number, fact)])) == [(number, fact)]

    comes_back()


def test_a_row_tells_how_many_fields_a_kind_has() -> None:
    text = write_facts([(7, BotJoined("friday", "ann", 5)), (8, BotJoined("friday", "ben", 6))])
    assert json.loads(text) == {
        "fields": {"bot_joined": 6},
        "facts": [
            [7, "bot_joined", "friday", "ann", 5, None, False, None],
            [8, "bot_joined", "friday", "ben", 6, None, False, None],
        ],
    }


def test_a_field_that_a_fact_got_later_has_its_default_in_an_older_row() -> None:
    config = TournamentConfig(name="Friday", game="tictactoe")
    row = json.loads(write_facts([(1, TournamentCreated("friday", config, 5, "ann", "made"))]))
    row["fields"]["tournament_created"] -= 3
    assert [row["facts"][0].pop() for _ in range(3)] == [None, "made", "ann"]
    assert read_facts(json.dumps(row)) == [(1, TournamentCreated("friday", config, 5))]


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_a_move_that_says_nothing_else_takes_few_bytes(separators: tuple[str, str]) -> None:
    match, turn_id = "friday.1.1.1.1", "1.234"
    frame = json.dumps({"type": "move", "match": match, "turn_id": turn_id, "move": "e2e4"}, separators=separators)
    made = MoveMade(match, 1, 3, 1, turn_id, "e2e4", 9_000, frame, 1795494656334, 0, "1.235", 0, (9_000, 9_000), 1)
    text = write_facts([(7, made)])
    assert len(text) < 150
    assert read_facts(text) == [(7, made)]
    for other in (frame.upper(), f"{frame} ", frame.replace("e2e4", "e7e5")):
        said = replace(made, frame=other)
        assert read_facts(write_facts([(7, said)])) == [(7, said)]


def test_facts_keep_their_names_and_fields_their_places() -> None:
    """A row has only the names of kinds and the values of fields: other names or places need other numbers of tables.

    A new field comes last.
    """
    assert {kind: " ".join(names) for kind, names in FIELDS.items()} == FIELDS_NOW


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "null", '{"fields": {}}'),
        '{"fields": {}, "facts": [[7, "bot_joined", "friday", "ann", 5]]}',
        '{"fields": {"bot_joined": 2}, "facts": [[7, "bot_joined", "friday", "ann", 5]]}',
        '{"fields": {"bot_joined": 2}, "facts": [[7, "bot_joined", "friday", "ann"]]}',
        '{"fields": {"bot_joined": 3}, "facts": [[7, "bot_joined", "a", "b", "x"]]}',
        '{"fields": {"bot_joined": ["tournament"]}, "facts": [[7, "bot_joined", "friday", "ann", 5]]}',
        '{"fields": {"bot_joined": 9}, "facts": [[7, "bot_joined", "friday", "ann", 5]]}',
        '{"fields": {"bot_joined": -1}, "facts": [[7, "bot_joined", "friday", "ann"]]}',
        '{"fields": {"dance": 0}, "facts": [[7, "dance"]]}',
        '{"fields": {}, "facts": [[7]]}',
        '{"fields": {}, "facts": 7}',
    ],
)
def test_a_damaged_row_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        read_facts(text)


def test_a_row_whose_game_cannot_be_played_says_so() -> None:
    created = TournamentCreated("friday", TournamentConfig(name="Friday", game="tictactoe"), 5)
    row = write_facts([(7, created)]).replace('"tictactoe"', '"nim"')
    with pytest.raises(ValueError, match="unknown game 'nim'"):
        read_facts(row)


@given(values_of(EndedTournament))
def test_a_record_comes_back_as_it_was(record: EndedTournament) -> None:
    assert read_ended(write_ended(record)) == record


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"id": "friday"}'])
def test_a_damaged_record_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        read_ended(text)
