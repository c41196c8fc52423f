"""Facts to the text of a row and back: nothing is lost, and damage is noticed."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.match.facts import MoveMade
from rumble_server.store.codec import _KINDS, FIELDS, read_ended, read_facts, write_ended
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import BotJoined, LogFact, TournamentCreated

from tests.server.store.disk import write_facts
from tests.server.store.samples import KINDS, any_fact, any_record, facts_of

FIRST = {
    "administrator_set": "salt digest at_ms",
    "ban_lifted": "what by_name at_ms",
    "banned": "what by_name until_ms reason at_ms",
    "bot_absent": "tournament bot absent_left_ms at_ms",
    "bot_benched": "tournament bot benched reason at_ms",
    "bot_joined": "tournament bot at_ms house",
    "bot_left": "tournament bot removed at_ms",
    "club_changed": "club title listed house quotas at_ms",
    "club_created": "club title quotas at_ms",
    "club_removed": "club at_ms",
    "frame_seen": "match attempt seat sender frame at_ms bytes sha256 excused_ms",
    "frame_shared": "match attempt seat other other_number at_ms",
    "half_bye_given": "tournament bot round at_ms",
    "half_bye_taken": "tournament bot round at_ms",
    "host_token_removed": "name at_ms",
    "host_token_set": "name salt digest at_ms",
    "invite_changed": "tournament invite at_ms",
    "match_over": "match attempt seats scores termination reason at_fault "
    "moves at_ms told seats_excused_ms drops stalled informed",
    "match_started": "match attempt game settings seed seats "
    "moves time_control illegal_retries away_ms at_ms away_clock free_since_ms",
    "move_made": "match attempt ply seat turn_id move bank_ms "
    "frame at_ms excused_ms next_turn_id next_seat seats_ms lag_ms omit",
    "move_refused": "match attempt seat retries_left at_ms",
    "name_reset": "name at_ms",
    "name_used": "name salt digest at_ms",
    "result_voided": "match attempt at_ms",
    "round_paired": "tournament pairings byes at_ms half_byes",
    "seat_away": "match attempt seat away_left_ms at_ms excused_ms on_turn",
    "seat_back": "match attempt seat away_left_ms at_ms",
    "start_told": "match attempt seat resumed at_ms excused_ms all_seats",
    "tournament_created": "tournament config at_ms challenger",
    "tournament_ended": "tournament status reason at_ms",
    "tournament_paused": "tournament reason by at_ms",
    "tournament_resumed": "tournament at_ms",
    "tournament_started": "tournament bots openings at_ms",
    "turn_asked": "match attempt ply seat turn_id remaining_ms seats_ms lag_ms omit at_ms",
}
"""Fields of each kind of fact when rows ceased to have the fields' names."""
numbers = st.integers(1, 2**53 - 1)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_every_kind_of_fact_comes_back_as_it_was(kind: type[LogFact]) -> None:
    @given(numbers, facts_of(kind))
    def comes_back(number: int, fact: LogFact) -> None:
        assert read_facts(write_facts([(number, fact)])) == [(number, fact)]

    comes_back()


@given(st.lists(st.tuples(numbers, any_fact), max_size=10))
def test_a_row_keeps_its_facts_in_their_order(facts: list[tuple[int, LogFact]]) -> None:
    assert read_facts(write_facts(facts)) == facts


def test_a_row_tells_how_many_fields_a_kind_has() -> None:
    text = write_facts([(7, BotJoined("friday", "ann", 5)), (8, BotJoined("friday", "ben", 6))])
    assert json.loads(text) == {
        "fields": {"bot_joined": 4},
        "facts": [[7, "bot_joined", "friday", "ann", 5, None], [8, "bot_joined", "friday", "ben", 6, None]],
    }


