"""The results of one bot in a tournament, for the bot's owner: scores by version, faults with their frames, last loss.

`share_of` runs in the process that reads the log. `merged` puts the shares of several tournaments together.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import orjson
from rumble_engine import Termination

from rumble_server.match.facts import MatchOver
from rumble_server.match.transcript import TranscriptLine, told_so_far, transcript_of
from rumble_server.store.errors import DamagedLog, Pruned
from rumble_server.tournament.rebuild import Rebuilt

MOST_FRAME = 4000
"""Maximum number of characters of a shown frame; the rest is cut off."""
MOST_SCORES = 500
"""Maximum number of scores in an answer: those of the newest versions."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A match that the bot lost, or a fault of the bot."""

    match: str
    game: str
    seat: int
    against: list[str]
    version: str
    termination: str
    reason: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Fault:
    """The faults of one kind: their number, the newest one, and the last turn and answer there, as sent.

    A frame is empty if the bot was asked nothing, answered nothing, or the frames were deleted.
    """

    count: int
    newest: Loss
    turn: str = ""
    answer: str = ""


@dataclass(slots=True)
class Score:
    """The matches of a version against an opponent."""

    version: str
    against: str
    won: int = 0
    drawn: int = 0
    lost: int = 0


@dataclass(slots=True)
class Share:
    """The results of a bot in one tournament or in several; `faults` are by kind, `scores` by version and opponent.

    `last_loss` is the newest match that was played and lost.
    """

    last_loss: Loss | None = None
    faults: dict[str, Fault] = field(default_factory=dict)
    scores: dict[tuple[str, str], Score] = field(default_factory=dict)

    def add(self, other: "Share") -> None:
        """Add the results of another tournament."""
        losses = [each for each in (self.last_loss, other.last_loss) if each is not None]
        self.last_loss = max(losses, key=lambda loss: loss.at_ms, default=None)
        for kind, fault in other.faults.items():
            known = self.faults.get(kind, fault)
            newest = max(known, fault, key=lambda each: each.newest.at_ms)
            count = fault.count if known is fault else known.count + fault.count
            self.faults[kind] = replace(newest, count=count)
        for key, score in other.scores.items():
            own = self.scores.setdefault(key, Score(*key))
            own.won, own.drawn, own.lost = own.won + score.won, own.drawn + score.drawn, own.lost + score.lost

    def as_json(self) -> dict[str, Any]:
        """Return the results as JSON data: the newest fault and the newest version first."""
        faults = sorted(self.faults.items(), key=lambda item: -item[1].newest.at_ms)
        scores = sorted(self.scores.values(), key=lambda each: (_order(each.version), each.against.casefold()))
        return {
            "last_loss": None if self.last_loss is None else asdict(self.last_loss),
            "faults": [{"kind": kind, **asdict(fault)} for kind, fault in faults],
            "scores": [asdict(each) for each in scores[:MOST_SCORES]],
        }


def _order(version: str) -> tuple[int, str]:
    """Return the sort key of a version: numbers come first, the greatest before all."""
    return (-int(version), "") if version.isdecimal() and len(version) < 10 else (1, version)


def share_of(rebuilt: Rebuilt, bot: str) -> bytes:
    """Return the results of a bot in a tournament as bytes for `merged`."""
    share, game = Share(), rebuilt.tournament.config.game
    newest: dict[str, MatchOver] = {}
    for over in rebuilt.tournament.results.values():
        if over.scores is None or bot not in over.seats:
            continue
        seat = over.seats.index(bot)
        version = over.versions[seat] if over.versions else ""
        for other, score in zip(over.seats, over.scores, strict=True):
            if other != bot:
                own = share.scores.setdefault((version, other), Score(version, other))
                own.won += over.scores[seat] > score
                own.drawn += over.scores[seat] == score
                own.lost += over.scores[seat] < score
        if over.scores[seat] < max(over.scores) and over.termination is not Termination.NO_SHOW:
            share.last_loss = _loss(over, seat, game, version)
        if seat in over.at_fault:
            kind = _kind(over, seat)
            known = share.faults.get(kind)
            share.faults[kind] = Fault(1 if known is None else known.count + 1, _loss(over, seat, game, version))
            newest[kind] = over
    for kind, over in newest.items():
        turn, answer = _frames(rebuilt, over, bot)
        share.faults[kind] = replace(share.faults[kind], turn=turn, answer=answer)
    return orjson.dumps(
        {
            "last_loss": share.last_loss,
            "faults": share.faults,
            "scores": list(share.scores.values()),
        }
    )


def merged(shares: Iterable[bytes]) -> Share:
    """Put the results of several tournaments together."""
    whole = Share()
    for text in shares:
        told = orjson.loads(text)
        loss = told["last_loss"]
        faults = {kind: Fault(**each | {"newest": Loss(**each["newest"])}) for kind, each in told["faults"].items()}
        scores = {(each["version"], each["against"]): Score(**each) for each in told["scores"]}
        whole.add(Share(None if loss is None else Loss(**loss), faults, scores))
    return whole


def _loss(over: MatchOver, seat: int, game: str, version: str) -> Loss:
    others = [name for other, name in enumerate(over.seats) if other != seat]
    return Loss(over.match, game, seat, others, version, _kind(over, seat), over.reason, over.at_ms)


def _kind(over: MatchOver, seat: int) -> str:
    """Return how a match ended for a seat: how the seat fell out, if it did, else how the match ended."""
    falls = () if over.placement is None else over.placement.falls
    return str(next((kind for fallen, _, kind in falls if fallen == seat), over.termination))


def _frames(rebuilt: Rebuilt, over: MatchOver, bot: str) -> tuple[str, str]:
    """Return the last turn of a bot in a match, and the bot's last frame; cut off, and empty if there is none."""
    turn = answer = ""
    try:
        facts = told_so_far(rebuilt.match_facts(over.match), to_a_seat=True)
    except (Pruned, DamagedLog):
        return "", ""
    for line in transcript_of(facts, bot):
        if not isinstance(line, TranscriptLine) or line.attempt != over.attempt:
            continue
        if line.sender == "bot":
            answer = line.frame
        elif '"type":"turn"' in line.frame[:40]:
            turn, answer = line.frame, ""
    return turn[:MOST_FRAME], answer[:MOST_FRAME]
