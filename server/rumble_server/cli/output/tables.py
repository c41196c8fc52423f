"""Standings and crosstables as tables, for a terminal or a pipe."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text
from rumble_engine.outcome import places_of
from rumble_protocol.feed_messages import Standing

from rumble_server.cli.output.terminal import plain
from rumble_server.results.tables.standings import TABLE_TIEBREAKS
from rumble_server.results.tiebreaks import TIEBREAKS

if TYPE_CHECKING:
    from rumble_server.results.ratings import Ratings
    from rumble_server.tournament.tournament import Tournament

Lines = Sequence[Mapping[str, Any]]
"""Standings or bots of a tournament, as the API's JSON."""
MARKS = {1.0: "1", 0.5: "=", 0.0: "0"}
"""The sign that a crosstable shows for a match, by the bot's score."""
UNBOUNDED = 1000
"""Console width in columns for measuring or printing a table at its full width."""
COUNTS = ("played", "wins", "draws", "losses")
RECORD = ("played", "won", "drawn", "lost")
TABLE_RECORD = ("played", "first", "first, shared", "behind")


def _table(title: str) -> Table:
    table = Table(title=title, title_justify="left", box=box.ROUNDED if sys.stdout.isatty() else box.ASCII2)
    table.add_column("#", justify="right")
    table.add_column("bot", no_wrap=True)  # in a narrow terminal, other columns shrink
    return table


def _filled(
    table: Table,
    lines: Lines,
    record: Sequence[str],
    remarks: Mapping[str, str],
    tiebreaks: Sequence[str] | None,
    value_text: Callable[[float], str],
) -> Table:
    """Add standings, given as the API's JSON, to a table with columns for rank and name. Return the table.

    `record` has the headings for `COUNTS`. If `tiebreaks` is None, leave out the tie-breaks, and the tie-break that
    decided each rank.
    """
    rated = any(line.get("rating") is not None for line in lines)
    byes = any(line.get("byes") or line.get("half_byes") for line in lines)
    names, decided = tiebreaks or (), tiebreaks is not None
    for column in ("points", *["rating"] * rated, *record, *["byes"] * byes, *map(str.upper, names)):
        table.add_column(column, justify="right")
    for column in (*["decided by"] * decided, *["faults"] * bool(remarks)):
        table.add_column(column)
    for line in lines:
        values = [line["tiebreaks"][name] for name in names]
        table.add_row(
            str(line["rank"]),
            Text(line["name"]),
            points_text(line["points"]),
            *[rating_text(line)] * rated,
            *(str(line.get(count, 0)) for count in COUNTS),
            *[byes_text(line.get("byes", 0), line.get("half_byes", 0))] * byes,
            *("-" if value is None else value_text(value) for value in values),
            *[str(line.get("decided_by", "")).upper()] * decided,
            *[remarks.get(line["name"], "")] * bool(remarks),
        )
    return table


def points_text(points: float) -> str:
    """Write points as people do: `5`, `5.5`, `1234567`."""
    return f"{round(points, 5):.15g}"


def result_text(scores: Sequence[float] | None) -> str:
    """Write the scores of two seats as `1 : 0`, the places of more seats as `placed 1, 3, 2`, and None as `void`."""
    if scores is None:
        return "void"
    if len(scores) > 2:
        return f"placed {', '.join(map(str, places_of([-score for score in scores])))}"
    return " : ".join(map(points_text, scores))


def title_of(tournament: "Tournament") -> str:
    """Return the name of a tournament, its status, and the number of matches played so far."""
    total, played = tournament.matches_total, len(tournament.results)
    return f"{tournament.config.name}: {tournament.status}, {played} of {total or '?'} matches"


def standings_table(tournament: "Tournament") -> Table:
    """Draw the live standings: rank, name, points and record."""
    record = RECORD if tournament.config.match_seats == 2 else TABLE_RECORD
    lines, entrants = standings_of(tournament)
    return _filled(_table(title_of(tournament)), lines, record, remarks_on(lines, entrants), None, points_text)


def standings_of(tournament: "Tournament") -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the standings and the bots of a tournament as the API's JSON. The bots have only shown fields."""
    field = tournament.field.values()
    entrants = [{"name": each.bot, "benched": each.benched, "withdrawn": each.withdrawn} for each in field]
    return [line.model_dump() for line in tournament.standings.lines()], entrants