@pytest.mark.parametrize("named", [True, False])
def test_a_field_that_a_fact_got_later_has_its_default_in_an_older_row(named: bool) -> None:
    """`named`: the first format of rows, with names of fields."""
    config = TournamentConfig(name="Friday", game="tictactoe")
    row = json.loads(write_facts([(1, TournamentCreated("friday", config, 5, "ann"))]))
    names = FIELDS["tournament_created"][:-1]
    row["fields"]["tournament_created"] = names if named else len(names)
    assert row["facts"][0].pop() == "ann"
    assert read_facts(json.dumps(row)) == [(1, TournamentCreated("friday", config, 5))]


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_a_move_that_says_nothing_else_takes_few_bytes(separators: tuple[str, str]) -> None:
    """A row of a ply took 377 bytes in the first format."""
    match, turn_id = "friday.1.1.1.1", "1.234"
    frame = json.dumps({"type": "move", "match": match, "turn_id": turn_id, "move": "e2e4"}, separators=separators)
    made = MoveMade(match, 1, 3, 1, turn_id, "e2e4", 9_000, frame, 1795494656334, 0, "1.235", 0, (9_000, 9_000), 1)
    text = write_facts([(7, made)])
    assert len(text) < 150
    assert read_facts(text) == [(7, made)]
    for other in (frame.upper(), f"{frame} ", frame.replace("e2e4", "e7e5")):
        said = replace(made, frame=other)
        assert read_facts(write_facts([(7, said)])) == [(7, said)]


def test_fields_stay_where_they_are_and_new_ones_come_last() -> None:
    """The place of a value in a row is all that tells its field."""
    assert {kind: " ".join(names[: FIRST[kind].count(" ") + 1]) for kind, names in FIELDS.items()} == FIRST


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"fields": {}}',
        '{"fields": {}, "facts": [[7, "bot_joined", "friday", "ann", 5]]}',
        '{"fields": {"bot_joined": ["tournament", "bot"]}, "facts": [[7, "bot_joined", "friday", "ann", 5]]}',
        '{"fields": {"bot_joined": ["tournament", "bot"]}, "facts": [[7, "bot_joined", "friday", "ann"]]}',
        '{"fields": {"bot_joined": ["tournament", "bot", "at_ms"]}, "facts": [[7, "bot_joined", "a", "b", "x"]]}',
        '{"fields": {"bot_joined": 9}, "facts": [[7, "bot_joined", "friday", "ann", 5]]}',
        '{"fields": {"bot_joined": -1}, "facts": [[7, "bot_joined", "friday", "ann"]]}',
        '{"fields": {"dance": []}, "facts": [[7, "dance"]]}',
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


def test_a_row_of_before_there_were_house_bots_is_read() -> None:
    row = {
        "fields": {"bot_joined": ["tournament", "bot", "at_ms"]},
        "facts": [[7, "bot_joined", "friday", "ann", 5]],
    }
    assert read_facts(json.dumps(row)) == [(7, BotJoined("friday", "ann", 5))]


@given(any_record)
def test_a_record_comes_back_as_it_was(record: EndedTournament) -> None:
    assert read_ended(write_ended(record)) == record


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"id": "friday"}'])
def test_a_damaged_record_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        read_ended(text)


def test_the_names_of_facts_in_the_log_stay() -> None:
    assert sorted(_KINDS) == [
        *("administrator_set", "ban_lifted", "banned", "bot_absent", "bot_benched", "bot_joined", "bot_left"),
        *("club_changed", "club_created", "club_removed", "frame_seen", "frame_shared"),
        *(
            "half_bye_given",
            "half_bye_taken",
            "host_token_removed",
            "host_token_set",
            "invite_changed",
            "match_over",
            "match_started",
            "move_made",
        ),
        *("move_refused", "name_reset", "name_used", "result_voided", "round_paired", "seat_away", "seat_back"),
        *("start_told", "tournament_created", "tournament_ended", "tournament_paused", "tournament_resumed"),
        *("tournament_started", "turn_asked"),
    ]
