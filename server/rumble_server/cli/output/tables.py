"""Standings and crosstables as tables, for a terminal or a pipe."""

import sys
from collections.abc import Mapping, Sequence
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

MARKS = {1.0: "1", 0.5: "=", 0.0: "0"}
"""The sign that a crosstable shows for a match, by the bot's score."""
UNBOUNDED = 1000
"""Console width in columns for measuring or printing a table at its full width."""
RECORD = ("points", "played", "won", "drawn", "lost")
TABLE_RECORD = ("points", "played", "first", "first, shared", "behind")


def _table(title: str, *columns: str) -> Table:
    plain = not sys.stdout.isatty()
    table = Table(title=title, title_justify="left", box=box.ASCII2 if plain else box.ROUNDED)
    table.add_column("#", justify="right")
    table.add_column("bot", no_wrap=True)  # in a narrow terminal, other columns shrink
    for column in columns:
        table.add_column(column, justify="right")
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
    lines = tournament.standings.lines()
    byes = _byes(lines)
    table = _table(title_of(tournament), *RECORD, *byes)
    remarks = _add_remarks(table, lines, tournament)
    for standing in lines:
        table.add_row(str(standing.rank), standing.name, *_record(standing, byes), *remarks[standing.name])
    return table


def _add_remarks(table: Table, lines: Sequence[Standing], tournament: "Tournament") -> dict[str, list[str]]:
    """Add a column `faults` to `table` if there is a remark on any bot.

    Return, for each bot's name, a list of the cells to add to the bot's row. If the column was added, the list has one
    cell: the bot's remark, or an empty text. Otherwise the list is empty.
    """
    entrants = [
        {"name": each.bot, "benched": each.benched, "withdrawn": each.withdrawn} for each in tournament.field.values()
    ]
    remarks = remarks_on([{"name": each.name, "faults": each.faults} for each in lines], entrants)
    if remarks:
        table.add_column("faults")
    return {each.name: [remarks.get(each.name, "")] if remarks else [] for each in lines}


def _byes(lines: Sequence[Standing]) -> tuple[str, ...]:
    """Return a tuple with the heading of the column for byes; an empty tuple if no bot has a bye.

    The column explains points that a bot got without a match.
    """
    return ("byes",) if any(line.byes or line.half_byes for line in lines) else ()


def byes_text(byes: int, half_byes: int) -> str:
    """Write the number of a bot's byes; a half-point bye counts 0.5."""
    return points_text(byes + half_byes / 2)


def _record(line: Standing, byes: Sequence[str]) -> tuple[str, ...]:
    counts = map(str, (line.played, line.wins, line.draws, line.losses))
    return points_text(line.points), *counts, *([byes_text(line.byes, line.half_byes)] if byes else [])


def tiebreaks_for(seats: int) -> Mapping[str, str]:
    """Return the descriptions of tie-breaks by name, for a tournament whose matches have `seats` seats."""
    return TABLE_TIEBREAKS | TIEBREAKS if seats == 2 else TABLE_TIEBREAKS


def api_standings_table(
    lines: Sequence[Mapping[str, Any]],
    title: str | None = None,
    entrants: Sequence[Mapping[str, Any]] = (),
    seats: int = 2,
    *,
    brief: bool = False,
) -> Table:
    """Draw standings given as the API's JSON, with each bot's faults, and whether the bot is benched or withdrew.

    `seats` is the number of seats of a full match. With `brief`, leave out tie-breaks and intervals, and show only the
    number of faults.
    """
    lines = plain(list(lines))
    remarks = remarks_on(lines, plain(list(entrants)), brief=brief)
    table = Table(title=None if title is None else Text(plain(title)), title_justify="left", box=None, pad_edge=False)
    tiebreaks = list(lines[0].get("tiebreaks", ())) if lines and not brief else []
    rated = any(line.get("rating") is not None for line in lines)
    byes = ["byes"] if any(line.get("byes") or line.get("half_byes") for line in lines) else []
    counts = ("played", "wins", "draws", "losses")
    heads = counts if seats == 2 else TABLE_RECORD[1:]
    columns = ("#", "name", "points", *(["rating"] if rated else []), *heads, *byes)
    last = (*([] if brief else ["decided by"]), *(["faults"] if remarks else []))
    for column in (*columns, *(name.upper() for name in tiebreaks), *last):
        table.add_column(column, justify="left" if column in ("name", *last) else "right")
    for line in lines:
        values = [line["tiebreaks"][name] for name in tiebreaks]
        table.add_row(
            str(line["rank"]),
            Text(line["name"]),
            points_text(line["points"]),
            *([rating_text({**line, "interval": None} if brief else line)] if rated else []),
            *(str(line.get(count, 0)) for count in counts),
            *([byes_text(line.get("byes", 0), line.get("half_byes", 0))] if byes else []),
            *("-" if value is None else f"{value:.4g}" for value in values),
            *([] if brief else [str(line.get("decided_by", "")).upper()]),
            *([remarks.get(line["name"], "")] if remarks else []),
        )
    return table


