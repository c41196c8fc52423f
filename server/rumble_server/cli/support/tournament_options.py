"""The options of `rumble tournament create` that are more than a number, and their readers."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from rumble_server.cli.support import completion
from rumble_server.cli.support.errors import CliError, ExitCode
from rumble_server.cli.support.options import read_points

OPENINGS = ("auto", "suite", "none")

Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="round-robin, gauntlet, knockout or swiss; round-robin by default.",
        autocompletion=completion.formats,
    ),
]
Rounds = Annotated[
    int | None, typer.Option(min=1, help="Swiss: number of rounds; by default as many as a knockout has.")
]
Challengers = Annotated[int | None, typer.Option(min=1, help="Gauntlet: how many bots meet all others; 1 by default.")]
Replays = Annotated[
    int | None, typer.Option(min=0, help="Knockout: how often a tied pairing plays again; 1 by default.")
]
PairingRules = Annotated[
    str | None,
    typer.Option(metavar="dutch-2025|dutch-2026", help="Swiss: edition of the pairing rules; the newest by default."),
]
Acceleration = Annotated[
    str | None,
    typer.Option(
        metavar="none|baku",
        help="Swiss: baku has the first half of the seeds meet each other at first; none by default.",
    ),
]
SeedRatings = Annotated[
    list[str] | None,
    typer.Option(
        "--seed-rating",
        metavar="NAME=RATING|FILE",
        help="Seed bots by these ratings, the greatest first; a FILE has NAME=RATING on each line; repeatable.",
    ),
]
Tiebreaks = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Tie-breaks in order: de, won, sb, ks, bpg, bwg, bh, faults, and of a swiss bh-c1, bh-m1, ps, aro, "
        "tpr (by given ratings); by default "
        "those of the format.",
    ),
]
TiebreakRules = Annotated[
    str | None,
    typer.Option(metavar="2024-08|2026-03", help="Edition of FIDE's tie-break rules; the newest by default."),
]
Points = Annotated[
    str | None,
    typer.Option(metavar="W,D,L", help="Points for a win, a draw and a loss, like 3,1,0; 1,0.5,0 by default."),
]
Openings = Annotated[
    str | None,
    typer.Option(
        metavar="auto|suite|none|FILE",
        help="Where openings come from; a FILE has one opening on each line; auto by default.",
    ),
]
StartAt = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="When it starts by itself, like 2030-01-31T20:00; local time, or with a zone."),
]
AwayClock = Annotated[
    str | None,
    typer.Option(
        metavar="stands|runs",
        help="Whether a bot's clock stands or runs while it is away on its turn; stands by default.",
    ),
]
LateJoin = Annotated[bool | None, typer.Option("--late-join", help="Round-robin: let bots join while it runs.")]
Forecast = Annotated[
    int | None,
    typer.Option(
        min=2,
        metavar="BOTS",
        help="Create nothing: tell the number of matches of this many bots, and about how long they take.",
    ),
]
BenchAfter = Annotated[
    int | None,
    typer.Option(min=0, help="Bench a bot after this many faulty matches in a row; 10 by default, 0: never."),
]


def split_list(text: str | None) -> list[str] | None:
    """Split `a,b` into a list; an empty text is an empty list."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def points_of(text: str | None) -> list[float] | None:
    """Read `3,1,0` as three numbers. Raises CliError."""
    try:
        return None if text is None else list(read_points(text))
    except ValueError as error:
        raise CliError(f"--points: {error}", ExitCode.USAGE) from None


def openings_of(text: str | None, game: str, settings: Mapping[str, Any]) -> str | list[list[str]] | None:
    """Return an element of OPENINGS, or the openings in a file. Raises CliError, with the number of each bad line."""
    from rumble_engine import get_game

    from rumble_server.tournament.openings import BadOpenings, read_openings

    if text is None or text in OPENINGS:
        return text
    try:
        lines = Path(text).read_text("utf-8")
    except OSError as error:
        raise CliError(
            f"--openings {text}: {error.strerror} (or one of {', '.join(OPENINGS)})", ExitCode.USAGE
        ) from None
    except UnicodeDecodeError as error:
        raise CliError(f"--openings {text}: byte {error.start} is not UTF-8", ExitCode.USAGE) from None
    try:
        return [list(opening) for opening in read_openings(lines, get_game(game), settings)]
    except BadOpenings as error:
        raise CliError(f"--openings {text}: {error}", ExitCode.USAGE) from None


def moment_ms(text: str | None) -> int | None:
    """Read a time in ISO 8601, local if it has no zone, as ms since the epoch. Raises CliError."""
    if text is None:
        return None
    try:
        return round(datetime.fromisoformat(text).astimezone().timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise CliError(f"--start-at: {text!r} is not a time like 2030-01-31T20:00", ExitCode.USAGE) from None


def seed_ratings_of(texts: Sequence[str] | None) -> list[str] | None:
    """Return ratings as `NAME=RATING`; a text without `=` names a file of such lines. Raises CliError."""
    from rumble_server.cli.support.files import read_text

    if not texts:
        return None
    lines = [line for text in texts for line in ([text] if "=" in text else read_text(text).splitlines())]
    return [line for line in lines if line.strip()]