def byes_text(byes: int, half_byes: int) -> str:
    """Write the number of a bot's byes; a half-point bye counts 0.5."""
    return points_text(byes + half_byes / 2)


def tiebreaks_for(seats: int) -> Mapping[str, str]:
    """Return the descriptions of tie-breaks by name, for a tournament whose matches have `seats` seats."""
    return TABLE_TIEBREAKS | TIEBREAKS if seats == 2 else TABLE_TIEBREAKS


def api_standings_table(
    lines: Lines, title: str | None = None, entrants: Lines = (), seats: int = 2, *, brief: bool = False
) -> Table:
    """Draw standings given as the API's JSON, with each bot's faults, and whether the bot is benched or withdrew.

    `seats` is the number of seats of a full match. With `brief`, leave out tie-breaks and intervals, and show only the
    number of faults.
    """
    lines = plain(list(lines))
    remarks = remarks_on(lines, plain(list(entrants)), brief=brief)
    table = Table("#", "name", title=None if title is None else Text(plain(title)), box=None, pad_edge=False)
    table.title_justify, table.columns[0].justify = "left", "right"
    record = COUNTS if seats == 2 else TABLE_RECORD
    if brief:
        return _filled(table, [{**line, "interval": None} for line in lines], record, remarks, None, points_text)
    tiebreaks = list(lines[0].get("tiebreaks", ())) if lines else []
    return _filled(table, lines, record, remarks, tiebreaks, "{:.4g}".format)


def tiebreak_legend(table: Table, known: Mapping[str, str] = TIEBREAKS) -> list[str]:
    """Return a list with a line that explains the tie-break columns; an empty list if the table has no such columns."""
    names = [str(column.header) for column in table.columns if str(column.header).isupper()]
    legend = ", ".join(f"{name} {known.get(name.lower(), name)}" for name in names)
    return [f"Equal points are told apart by: {legend}"] if legend else []


def fitting_table(
    console: Console, lines: Lines, title: str | None = None, entrants: Lines = (), seats: int = 2, beside: int = 0
) -> Table | None:
    """Draw full standings, or brief ones if they would be too wide. Return None if both are too wide.

    The standings must leave `beside` columns of the terminal free.
    """
    for brief in (False, True):
        table = api_standings_table(lines, title, entrants, seats, brief=brief)
        width = Measurement.get(console, console.options.update(max_width=UNBOUNDED), table).maximum
        if width + beside <= console.width:
            return table
    return None


def standings_for(console: Console, lines: Lines, *about: Any) -> Table:
    """Draw full standings if they fit a console, and otherwise brief standings.

    The other positional arguments are passed on to `api_standings_table`.
    """
    return fitting_table(console, lines, *about) or api_standings_table(lines, *about, brief=True)


def print_standings(console: Console, lines: Lines, title: str, entrants: Lines, seats: int) -> None:
    """Print standings as `standings_for` draws them, and a line that explains the tie-breaks."""
    table = standings_for(console, lines, title, entrants, seats)
    console.print(table, *tiebreak_legend(table, tiebreaks_for(seats)), sep="\n")


def remarks_on(lines: Lines, entrants: Lines = (), *, brief: bool = False) -> dict[str, str]:
    """Return the remark on each bot that lost by its own fault, is benched or withdrew, keyed by the bot's name."""
    found = {line["name"]: [fault_text(line.get("faults", {}), brief)] for line in lines}
    for entrant in entrants:
        status = "benched" if entrant["benched"] else "withdrew" if entrant["withdrawn"] else ""
        found.setdefault(entrant["name"], []).append(status)
    return {name: "; ".join(filter(None, texts)) for name, texts in found.items() if any(texts)}


def void_text(void: Mapping[str, int]) -> list[str]:
    """Return a list with a line that shows each match's number of void attempts; an empty list if `void` is empty."""
    counts = ", ".join(f"{match} {count}" for match, count in void.items())
    return [f"void attempts: {counts}"] if counts else []


def fault_text(faults: Mapping[str, int], brief: bool = False) -> str:
    """Write the number of losses by each fault, as `2 timeout, 1 illegal move`. With `brief`, write the sum, as `3`."""
    if brief:
        return str(sum(faults.values()) or "")
    return ", ".join(f"{count} {fault.replace('_', ' ')}" for fault, count in faults.items())


