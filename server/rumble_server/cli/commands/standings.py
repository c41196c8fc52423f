"""`rumble standings`: rank the bots of any result file."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support.options import Json, ResultsFileName, read_points

if TYPE_CHECKING:
    from rumble_protocol.feed_messages import Standing

    from rumble_server.results.editions import Edition
    from rumble_server.results.file_contents import ResultsFile
    from rumble_server.tournament.formats import Format


def standings(
    file: ResultsFileName,
    tiebreaks: Annotated[
        str | None,
        typer.Option(
            help="Tie-breaks in order: de, won, sb, ks, bpg, bwg, bh, bh-c1, bh-m1, ps, aro, tpr, faults; empty for "
            "none. "
            "By default those of the export; de,won,sb,ks for a CSV; bh-c1,bh,de,won,sb for a TRF. "
            "For tables: won, places, de, payoff, faults; won,places,de by default."
        ),
    ] = None,
    tiebreak_rules: Annotated[
        str | None,
        typer.Option(
            metavar="2024-08|2026-03",
            help="Edition of the tie-break rules; by default that of the export, or of the day on which the event of "
            "another TRF began, or the newest.",
        ),
    ] = None,
    points: Annotated[
        str | None,
        typer.Option(
            help="Points for a win, a draw and a loss; by default those of the export; 1,0.5,0 for a CSV. "
            "A TRF tells them itself. For tables: points of the places, such as 10,6,3,0, or payoffs; by default a "
            "point for each seat behind."
        ),
    ] = None,
    json_: Json = False,
) -> None:
    """Rank the bots of a result file."""
    from rumble_server.cli.output.tables import ranked_table, tiebreak_legend
    from rumble_server.cli.output.terminal import plain_or_rich
    from rumble_server.cli.support.files import read_results_file
    from rumble_server.cli.support.table_files import counts_as_tables, print_standings
    from rumble_server.results.trf.rounds import names_of

    results = read_results_file(file)
    of_tables = counts_as_tables(results, points)
    names = given_names(tiebreaks, results, of_tables=of_tables)
    try:
        if of_tables and tiebreak_rules is not None:
            raise ValueError("editions of the tie-break rules are for matches of two seats, not for tables")
        if of_tables:
            print_standings(file, results, names, points, as_json=json_)
            return
        edition = given_edition(tiebreak_rules, results)
        lines = ranked(results, names, edition, points)
    except ValueError as error:
        raise CliError(str(error), ExitCode.USAGE) from None
    if json_:
        rows = [line.model_dump(exclude_unset=True, exclude={"faults"}) for line in lines]
        if results.event is not None:
            numbers = {name: number for number, name in names_of(results.event).items()}
            rows = [{"number": numbers[line["name"]], **line} for line in rows]
        typer.echo(json.dumps({"tiebreaks": names, "tiebreak_rules": edition, "standings": rows}))
    else:
        console = plain_or_rich()
        table = ranked_table(file, names, lines)
        console.print(table, *tiebreak_legend(table), sep="\n")
        console.print(f"tie-break rules: {edition}", soft_wrap=True)
        chosen = given_format(results)
        if chosen is not None and chosen.has_bracket:
            console.print("a knockout ranks by how far a bot came; these ranks are by points", soft_wrap=True)


def ranked(results: "ResultsFile", names: list[str], edition: "Edition", points: str | None = None) -> "list[Standing]":
    """Rank the bots of a file. Raises ValueError if the tie-breaks or the points do not fit the file."""
    from rumble_server.results.paired import rounds_from
    from rumble_server.results.tally import Scheme, Tally
    from rumble_server.results.tiebreaks import rank_tally
    from rumble_server.results.trf.rounds import rank_event

    if results.event is not None:
        if points is not None:
            raise ValueError("a TRF file tells the points itself; leave out --points")
        return rank_event(results.event, names, edition)
    scheme, tournament = given_points(points, results), results.tournament or {}
    legs = tournament.get("legs")
    matches = legs if isinstance(legs, int) and legs > 0 else 1
    rounds = None
    if results.paired is not None:
        rounds = rounds_from(results.paired, results.results, results.field, Scheme.of(scheme), matches)
        rounds.rating = given_ratings(results).get
    elif (chosen := given_format(results)) is not None and chosen.pairs_by_points:
        raise ValueError("this export of a swiss does not tell its rounds")
    tally = Tally.of(results.results, results.field, results.byes)
    for each in results.paired or ():
        for name in each.half_byes:
            tally.give_half_bye(name, matches)
    return rank_tally(tally, names, scheme, edition=edition, rounds=rounds)


def given_format(results: "ResultsFile") -> "Format | None":
    """Return the format of the tournament in an export; None for any other file, and for an unknown format."""
    from rumble_server.tournament.formats import FORMATS

    return FORMATS.get(str((results.tournament or {}).get("format")))


def given_names(text: str | None, results: "ResultsFile", *, of_tables: bool = False) -> list[str]:
    """Return the tie-breaks that `text` names. If `text` is None, return the tie-breaks that the file names.

    If the file names no tie-break, or an unknown one, return the defaults. Each format has its own default, and so have
    tables. The tie-breaks of a TRF file are not read.
    """
    from rumble_server.results.tables.standings import DEFAULT_TABLES, TABLE_TIEBREAKS
    from rumble_server.results.tiebreaks import DEFAULT, DEFAULT_SWISS, TIEBREAKS

    if text is not None:
        return [name.strip() for name in text.split(",") if name.strip()]
    chosen, event = given_format(results), results.event
    default = DEFAULT if chosen is None else chosen.default_tiebreaks
    if event is not None and not event.is_round_robin:
        default = DEFAULT_SWISS
    every, default = (TABLE_TIEBREAKS, DEFAULT_TABLES) if of_tables else (TIEBREAKS, default)
    order = (results.tournament or {}).get("tiebreak_order")
    known = isinstance(order, list) and all(isinstance(name, str) and name in every for name in order)
    return list(order) if order is not None and known else list(default)


def given_edition(text: str | None, results: "ResultsFile") -> "Edition":
    """Return the edition of the tie-break rules that `text` names. If `text` is None, return the file's edition.

    Raises ValueError for an unknown edition.
    """
    from rumble_server.results.editions import NEWEST, check_edition, edition_of, named_edition

    if text is not None:
        return check_edition(text)
    if results.event is not None:
        fields = results.event.fields
        return named_edition(fields.get("092", "")) or edition_of(fields.get("042", ""))
    tournament = results.tournament or {}
    return check_edition(str(tournament.get("tiebreak_rules", NEWEST)))


def given_points(text: str | None, results: "ResultsFile") -> tuple[float, float, float]:
    """Return the points for a win, a draw and a loss in `text`. If `text` is None, return the points in the file.

    If the file has no such points, return 1, 0.5 and 0. Raises ValueError if `text` is not three numbers.
    """
    if text is not None:
        return read_points(text)
    scheme = (results.tournament or {}).get("scheme")
    if isinstance(scheme, list) and len(scheme) == 3 and all(isinstance(value, int | float) for value in scheme):
        win, draw, loss = map(float, scheme)
        return win, draw, loss
    return 1, 0.5, 0


def given_ratings(results: "ResultsFile") -> dict[str, float]:
    """Return the bots' ratings before the event, by name; empty if the file has none."""
    rated = (results.tournament or {}).get("seed_ratings")
    ratings = rated.items() if isinstance(rated, dict) else ()
    return {name: float(rating) for name, rating in ratings if isinstance(rating, int | float)}
