"""The results of one bot in a tournament, for the bot's owner: scores by version, faults with their frames, last loss.

`results_in_tournament` runs in the process that reads the log. `merged` combines the results of several tournaments.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Annotated

from pydantic import Field
from rumble_engine import Termination
from rumble_protocol.fields import Count, Milliseconds, ServerMessageModel

from rumble_server.match.facts import MatchOver
from rumble_server.match.transcript import TranscriptLine, public_facts, transcript_of
from rumble_server.store.errors import DamagedLog, Pruned
from rumble_server.tournament.rebuild import Rebuilt

MOST_FRAME = 4000
"""Maximum number of characters of a shown frame; the rest is cut off."""
COUNTS = ("won", "drawn", "lost")
MOST_SCORES = 500
"""Maximum number of scores in an answer. The scores of the newest versions are kept."""


class LossView(ServerMessageModel):
    """A match that the bot lost, or the match of a fault. `version` is empty if the bot named no version."""

    match: str
    game: str
    seat: Count
    against: list[str]
    version: str
    termination: str
    reason: str
    at_ms: Milliseconds


class FaultView(ServerMessageModel):
    """The faults of a kind: `count` is the number of faults, and `newest` is the match of the newest fault.

    `turn` is the last `turn` frame that the bot got in this match, and `answer` is the last frame that the bot sent
    afterwards. Both are JSON. Long frames are cut off. A frame that was not sent, or was deleted, is empty.
    """

    kind: str
    count: Count
    newest: LossView
    turn: str = ""
    answer: str = ""


class ScoreView(ServerMessageModel):
    """The numbers of matches that a version of the bot won, drew and lost against an opponent."""

    version: str
    against: str
    won: Count = 0
    drawn: Count = 0
    lost: Count = 0


class OwnResults(ServerMessageModel):
    """The results of a bot in one or more tournaments; `last_loss` is the newest match that was played and lost."""

    last_loss: LossView | None = None
    faults: list[FaultView] = Field(default_factory=list)
    scores: Annotated[list[ScoreView], Field(max_length=MOST_SCORES)] = Field(default_factory=list)


def results_in_tournament(rebuilt: Rebuilt, bot: str) -> bytes:
    """Return the results of a bot in a tournament, as the JSON of OwnResults."""
    tournament = rebuilt.tournament
    overs = [each for each in tournament.results.values() if each.scores is not None and bot in each.seats]
    share = merged(_of_match(each, bot, tournament.config.game) for each in overs)
    faults = [
        each.model_copy(update=_frames(rebuilt, tournament.results[each.newest.match], bot)) for each in share.faults
    ]
    return share.model_copy(update={"faults": faults}).model_dump_json().encode()


def merged(parts: Iterable[OwnResults]) -> OwnResults:
    """Combine the results of matches or tournaments. Faults and versions are sorted, the newest first."""
    losses: list[LossView] = []
    faults: defaultdict[str, list[FaultView]] = defaultdict(list)
    scores: defaultdict[tuple[str, str], list[ScoreView]] = defaultdict(list)
    for part in parts:
        if part.last_loss is not None:
            losses.append(part.last_loss)
        for fault in part.faults:
            faults[fault.kind].append(fault)
        for score in part.scores:
            scores[score.version, score.against].append(score)
    newest = [
        max(each, key=lambda fault: fault.newest.at_ms).model_copy(update={"count": sum(fault.count for fault in each)})
        for each in faults.values()
    ]
    sums = [
        each[0].model_copy(update={name: sum(getattr(score, name) for score in each) for name in COUNTS})
        for each in scores.values()
    ]
    return OwnResults(
        last_loss=max(losses, key=lambda loss: loss.at_ms, default=None),
        faults=sorted(newest, key=lambda fault: -fault.newest.at_ms),
        scores=sorted(sums, key=lambda score: (_order(score.version), score.against.casefold()))[:MOST_SCORES],
    )


def _order(version: str) -> tuple[int, str]:
    """Return the sort key of a version. Numbers come before other versions, and the greatest number comes first."""
    return (-int(version), "") if version.isdecimal() and len(version) < 10 else (1, version)


def _of_match(over: MatchOver, bot: str, game: str) -> OwnResults:
    """Return the results of a bot in one match. The match must have scores."""
    seat, scores = over.seats.index(bot), over.scores or ()
    own, version = scores[seat], over.versions[seat] if over.versions else ""
    others = [(name, score) for at, (name, score) in enumerate(zip(over.seats, scores, strict=True)) if at != seat]
    kind = _kind(over, seat)
    view = LossView(
        match=over.match,
        game=game,
        seat=seat,
        against=[name for name, _ in others],
        version=version,
        termination=kind,
        reason=over.reason,
        at_ms=over.at_ms,
    )
    return OwnResults(
        last_loss=view if own < max(scores) and over.termination is not Termination.NO_SHOW else None,
        faults=[FaultView(kind=kind, count=1, newest=view)] if seat in over.at_fault else [],
        scores=[
            ScoreView(
                version=version, against=name, won=int(own > score), drawn=int(own == score), lost=int(own < score)
            )
            for name, score in others
        ],
    )


def _kind(over: MatchOver, seat: int) -> str:
    """Return how a match ended for a seat: the fault by which the seat fell, or else the match's termination."""
    falls = () if over.placement is None else over.placement.falls
    return str(next((kind for fallen, _, kind in falls if fallen == seat), over.termination))


def _frames(rebuilt: Rebuilt, over: MatchOver, bot: str) -> dict[str, str]:
    """Return two frames of a match as a dict: the last `turn` that a bot got, and the bot's last frame afterwards.

    The keys are `turn` and `answer`. Frames are cut off at `MOST_FRAME` characters. The text of a frame that was not
    sent is empty. If the frames of the match cannot be read, return an empty dict.
    """
    turn = answer = ""
    try:
        facts = public_facts(rebuilt.match_facts(over.match), to_a_seat=True)
    except (Pruned, DamagedLog):
        return {}
    for line in transcript_of(facts, bot):
        if not isinstance(line, TranscriptLine) or line.attempt != over.attempt:
            continue
        if line.sender == "bot":
            answer = line.frame
        elif '"type":"turn"' in line.frame[:40]:
            turn, answer = line.frame, ""
    return {"turn": turn[:MOST_FRAME], "answer": answer[:MOST_FRAME]}
