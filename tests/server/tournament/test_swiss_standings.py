"""Standings of live Swiss tournaments, with byes, withdrawals and missed matches, against their exports."""

import json
from random import Random
from typing import Any

import pytest
from rumble_protocol.feed_messages import Standing
from rumble_server.cli.commands.standings import given_edition, given_names, ranked
from rumble_server.results.editions import EDITIONS, Edition
from rumble_server.results.results_file import read_results
from rumble_server.tournament.exports import trf
from rumble_server.tournament.exports.document import export
from rumble_server.tournament.tournament import Tournament

from tests.needs import long_or
from tests.server.tournament.leader import Leader
from tests.server.tournament.swiss_play import play_swiss

TIEBREAKS = ["de", "bh-c1", "bh", "sb", "ps", "won", "bpg", "bwg"]


def swiss(seed: int, edition: Edition, legs: int, **more: Any) -> Leader:
    """Play a Swiss, some rounds or all."""
    random = Random(seed)
    names = [f"bot-{number}" for number in range(random.randint(5, 14))]
    rounds = random.randint(3, 7)
    config = {"format": "swiss", "legs": legs, "rounds": rounds, "tiebreaks": TIEBREAKS, "tiebreak_rules": edition}
    config |= more
    leader = Leader.started(*names, **config)
    play_swiss(leader, random, random.randint(2, rounds), hazards=True)
    return leader


def told(lines: list[Standing]) -> dict[str, tuple[int, float, dict[str, float | None]]]:
    return {line.name: (line.rank, line.points, line.tiebreaks) for line in lines}


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_trf_of_one_leg_has_the_same_standings(edition: Edition) -> None:
    unplayed, seeds = 0, long_or(6, 25)
    for seed in range(seeds):
        tournament = swiss(seed, edition, 1).tournament
        file = read_results(trf.write(export(tournament)))
        event = file.event
        assert event is not None
        assert given_edition(None, file) == edition
        assert told(ranked(file, TIEBREAKS, given_edition(None, file))) == told(tournament.standings.lines()), seed
        unplayed += sum(entry.code in "UHZ+-" for player in event.players for entry in player.entries)
    assert unplayed > 4 * seeds


def again(tournament: Tournament) -> list[Standing]:
    """Rank a JSON export by its contents, as `rumble standings` does."""
    file = read_results(json.dumps(export(tournament)))
    return ranked(file, given_names(None, file), given_edition(None, file))


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("legs", [1, 2, 3])
def test_a_json_export_has_the_same_standings_by_the_edition_in_it(legs: int, edition: Edition) -> None:
    half_byes, seeds = 0, long_or(5, 15)
    for seed in range(seeds):
        tournament = swiss(seed, edition, legs).tournament
        assert told(again(tournament)) == told(tournament.standings.lines()), seed
        assert export(tournament)["tournament"]["tiebreak_rules"] == edition
        half_byes += sum(line.half_byes or 0 for line in tournament.standings.lines())
    assert half_byes > long_or(0, 10)


def test_a_json_export_tells_the_ratings_that_tie_breaks_need() -> None:
    ratings = {f"bot-{number}": 100 * number for number in range(14)}  # 0 is a rating, too
    tournament = swiss(1, "2026-03", 1, tiebreaks=["aro", "tpr"], seed_ratings=ratings).tournament
    lines = tournament.standings.lines()
    assert any(line.tiebreaks["aro"] for line in lines)
    assert told(again(tournament)) == told(lines)
