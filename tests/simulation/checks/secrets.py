"""Secrets of a match, readable only by the owner before the match is over: tokens of the game `tokens`, and hashes."""

import re
from hashlib import sha256
from typing import NamedTuple

from tests.simulation.checks.case import Case, Problems


class Secret(NamedTuple):
    """A token, the owner, and the number of the last fact of the attempt (None: no end)."""

    match: str
    attempt: int
    owner: str
    over: int | None


def check_secrets(case: Case) -> Problems:
    """Look for the tokens in the frames of every bot, and in the texts for spectators and the host."""
    secrets = _secrets(case)
    if not secrets:
        return
    for wire in case.wires.values():
        for seen in wire.told:
            for secret in _found(secrets, seen.entry.text):
                is_end = secret.over is not None and seen.frame["type"] == "match_over"
                if wire.bot != secret.owner and not (is_end and seen.frame["attempt"] == secret.attempt):
                    yield f"{wire.bot} was told a token of {secret.owner} in {seen.frame['type']} of {secret.match}"
    for entry in case.trace:
        if entry.kind in ("public", "owned"):
            reader = entry.text.partition(" ")[0] if entry.kind == "owned" else "everybody"
            for secret in _found(secrets, entry.text):
                is_over = secret.over is not None and secret.over <= entry.written
                if not is_over and reader.casefold() != secret.owner:
                    yield f"{reader} could read a token of {secret.owner} in {secret.match}: {entry.text[:60]}"


def _secrets(case: Case) -> dict[str, Secret]:
    """Return the secrets by token, and by the token's hash."""
    found = {}
    for attempt in case.attempts.values():
        if attempt.started is not None and attempt.started["game"] == "tokens":
            over = None if attempt.over is None else attempt.over["number"]
            for fact in attempt.of("chance_drawn"):
                for seat, token in enumerate(fact["move"].split(" ")):
                    owner = attempt.started["seats"][seat].casefold()
                    for text in (token, sha256(token.encode()).hexdigest(), sha256(bytes.fromhex(token)).hexdigest()):
                        found[text] = Secret(attempt.match, attempt.attempt, owner, over)
    return found


def _found(secrets: dict[str, Secret], text: str) -> list[Secret]:
    return [secrets[word] for word in re.findall("[0-9a-f]{32,}", text) if word in secrets]
