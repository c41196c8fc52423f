"""Facts to the text of a row and back: nothing is lost, and a damaged row is told from a good one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.store.codec import _KINDS, read_ended, read_facts, write_ended
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import BotJoined, LogFact, TournamentCreated

from tests.server.store.disk import write_facts
from tests.server.store.samples import KINDS, any_fact, any_record, facts_of

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


def test_a_row_explains_itself_and_says_each_name_once() -> None:
    text = write_facts([(7, BotJoined("friday", "ann", 5)), (8, BotJoined("friday", "ben", 6))])
    assert json.loads(text) == {
        "fields": {"bot_joined": ["tournament", "bot", "at_ms", "house"]},
        "facts": [[7, "bot_joined", "friday", "ann", 5, None], [8, "bot_joined", "friday", "ben", 6, None]],
    }


def test_a_field_that_a_fact_got_later_has_its_default_in_an_older_row() -> None:
    config = TournamentConfig(name="Friday", game="tictactoe")
    row = json.loads(write_facts([(1, TournamentCreated("friday", config, 5, "ann"))]))
    assert row["fields"]["tournament_created"].pop() == "challenger"
    assert row["facts"][0].pop() == "ann"
    assert read_facts(json.dumps(row)) == [(1, TournamentCreated("friday", config, 5))]


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
        '{"fields": {"dance": []}, "facts": [[7, "dance"]]}',
        '{"fields": {}, "facts": [[7]]}',
        '{"fields": {}, "facts": 7}',
    ],
)
def test_a_damaged_row_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        read_facts(text)


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
        *("club_changed", "club_created", "club_removed", "frame_seen", "frame_shared", "frame_taken"),
        *(
            "half_bye_given",
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
