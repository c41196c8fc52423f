"""Standings of live Swiss tournaments, with byes, withdrawals and bots that do not come, against their exports."""

import json
from random import Random

import pytest
from rumble_protocol.feed_messages import Standing
from rumble_server.cli.standings import ranked
from rumble_server.results.editions import FIDE_EDITIONS, FideEdition
from rumble_server.results.results_file import read_results
from rumble_server.results.trf.reader import read_trf
from rumble_server.results.trf.rounds import rank_event
from rumble_server.tournament.exports import trf
from rumble_server.tournament.exports.document import export

from tests.server.tournament.leader import Leader
from tests.server.tournament.swiss_play import play_swiss

TIEBREAKS = ["de", "bh-c1", "bh", "sb", "ps", "won", "bpg", "bwg"]


def swiss(seed: int, edition: FideEdition, legs: int) -> Leader:
    """Play a Swiss of a few rounds, or all of them."""
    random = Random(seed)
    names = [f"bot-{number}" for number in range(random.randint(5, 14))]
    rounds = random.randint(3, 7)
    config = {"format": "swiss", "legs": legs, "rounds": rounds, "tiebreaks": TIEBREAKS, "tiebreak_rules": edition}
    leader = Leader.started(*names, **config)
    play_swiss(leader, random, random.randint(2, rounds), hazards=True)
    return leader


def told(lines: list[Standing]) -> dict[str, tuple[int, float, dict[str, float | None]]]:
    return {line.name: (line.rank, line.points, line.tiebreaks) for line in lines}


@pytest.mark.parametrize("edition", FIDE_EDITIONS)
def test_a_trf_of_one_leg_has_the_same_standings(edition: FideEdition) -> None:
    unplayed = 0
    for seed in range(25):
        tournament = swiss(seed, edition, 1).tournament
        event = read_trf(trf.write(export(tournament)))
        assert told(rank_event(event, TIEBREAKS, edition)) == told(tournament.table.standings()), seed
        unplayed += sum(entry.code in "UHZ+-" for player in event.players for entry in player.entries)
    assert unplayed > 100


@pytest.mark.parametrize("legs", [1, 2, 3])
def test_a_json_export_has_the_same_standings(legs: int) -> None:
    for seed in range(15):
        tournament = swiss(seed, "2026-03", legs).tournament
        file = read_results(json.dumps(export(tournament)))
        assert told(ranked(file, TIEBREAKS, "2026-03")) == told(tournament.table.standings()), seed
