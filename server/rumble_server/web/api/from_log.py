"""Makers of the API's answers about a whole tournament or match. Pure.

`ClubAnswers` calls these functions in the process that reads the log. So a long computation delays no move, and only
the finished answer is passed on.
"""

import gzip
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import TypeVar, TypeVarTuple, cast

import orjson
from rumble_engine import ALL
from rumble_protocol.feed_messages import Snapshot, TournamentView
from rumble_protocol.fields import MoveInfo, ServerMessageModel

from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.match.last_attempt import infos, last_attempt, notes, thought_ms
from rumble_server.match.transcript import as_json, public_facts, seats_in, transcript, transcript_of
from rumble_server.store.errors import DamagedLog, Pruned
from rumble_server.tournament.audit import Audit, Context
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.exports import WRITERS, csv_file, pgn, phh, sgf, trf
from rumble_server.tournament.exports.document import export, match_json, summary
from rumble_server.tournament.facts import LogFact
from rumble_server.tournament.history import audit_facts, context_of
from rumble_server.tournament.rebuild import Rebuilt
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api import models
from rumble_server.web.api.replays import ended_view, replay
from rumble_server.web.compression import LEVEL
from rumble_server.web.errors import WebError
from rumble_server.web.feed.ranker import PACE_MS, Ranking, ranking_of
from rumble_server.web.feed.views import LiveState, ended_boards, tournament_view

PIECE_MATCHES = 1000
"""Number of matches in a piece of a long answer; other requests run between two pieces."""
PIECE_GAMES = 100
"""Number of matches in a piece of an export other than CSV. Some formats replay each match, which takes 5 ms
in chess."""
AUDIT_PACE_S = 5.0
"""Time in s for which an audit is reused while the tournament is not over."""

Args = TypeVarTuple("Args")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Basics:
    """The identity and the configuration of a tournament, without its results."""

    id: str
    config: TournamentConfig
    invite: str | None
    shared_invite: str | None


def to_json(model: ServerMessageModel) -> bytes:
    """Encode an answer as JSON."""
    return model.__pydantic_serializer__.to_json(model)


def gzipped(rebuilt: Rebuilt, make: Callable[[Rebuilt, *Args], bytes], *args: *Args) -> bytes:
    """Run `make`, and return the result as gzip. An empty result stays empty.

    The result should be small, because it is passed between processes, and kept.
    """
    result = make(rebuilt, *args)
    return result and gzip.compress(result, LEVEL, mtime=0)


def basics(rebuilt: Rebuilt) -> Basics:
    """Return the identity and the configuration of a tournament on disk."""
    return basics_of(rebuilt.tournament)


def basics_of(tournament: Tournament) -> Basics:
    """Return the identity and the configuration of a tournament in memory."""
    return Basics(tournament.id, tournament.config, tournament.invite, tournament.shared_invite)


def ended(rebuilt: Rebuilt) -> EndedTournament:
    """Return the record of a tournament that is over."""
    return EndedTournament.of(rebuilt.tournament)


# --- a tournament ---


def ranking(rebuilt: Rebuilt) -> Ranking:
    """Return the ranking: exact if the tournament is over, else at most a second old."""
    return _cached(rebuilt, "ranking", lambda: ranking_of(rebuilt.tournament), pace_s=PACE_MS / 1000)


def view(rebuilt: Rebuilt) -> TournamentView:
    """Return the API's model of a tournament that is over; none of its bots counts as connected."""
    return tournament_view(TournamentView, rebuilt.tournament, ranking(rebuilt), LiveState(0))


def view_json(rebuilt: Rebuilt) -> bytes:
    """Return the `view` of a tournament as the API's JSON."""
    return to_json(view(rebuilt))


def snapshot_json(rebuilt: Rebuilt) -> bytes:
    """Return the snapshot that begins the feed of a tournament that is over, as JSON.

    The snapshot has the final boards of the last matches, because pages made before the end still show these matches.
    """
    tournament = rebuilt.tournament
    ended = list(ended_boards(tournament, tournament.ended_at_ms or 0))
    return to_json(tournament_view(Snapshot, tournament, ranking(rebuilt), LiveState(0), ended=ended))


def standings(rebuilt: Rebuilt) -> bytes:
    """Return the standings by rank, as JSON."""
    tournament = rebuilt.tournament
    standings, rules = ranking(rebuilt).standings, tournament.config.tiebreak_rules
    return to_json(models.StandingsAnswer(status=tournament.status, standings=standings, tiebreak_rules=rules))


