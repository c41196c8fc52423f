"""Hypothesis strategies for every message of the protocol."""

from typing import Any

from hypothesis import strategies as st
from rumble_engine import Termination
from rumble_protocol import bot_messages as bot
from rumble_protocol import server_messages as server
from rumble_protocol.codes import ErrorCode, NoticeCode, Rejection
from rumble_protocol.fields import (
    DAY_MS,
    LARGEST_INTEGER,
    NAME_PATTERN,
    AwayClock,
    BotMessageModel,
    MoveInfo,
    ServerMessageModel,
    TimeControl,
)

texts = st.text(st.characters(codec="utf-8"), max_size=12)
ids = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
keys = st.text(st.characters(codec="utf-8"), min_size=16, max_size=24)
wanted_names = st.from_regex(NAME_PATTERN.replace("$", r"\Z"), fullmatch=True)
integers = st.integers(-LARGEST_INTEGER, LARGEST_INTEGER)
counts = st.integers(0, LARGEST_INTEGER)
seats = st.integers(0, 15)
durations = st.integers(0, DAY_MS)
points = st.integers(0, 2000).map(lambda halves: halves / 2)
settings = st.dictionaries(texts, st.booleans() | integers | texts, max_size=3)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | integers | texts,
    lambda values: st.lists(values, max_size=3) | st.dictionaries(texts, values, max_size=3),
    max_leaves=8,
)
states = st.dictionaries(texts, json_values, max_size=3)
names = st.lists(texts, max_size=3)
statuses: st.SearchStrategy[server.TournamentStatus] = st.sampled_from(
    ["lobby", "running", "paused", "finished", "cancelled"]
)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


time_controls = st.builds(
    TimeControl, move_ms=st.integers(1, DAY_MS), bank_ms=durations, increment_ms=durations
) | st.builds(TimeControl, bank_ms=st.integers(1, DAY_MS), increment_ms=durations)

infos = st.builds(
    MoveInfo,
    score=maybe(st.floats(allow_nan=False, allow_infinity=False)),
    depth=maybe(counts),
    nodes=maybe(counts),
    time_ms=maybe(counts),
    pv=maybe(st.lists(texts, max_size=3)),
)
away_clocks: st.SearchStrategy[AwayClock] = st.sampled_from(["stands", "runs"])
tournament_fields: dict[str, st.SearchStrategy[Any]] = {
    "tournament": texts,
    "game": texts,
    "settings": settings,
    "time_control": time_controls,
    "status": statuses,
    "away_clock": away_clocks,
}

bot_messages: dict[type[BotMessageModel], st.SearchStrategy[Any]] = {
    bot.Login: st.builds(
        bot.Login,
        name=wanted_names,
        key=maybe(keys),
        version=maybe(texts),
        client=maybe(texts),
        games=maybe(names),
        max_matches=st.integers(1, LARGEST_INTEGER),
        join=maybe(ids),
        invite=maybe(texts),
        challenges=st.booleans(),
        omit=st.lists(st.sampled_from(["legal", "moves"]), unique=True),
        worker=maybe(wanted_names),
    ),
    bot.Join: st.builds(bot.Join, tournament=ids, invite=maybe(texts)),
    bot.Leave: st.builds(bot.Leave, tournament=ids, invite=maybe(texts)),
    bot.Move: st.builds(bot.Move, match=ids, turn_id=ids, move=texts, note=maybe(texts), info=maybe(infos)),
    bot.Resign: st.builds(
        bot.Resign, match=ids, reason=st.none() | st.text(max_size=500), failed=st.none() | st.booleans()
    ),
    bot.Challenge: st.builds(
        bot.Challenge,
        against=wanted_names,
        game=texts,
        settings=maybe(settings),
        seat=maybe(seats),
        time_control=maybe(time_controls),
        others=maybe(st.lists(maybe(wanted_names), max_size=14)),
    ),
}

turn_fields: dict[str, st.SearchStrategy[Any]] = {
    "match": texts,
    "attempt": counts,
    "turn_id": texts,
    "game": texts,
    "ply": counts,
    "seat": seats,
    "state": states,
}

server_messages: dict[type[ServerMessageModel], st.SearchStrategy[Any]] = {
    server.Welcome: st.builds(
        server.Welcome,
        server=texts,
        features=names,
        limits=st.builds(
            server.Limits,
            frame_bytes=counts,
            login_ms=counts,
            unsolicited_per_minute=counts,
            ping_ms=st.integers(0, 5_000),
            pong_ms=counts,
            max_matches=counts,
        ),
        games=names,
        identity=texts,
    ),
    server.Session: st.builds(
        server.Session,
        name=texts,
        open=st.booleans(),
        max_matches=counts,
        matches=names,
        tournaments=st.lists(st.builds(server.TournamentSummary, id=texts, game=texts, status=statuses), max_size=2),
    ),
    server.Joined: st.builds(server.Joined, **tournament_fields),
    server.Left: st.builds(server.Left, **tournament_fields),
    server.MatchStart: st.builds(
        server.MatchStart,
        match=texts,
        attempt=counts,
        tournament=texts,
        game=texts,
        settings=settings,
        seat=seats,
        seats=names,
        time_control=time_controls,
        moves=names,
        resumed=st.booleans(),
        away_clock=away_clocks,
    ),
    server.Turn: st.builds(
        server.Turn,
        **turn_fields,
        legal=names,
        moves=names,
        clock=st.builds(server.TurnClock, remaining_ms=counts, seats_ms=st.lists(counts, max_size=3), lag_ms=counts),
    ),
    server.Rejected: st.builds(
        server.Rejected,
        match=texts,
        turn_id=texts,
        code=st.sampled_from(Rejection),
        message=texts,
        your_turn=st.booleans(),
        remaining_ms=maybe(counts),
    ),
    server.MatchOver: st.builds(
        server.MatchOver,
        match=texts,
        attempt=counts,
        scores=maybe(st.lists(points, max_size=3)),
        winner=maybe(seats),
        termination=st.sampled_from(Termination),
        reason=texts,
        moves=names,
        state=states,
    ),
    server.TournamentOver: st.builds(
        server.TournamentOver, tournament=texts, status=statuses, rank=counts, bots=counts, points=points
    ),
    server.Notice: st.builds(
        server.Notice, code=st.sampled_from(NoticeCode), tournament=maybe(texts), match=maybe(texts), message=texts
    ),
    server.Error: st.builds(
        server.Error,
        code=st.sampled_from(ErrorCode),
        message=texts,
        detail=st.lists(st.builds(server.FieldProblem, field=texts, problem=texts), max_size=2),
        fatal=st.booleans(),
    ),
}

any_bot_message = st.one_of(*bot_messages.values())
any_server_message = st.one_of(*server_messages.values())
