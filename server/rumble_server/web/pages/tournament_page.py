"""The values that the page of a tournament shows (`tournament.html` and its parts). Pure."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from operator import itemgetter
from typing import Any

from rumble_engine import get_game
from rumble_protocol.feed_messages import Pair, Standing, TournamentView

from rumble_server.results.tables.points import PLACES as PLACES_COUNT
from rumble_server.results.tables.standings import TABLE_TIEBREAKS
from rumble_server.results.tiebreaks import TIEBREAKS
from rumble_server.tournament.audit import Audit
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api.exports import kinds_for
from rumble_server.web.feed.position_view import position_view
from rumble_server.web.pages.chart import scale_of
from rumble_server.web.pages.rounds import knockout_result, pairing_text, rounds_of
from rumble_server.web.pages.table_rounds import finalists, table_rounds

MOST_SLOTS = 24
"""Maximum number of boards on the page. `running_boards.js` has the same number."""
PLACES = 3
"""Number of ranks whose bots are on the podium."""
MOST_ON_PODIUM = 6
"""Maximum number of bots on the podium; with more bots there is no podium."""
MOST_BESIDE = 14
"""Maximum number of bots with which the crosstable is beside the boards."""
MOST_ABOVE = 40
"""Maximum number of bots with which the standings are above the results and ratings, and not beside them."""
MOST_LINES = 20
"""Number of lines of the standings that a narrow page shows before the reader asks for all."""
MOST_DRAWN = 5
"""Maximum number of rounds in the drawing of a bracket, counted back from the last round.

Earlier rounds are shown as lists, because the lines of a larger drawing would be unreadable.
"""


def tournament_context(tournament: Tournament, view: TournamentView, audit: Audit | None) -> dict[str, Any]:
    """Make the values for `tournament.html`; `view` is the API's model of the tournament."""
    best = sum(line.rank == 1 for line in view.standings)
    config, chosen = tournament.config, FORMATS[view.format]
    knockout = chosen.has_bracket
    known = TABLE_TIEBREAKS if config.counts_places else TIEBREAKS
    in_final = finalists(tournament)
    rated = sorted((line for line in view.standings if line.rating is not None), key=lambda line: -(line.rating or 0))
    return {
        "view": view,
        "game": get_game(view.game),
        "entrants": {entrant.name: entrant for entrant in view.entrants},
        "pairs_by_points": chosen.pairs_by_points,
        "has_winner": chosen.has_winner,
        "has_challengers": "challengers" in chosen.options,
        "reached": {line.name: knockout_result(line.rank, best, in_final) for line in view.standings}
        if knockout
        else {},
        "most_lines": MOST_LINES,
        "size": size_class(len(view.standings)),
        "crosstable": crosstable(view.pairs),
        "met_most": met_most(view.pairs),
        "columns": columns(view.standings, tournament.challengers),
        **playing_context(tournament, view),
        "finalists": in_final,
        "counts": places_text(config.points) if config.counts_places else "",
        "tiebreaks": {} if knockout else {name: known[name] for name in config.tiebreak_order},
        "tiebreak_rules": config.tiebreak_rules,
        "pairing_rules": config.pairing_rules,
        "decided": any(line.decided_by for line in view.standings),
        "faulty": any(line.faults for line in view.standings),
        "byes": any(line.byes or line.half_byes for line in view.standings),
        "podium": podium(view.standings) if view.status == "finished" and chosen.has_winner else [],
        "rated": rated,
        "scale": scale_of(rated),
        "exports": kinds_for(view.game, view.match_seats),
        "late_join": config.late_join,
        "by_code": tournament.join_code is not None and tournament.takes_entries,
        "elsewhere": sum(entrant.elsewhere for entrant in view.entrants),
        **rounds_context(tournament),
        **audit_context(tournament, audit),
    }