def tiebreak_legend(table: Table, known: Mapping[str, str] = TIEBREAKS) -> list[str]:
    """Return a list with a line that explains the tie-break columns; an empty list if the table has no such columns."""
    names = [str(column.header) for column in table.columns if str(column.header).isupper()]
    legend = ", ".join(f"{name} {known.get(name.lower(), name)}" for name in names)
    return [f"Equal points are told apart by: {legend}"] if legend else []


def fitting_table(
    console: Console,
    lines: Sequence[Mapping[str, Any]],
    title: str | None = None,
    entrants: Sequence[Mapping[str, Any]] = (),
    seats: int = 2,
    beside: int = 0,
) -> Table | None:
    """Draw full standings, or brief standings if full standings are too wide. Return None if both are too wide.

    The standings must leave `beside` columns of the terminal free.
    """
    for brief in (False, True):
        table = api_standings_table(lines, title, entrants, seats, brief=brief)
        if (
            Measurement.get(console, console.options.update(max_width=UNBOUNDED), table).maximum + beside
            <= console.width
        ):
            return table
    return None


def standings_for(console: Console, lines: Sequence[Mapping[str, Any]], *about: Any) -> Table:
    """Draw full standings if they fit a console, and otherwise brief standings.

    The other positional arguments are passed on to `api_standings_table`.
    """
    return fitting_table(console, lines, *about) or api_standings_table(lines, *about, brief=True)


def remarks_on(
    lines: Sequence[Mapping[str, Any]], entrants: Sequence[Mapping[str, Any]] = (), *, brief: bool = False
) -> dict[str, str]:
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
    lines = tournament.standings.lines()
    table = _table(f"{tournament.config.name}: {tournament.status} after {len(tournament.results)} matches")
    for standing in lines:
        table.add_column(_short(standing, lines), justify="center")
    table.add_column("points", justify="right")
    table.add_column("won drawn lost", justify="center")
    byes = _byes(lines)
    for column_of_byes in byes:
        table.add_column(column_of_byes, justify="right")
    remarks = _add_remarks(table, lines, tournament)
    scores = _scores(tournament)
    for row in lines:
        cells = ["*" if row is column else _cell(scores.get((row.name, column.name), {})) for column in lines]
        record = (f"{row.wins}-{row.draws}-{row.losses}", *([byes_text(row.byes, row.half_byes)] if byes else []))
        table.add_row(str(row.rank), row.name, *cells, points_text(row.points), *record, *remarks[row.name])
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


def _short(standing: "Standing", lines: "list[Standing]") -> str:
    return standing.name[:3] if len(lines) <= 12 else str(lines.index(standing) + 1)


def ranked_table(
    title: str, tiebreaks: Sequence[str], lines: Sequence[Standing], record: Sequence[str] = RECORD
) -> Table:
    """Draw standings with their tie-breaks, and the tie-break that decided each rank."""
    byes = _byes(lines)
    table = _table(title, *record, *byes, *(name.upper() for name in tiebreaks))
    table.add_column("decided by")
    for line in lines:
        values = ("-" if value is None else points_text(value) for value in line.tiebreaks.values())
        table.add_row(str(line.rank), line.name, *_record(line, byes), *values, line.decided_by.upper())
    return table


def ratings_table(title: str, rated: "Ratings") -> Table:
    """Draw ratings with their 95% intervals, and the probability that each bot is stronger than the bot below."""
    table = _table(title, "rating", "95% interval", "matches", "above the next")
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
