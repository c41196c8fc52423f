"""Liar's dice: bids, calls, places, falls, and what seats and spectators see."""

from random import Random
from typing import Any

import pytest
from rumble_engine import ALL, BadPosition, BadSettings, IllegalMove, NotListed, Outcome, State, UnreadableMove
from rumble_engine.chance import NUMBERS
from rumble_engine.conformance import check_game
from rumble_engine.games.liars_dice import GAME

ROLL = "51366 41232 44451"


def played(*plies: str, seats: int = 3, **settings: Any) -> State:
    state: State = GAME.initial_for(seats, settings)
    for ply in plies:
        state = state.play(ply)
    return state


@pytest.mark.parametrize(("seats", "settings"), [(2, {}), (3, {"dice_each": 2}), (6, {"dice_each": 1}),
                                                 (4, {"dice_each": 3, "ones_wild": False})])  # fmt: skip
def test_liars_dice_passes_the_conformance_kit(seats: int, settings: dict[str, Any]) -> None:
    assert check_game(GAME, settings=settings, playouts=3, seed=1, seats=seats).playouts == 3


def test_a_seat_sees_only_its_own_dice_and_its_own_word_of_the_roll() -> None:
    start, state = played(), played(ROLL)
    assert [start.seen(ROLL, seat) for seat in (0, 2, None, ALL)] == ["51366 ? ?", "? ? 44451", "? ? ?", ROLL]
    assert state.view(0)["hands"] == ["13566", "?????", "?????"]
    assert state.view()["hands"] == ["?????"] * 3
    assert state.view(ALL)["hands"] == ["13566", "12234", "14445"]
    assert state.seen("2x3", 1) == "2x3"


def test_a_bid_is_higher_by_quantity_or_by_face() -> None:
    state = played(ROLL, "3x5")
    assert state.legal_moves[:4] == ["liar", "3x6", "4x1", "4x2"]
    assert state.legal_moves[-1] == "15x6"
    for text in ("3x5", "2x6", "3x4"):
        with pytest.raises(IllegalMove, match="not higher than 3x5"):
            state.play(text)
    with pytest.raises(IllegalMove, match="15 dice"):
        state.play("16x1")
    with pytest.raises(IllegalMove, match="first bid"):
        played(ROLL).play("liar")
    for text in ("x5", "0x5", "3x7", "03x5", "3X5", "liars", "100x1"):
        with pytest.raises(UnreadableMove, match="3x5 bids three fives"):
            state.play(text)


@pytest.mark.parametrize(("bid", "wild", "counts"), [
    ("6x4", True, [5, 4, 5]),  # 4 + 44 44 4 and three ones are 7 fours: the challenger is wrong
    ("7x4", True, [5, 4, 5]),
    ("8x4", True, [4, 5, 5]),
    ("5x4", False, [4, 5, 5]),  # without ones there are 4 fours
    ("4x4", False, [5, 4, 5]),
    ("3x1", True, [5, 4, 5]),  # ones count once as ones
    ("4x1", True, [4, 5, 5]),
])  # fmt: skip
def test_the_seat_that_is_wrong_loses_a_die_and_begins(bid: str, wild: bool, counts: list[int]) -> None:
    state = played(ROLL, bid, "liar", ones_wild=wild)
    view = state.view()
    assert view["counts"] == counts
    assert state.is_chance
    assert view["to_move"] == counts.index(4)
    assert view["last_hands"] == ["13566", "12234", "14445"]
    assert (view["last_bids"], view["last_call"]) == ([[0, bid]], [1, counts.index(4)])


def test_places_are_in_the_order_of_going_out() -> None:
    state = played("1 2 3", "1x6", "2x1", "liar", dice_each=1)
    assert state.finished == (1,)
    assert state.to_move == 2  # seat 1 lost and is out, so that the next seat begins
    state = state.play("1 - 3").play("2x1").play("liar")
    assert state.finished == (1, 2)
    assert state.outcome == Outcome.ranked([1, 3, 2], "Player A is the last with dice")
    assert state.view()["hands"] == ["", "", ""]


def test_a_fall_ends_the_round_and_the_seat_is_out() -> None:
    state = played(ROLL, "6x4", "-")
    assert (state.finished, state.is_chance, state.to_move) == ((1,), True, 2)
    assert state.view()["counts"] == [5, 0, 5]
    assert state.view()["last_call"] == []
    after = state.play("11111 - 22222").play("1x1").after_all({})
    assert after.outcome == Outcome.ranked([2, 3, 1], "Player C is the last with dice")
    with pytest.raises(UnreadableMove):
        played(ROLL).code_for(0, "-")


