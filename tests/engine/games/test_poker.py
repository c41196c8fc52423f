"""Poker: forms, views, falls, and hands compared with OpenSpiel's own games.

Without OpenSpiel the tests are skipped.
"""

import pickle
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rumble_engine import ALL, BadPosition, BadSettings, IllegalMove, NotListed, UnreadableMove
from rumble_engine.chance import NUMBERS
from rumble_engine.conformance import check_game

pytest.importorskip("pyspiel", reason="needs the extra openspiel")
import pyspiel
from rumble_engine.games.poker import GAME
from rumble_engine.games.poker.cards import DECK, dealt, way_of, ways
from rumble_engine.games.poker.hand import DEEP
from rumble_engine.games.poker.state import PokerState

LIMIT = {"betting": "limit", "hands": 1, "small_blind": 2}
LIMITS = "betting=limit,bettingAbstraction=fcpa,raiseSize=100 100 200 200,maxRaises=3 4 4 4,stack=4800 4800"
"""Limit betting of OpenSpiel with two seats; a third stack follows for three seats."""
OWN = [
    (2, {"betting": "limit"}, f"{LIMITS},blind=100 50,firstPlayer=2 1 1 1"),
    (3, {"betting": "limit"}, f"{LIMITS} 4800,blind=50 100 0,firstPlayer=3 1 1 1"),
    (2, {"stack": 900}, "betting=nolimit,stack=900 900,bettingAbstraction=fullgame,blind=100 50,firstPlayer=2 1 1 1"),
    (
        6,
        {"stack": 900},
        "betting=nolimit,stack=900 900 900 900 900 900,bettingAbstraction=fullgame,blind=50 100 0 0 0 0,"
        "firstPlayer=3 1 1 1",
    ),
]
"""Numbers of seats and settings, and the games of OpenSpiel that are the same."""


def start(seats: int = 2, **given: Any) -> PokerState:
    return GAME.initial_for(seats, given)


def played(state: PokerState, *plies: str) -> PokerState:
    for ply in plies:
        state = state.play(ply)
    return state


def random_ply(state: PokerState, random: Random) -> str:
    """Return the text of a random ply; most plies are no raise: hands reach a showdown."""
    if state.is_chance:
        return state.text_of(state.draw(random.randrange(NUMBERS)))
    codes = state.codes()
    return state.text_of(random.choice(codes if random.random() < 0.2 else codes[:3]))


@pytest.mark.parametrize("given", [{"stack": 130, "small_blind": 20, "hands": 2}, LIMIT])
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_poker_keeps_the_rules_of_games(seats: int, given: dict[str, Any]) -> None:
    check_game(GAME, settings=given, seats=seats, playouts=4)


@pytest.mark.parametrize(("seats", "chosen", "named"), OWN)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_hands_are_those_of_openspiel(seats: int, chosen: dict[str, Any], named: str, seed: int) -> None:
    random = Random(seed)
    spiel = pyspiel.load_game(
        f"universal_poker({named},numPlayers={seats},numRounds=4,numSuits=4,numRanks=13,numHoleCards=2,"
        "numBoardCards=0 3 1 1)"
    ).new_initial_state()
    state = start(seats, hands=1, **chosen)
    while state.outcome is None:
        ply = random_ply(state, random)
        if state.is_chance:
            pairs = ply.split(" ")
            cards = ply if state.hand else "".join([pairs[(seat + 1) % seats] for seat in range(seats)])
            for place in range(0, len(cards), 2):
                spiel.apply_action(51 - DECK.index(cards[place : place + 2]))
        else:
            is_limit = state.rules.is_limit
            assert state.to_move == (spiel.current_player() + 1) % seats
            assert [min(code, 2) if is_limit else code for code in state.codes()] == spiel.legal_actions()
            spiel.apply_action("fcr".index(ply[0]) if is_limit else state.code_of(ply))
        state = state.play(ply)
    assert spiel.is_terminal()
    returns = [spiel.returns()[(seat - 1) % seats] for seat in range(seats)]
    assert sum(state.gains) == 0
    assert all(abs(gain - paid) < 1 for gain, paid in zip(state.gains, returns, strict=True))


