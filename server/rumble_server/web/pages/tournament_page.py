"""What the page of a tournament shows. Pure."""

from collections.abc import Iterable
from typing import Any

from rumble_engine import get_game
from rumble_protocol.feed_messages import Pair, Standing, TournamentView

from rumble_server.results.tiebreaks import TIEBREAKS
from rumble_server.tournament.audit import Audit
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api.exports import ABOUT
from rumble_server.web.pages.chart import scale_of
from rumble_server.web.pages.rounds import rounds_of

MOST_BOARDS = 24
"""Maximum number of running boards on the page; the scripts have the same."""
PLACES, MOST_ON_PODIUM = 3, 6
"""The podium shows bots of the first `PLACES` ranks, unless more than `MOST_ON_PODIUM` bots share these."""
MOST_BESIDE = 14
"""Largest field whose crosstable is beside the boards; a larger one has the whole width of the page."""
IN_ROUNDS = ("swiss", "knockout")


def tournament_context(tournament: Tournament, view: TournamentView, audit: Audit | None) -> dict[str, Any]:
    """Make what `tournament.html` needs; `view` is the tournament as the API shows it."""
    rated = sorted((line for line in view.standings if line.rating is not None), key=lambda line: -(line.rating or 0))
    return {
        "view": view,
        "game": get_game(view.game),
        "entrants": {entrant.name: entrant for entrant in view.entrants},
        "shows_crosstable": view.format != "knockout",
        "wide": len(view.entrants) > MOST_BESIDE,
        "crosstable": crosstable(view.pairs),
        "challengers": tournament.challengers,
        "boards": view.running[:MOST_BOARDS],
        "tiebreaks": {name: TIEBREAKS[name] for name in tournament.config.tiebreak_order},
        "tiebreak_rules": tournament.config.edition,
        "pairing_rules": tournament.config.pairing_edition,
        "decided": any(line.decided_by for line in view.standings),
        "faulty": any(line.faults for line in view.standings),
        "byes": any(line.byes for line in view.standings),
        "podium": podium(view.standings) if view.status == "finished" and view.format != "gauntlet" else [],
        "rated": rated,
        "scale": scale_of(rated),
        "exports": ABOUT,
        "late_join": tournament.config.late_join,
        **rounds_context(tournament),
        **audit_context(tournament, audit),
    }


def rounds_context(tournament: Tournament) -> dict[str, Any]:
    """Make what `parts/rounds.html` needs; `rounds` is None where the format is not shown in rounds."""
    in_rounds = tournament.config.format in IN_ROUNDS
    rounds = rounds_of(tournament) if in_rounds else None
    return {**_which(tournament), "view_format": tournament.config.format, "rounds": rounds}


def audit_context(tournament: Tournament, audit: Audit | None) -> dict[str, Any]:
    """Make what `parts/audit.html` needs."""
    return {**_which(tournament), "audit": audit}


def _which(tournament: Tournament) -> dict[str, Any]:
    return {"tournament_id": tournament.id, "tournament_name": tournament.config.name}


def podium(standings: Iterable[Standing]) -> list[Standing]:
    """Return the bots on the podium, by rank."""
    placed = [line for line in standings if line.rank <= PLACES and line.played]
    return placed if len(placed) <= MOST_ON_PODIUM else []


def crosstable(pairs: list[Pair] | None) -> dict[tuple[str, str], tuple[float, int]] | None:
    """Return points and matches of each bot against each other one; None where the field is too large."""
    if pairs is None:
        return None
    cells: dict[tuple[str, str], tuple[float, int]] = {}
    for pair in pairs:
        first, second = pair.names
        cells[first, second] = pair.scores[0], pair.played
        cells[second, first] = pair.scores[1], pair.played
    return cells