def test_a_roll_is_drawn_evenly_and_read_back_however_many_dice() -> None:
    state = played(dice_each=1, seats=2)
    assert [state.draw(-(-NUMBERS * place // 36)) for place in range(36)] == list(range(36))
    assert [state.draw(-(-NUMBERS * place // 36) - 1) for place in range(1, 37)] == list(range(36))
    assert len(state.chances()) == 36
    large = played(dice_each=6, seats=6)
    with pytest.raises(NotListed, match="36 dice"):
        large.chances()
    text = large.text_of(large.draw(NUMBERS - 1))
    assert text == " ".join(["666666"] * 6)
    assert large.code_of(text) == 6**36 - 1


@pytest.mark.parametrize("text", ["", "51366", "51366 41232", "51366 41232 4445", "51366 41232 44457", f"{ROLL} ",
                                  "51366 41232 -", "1 2 3"])  # fmt: skip
def test_texts_that_are_no_roll(text: str) -> None:
    with pytest.raises(UnreadableMove, match="not a roll"):
        played().play(text)


def test_a_sample_rolls_the_hidden_dice_at_random() -> None:
    state = played(ROLL, "3x4")
    drawn = [GAME.sample(state.view(1), Random(seed)) for seed in range(200)]
    assert {each.view(ALL)["hands"][1] for each in drawn} == {"12234"}
    assert len({each.view(ALL)["hands"][0] for each in drawn}) > 50
    faces = "".join("".join(each.view(ALL)["hands"][::2]) for each in drawn)
    assert all(abs(faces.count(face) / len(faces) - 1 / 6) < 0.03 for face in "123456")


WRONG: list[dict[str, Any]] = [
    {"seat": None}, {"seat": 3}, {"seat": True}, {"counts": [5, 5]}, {"counts": [5, 5, 6]}, {"counts": [4, 5, 5]},
    {"hands": "?"}, {"hands": ["?????", "12234"]}, {"hands": ["?????", "12234", "????"]},
    {"hands": ["?????", "43221", "?????"]}, {"hands": ["12345", "12234", "?????"]}, {"hands": ["", "", ""]},
    {"bids": [[1, "3x4"]]}, {"bids": [[0, "3x7"]]}, {"bids": [[0, "16x1"]]}, {"bids": [[0, "3x4"], [1, "3x4"]]},
    {"bids": [0]}, {"bids": None}, {"to_move": 0}, {"to_move": "1"}, {"to_move": 9}, {"out": [0]}, {"out": None},
    {"last_call": [0]}, {"last_call": 1}, {"dice_each": 7}, {"ones_wild": 1},
    {"last_hands": ["1", "2", "3"], "last_bids": [[0, "1x1"]], "last_call": [1, 1]},
]  # fmt: skip


@pytest.mark.parametrize("change", WRONG, ids=str)
def test_views_that_cannot_be(change: dict[str, Any]) -> None:
    view = played(ROLL, "3x4").view(1)
    assert GAME.sample(view, Random(1)).view(1) == view
    with pytest.raises(BadPosition):
        GAME.sample({**view, **change}, Random(1))
    with pytest.raises(BadPosition, match="does not tell the dice"):
        GAME.load(view)


def test_texts_that_cannot_be_and_settings() -> None:
    state = played(ROLL, "3x4")
    assert GAME.parse(state.text()) == state
    for text in ("", "[]", "{}", state.text().replace("13566", "?????"), state.text().replace('"3x4"', '"3x9"')):
        with pytest.raises(BadPosition):
            GAME.parse(text)
    with pytest.raises(BadPosition, match="other settings"):
        GAME.parse(state.text(), {"dice_each": 4})
    with pytest.raises(BadSettings):
        GAME.initial_for(7)


def test_the_drawing_has_cups_for_hidden_dice_and_shows_the_last_round() -> None:
    state = played(ROLL, "3x4")
    drawn = GAME.drawing(state.view(1), "3x4")
    assert drawn.board == "Ae.....I4B12234...Ce......."
    assert drawn.last == (7, 8)
    shown = GAME.drawing(state.play("liar").view(), "liar")
    assert shown.board == "A13566.I4B12234...C14445..."
    assert shown.last == (9,)
    assert GAME.diagram(state.view(1)) == "Player A ?????  3x4\nPlayer B 12234\nPlayer C ?????"