def test_the_button_moves_and_gains_add_up() -> None:
    state = played(start(3, hands=2), "AsAd KsKd QsQd")
    assert (state.to_move, state.view()["spent"]) == (0, [0, 50, 100])
    state = played(state, "r300", "f", "f", "2s2d 3s3d 4s4d")
    assert (state.gains, state.to_move, state.view()["spent"]) == ((150, -50, -100), 1, [100, 0, 50])
    state = played(state, "f", "f")
    assert state.outcome is not None
    assert state.outcome.payoffs == (200, -50, -150)


def test_chips_that_cannot_be_divided_go_to_the_first_winners_from_the_left_of_the_button() -> None:
    state = played(start(3, hands=1, small_blind=25), "AsKd 2d2c AdKs", "r101", "f", "c", "QsJdTc")
    state = played(state, *"cc", "2s", *"cc", "3s", *"cc")
    assert state.gains == (12, -25, 13)
    state = played(start(4, hands=1, small_blind=1, stack=20), "AsKd 2d2c AdKs AhKc", "r4", "c", "f", "c", "QsJdTc")
    state = played(state, *"ccc", "2s", *"ccc", "3s", *"ccc")
    assert state.gains == (0, -1, 1, 0)


@given(
    number=st.integers(0, NUMBERS - 1), counts=st.sampled_from([[2] * 6, [2, 2], [3], [1]]), size=st.integers(12, 52)
)
def test_each_way_of_dealing_has_its_own_text(number: int, counts: list[int], size: int) -> None:
    deck = DECK[:size]
    way = number % ways(size, counts)
    assert way_of(" ".join(dealt(way, deck, counts)), deck, counts) == way


def test_all_ways_of_dealing_are_different() -> None:
    every = Counter(" ".join(dealt(way, DECK[:6], [2, 2])) for way in range(ways(6, [2, 2])))
    assert (len(every), set(every.values())) == (15 * 6, {1})


def test_the_turn_and_the_river_are_listed() -> None:
    state = start()
    with pytest.raises(NotListed, match="1624350 ways"):
        state.chances()
    state = played(state, "AsAd KsKd", "c", "c")
    with pytest.raises(NotListed, match="17296 ways"):
        state.chances()
    state = played(state, "QsQhQd", "c", "c")
    assert (len(state.chances()), state.text_of(0), state.text_of(44)) == (45, "Ah", "2c")


def test_seats_see_their_own_cards_and_spectators_none() -> None:
    state = start(3)
    deal = "AsAd KsKd QsQd"
    assert [state.seen(deal, seat) for seat in (None, 0, 2)] == ["?? ?? ??", "AsAd ?? ??", "?? ?? QsQd"]
    state = state.play(deal)
    assert [state.view(seat)["cards"] for seat in (None, 1)] == [["??"] * 3, ["??", "KsKd", "??"]]
    assert state.view(ALL)["cards"] == deal.split(" ")


def test_the_last_hand_shows_the_cards_of_a_showdown_only() -> None:
    state = played(start(3), "AsAd KsKd QsQd", "f", "c", "c", "4c3c2c", "c", "c", "5h", "c", "c", "7h", "c", "c")
    assert state.view(0)["last_hand"] == {
        "button": 0,
        "cards": ["??", "KsKd", "QsQd"],
        "board": ["4c", "3c", "2c", "5h", "7h"],
        "moves": "fcc/cc/cc/cc",
        "gains": [0, 100, -100],
    }
    state = played(state, "AsAd KsKd QsQd", "f", "f")
    assert state.view(ALL)["last_hand"]["cards"] == ["??"] * 3