def ratings(rebuilt: Rebuilt) -> bytes:
    """Return the ratings as JSON; empty for a tournament that is not rated."""
    ratings = ranking(rebuilt).ratings
    return b"" if ratings is None else orjson.dumps(ratings.as_json())


def audit(rebuilt: Rebuilt, now: Context | None) -> Audit:
    """Audit a tournament. `now` is the audit's context at the request; None if the tournament was over then."""
    tournament = rebuilt.tournament
    context = now if now and not tournament.is_over else context_of(tournament, tournament.ended_at_ms or 0)
    return _cached(rebuilt, "audit", lambda: audit_facts(rebuilt.facts(), context), pace_s=AUDIT_PACE_S)


def audit_json(rebuilt: Rebuilt, now: Context | None) -> bytes:
    """Return the audit as JSON. `now` means the same as in `audit`."""
    return orjson.dumps(audit(rebuilt, now).as_json())


def _cached(rebuilt: Rebuilt, name: str, make: Callable[[], T], *, pace_s: float = 0, about: object = None) -> T:
    """Return a value computed from a tournament, and keep the value under `name`.

    A kept value is returned while it is current. With `pace_s`, a value is current for `pace_s` seconds while the
    tournament goes on. Otherwise, a value is current until the next result, for the same `about`.
    """
    tournament = rebuilt.tournament
    state = about, tournament.standings.version, tournament.status
    if name in rebuilt.computed:
        known, of, at_s = rebuilt.computed[name]
        is_paced = pace_s > 0 and not tournament.is_over
        is_current = time.monotonic() - at_s < pace_s if is_paced else of == state
        if is_current:
            return cast(T, known)
    value = make()
    rebuilt.computed[name] = value, state, time.monotonic()
    return value


# --- its matches, in pieces ---


def chosen(
    rebuilt: Rebuilt, bot: str | None = None, against: str | None = None, *, voided_result_count: int | None = None
) -> list[MatchOver]:
    """Return the matches with a result, in the order of their ends.

    With `bot` or `against`, return only the matches of this bot. With both, return only the matches that have both
    bots. The matches of a bot include the matches from which the bot was absent.

    With `voided_result_count`, results that were voided after the first `voided_result_count` results are in their old
    places.
    """
    tournament = rebuilt.tournament
    voided_result_count = len(tournament.voided_results) if voided_result_count is None else voided_result_count
    wanted = {name.casefold() for name in (bot, against) if name is not None}

    def choose() -> list[MatchOver]:
        overs = tournament.results_since(voided_result_count)
        return [over for over in overs if wanted <= {name.casefold() for name in over.seats + over.absent}]

    return _cached(rebuilt, "chosen", choose, about=(wanted, voided_result_count))


def count(rebuilt: Rebuilt, bot: str | None = None, against: str | None = None) -> tuple[int, int]:
    """Return the number of matches of `chosen` now, and the `voided_result_count` that keeps them for later pieces."""
    return len(chosen(rebuilt, bot, against)), len(rebuilt.tournament.voided_results)


def matches(
    rebuilt: Rebuilt, bot: str | None, against: str | None, voided_result_count: int, first: int, until: int
) -> bytes:
    """Return the matches of `chosen` from index `first` to before `until`, as JSON objects separated by commas."""
    overs = chosen(rebuilt, bot, against, voided_result_count=voided_result_count)[first:until]
    return b",".join(to_json(each) for each in results(overs))


def results(overs: Sequence[MatchOver]) -> list[models.MatchAttempt]:
    """Return attempts at matches as models of the API."""
    return [models.MatchAttempt.model_validate(match_json(over), strict=False) for over in overs]


def export_head(rebuilt: Rebuilt, kind: str) -> bytes:
    """Write the part of an export before the matches. Raises ValueError if the format cannot express the matches."""
    if kind == "sgf":
        sgf.check(rebuilt.tournament.config.game)
    if kind == "phhs":
        phh.check(rebuilt.tournament.config.game)
    if kind == "pgn":
        pgn.check(rebuilt.tournament.config.match_seats)
    if kind == "json":
        document = export(rebuilt.tournament, 0, 0)
        return orjson.dumps({name: document[name] for name in ("tournament", "standings")})[:-1] + b',"matches":['
    return csv_file.write({"matches": ()}, _columns(rebuilt)).encode() if kind == "csv" else b""


