"""States of OpenSpiel's games: the conformance kit, the knowledge of seats, seeds, joint moves, payoffs."""

import pickle
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from rumble_engine import ALL, BadPosition, NotListed, UnreadableMove
from rumble_engine.chance import NUMBERS
from rumble_engine.conformance import check_game

from tests.needs import long_or

pytest.importorskip("pyspiel", reason="needs the extra openspiel")
from rumble_engine.games.openspiel import FAMILY, openspiel_game, states
from rumble_engine.games.openspiel.catalogue import hides, is_joint, kinds
from rumble_engine.games.openspiel.states import OpenSpielState

LONG = {
    f"openspiel:{name}"
    for name in (
        *("amazons", "backgammon", "banqi", "battleship", "bridge", "chess"),
        *("chinese_checkers", "coin_game", "colored_trails", "coop_box_pushing", "crazy_eights", "crazyhouse"),
        *("cribbage", "cursor_go", "gin_rummy", "go", "go_fish", "gomoku", "havannah", "hearts", "hive", "kriegspiel"),
        *("laser_tag", "lines_of_action", "maedn", "markov_soccer", "mnk", "nine_mens_morris", "oh_hell", "oware"),
        *("pathfinding", "phantom_go", "quoridor", "rbc", "shogi", "social_deduction", "spades", "xiangqi", "y"),
        "yacht",
    )
}
"""Games with matches of half a second or more in the kit."""
SHORTER = {"horizon": 20, "max_moves": 40, "max_turns": 20, "max_player_turns": 20}
"""Settings for short matches."""
HIDING = [name for name in FAMILY.names() if hides(kinds()[name])]


def shortened(name: str) -> dict[str, Any]:
    return {each.name: SHORTER[each.name] for each in openspiel_game(name).settings if each.name in SHORTER}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] if name in LONG else []) for name in FAMILY.names()]
)
def test_openspiel_games_pass_the_conformance_kit(name: str) -> None:
    assert check_game(openspiel_game(name), settings=shortened(name), playouts=1).plies


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FAMILY.names() if name not in LONG])
def test_openspiel_games_pass_the_conformance_kit_with_all_seats(name: str) -> None:
    game = openspiel_game(name)
    assert check_game(game, settings=shortened(name), playouts=3, seats=game.most_seats).plies


def after_a_ply(state: OpenSpielState, random: Random) -> OpenSpielState:
    if state.is_chance:
        return state.after(state.draw(random.randrange(NUMBERS)))
    return state.after_all({seat: random.choice(state.codes_for(seat)) for seat in state.movers})


def match(name: str, random: Random, settings: dict[str, Any] | None = None) -> Iterator[OpenSpielState]:
    """Yield the states of a random match."""
    state = openspiel_game(name).initial(shortened(name) if settings is None else settings)
    while state.outcome is None:
        yield state
        state = after_a_ply(state, random)
    yield state


def last(name: str, random: Random) -> OpenSpielState:
    *_, state = match(name, random)
    return state


@pytest.mark.parametrize("name", [name for name in HIDING if name not in LONG])
def test_a_seat_sees_no_more_than_it_may_know(name: str) -> None:
    """Compare states with equal information states of OpenSpiel."""
    has_information, random = kinds()[name].provides_information_state_string, Random(3)
    known: dict[object, object] = {}
    for _ in range(long_or(5, 100)):
        for state in match(name, random):
            public = state.view()
            assert not public.keys() & {"board", "actions", "seat"}
            for seat in range(state.seats):
                view = state.view(seat)
                assert view.keys() - public.keys() == {"board", "seat"}
                assert public == {field: view[field] for field in public}
                if has_information:
                    moves = (
                        [state.text_for(seat, code) for code in state.codes_for(seat)] if seat in state.movers else []
                    )
                    key = (seat, state._state.information_state_string(seat), repr(public))
                    assert known.setdefault(key, (view, moves)) == (view, moves)


@pytest.mark.parametrize("name", ["hearts", "skat", "spades"])
def test_two_cards_that_change_hands_are_seen_by_two_seats(name: str) -> None:
    random = Random(4)
    game = openspiel_game(f"openspiel:{name}")
    dealt = next(state for state in match(game.name, random) if not state.is_chance)
    numbers = dealt.text().split()
    changed = set()
    for _ in range(50):
        other, (one, two) = numbers.copy(), random.sample(range(len(numbers)), 2)
        other[one], other[two] = other[two], other[one]
        try:
            state = game.parse(" ".join(other))
        except BadPosition:
            continue  # a number that is no card
        if not state.is_chance:
            changed.add(sum(state.view(seat)["board"] != dealt.view(seat)["board"] for seat in range(state.seats)))
    assert changed >= {0, 2}
    assert max(changed) == 2


def test_dark_chess_tells_no_clock() -> None:
    state = openspiel_game("openspiel:dark_chess").initial()
    for move in ("e4", "e5"):
        state = state.play(next(text for text in state.legal_moves if move in text))
    assert state.view(1)["board"].endswith("/PPPP1PPP/RNBQKBNR w KQ -")