def test_all_in_leaves_the_board_to_chance() -> None:
    state = played(start(hands=1), "AsAd KsKd", "r20000", "c")
    assert state.is_chance
    assert not state.movers
    state = played(state, "4c3c2c", "5h", "7h")
    assert (state.gains, state.last.betting if state.last else "") == ((20000, -20000), "r20000c///")


def test_of_two_seats_a_fall_folds_all_hands_left() -> None:
    state = played(start(hands=4), "AsAd KsKd", "r300")
    assert (state.joint_text({}), state.to_move) == ("-", 1)
    over = state.after_all({})
    assert over == state.play("-")
    assert over.outcome is not None
    assert over.gains == (100 + 50 + 100 + 50, -300)  # seat 1 has the button in hands 1 and 3
    with pytest.raises(UnreadableMove, match="'-' is not a move"):
        state.code_for(1, "-")


def test_of_more_seats_a_fallen_seat_folds_or_checks() -> None:
    state = played(start(3), "AsAd KsKd QsQd")
    assert state.joint_text({}) == "f"
    state = played(state, "c", "c")
    assert (state.to_move, state.joint_text({}), state.after_all({})) == (2, "c", state.play("c"))


def test_limit_betting_has_four_bets_in_a_round() -> None:
    state = played(start(betting="limit"), "AsAd KsKd")
    assert list(state.legal_moves) == ["f", "c", "r200"]
    state = played(state, "r200", "r300", "r400")
    assert list(state.legal_moves) == ["f", "c"]
    with pytest.raises(IllegalMove, match="r500 is not allowed: no raise is allowed here"):
        state.code_of("r500")
    state = played(state, "c", "4c3c2c", "c", "c", "5h")
    assert list(state.legal_moves) == ["c", "r600"]


def test_limit_stacks_are_never_used_up() -> None:
    state = played(start(betting="limit", hands=1), "AsAd KsKd")
    while state.outcome is None:
        state = state.after(0 if state.is_chance else state.codes()[-1])
    assert abs(state.gains[0]) == DEEP * 100 // 2


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("f", IllegalMove, "f is not allowed: there is nothing to call"),
        ("r199", IllegalMove, "r199 is not allowed: a raise is from r200 to r20000"),
        ("r1", IllegalMove, "r1 is not allowed: a raise is from r200 to r20000"),
        ("R200", UnreadableMove, "'R200' is not a move: f, c, or r300 to raise to 300 chips"),
        ("/", UnreadableMove, "'/' is not a move"),
    ],
)
def test_refused_moves(text: str, error: type[Exception], message: str) -> None:
    state = played(start(), "AsAd KsKd", "c")
    with pytest.raises(error, match=message):
        state.code_of(text)


@pytest.mark.parametrize("text", ["AsAd", "AdAs KsKd", "AsAd AsKd", "AsAs KsKd", "AsAx KsKd", "AsAd KsKd QsQd"])
def test_cards_that_cannot_be_dealt(text: str) -> None:
    with pytest.raises(UnreadableMove):
        start().code_of(text)


def test_people_write_moves_in_words() -> None:
    state = played(start(), "AsAd KsKd")
    assert [GAME.written(state, move) for move in ("f", "c", "r300")] == ["fold", "call", "raise 300"]
    assert GAME.spellings(state, "r20000") == ["raise 20000", "bet 20000", "r20000", "all-in"]
    state = played(state, "c", "c", "4c3c2c")
    assert [GAME.written(state, move) for move in ("c", "r300")] == ["check", "bet 300"]


def rows(state: PokerState, seat: int | None, last: str | None = None) -> list[str]:
    """Return the rows of a drawing, with the names of cards in place of letters, and the marked cells."""
    drawn = GAME.drawing(state.view(seat), last)
    labels = [
        drawn.pieces[mark].label.rjust(2) if mark in drawn.pieces and mark != "#" else mark * 2 for mark in drawn.board
    ]
    lines = ["".join(labels[at : at + drawn.columns]) for at in range(0, len(labels), drawn.columns)]
    return [line.replace(".", " ").rstrip() for line in lines] + [str(list(drawn.last))]


