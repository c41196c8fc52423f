from typing import Any

import pytest
from rumble_protocol.feed_messages import Standing
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import BotJoined, TournamentCreated
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.feed.headline import headline, headline_of


def line(name: str, rank: int, points: float, played: int = 4, decided_by: str = "") -> Standing:
    return Standing(
        rank=rank,
        name=name,
        points=points,
        played=played,
        wins=0,
        draws=0,
        losses=0,
        tiebreaks={},
        decided_by=decided_by,
        faults={},
    )


def of(status: Any, *standings: Standing, **config: Any) -> str:
    made = TournamentConfig(**{"name": "Friday", "game": "tictactoe", **config})
    tournament = Tournament(TournamentCreated("friday", made, 0))
    for each in standings:
        tournament.apply(BotJoined("friday", each.name, 0))
    tournament.status = status
    return headline(tournament, standings)


ANN, BOB, CEY, DAN = "ann", "bob", "cey", "dan"


@pytest.mark.parametrize(
    ("expected", "status", "standings"),
    [
        ("0 bots are in. The host starts it.", "lobby", []),
        ("1 bot is in. The host starts it.", "lobby", [line(ANN, 1, 0, 0)]),
        ("No match is over yet.", "running", [line(ANN, 1, 0, 0), line(BOB, 1, 0, 0)]),
        ("It ended without a result.", "finished", [line(ANN, 1, 0, 0), line(BOB, 1, 0, 0)]),
        ("Cancelled: it has no winner.", "cancelled", [line(ANN, 1, 3), line(BOB, 2, 1)]),
        ("ann leads with 3½ points from 4 matches; bob follows with 2.", "running",
         [line(ANN, 1, 3.5), line(BOB, 2, 2)]),
        ("ann leads with 1 point from 1 match; bob and cey follow with 0.", "paused",
         [line(ANN, 1, 1, 1), line(BOB, 2, 0), line(CEY, 2, 0)]),
        ("ann wins with 3 points from 4 matches; bob came second with ½.", "finished",
         [line(ANN, 1, 3), line(BOB, 2, 0.5)]),
        ("ann leads with 3 points from 4 matches, before bob by Sonneborn-Berger.", "running",
         [line(ANN, 1, 3, decided_by="sb"), line(BOB, 2, 3, decided_by="sb")]),
        ("ann, bob and cey share the lead with 2 points.", "running", [line(name, 1, 2) for name in (ANN, BOB, CEY)]),
        ("ann and bob share first place with 2 points.", "finished",
         [line(ANN, 1, 2), line(BOB, 1, 2), line(CEY, 3, 1)]),
        ("4 bots share the lead with ½ point.", "running", [line(name, 1, 0.5) for name in (ANN, BOB, CEY, DAN)]),
    ],
)  # fmt: skip
def test_the_headline_names_the_leader_or_the_winner(expected: str, status: str, standings: list[Standing]) -> None:
    assert of(status, *standings) == expected


def test_at_tables_a_tie_break_is_told_by_its_name_for_tables() -> None:
    lines = [line(ANN, 1, 3, decided_by="won"), line(BOB, 2, 3, decided_by="won")]
    for counts_places, by in ((True, "first places alone"), (False, "wins over the board")):
        text = headline_of("finished", "swiss", lines, (), counts_places=counts_places)
        assert text == f"ann wins with 3 points from 4 matches, before bob by {by}."


def test_byes_among_the_points_are_named() -> None:
    ann = line(ANN, 1, 3).model_copy(update={"byes": 1})
    assert of("finished", ann, line(BOB, 2, 1)).startswith("ann wins with 3 points from 4 matches and 1 bye;")


def test_the_lead_of_a_bot_that_has_played_more_says_so_in_a_running_tournament() -> None:
    text = of("running", line(ANN, 1, 31, played=31), line(BOB, 2, 0, played=0))
    assert text.endswith("bob follows with 0. Not level yet: who has played least has played 0.")
    assert "level" not in of("running", line(ANN, 1, 31, played=31), line(BOB, 2, 9, played=20))


def test_a_lobby_says_what_it_waits_for() -> None:
    assert of("lobby", line(ANN, 1, 0, 0), start_at_bots=4) == "Waiting for bots: 1 of 4 are in."
    waits = of("lobby", line(ANN, 1, 0, 0), start_at_ms=1_700_000_000_000)
    assert waits == "1 bot is in. It starts at 2023-11-14 22:13 UTC."


def test_the_headline_of_a_knockout_names_the_bots_still_in() -> None:
    lines = [line(ANN, 1, 2), line(BOB, 1, 2), line(CEY, 3, 0)]
    assert of("running", *lines, format="knockout") == "ann and bob are still in it."
    lines = [line(ANN, 1, 2), line(BOB, 2, 2), line(CEY, 3, 0)]
    assert of("finished", *lines, format="knockout") == "ann wins the knockout."