def test_plies_are_seen_by_their_mover() -> None:
    state = openspiel_game("openspiel:kuhn_poker").initial()
    assert [state.seen("x", seat) for seat in (None, 0, 1, ALL)] == ["?", "?", "?", "x"]
    state = state.after(0).after(1)
    assert [state.seen("Pass", seat) for seat in (None, 0, 1, ALL)] == ["?", "Pass", "?", "Pass"]
    assert state.view(0)["board"] == "0"
    joint: Any = openspiel_game("openspiel:coop_box_pushing").initial()
    assert joint.seen("stay turn_left", 1) == "? turn_left"
    assert joint.seen("stay turn_left", None) == "? ?"
    assert openspiel_game("openspiel:pig").initial().seen("roll", None) == "roll"


@pytest.mark.parametrize("name", ["negotiation", "tarok"])
def test_a_seed_fixes_the_draws_of_openspiel(name: str) -> None:
    start = openspiel_game(f"openspiel:{name}").initial()
    with pytest.raises(NotListed):
        start.codes()
    for text in ("x", "01", str(1 << 31), "\u0663"):
        with pytest.raises(UnreadableMove):
            start.play(text)
    assert start.draw(NUMBERS - 1) == (1 << 31) - 1
    state, again, other = start.play("77"), start.play("77"), start.play("78")
    assert state.diagram() == again.diagram() != other.diagram()
    assert state == again == pickle.loads(pickle.dumps(state)) != other
    assert state.text() == "77"
    assert state.view(ALL)["actions"] == [77]
    assert state.view(0)["board"] != other.view(0)["board"]
    assert state.view() == other.view()


@pytest.mark.parametrize("name", ["negotiation", "tarok", "coop_box_pushing", "gin_rummy", "laser_tag", "kriegspiel"])
def test_equal_texts_give_equal_states(name: str) -> None:
    state = last(f"openspiel:{name}", Random(5))
    again = openspiel_game(f"openspiel:{name}").parse(state.text(), shortened(f"openspiel:{name}"))
    assert (again, again.outcome, again.view(ALL)) == (state, state.outcome, state.view(ALL))


def test_other_seats_stand_before_the_numbers() -> None:
    game = openspiel_game("openspiel:maedn")
    state = game.initial_for(3)
    assert (state.text(), game.initial().text()) == ("3: start", "start")
    state = state.after(5)
    assert state.text() == "3: 5"
    assert game.parse("3: 5") == state == game.load(state.view())
    for text in ("x: 5", "3: 99", ": 5"):
        with pytest.raises(BadPosition):
            game.parse(text)


def test_joint_moves_are_words() -> None:
    state: Any = openspiel_game("openspiel:coop_box_pushing").initial()
    state = state.play("move_forward stay")
    assert state.is_chance
    game = openspiel_game("openspiel:matrix_pd")
    end = game.initial().play("Defect Cooperate")
    assert end.outcome is not None
    assert (end.outcome.payoffs, end.outcome.places) == ((10.0, 0.0), (1, 2))
    assert end.view() | {"board": ""} == {"board": "", "actions": [1, 0], "movers": []}


def test_no_joint_move_has_an_underscore_of_its_own() -> None:
    """Check that `_` for a space leaves different moves different."""
    for name in (name for name in FAMILY.names() if is_joint(kinds()[name])):
        for state in match(name, Random(6)):
            for seat in state.movers:
                texts = [state._state.action_to_string(seat, code) for code in state.codes_for(seat)]
                assert not any("_" in text for text in texts)


@pytest.mark.parametrize("name", ["euchre", "tiny_hanabi", "goofspiel", "laser_tag", "yacht"])
def test_payoffs_are_the_returns(name: str) -> None:
    end = last(f"openspiel:{name}", Random(7))
    assert end.outcome is not None
    assert end.outcome.payoffs == pytest.approx(end._state.returns())


def test_three_seats_of_a_plain_game_have_places_and_no_payoffs() -> None:
    state = openspiel_game("openspiel:chinese_checkers").initial_for(3, {"max_moves": 5})
    while state.outcome is None:
        state = after_a_ply(state, Random(8))
    assert (state.outcome.places, state.outcome.payoffs) == ((1, 1, 1), None)


def test_a_long_match_is_a_tie(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "MOST_MOVES", 3)
    end = last("openspiel:pig", Random(9))
    assert end.outcome is not None
    assert (end.outcome.payoffs, end.outcome.reason) == ((0.0, 0.0), "3 moves are the most")
    game = openspiel_game("openspiel:pig")
    assert game.parse(end.text(), shortened(game.name)) == end
    with pytest.raises(BadPosition):
        game.parse(f"{end.text()} 0", shortened(game.name))
    assert last("openspiel:tic_tac_toe", Random(9)).text().count(" ") > 3