def export_matches(rebuilt: Rebuilt, kind: str, voided_result_count: int, first: int, until: int) -> bytes:
    """Write the matches from `first` to before `until`. The caller appends them to the earlier parts of the export.

    `voided_result_count` means the same as in `chosen`.
    """
    overs = rebuilt.tournament.results_since(voided_result_count)[first:until]
    write = partial(match_json, of_tables=rebuilt.tournament.config.counts_places)
    if kind == "csv":
        return csv_file.write({"matches": [*map(write, overs)]}, _columns(rebuilt)).partition("\n")[2].encode()
    played = [write(over, _infos(rebuilt, over)) for over in overs]
    if kind == "json":
        return (b"," if first else b"") + orjson.dumps(played)[1:-1]
    document = {"tournament": summary(rebuilt.tournament), "matches": played, "first": first}
    between = "\n" if first and kind == "pgn" else ""
    return (between + WRITERS[kind][0](document)).encode()


def _columns(rebuilt: Rebuilt) -> int | None:
    """Return the argument `seats` of `csv_file.write`.

    The argument is the number of seats of a match if the results are places, and otherwise None.
    """
    config = rebuilt.tournament.config
    return config.match_seats if config.counts_places else None


def _infos(rebuilt: Rebuilt, over: MatchOver) -> list[MoveInfo | None]:
    """Return the `info` that the bots sent with their moves in a match, by ply.

    Returns an empty list if no bot sent an `info`, or if the frames cannot be read.
    """
    try:
        return infos(rebuilt.match_facts(over.match), over) if over.informed else []
    except (Pruned, DamagedLog):
        return []


def export_tail(rebuilt: Rebuilt, kind: str) -> bytes:
    """Write the part of an export after the matches."""
    if kind != "json":
        return b""
    document = export(rebuilt.tournament, 0, 0)
    return b"]," + orjson.dumps({name: document[name] for name in ("voided", "byes") if name in document})[1:]


def export_trf(rebuilt: Rebuilt, edition: str) -> bytes:
    """Write a whole export as TRF, which groups matches by bot.

    Raises ValueError if TRF cannot express the tournament.
    """
    return trf.write(export(rebuilt.tournament), edition).encode()


# --- a match ---


def shown_match(facts: Sequence[LogFact]) -> models.MatchView | None:
    """Return the last attempt at a match that is over; None if no attempt is over, or it never began."""
    found = last_attempt(facts)
    if found is None:
        return None
    started, over = found
    times_ms = thought_ms(facts, started, len(over.moves))
    if over.scores is None:
        return ended_view(started, over, times_ms)
    return ended_view(started, over, times_ms, notes(facts, over), infos(facts, over))


def boards(facts: Sequence[LogFact], first: int, most: int) -> bytes | None:
    """Draw boards of the last attempt at a match that is over; None if no attempt is over, or it never began."""
    found = last_attempt(facts)
    if found is None:
        return None
    terms, over = found
    return to_json(replay(terms, over.moves, ALL, first, most, thought_ms(facts, terms, len(over.moves))))


def boards_so_far(facts: Sequence[LogFact], terms: MatchStarted, moves: Sequence[str], first: int, most: int) -> bytes:
    """Draw boards of the running attempt that began with `terms`, for spectators. `moves` are the moves to show."""
    return to_json(replay(terms, moves, None, first, most, thought_ms(facts, terms, len(moves))))


def of_lost_match(
    rebuilt: Rebuilt, match_id: str, make: Callable[[Sequence[LogFact], *Args], T | None], args: tuple[*Args]
) -> T | None:
    """Return the result of `make` for a match that never began, because a bot was gone.

    Such a match has no facts of its own. So `make` gets the terms and the outcome of the match from the tournament.
    Returns None if the match has no result.
    """
    over = rebuilt.tournament.results.get(match_id)
    return None if over is None else make((rebuilt.tournament.terms_of(over), over), *args)


def transcript_lines(facts: Sequence[LogFact], owner: str | None) -> bytes | None:
    """Write the transcript of a match as ND-JSON: all frames, or the frames of the bot `owner` alone.

    Returns None if the match never began. Raises WebError if `owner` did not play.
    """
    seats = seats_in(facts)
    if not seats:
        return None
    if owner is not None and all(owner.casefold() != bot.casefold() for bots in seats.values() for bot in bots):
        raise WebError(HTTPStatus.FORBIDDEN, "not_yours", f"{owner} did not play this match")
    frames = public_facts(facts, to_a_seat=owner is not None)
    lines = transcript(frames) if owner is None else transcript_of(frames, owner)
    return b"".join(orjson.dumps(as_json(each)) + b"\n" for each in lines)
