"""The tournaments of a club: which are found, which are over, and which count as open."""

import pytest
from rumble_protocol.codes import ErrorCode
from rumble_server.arena.state.tournaments import Tournaments
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.facts import TournamentCreated, TournamentEnded
from rumble_server.tournament.tournament import Tournament


def created(tournament_id: str, challenger: str | None = None) -> Tournament:
    config = TournamentConfig(name=tournament_id, game="tictactoe")
    return Tournament(TournamentCreated(tournament_id, config, 0, challenger))


@pytest.fixture
def tournaments() -> Tournaments:
    made = Tournaments(["gone", "broken"])
    made.damaged.add("broken")
    made.add(created("friday"))
    return made


def test_a_tournament_in_memory_is_found(tournaments: Tournaments) -> None:
    assert tournaments.find("friday") is tournaments["friday"]
    assert not tournaments.is_only_on_disk("friday")


@pytest.mark.parametrize(
    ("tournament_id", "code"),
    [
        ("gone", ErrorCode.TOURNAMENT_CLOSED),
        ("broken", ErrorCode.TOURNAMENT_CLOSED),
        ("never", ErrorCode.UNKNOWN_TOURNAMENT),
    ],
)
def test_a_tournament_that_is_not_in_memory_is_refused(
    tournaments: Tournaments, tournament_id: str, code: ErrorCode
) -> None:
    with pytest.raises(CommandRefused) as refused:
        tournaments.find(tournament_id)
    assert refused.value.code is code
    assert tournaments.is_only_on_disk(tournament_id) is (tournament_id == "gone")


def test_a_forgotten_tournament_is_over_and_its_id_stays_taken(tournaments: Tournaments) -> None:
    tournaments.forget("friday")
    tournaments.forget("friday")
    assert (list(tournaments), tournaments.is_only_on_disk("friday")) == ([], True)
    assert "friday" in tournaments.taken_ids


def test_challenges_and_ended_tournaments_do_not_count_as_open(tournaments: Tournaments) -> None:
    ended = created("monday")
    tournaments.add(ended)
    tournaments.add(created("duel", challenger="ann"))
    assert tournaments.count_open() == 2
    ended.apply(TournamentEnded("monday", "cancelled", "no time", 1))
    assert tournaments.count_open() == 1
