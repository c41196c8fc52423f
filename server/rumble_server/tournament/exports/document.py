"""A tournament as a JSON document: the content of `export.json`, and the input of all other exports."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from rumble_engine.outcome import scores_of
from rumble_protocol.fields import MoveInfo

from rumble_server.match.facts import MatchOver
from rumble_server.results.table_result import table_result_of
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.pairs.dutch.event import baku
from rumble_server.tournament.tournament import Tournament


def export(tournament: Tournament, first: int = 0, until: int | None = None) -> dict[str, Any]:
    """Return the export document: the tournament, its standings, the valid attempt at each match, and void attempts.

    Matches are in the order in which they ended. `first` and `until` select a part of the matches, as in a slice. The
    document of a Swiss also has `byes`: for each bot, the number of matches that count as won without an opponent.
    """
    document = {
        "tournament": summary(tournament),
        "standings": [standing.model_dump(exclude_unset=True) for standing in tournament.standings.lines()],
        "matches": [
            match_json(over, of_tables=tournament.config.counts_places)
            for over in islice(tournament.results.values(), first, until)
        ],
        "voided": [match_json(over) for over in tournament.voided],
    }
    if FORMATS[tournament.config.format].pairs_by_points:
        counts = tournament.standings.tally.bots
        document["byes"] = {name: count.byes for name, count in counts.items() if count.byes}
    return document


def summary(tournament: Tournament) -> dict[str, Any]:
    """Return the description and the progress of a tournament, as the part `tournament` of the document."""
    config, agenda = tournament.config, tournament.agenda
    return {
        "id": tournament.id,
        "name": config.name,
        "status": tournament.status,
        "reason": tournament.reason,
        "game": config.game,
        "settings": config.settings,
        "format": config.format,
        "cycles": config.cycles,
        "legs": config.legs,
        "time_control": config.time_control.model_dump(),
        "seed": config.seed,
        "rated": config.rated,
        "seats": config.match_seats,
        **({"table_points": config.points} if config.counts_places else {"scheme": list(config.scheme)}),
        "tiebreak_order": list(config.tiebreak_order),
        "tiebreak_rules": config.tiebreak_rules,
        "names": list(tournament.field),
        "pairing_order": [] if agenda is None else list(agenda.bots),
        "seed_ratings": {name: rating for name in tournament.field if (rating := config.seed_rating(name)) is not None},
        "matches_total": tournament.matches_total,
        "matches_over": len(tournament.results),
        "created_at_ms": tournament.created_at_ms,
        "started_at_ms": tournament.started_at_ms,
        "ended_at_ms": tournament.ended_at_ms,
        **(_swiss(tournament) if config.is_swiss_of_pairs else {}),
    }


def _swiss(tournament: Tournament) -> dict[str, Any]:
    """Return the data that are needed, besides the results, to pair a Swiss.

    `virtual_points` are in units of the points for a win.
    """
    config, agenda = tournament.config, tournament.agenda
    data: dict[str, Any] = {
        "pairing_rules": config.pairing_rules,
        "acceleration": config.acceleration,
        "number_of_rounds": config.rounds if agenda is None else agenda.schedule.number_of_rounds,
        "half_byes": {str(number): list(names) for number, names in tournament.half_byes.items()},
        "withdrawn": [entrant.bot for entrant in tournament.field.values() if entrant.withdrawn],
        "virtual_points": [],
        "voided_later": list(tournament.voided_later),
        "rounds_paired": [],
    }
    if agenda is not None:
        names, schedule = agenda.bots, agenda.schedule
        if config.acceleration == "baku":
            virtual = baku(len(names), schedule.number_of_rounds, 2, 1)
            data["virtual_points"] = [[points / 2 for points in own] for own in virtual]
        data["rounds_paired"] = [
            {
                "round": number,
                "pairs": [[names[pairing.first], names[pairing.second]] for pairing in paired.pairings],
                "byes": [names[bot] for bot in paired.byes],
                "half_byes": [names[bot] for bot in paired.half_byes],
            }
            for number, paired in enumerate(schedule.rounds_added, 1)
        ]
    return data


def _of_table(over: MatchOver) -> dict[str, Any]:
    """Return the fields of a table's result. Absent bots get further seats, and the last places."""
    result, placed = table_result_of(over), over.placement
    falls = [(seat, len(over.moves), None) for seat in over.at_fault] if placed is None else placed.falls
    plies = {seat: ply for seat, ply, _ in falls}
    return {
        "seats": list(result.seats),
        "scores": list(scores_of(result.places)),
        "places": list(result.places),
        "payoffs": None if result.payoffs is None else list(result.payoffs),
        "falls": [{"seat": seat, "ply": plies.get(seat, 0), "termination": str(kind)} for seat, kind in result.falls],
    }


def match_json(over: MatchOver, infos: Sequence[MoveInfo | None] = (), *, of_tables: bool = False) -> dict[str, Any]:
    """Return a finished attempt at a match as JSON. `infos` are the bots' thoughts by ply; if there are none, the field
    `infos` is left out. In a tournament of tables (`of_tables`), a plain match of two has places, too.
    """
    match = {
        "id": over.match,
        "attempt": over.attempt,
        "seats": list(over.seats),
        "scores": None if over.scores is None else list(over.scores),
        "termination": str(over.termination),
        "reason": over.reason,
        "at_fault": list(over.at_fault),
        "moves": list(over.moves),
        "started_at_ms": over.started_at_ms,
        "ended_at_ms": over.at_ms,
    }
    placed = over.placement
    if placed is not None:
        match["places"] = None if placed.places is None else list(placed.places)
        match["payoffs"] = None if placed.payoffs is None else list(placed.payoffs)
        match["falls"] = [{"seat": seat, "ply": ply, "termination": str(kind)} for seat, ply, kind in placed.falls]
    if over.scores is not None and (over.absent or (of_tables and placed is None)):
        match |= _of_table(over)
    if any(infos):
        match["infos"] = [None if info is None else info.model_dump(exclude_none=True) for info in infos]
    return match