def playing_context(tournament: Tournament, view: TournamentView) -> dict[str, Any]:
    """Make the values for `parts/playing.html`.

    `slots` is the number of slots for boards, `start` the board for empty slots, and `seats` the number of seats.
    """
    game = get_game(view.game)
    initial = game.initial_for(view.match_seats, view.settings)
    slots = min(MOST_SLOTS, max(len(view.running), most_at_once(tournament)))
    board = position_view(game, initial, None, None)
    start = {"drawing": board.drawing, "diagram": board.diagram}
    return {"boards": view.running[:MOST_SLOTS], "slots": slots, "start": start, "seats": view.match_seats}


def most_at_once(tournament: Tournament) -> int:
    """Return the maximum number of simultaneous matches if each bot plays one match at a time.

    Before the start and after the end, return 0.
    """
    agenda = tournament.agenda
    if agenda is None or tournament.is_over:
        return 0
    tables = -(-len(tournament.field) // tournament.config.match_seats)
    if tournament.config.match_seats == 2:
        tables = len(tournament.field) // 2
    return tables if FORMATS[tournament.config.format].pairs_by_points else min(tables, len(agenda.open))


def rounds_context(tournament: Tournament) -> dict[str, Any]:
    """Make the values for `parts/rounds.html`; `rounds` is None if the format is not shown in rounds."""
    chosen = FORMATS[tournament.config.format]
    make = rounds_of if tournament.config.match_seats == 2 else table_rounds
    rounds = make(tournament) if chosen.is_in_rounds else None
    agenda = tournament.agenda
    return {
        **_which(tournament),
        "knockout": chosen.has_bracket,
        "rounds": rounds,
        "most_drawn": MOST_DRAWN,
        "pairing": pairing_text(tournament, rounds or []),
        "seeds": {} if agenda is None else {name: number + 1 for number, name in enumerate(agenda.bots)},
    }


def audit_context(tournament: Tournament, audit: Audit | None) -> dict[str, Any]:
    """Make the values for `parts/audit.html`."""
    return {**_which(tournament), "audit": audit}


def _which(tournament: Tournament) -> dict[str, Any]:
    config = tournament.config
    return {
        "tournament_id": tournament.id,
        "tournament_name": config.name,
        "of_tables": config.match_seats > 2,
        "display_names": tournament.standings.display_names,
    }


def size_class(bots: int) -> str:
    """Return the CSS classes for a field of `bots` bots. `static/tournament.js` sets the same classes."""
    return " wide" * (bots > MOST_BESIDE) + " huge" * (bots > MOST_ABOVE)


def podium(standings: Iterable[Standing]) -> list[Standing]:
    """Return the bots of the first ranks that have played; an empty list if ties make the bots too many."""
    placed = [line for line in standings if line.rank <= PLACES and line.played]
    return placed if len(placed) <= MOST_ON_PODIUM else []


def crosstable(pairs: list[Pair] | None) -> dict[tuple[str, str], tuple[float, int]] | None:
    """Return each bot's points and number of matches against each opponent; None if the field is too large."""
    if pairs is None:
        return None
    cells: dict[tuple[str, str], tuple[float, int]] = {}
    for pair in pairs:
        first, second = pair.names
        cells[first, second] = pair.scores[0], pair.played
        cells[second, first] = pair.scores[1], pair.played
    return cells


def met_most(pairs: list[Pair] | None) -> int:
    """Return the most frequent number of matches between two bots; 0 without pairs.

    A cell of the crosstable shows its number of matches only if the number is not the most frequent.
    """
    return max(Counter(pair.played for pair in pairs or []).items(), key=itemgetter(1, 0), default=(0, 0))[0]


def places_text(points: Sequence[float] | str) -> str:
    """Write the rule for points at tables. `points` is `places`, `payoffs`, or a list with the points of each place."""
    if isinstance(points, str):
        return "a point for each seat behind" if points == PLACES_COUNT else "points are payoffs"
    return f"points {', '.join(f'{value:.15g}' for value in points)} by place"


def columns(standings: Sequence[Standing], challengers: Collection[str]) -> list[tuple[int, str]]:
    """Return the bots with a column in the crosstable: each bot's position in `standings`, from 1, and its name.

    In a gauntlet, only the challengers have columns; otherwise all bots of the field have columns.
    """
    return [
        (place, line.name) for place, line in enumerate(standings, 1) if not challengers or line.name in challengers
    ]
