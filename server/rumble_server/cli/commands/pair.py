"""`rumble pair`: pair the next round of a TRF file, or check how its rounds were paired."""

from typing import Annotated, Literal

import typer

from rumble_server.cli.output.errors import ExitCode
from rumble_server.cli.support.options import Json

Rules = Literal["dutch-2025", "dutch-2026"]
"""The editions of the pairing rules."""


def pair(
    file: Annotated[str, typer.Argument(help="A TRF file, TRF16 or TRF-2026; - for standard input.")],
    rounds: Annotated[
        int | None,
        typer.Option(min=1, help="Number of rounds of the event; by default what the file says (142 or XXR)."),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Pair every round of the file again, and tell what differs; exit code 1 if any does."
        ),
    ] = False,
    pairing_rules: Annotated[
        Rules | None,
        typer.Option(help="Edition of the rules. Default: the edition named in an export of Rumble, or the newest."),
    ] = None,
    json_: Json = False,
) -> int:
    """Pair the next round of a Swiss by the FIDE Dutch System.

    A TRF file has the players of a tournament and their results. `rumble tournament export ID --format trf` writes such
    a file, and so do programs for chess tournaments. `rumble pair event.trf` prints the pairs of the next round. The
    Dutch System and TRF are for matches of two seats.
    """
    from rumble_server.cli.support import pairing_files

    event = pairing_files.read_event(file)
    rules = pairing_rules or pairing_files.rules_of(event)
    if not check:
        pairing_files.print_next_round(event, rounds, rules, json_)
        return ExitCode.DONE
    differing = pairing_files.print_check(event, rounds, rules, json_)
    return ExitCode.FAILED if differing else ExitCode.DONE
