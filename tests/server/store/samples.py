"""Hypothesis strategies for every fact of the log."""

import dataclasses
from typing import Any, get_args

from hypothesis import strategies as st
from rumble_engine import Termination
from rumble_protocol.fields import DAY_MS, LARGEST_INTEGER, TimeControl
from rumble_server.limits.quotas import Quotas
from rumble_server.match.facts import Placement, TurnsAsked
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.ended import EndedTournament, FinalResult
from rumble_server.tournament.facts import ClubChanged, LogFact, NameUsed
from rumble_server.tournament.pairs.plan import Pairing
from rumble_server.tournament.tables.plan import Seating

KINDS: tuple[type[LogFact], ...] = get_args(LogFact)

texts = st.text(st.characters(codec="utf-8"), max_size=12)
times = st.integers(0, LARGEST_INTEGER)
small = st.integers(0, 1000)
durations = st.integers(0, DAY_MS)
controls = st.builds(TimeControl, move_ms=st.integers(1, DAY_MS), bank_ms=durations, increment_ms=durations)
configs = st.builds(
    TournamentConfig,
    name=st.text(st.characters(codec="utf-8"), min_size=1, max_size=80),
    game=st.just("connect4"),
    settings=st.fixed_dictionaries({}, optional={"columns": st.integers(5, 9), "rows": st.integers(5, 9)}),
    cycles=st.integers(1, 1000),
    legs=st.integers(1, 1000),
    time_control=controls,
    seed=st.integers(0, LARGEST_INTEGER),
    start_at_bots=st.none() | st.integers(2, 4096),
    illegal_retries=st.integers(0, 100),
    away_ms=durations,
    away_clock=st.sampled_from(["stands", "runs"]),
    absent_ms=durations,
    rated=st.booleans(),
    listed=st.booleans(),
    invite=st.none() | st.text(st.characters(codec="utf-8"), min_size=1, max_size=64),
)
hexes = st.binary(min_size=16, max_size=16).map(bytes.hex)

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "absent_left_ms": durations,
    "at_fault": st.lists(st.integers(0, 1), max_size=2).map(tuple),
    "at_ms": times,
    "attempt": small,
    "away_clock": st.none() | st.sampled_from(["stands", "runs"]),
    "away_left_ms": durations,
    "away_ms": durations,
    "bank_ms": times,
    "benched": st.booleans(),
    "bot": texts,
    "bytes": small,
    "bots": st.lists(texts, max_size=3).map(tuple),
    "by_code": st.booleans(),
    "code": st.none() | texts,
    "display": texts,
    "display_name": st.none() | texts,
    "by_name": st.booleans(),
    "by": st.sampled_from(["host", "disk"]),
    "challenger": st.none() | texts,
    "asked": st.lists(st.integers(0, 1), max_size=2).map(tuple),
    "chance_seed": hexes,
    "club": texts,
    "config": configs,
    "follows": st.none() | texts,
    "names": st.lists(texts, max_size=3).map(tuple),
    "digest": hexes,
    "drops": st.lists(small, max_size=2).map(tuple),
    "excused_ms": times,
    "frame": texts,
    "frame_number": small,
    "free_since_ms": st.lists(times, max_size=2).map(tuple),
    "game": texts,
    "house": st.none() | texts,
    "illegal_retries": small,
    "invite": st.none() | texts,
    "made_invite": st.none() | texts,
    "lag_ms": small,
    "listed": st.booleans(),
    "match": texts,
    "move": texts,
    "moves": st.lists(texts, max_size=3).map(tuple),
    "name": texts,
    "next_seat": st.integers(0, 1),
    "next_turn_id": texts,
    "node": texts,
    "all_seats": st.booleans(),
    "on_turn": st.booleans(),
    "openings": st.lists(st.lists(texts, max_size=3).map(tuple), max_size=2).map(tuple),
    "pairings": st.lists(st.builds(Pairing, small, small, small, small, small), max_size=2).map(tuple),
    "seatings": st.lists(
        st.builds(Seating, small, small, small, st.lists(small, max_size=3).map(tuple)), max_size=2
    ).map(tuple),
    "byes": st.lists(small, max_size=2).map(tuple),
    "absent": st.lists(texts, max_size=2).map(tuple),
    "half_byes": st.lists(small, max_size=2).map(tuple),
    "round": small,
    "other": texts,
    "other_number": small,
    "omit": st.lists(st.sampled_from(["legal", "moves"]), max_size=2).map(tuple),
    "ply": small,
    "quotas": st.builds(Quotas),
    "reason": texts,
    "remaining_ms": times,
    "removed": st.booleans(),
    "resumed": st.booleans(),
    "retries_left": small,
    "rows": st.lists(small, max_size=2).map(tuple),
    "salt": hexes,
    "scores": st.none() | st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=2).map(tuple),
    "seat": st.integers(0, 1),
    "seats": st.lists(texts, max_size=2).map(tuple),
    "seats_excused_ms": st.lists(times, max_size=2).map(tuple),
    "seats_ms": st.lists(times, max_size=2).map(tuple),
    "seed": times,
    "sender": st.sampled_from(["bot", "server"]),
    "sha256": hexes,
    "settings": st.dictionaries(texts, st.booleans() | small | texts, max_size=3),
    "spectator_delay_ms": durations,
    "stalled": st.booleans(),
    "started_at_ms": st.none() | times,
    "informed": st.booleans(),
    "status": st.sampled_from(["finished", "cancelled"]),
    "failure": texts,
    "version": st.none() | texts,
    "failures": st.lists(texts, max_size=2).map(tuple),
    "placement": st.none()
    | st.builds(
        Placement,
        st.none() | st.lists(small, max_size=2).map(tuple),
        st.none() | st.lists(st.floats(-1e9, 1e9), max_size=2).map(tuple),
        st.lists(st.tuples(small, small, st.sampled_from(Termination)), max_size=2).map(tuple),
        hexes,
    ),
    "termination": st.sampled_from(Termination),
    "time_control": controls,
    "title": texts,
    "told": st.lists(st.integers(0, 1), max_size=2).map(tuple),
    "tournament": texts,
    "turn_id": texts,
    "turn_ids": st.lists(texts, max_size=2).map(tuple),
    "until_ms": st.none() | times,
    "versions": st.lists(texts, max_size=2).map(tuple),
    "number": small,
    "language": st.sampled_from(["python", "javascript"]),
    "source": texts,
    "oldest": small,
    "freed_bytes": small,
    "what": texts,
}
"""Strategies of values, by the name of a field."""
OTHERS: dict[type[LogFact], dict[str, st.SearchStrategy[Any]]] = {
    ClubChanged: {"house": st.booleans()},
    TurnsAsked: {
        "lag_ms": st.lists(small, max_size=2).map(tuple),
        "omit": st.lists(st.lists(st.sampled_from(["legal", "moves"]), max_size=2).map(tuple), max_size=2).map(tuple),
        "remaining_ms": st.lists(times, max_size=2).map(tuple),
    },
    NameUsed: {"salt": st.none() | hexes, "digest": st.none() | hexes},
}
"""Strategies of fields whose type differs from equally named fields of other kinds, by kind."""


