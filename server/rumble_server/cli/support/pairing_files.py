"""The work of `rumble pair` on a TRF file: pairing the next round, or pairing all rounds again for comparison."""

import json
import re
import sys
from typing import Any

import typer

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.output.terminal import plain
from rumble_server.cli.support.files import has_tables, read_results_text, refused
from rumble_server.results.trf.event import TrfEvent
from rumble_server.results.trf.reader import BadTrf, read_trf
from rumble_server.tournament.exports.trf import REMARK, UNPAIRABLE
from rumble_server.tournament.pairs.dutch.compare import why_not
from rumble_server.tournament.pairs.dutch.pairing import CannotBePaired, PairedRound
from rumble_server.tournament.pairs.from_trf import TrfRounds
from rumble_server.tournament.pairs.pairing_rules import DUTCH_2026, NEWEST, PAIRING_RULES, pair


def read_event(file: str) -> TrfEvent:
    """Read a TRF file, and copy the file's remarks to standard error.

    Raises CliError if the file cannot be read, is no TRF, or has a remark which says that the file's rounds cannot be
    paired again.
    """
    text = read_results_text(file)
    try:
        event = read_trf(text)
    except BadTrf as error:
        if has_tables(text):
            raise CliError(f"{file}: pairing is for matches of two seats, and this file has tables of more") from None
        raise refused(file, error) from None
    for line in text.splitlines():
        if line.removeprefix(REMARK).strip().startswith(UNPAIRABLE):
            raise CliError(f"{file}: {line.removeprefix(REMARK).strip()}")
        if line.startswith(REMARK):
            sys.stderr.write(plain(f"rumble: {file} remarks: {line.removeprefix(REMARK).strip()}") + "\n")
    return event


def rules_of(event: TrfEvent) -> str:
    """Return the edition of the pairing rules that field 092 of the file names; by default the newest edition.

    Exports of Rumble name the edition in this field.
    """
    named = re.search(rf"\b({'|'.join(PAIRING_RULES)})\b", event.fields.get("092", ""))
    return named[1] if named else NEWEST


def print_next_round(event: TrfEvent, rounds: int | None, rules: str, as_json: bool) -> None:
    """Pair the next round and print the pairing. Raises CliError."""
    number = event.played + 1
    total = rounds or event.rounds
    if total is None:
        raise CliError(
            "the file does not say how many rounds there will be (142 or XXR): add --rounds N", ExitCode.USAGE
        )
    if number > total:
        raise CliError(f"all {total} rounds are paired")
    trf = TrfRounds(event, total)
    try:
        paired = pair(trf.before(number), rules)
    except CannotBePaired:
        raise CliError(f"round {number} cannot be paired: players would have to meet again") from None
    if as_json:
        typer.echo(json.dumps({"round": number, "of": total, "rules": rules, **_as_json(trf, paired)}))
        return
    typer.echo(f"round {number} of {total}, by {rules}")
    for board, (white, black) in enumerate(paired.boards, 1):
        typer.echo(plain(f"{board:>4}  {_player(trf, white)}  -  {_player(trf, black)}"))
    if paired.bye is not None:
        typer.echo(plain(f" bye  {_player(trf, paired.bye)}"))


def print_check(event: TrfEvent, rounds: int | None, rules: str, as_json: bool) -> int:
    """Pair every round of the file again, and print the differences. Return the number of rounds that differ.

    Raises CliError if the file has no round, or more rounds than `rounds`.
    """
    if not event.played:
        raise CliError("the file has no round to check")
    if rounds is not None and rounds < event.played:
        raise CliError(f"the file has {event.played} rounds already; --rounds {rounds} is too few", ExitCode.USAGE)
    trf = TrfRounds(event, max(rounds or event.rounds or event.played, event.played))
    found = [
        differing for number in range(1, event.played + 1) if (differing := _check(trf, number, rules)) is not None
    ]
    if as_json:
        typer.echo(json.dumps({"rounds": event.played, "rules": rules, "differing": found}))
        return len(found)
    for each in found:
        typer.echo(f"round {each['round']} differs by {each['by']}" if each["by"] else f"round {each['round']} differs")
        for who in ("file", "rules"):
            typer.echo(plain(f"  {who + ':':<6} {', '.join(each[who])}"))
    rest = "all as the rules have it" if not found else f"{len(found)} otherwise"
    typer.echo(f"{event.played} round{'' if event.played == 1 else 's'} paired again by {rules}: {rest}")
    return len(found)


def _check(trf: TrfRounds, number: int, rules: str) -> dict[str, Any] | None:
    """Return the difference between a round in the file and the same round paired by the rules; None if they agree."""
    event, theirs = trf.before(number), trf.paired(number)
    try:
        ours = pair(event, rules)
    except CannotBePaired:
        return {"round": number, "by": "C1 to C5: no pairing meets them", "file": _texts(trf, theirs), "rules": []}
    file, expected = _texts(trf, theirs), _texts(trf, ours)
    if set(file) == set(expected):
        return None
    # Only the newer edition's engine explains differences; the older edition numbers the criteria differently.
    by = why_not(event, theirs) if rules == DUTCH_2026 else ""
    return {
        "round": number,
        "by": by,
        "file": [text for text in file if text not in expected],
        "rules": [text for text in expected if text not in file],
    }


def _texts(trf: TrfRounds, paired: PairedRound) -> list[str]:
    numbers = [player.number for player in trf.players]
    texts = [f"{numbers[white]}-{numbers[black]}" for white, black in paired.boards]
    return [*texts, *([] if paired.bye is None else [f"{numbers[paired.bye]} bye"])]


def _player(trf: TrfRounds, index: int) -> str:
    player = trf.players[index]
    return f"{player.number} {player.name}"


def _as_json(trf: TrfRounds, paired: PairedRound) -> dict[str, Any]:
    numbers = [player.number for player in trf.players]
    return {
        "boards": [[numbers[white], numbers[black]] for white, black in paired.boards],
        "bye": None if paired.bye is None else numbers[paired.bye],
    }
