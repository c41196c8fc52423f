"""A match at a table, as the bot is told of it: chances by the seed, news since its turns, fallen seats last."""

import hmac
from hashlib import sha256
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_bots.check.scripted_match import ScriptedMatch
from rumble_engine import ALL, Termination, get_game
from rumble_protocol import server_messages as say
from rumble_protocol.fields import TimeControl

from tests.bots.sdk import says


def table(game: str, seat: int, seed: int) -> ScriptedMatch:
    return ScriptedMatch("check.1", get_game(game), seat, "bot", TimeControl(), Random(seed))


@pytest.mark.parametrize("game", ["snakes", "dilemma", "backgammon", "liars-dice"])
@given(seed=st.integers(0, 1000), plies=st.integers(0, 30), falls=st.sets(st.integers(0, 3), max_size=2))
def test_a_bot_is_told_all_that_it_needs_to_check_the_match(game: str, seed: int, plies: int, falls: set[int]) -> None:
    match = table(game, seed % 2, seed)
    start, asked = match.start_message(resumed=False), list[say.Turn]()
    while match.outcome is None and len(match.moves) < plies:
        if match.asks:
            message = says.read(say.Turn, match.turn_message("k1", []))
            asked.append(message)
            match.answer(Random(seed).choice(message.legal))
        else:
            match.go_on()
    if match.outcome is None:
        fallen = {seat % match.seats for seat in falls} or {match.seat}
        match.fall(sorted(fallen), Termination.TIMEOUT, "late")
    over = match.over_message(match.conclude())

    attempt, secret = f"{match.match_id} 1", bytes.fromhex(over.seed or "")
    assert start.seed_commitment == sha256(secret + attempt.encode()).hexdigest()
    state, news, draws = get_game(game).initial_for(match.seats), list[tuple[int | None, str]](), 0
    for ply, move in enumerate(over.moves):
        for turn in (turn for turn in asked if turn.ply == ply):
            assert turn.state == state.view(match.seat)
            seen = turn.since or []
            assert seen == news[len(news) - len(seen) :]
            assert [seat for seat, _ in seen].count(match.seat) == (turn is not asked[0])
        if state.is_chance:
            label = f"{attempt} {draws}".encode()
            assert state.text_of(state.draw(int.from_bytes(hmac.digest(secret, label, "sha256")))) == move
            draws += 1
        news += state.parts(state.seen(move, match.seat))
        state = state.play(move)
    assert over.state == state.view(ALL)
    assert over.moves or not plies
    places = over.places or []
    assert len(places) == match.seats
    last = {fall.seat for fall in over.falls or ()}
    assert all(places[seat] > places[other] for seat in last for other in range(match.seats) if other not in last)


def test_a_move_taken_back_leaves_no_trace() -> None:
    match = table("snakes", 3, 5)
    before = match.turn_message("k1", [])
    match.answer("up")
    assert match.turn_message("k1", []) != before
    match.take_back()
    assert match.turn_message("k1", []) == before
