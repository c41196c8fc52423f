"""A match read from an export, a transcript or a server."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from sys import float_info
from typing import Any, TypeGuard

from pydantic import ValidationError
from rumble_protocol.fields import MoveInfo

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.output.tables import result_text
from rumble_server.cli.support.api_client import ApiClient, api_path

SHOWN = 10
"""Maximum number of ids in an error text."""


@dataclass(frozen=True, slots=True)
class RecordedMatch:
    """A match with its moves. `result` is empty if unknown, and `infos` has the bots' thoughts, keyed by ply."""

    match_id: str
    game: str
    settings: dict[str, Any]
    seed: int
    seats: list[str]
    moves: list[str]
    result: str
    infos: dict[int, MoveInfo] = field(default_factory=dict)
    absent: int = 0
    """Number of bots that did not come to a table. Their names are at the end of `seats`."""


def from_server(server: str, match_id: str) -> RecordedMatch:
    """Ask the server for a match in its current state. Raises CliError."""
    client = ApiClient(server)
    data = client.get(api_path("matches", match_id))
    tournament = client.get(api_path("tournaments", data["tournament"]))
    return _recorded(data, data["game"], data["settings"], tournament["seed"], "the server")


def from_text(text: str, source: str, match_id: str | None) -> RecordedMatch:
    """Read a match from the text of a transcript or an export. `match_id` selects the match in an export.

    Raises CliError, in which `source` names the file.
    """
    try:
        first = json.loads(text)
    except (ValueError, RecursionError):
        return _from_transcript(text, source)
    if isinstance(first, dict) and isinstance(first.get("matches"), list):
        return _from_export(first, source, match_id)
    if isinstance(first, dict) and "frame" in first:
        return _from_transcript(text, source)
    raise CliError(f"{source}: neither an export of a tournament nor a transcript")


def _from_export(document: Mapping[str, Any], source: str, match_id: str | None) -> RecordedMatch:
    tournament, matches = document.get("tournament"), document["matches"]
    if not isinstance(tournament, dict) or not all(isinstance(each, dict) for each in matches):
        raise CliError(f"{source}: not an export of a tournament")
    ids = [str(each.get("id")) for each in matches]
    if match_id is None and len(ids) > 1:
        more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
        raise CliError(
            f"{source} has {len(ids)} matches; say --match ID: {', '.join(ids[:SHOWN])}{more}", ExitCode.USAGE
        )
    found = [each for each in matches if match_id in (None, each.get("id"))]
    if not found:
        raise CliError(f"{source} has no match {match_id or ''}".rstrip())
    return _recorded(found[-1], tournament.get("game"), tournament.get("settings"), tournament.get("seed"), source)


def _from_transcript(text: str, source: str) -> RecordedMatch:
    """Read a transcript. A server's frame with moves has all moves so far, so the last such frame is enough."""
    start: Mapping[str, Any] = {}
    moves: list[str] = []
    verdict: Mapping[str, Any] = {}
    plies: dict[str, str] = {}
    infos: dict[str | None, object] = {}
    for number, line in enumerate(text.splitlines(), 1):
        entry = _object(line, source, number)
        frame = _object(entry["frame"], source, number) if isinstance(entry.get("frame"), str) else {}
        if entry.get("sender") == "server" and isinstance(frame.get("moves"), list):
            moves = frame["moves"]
        if frame.get("type") == "match_start":
            if start.get("attempt") != frame.get("attempt"):
                plies, infos = {}, {}
            start = frame
        elif frame.get("type") == "turn":
            plies[str(frame.get("turn_id"))] = str(frame.get("ply"))
        elif frame.get("type") == "move" and frame.get("info"):
            infos[plies.get(str(frame.get("turn_id")))] = frame["info"]
        if "verdict" in entry:
            verdict = entry
    if not start:
        raise CliError(f"{source}: neither an export of a tournament nor a transcript: no match starts in it")
    data = {
        **start,
        "id": start.get("match"),
        "moves": moves,
        "infos": [infos.get(str(ply)) for ply in range(len(moves))],
    }
    if verdict:
        data |= {"scores": verdict.get("scores"), "reason": verdict.get("reason"), "termination": verdict["verdict"]}
    return _recorded(data, start.get("game"), start.get("settings"), 0, source)


def _object(text: str, source: str, number: int) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        return found
    raise CliError(f"{source}: line {number} is not a JSON object, as each line of a transcript is")


def _recorded(data: Mapping[str, Any], game: object, settings: object, seed: object, source: str) -> RecordedMatch:
    match_id, seats, moves = data.get("id"), data.get("seats"), data.get("moves")
    if not (
        isinstance(match_id, str) and isinstance(game, str) and isinstance(settings, dict) and isinstance(seed, int)
    ) or not (_are_texts(seats) and _are_texts(moves)):
        raise CliError(f"{source}: the match lacks its id, game, settings, seed, seats or moves")
    infos = _infos(data.get("infos"), source)
    # A match without moves was lost before it began, or is as at its start.
    falls = _list(data.get("falls")) if moves else ()
    absent = [fall for fall in falls if isinstance(fall, dict) and fall.get("termination") == "no_show"]
    return RecordedMatch(match_id, game, settings, seed, seats, moves, _result(data), infos, len(absent))


def _infos(listed: object, source: str) -> dict[int, MoveInfo]:
    """Return the bots' thoughts, keyed by ply. Ignore fields of later versions. Raises CliError for a wrong field."""
    infos = {}
    for ply, info in enumerate(_list(listed)):
        if isinstance(info, dict) and info:
            try:
                infos[ply] = MoveInfo.model_validate({name: info.get(name) for name in MoveInfo.model_fields})
            except ValidationError:
                raise CliError(f"{source}: the info of ply {ply + 1} is not as the protocol has it") from None
    return infos


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _are_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _result(data: Mapping[str, Any]) -> str:
    termination, scores = data.get("termination"), _list(data.get("scores"))
    if not termination:
        return ""
    are_numbers = scores and all(isinstance(score, int | float) and abs(score) <= float_info.max for score in scores)
    result = result_text(scores if are_numbers else None)
    return f"{result}  {data.get('reason')} ({str(termination).replace('_', ' ')})"