def test_a_drawing_has_the_cards_that_the_seat_sees_and_the_chips_digit_by_digit() -> None:
    state = played(start(3, stack=900), "AsAd KsKd QsQd", "r300", "f", "c", "4h3c2c")
    assert rows(state, 2, "4h3c2c") == [
        "4♥3♣2♣         6 5 0",
        " A D####       3 0 0",
        " B               5 0",
        " C  Q♠Q♦       3 0 0",
        "[0, 1, 2]",
    ]
    assert rows(state, None, "c")[1:4:2] == [" A D####       3 0 0", " C  ####       3 0 0"]


def test_between_hands_a_drawing_has_the_cards_that_the_last_hand_has_shown() -> None:
    state = played(start(stack=900), "AsAd KsKd", "c", "c", "4h3c2c", *"cc", "7h", *"cc", "8h", *"cc")
    assert rows(state, 0, "c") == [
        "4♥3♣2♣7♥8♥         0",
        " A DA♠A♦           0",
        " B  K♠K♦           0",
        "[]",
    ]


def test_a_diagram_tells_the_hand_and_the_last_hand() -> None:
    state = played(start(3), "AsAd KsKd QsQd", "f", "f", "JsJd TsTd 9s9d", "c", "f")
    assert GAME.diagram(state.view(1)).splitlines() == [
        "hand 2 of 10",
        "pot 250  board -  moves cf",
        "First     ??      100  gains +0",
        "Second D  TsTd    100  gains -50",
        "Third   x ??       50  gains +50",
        "last hand: ?? ?? ??  board -  moves ff",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0 0,0 - - - - -",
        "0 1,0 - - - - - -",
        "1 0,0 - - - - - -",
        "0 0,0 AsAd - - - - -",
        "0 0,0 AsAd,AsKd - - - - -",
        "0 0,0 AsAd,KsKx - - - - -",
        "0 0,0 AsAd,KsKd x - - - -",
        "0 0,0 AsAd,KsKd rc - - - -",
        "0 0,0 AsAd,KsKd r1 - - - -",
        "0 0,0 AsAd,KsKd cc/ 2c3c - - -",
        "0 0,0 AsAd,KsKd cc/ 2c3c4c5c - - -",
        "0 0,0 AsAd,KsKd r300f - - - -",
        "1 40000,-40000 - - - ??,?? r300f -",
        "1 100,-100 - - - ??,?? r300 -",
        "1 100,-100 - - - AsAd,?? r300f -",
        "11 0,0 - - - - - -",
    ],
)
def test_positions_that_play_cannot_reach(text: str) -> None:
    with pytest.raises(BadPosition):
        GAME.parse(text)


@pytest.mark.parametrize(
    "change", [{"moves": "x"}, {"cards": 1}, {"spent": [0, 0]}, {"board": ["As"]}, {"gains": None}]
)
def test_views_that_no_seat_sees(change: dict[str, Any]) -> None:
    view = played(start(), "AsAd KsKd", "c").view(0)
    assert GAME.sample(view, Random(1)).view(0) == view
    with pytest.raises(BadPosition, match="not a view of poker"):
        GAME.sample({**view, **change}, Random(1))


def test_a_stack_is_more_than_the_blinds() -> None:
    with pytest.raises(BadSettings, match="stack must be at least 4 times small_blind"):
        start(stack=199)


def test_states_are_copied_without_their_openspiel_game() -> None:
    state = played(start(), "AsAd KsKd", "r300", "f", "QsQd JsJd", "c")
    assert pickle.loads(pickle.dumps(state)) == state
    assert len(pickle.dumps(state)) < 1_000
