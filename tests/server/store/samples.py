"""Hypothesis strategies for every fact of the log."""

import dataclasses
from typing import Any, get_args

from hypothesis import strategies as st
from rumble_engine import Termination
from rumble_protocol.fields import DAY_MS, LARGEST_INTEGER, TimeControl
from rumble_server.limits.quotas import Quotas
from rumble_server.match.facts import Placement, TurnsAsked
from rumble_server.tournament.club_facts import ClubChanged, NameUsed
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.ended import EndedTournament, FinalResult
from rumble_server.tournament.facts import LogFact
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


def tuples(values: st.SearchStrategy[Any], most: int = 2) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(values, max_size=most).map(tuple)


seats = tuples(st.integers(0, 1))
OF_KIND: tuple[tuple[st.SearchStrategy[Any], str], ...] = (
    (texts, "bot club display failure frame game match move name next_turn_id other reason source title tournament"),
    (texts, "turn_id what"),
    (st.none() | texts, "challenger code display_name follows house invite made_invite version"),
    (tuples(texts), "absent failures seats turn_ids versions"),
    (tuples(texts, 3), "bots moves names"),
    (st.booleans(), "all_seats benched by_code by_name informed listed on_turn removed resumed stalled"),
    (small, "attempt bytes freed_bytes illegal_retries lag_ms number oldest other_number ply retries_left round"),
    (tuples(small), "byes drops half_byes rows"),
    (times, "at_ms bank_ms excused_ms remaining_ms seed"),
    (st.none() | times, "started_at_ms until_ms"),
    (tuples(times), "free_since_ms seats_excused_ms seats_ms"),
    (durations, "absent_left_ms away_left_ms away_ms spectator_delay_ms"),
    (hexes, "chance_seed digest salt sha256"),
    (st.integers(0, 1), "next_seat seat"),
    (seats, "asked at_fault connected"),
)
"""Strategies of values, with the names of their fields."""
VALUES: dict[str, st.SearchStrategy[Any]] = {name: values for values, names in OF_KIND for name in names.split()} | {
    "away_clock": st.none() | st.sampled_from(["stands", "runs"]),
    "by": st.sampled_from(["host", "disk"]),
    "config": configs,
    "language": st.sampled_from(["python", "javascript"]),
    "omit": tuples(st.sampled_from(["legal", "moves"])),
    "openings": tuples(tuples(texts, 3)),
    "pairings": tuples(st.builds(Pairing, small, small, small, small, small)),
    "placement": st.none()
    | st.builds(
        Placement,
        st.none() | tuples(small),
        st.none() | tuples(st.floats(-1e9, 1e9)),
        tuples(st.tuples(small, small, st.sampled_from(Termination))),
        hexes,
    ),
    "quotas": st.builds(Quotas, *[st.none() | small] * 5),
    "scores": st.none() | tuples(st.sampled_from([0.0, 0.5, 1.0])),
    "seatings": tuples(st.builds(Seating, small, small, small, tuples(small, 3))),
    "sender": st.sampled_from(["bot", "server"]),
    "settings": st.dictionaries(texts, st.booleans() | small | texts, max_size=3),
    "status": st.sampled_from(["finished", "cancelled"]),
    "termination": st.sampled_from(Termination),
    "time_control": controls,
}
"""Strategies of values, by the name of a field."""
OTHERS: dict[type[LogFact], dict[str, st.SearchStrategy[Any]]] = {
    ClubChanged: {"house": st.booleans()},
    TurnsAsked: {
        "lag_ms": tuples(small),
        "omit": tuples(VALUES["omit"]),
        "remaining_ms": tuples(times),
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
    status=VALUES["status"],
    bots=st.none() | small,
    created_at_ms=times,
    started_at_ms=st.none() | times,
    ended_at_ms=st.none() | times,
    settings=VALUES["settings"],
    time_control=controls,
    format=texts,
    reason=texts,
    matches_over=small,
    matches_total=st.none() | small,
    challengers=tuples(texts),
    lines=tuples(
        st.builds(FinalResult, texts, small, st.sampled_from([0.0, 0.5, 12.25, 100.0]), small, small, small, texts), 3
    ),
    away_clock=st.sampled_from(["stands", "runs"]),
)
