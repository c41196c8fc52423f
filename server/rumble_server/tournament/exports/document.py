"""A tournament as one JSON document: what `export.json` and `rumble demo --json` give."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from rumble_protocol.fields import MoveInfo

from rumble_server.match.facts import MatchOver
from rumble_server.tournament.tournament import Tournament

Infos = Callable[[MatchOver], Sequence[MoveInfo | None]]
"""Finds what the bots thought in a match, by ply; empty where nothing is known."""


def export(
    tournament: Tournament, first: int = 0, until: int | None = None, infos: Infos = lambda over: ()
) -> dict[str, Any]:
    """Return the tournament, its standings, each match by the attempt that counts, and the void attempts.

    Of the matches, those from `first` to before `until`, in the order in which they ended. That of a Swiss has `byes`,
    by name: the matches given as won. A match in which a bot said what it thought has `infos`.
    """
    document = {
        "tournament": summary(tournament),
        "standings": [standing.model_dump(exclude_unset=True) for standing in tournament.table.standings()],
        "matches": [match_json(over, infos(over)) for over in islice(tournament.results.values(), first, until)],
        "voided": [match_json(over) for over in tournament.voided],
    }
    if tournament.config.format == "swiss":
        counts = tournament.table.tally.bots
        document["byes"] = {name: count.byes for name, count in counts.items() if count.byes}
    return document


def summary(tournament: Tournament) -> dict[str, Any]:
    """Return what the tournament is, and how far it has come."""
    config = tournament.config
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
        "scheme": list(config.scheme),
        "tiebreak_order": list(config.tiebreak_order),
        "names": list(tournament.field),
        "matches_total": tournament.matches_total,
        "matches_over": len(tournament.results),
        "created_at_ms": tournament.created_at_ms,
        "started_at_ms": tournament.started_at_ms,
        "ended_at_ms": tournament.ended_at_ms,
    }


def match_json(over: MatchOver, infos: Sequence[MoveInfo | None] = ()) -> dict[str, Any]:
    """Return one attempt at a match, which is over; `infos` by ply, if there is any."""
    told = {
        "id": over.match,
        "attempt": over.attempt,
        "seats": list(over.seats),
        "scores": None if over.scores is None else list(over.scores),
        "termination": str(over.termination),
        "reason": over.reason,
        "at_fault": list(over.at_fault),
        "moves": list(over.moves),
    }
    if any(infos):
        told["infos"] = [None if info is None else info.model_dump(exclude_none=True) for info in infos]
    return told