def facts_of(kind: type[LogFact]) -> st.SearchStrategy[LogFact]:
    """Return a strategy of facts of a kind."""
    names = [field.name for field in dataclasses.fields(kind)]
    values = VALUES | OTHERS.get(kind, {})
    return st.builds(kind, **{name: values[name] for name in names})


any_fact: st.SearchStrategy[LogFact] = st.one_of(*map(facts_of, KINDS))

any_record: st.SearchStrategy[EndedTournament] = st.builds(
    EndedTournament,
    id=texts,
    name=texts,
    game=texts,
    status=st.sampled_from(["finished", "cancelled"]),
    bots=st.none() | small,
    created_at_ms=times,
    started_at_ms=st.none() | times,
    ended_at_ms=st.none() | times,
    settings=st.dictionaries(texts, st.booleans() | small | texts, max_size=3),
    time_control=controls,
    format=texts,
    reason=texts,
    matches_over=small,
    matches_total=st.none() | small,
    challengers=st.lists(texts, max_size=2).map(tuple),
    lines=st.lists(
        st.builds(FinalResult, texts, small, st.sampled_from([0.0, 0.5, 12.25, 100.0]), small, small, small, texts),
        max_size=3,
    ).map(tuple),
    away_clock=st.sampled_from(["stands", "runs"]),
)