def audit_table(audit: Mapping[str, Any]) -> Table:
    """Draw an audit given as the API's JSON: each bot's matches, seats, longest wait, excused time and drops."""
    table = Table(box=None, pad_edge=False)
    table.add_column("name")
    seats = max((len(bot["seats"]) for bot in audit["bots"].values()), default=2)
    columns = ("first", "second") if seats == 2 else [f"seat {seat}" for seat in range(seats)]
    for column in ("matches", *columns, "longest wait ms", "excused ms", "drops"):
        table.add_column(column, justify="right")
    for name, bot in audit["bots"].items():
        counts = (bot["matches"], *bot["seats"], bot["longest_wait_ms"], bot["excused_ms"], bot["drops"])
        table.add_row(Text(name), *map(str, counts))
    return table


def rating_text(line: Mapping[str, Any]) -> str:
    """Write a rating with half the width of its interval, `+120 ± 35`; a dash for a bot without a rating."""
    rating, interval = line.get("rating"), line.get("interval")
    if rating is None:
        return "-"
    return f"{round(rating):+d}" if interval is None else f"{round(rating):+d} ± {(interval[1] - interval[0]) / 2:.0f}"


def crosstable(tournament: "Tournament") -> Table:
    """Draw the crosstable, with the bots ordered by rank.

    A cell has a sign for each match between the bots of its row and its column. The sign shows the score of the row's
    bot.
    """
    (lines, entrants), scores = standings_of(tournament), _scores(tournament)
    remarks = remarks_on(lines, entrants)
    byes = any(line["byes"] or line["half_byes"] for line in lines)
    table = _table(f"{tournament.config.name}: {tournament.status} after {len(tournament.results)} matches")
    for place, line in enumerate(lines, 1):
        table.add_column(line["name"][:3] if len(lines) <= 12 else str(place), justify="center")
    table.add_column("points", justify="right")
    table.add_column("won drawn lost", justify="center")
    if byes:
        table.add_column("byes", justify="right")
    if remarks:
        table.add_column("faults")
    for row in lines:
        table.add_row(
            str(row["rank"]),
            row["name"],
            *("*" if row is column else _cell(scores.get((row["name"], column["name"]), {})) for column in lines),
            points_text(row["points"]),
            f"{row['wins']}-{row['draws']}-{row['losses']}",
            *[byes_text(row["byes"], row["half_byes"])] * byes,
            *[remarks.get(row["name"], "")] * bool(remarks),
        )
    return table


def _scores(tournament: "Tournament") -> dict[tuple[str, str], dict[str, float]]:
    """Return each bot's scores against each opponent: keyed by the pair (bot, opponent), and then by match id."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for match_id, over in tournament.results.items():
        first, second = over.seats
        for pair, score in zip(((first, second), (second, first)), over.scores or (), strict=True):
            found.setdefault(pair, {})[match_id] = score
    return found


def _cell(scores: dict[str, float]) -> str:
    return "".join(MARKS.get(score, f"{score:g}") for _, score in sorted(scores.items()))


def ranked_table(
    title: str, tiebreaks: Sequence[str], lines: Sequence[Standing], record: Sequence[str] = RECORD
) -> Table:
    """Draw standings with their tie-breaks, and the tie-break that decided each rank."""
    return _filled(_table(title), [line.model_dump() for line in lines], record, {}, tiebreaks, points_text)


def ratings_table(title: str, rated: "Ratings") -> Table:
    """Draw ratings with their 95% intervals, and the probability that each bot is stronger than the bot below."""
    table = _table(title)
    for column in ("rating", "95% interval", "matches", "above the next"):
        table.add_column(column, justify="right")
    for place, line in enumerate(rated.lines):
        following = rated.lines[place + 1] if place + 1 < len(rated.lines) else None
        chance = None if following is None else rated.superiority(line.name, following.name)
        table.add_row(
            str(place + 1),
            line.name,
            "-" if line.rating is None else f"{round(line.rating):+d}",
            "-" if line.interval is None else f"{line.interval[0]:+.0f} to {line.interval[1]:+.0f}",
            str(line.matches),
            "" if chance is None else f"{chance:.1%}",
        )
    return table
