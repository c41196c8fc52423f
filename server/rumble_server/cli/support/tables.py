"""Standings and crosstables as tables, for a terminal or a pipe."""

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text
from rumble_protocol.feed_messages import Standing

from rumble_server.cli.support.terminal import plain

if TYPE_CHECKING:
    from rumble_server.results.ratings import Ratings
    from rumble_server.tournament.tournament import Tournament

MARKS = {1.0: "1", 0.5: "=", 0.0: "0"}
"""How a crosstable writes a score."""
RECORD = ("points", "played", "won", "drawn", "lost")


def _table(title: str, *columns: str) -> Table:
    plain = not sys.stdout.isatty()
    table = Table(title=title, title_justify="left", box=box.ASCII2 if plain else box.ROUNDED)
    table.add_column("#", justify="right")
    table.add_column("bot")
    for column in columns:
        table.add_column(column, justify="right")
    return table


def points_text(points: float) -> str:
    """Write points as people do: `5`, `5.5`."""
    return f"{points:g}"


def title_of(tournament: "Tournament") -> str:
    """Return the name of a tournament and how far it has come."""
    total, played = tournament.matches_total, len(tournament.results)
    return f"{tournament.config.name}: {tournament.status}, {played} of {total or '?'} matches"


def standings_table(tournament: "Tournament") -> Table:
    """Draw the live standings: rank, name, points and record."""
    lines = tournament.table.standings()
    byes = _byes(lines)
    table = _table(title_of(tournament), *RECORD, *byes)
    for standing in lines:
        table.add_row(str(standing.rank), standing.name, *_record(standing, byes))
    return table


def _byes(lines: Sequence[Standing]) -> tuple[str, ...]:
    """Return the column of byes, where a bot has one: its points are more than its matches tell."""
    return ("byes",) if any(line.byes for line in lines) else ()


def _record(line: Standing, byes: Sequence[str]) -> tuple[str, ...]:
    counts = [line.played, line.wins, line.draws, line.losses, *([line.byes] if byes else [])]
    return points_text(line.points), *map(str, counts)


def told_table(lines: Sequence[Mapping[str, Any]], title: str | None = None) -> Table:
    """Draw standings as the API has them, with their tie-breaks and ratings."""
    lines = plain(list(lines))
    table = Table(title=None if title is None else Text(plain(title)), title_justify="left", box=None, pad_edge=False)
    tiebreaks = list(lines[0].get("tiebreaks", ())) if lines else []
    rated = any(line.get("rating") is not None for line in lines)
    counts = ("played", "wins", "draws", "losses", *(["byes"] if any(line.get("byes") for line in lines) else []))
    columns = ("#", "name", "points", *(["rating"] if rated else []), *counts)
    for column in (*columns, *(name.upper() for name in tiebreaks), "decided by"):
        table.add_column(column, justify="left" if column in ("name", "decided by") else "right")
    for line in lines:
        values = [line["tiebreaks"][name] for name in tiebreaks]
        table.add_row(
            str(line["rank"]),
            Text(line["name"]),
            points_text(line["points"]),
            *([rating_text(line)] if rated else []),
            *(str(line.get(count, 0)) for count in counts),
            *("-" if value is None else f"{value:.4g}" for value in values),
            str(line.get("decided_by", "")).upper(),
        )
    return table


def audit_table(told: Mapping[str, Any]) -> Table:
    """Draw what each bot had, as the API's audit has it."""
    table = Table(box=None, pad_edge=False)
    table.add_column("name")
    for column in ("matches", "first", "second", "longest wait ms", "excused ms", "drops"):
        table.add_column(column, justify="right")
    for name, bot in told["bots"].items():
        counts = (bot["matches"], *bot["seats"], bot["longest_wait_ms"], bot["excused_ms"], bot["drops"])
        table.add_row(Text(name), *map(str, counts))
    return table


def rating_text(line: Mapping[str, Any]) -> str:
    """Write a rating with half its interval, `+120 ± 35`; a dash if there is none."""
    rating, interval = line.get("rating"), line.get("interval")
    if rating is None:
        return "-"
    return f"{round(rating):+d}" if interval is None else f"{round(rating):+d} ± {(interval[1] - interval[0]) / 2:.0f}"


def crosstable(tournament: "Tournament") -> Table:
    """Draw the crosstable by rank. A cell has the row's score of each match against the column, first match first."""
    standings = tournament.table.standings()
    table = _table(f"{tournament.config.name}: {tournament.status} after {len(tournament.results)} matches")
    for standing in standings:
        table.add_column(_short(standing, standings), justify="center")
    table.add_column("points", justify="right")
    table.add_column("won-drawn-lost", justify="center")
    byes = _byes(standings)
    for column_of_byes in byes:
        table.add_column(column_of_byes, justify="right")
    for row in standings:
        cells = ["*" if row is column else _cell(tournament, row.name, column.name) for column in standings]
        record = (f"{row.wins}-{row.draws}-{row.losses}", *([str(row.byes)] if byes else []))
        table.add_row(str(row.rank), row.name, *cells, points_text(row.points), *record)
    return table


def _cell(tournament: "Tournament", bot: str, opponent: str) -> str:
    scores = tournament.table.cells.get((bot, opponent), {})
    return "".join(MARKS.get(score, f"{score:g}") for _, score in sorted(scores.items()))


def _short(standing: "Standing", standings: "list[Standing]") -> str:
    return standing.name[:3] if len(standings) <= 12 else str(standings.index(standing) + 1)


def ranked_table(title: str, tiebreaks: Sequence[str], lines: Sequence[Standing]) -> Table:
    """Draw standings with their tie-breaks, and what decided each rank."""
    byes = _byes(lines)
    table = _table(title, *RECORD, *byes, *(name.upper() for name in tiebreaks))
    table.add_column("decided by")
    for line in lines:
        values = ("-" if value is None else points_text(value) for value in line.tiebreaks.values())
        table.add_row(str(line.rank), line.name, *_record(line, byes), *values, line.decided_by.upper())
    return table


def ratings_table(title: str, rated: "Ratings") -> Table:
    """Draw ratings with their 95% intervals, and the probability that each bot is stronger than the next."""
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
