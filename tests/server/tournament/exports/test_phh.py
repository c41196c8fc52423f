"""Hands of poker as PHH; PokerKit reads the files, and plays each hand to the same stacks."""

from random import Random
from typing import Any

import pytest

pytest.importorskip("pyspiel", reason="needs the extra openspiel")
from rumble_engine import State, get_game
from rumble_engine.chance import NUMBERS
from rumble_server.tournament.exports import phh
from rumble_server.web.api.exports import kinds_for

from tests.server.tournament.exports.documents import exported, played, tournament

HEADS_UP = ["AsKd 7h7c", "r300", "c", "Jh7d2c", "c", "r600", "c", "Qh", "c", "c", "3s", "r900", "f", "9c8c 4d4c", "f"]


def document(seats: int, plies: list[list[str]], **settings: Any) -> dict[str, Any]:
    names = [f"bot-{seat}" for seat in range(seats)]
    matches = [played(f"t.1.1.{number}.1", names, [0.5] * seats, moves=each) for number, each in enumerate(plies, 1)]
    return exported(tournament=tournament(game="poker", settings=settings, seats=seats), matches=matches)


def random_plies(state: State, seed: int) -> list[str]:
    """Return the plies of a match with folds, calls and raises; every second move is a call."""
    random, plies = Random(seed), []
    while state.outcome is None:
        code = state.draw(random.randrange(NUMBERS)) if state.is_chance else 1
        if not state.is_chance and random.random() < 0.5:
            codes = state.codes()
            code = random.choice(codes if random.random() < 0.3 else codes[:3])
        plies.append(state.text_of(code))
        state = state.after(code)
    return plies


def test_a_hand() -> None:
    text = phh.write(document(2, [HEADS_UP], hands=2))
    assert text.split("\n[2]\n")[0] == (
        '[1]\nvariant = "NT"\nantes = [0, 0]\nblinds_or_straddles = [50, 100]\nmin_bet = 100\n'
        "starting_stacks = [20000, 20000]\n"
        'actions = ["d dh p1 7h7c", "d dh p2 AsKd", "p2 cbr 300", "p1 cc", "d db Jh7d2c", "p1 cc", "p2 cbr 300", '
        '"p1 cc", "d db Qh", "p1 cc", "p2 cc", "d db 3s", "p1 cbr 300", "p2 f"]\n'
        'event = "The \\"Friday\\" rumble"\nday = 21\nmonth = 11\nyear = 2025\nhand = 1\nseats = [2, 1]\n'
        'table = "t.1.1.1.1"\nplayers = ["bot-1", "bot-0"]\nfinishing_stacks = [20600, 19400]\n'
    )


@pytest.mark.parametrize("settings", [{"stack": 1_000}, {"stack": 200, "small_blind": 25}, {"betting": "limit"}])
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_pokerkit_plays_each_hand_to_the_same_stacks(seats: int, settings: dict[str, Any]) -> None:
    notation = pytest.importorskip("pokerkit.notation", reason="needs pokerkit, of the extra dev")
    start = get_game("poker").initial_for(seats, settings)
    made = phh.write(document(seats, [random_plies(start, seed) for seed in range(2)], **settings))
    hands = list(notation.HandHistory.loads_all(made))
    assert len(hands) == 20
    for hand in hands:
        states = list(hand.state_actions)
        assert [action for _, action in states if action is not None] == hand.actions
        assert states[-1][0].stacks == hand.finishing_stacks


def test_hands_are_numbered_in_parts_as_in_the_whole() -> None:
    whole = document(2, [HEADS_UP, HEADS_UP], hands=2)
    parts = [{**whole, "matches": [match], "first": first} for first, match in enumerate(whole["matches"])]
    assert "".join(map(phh.write, parts)) == phh.write(whole)
    assert [line for line in phh.write(whole).splitlines() if line[0:1] == "["] == ["[1]", "[2]", "[3]", "[4]"]


def test_a_hand_that_a_fall_cut_off_is_left_out() -> None:
    assert phh.write(document(2, [[*HEADS_UP[:3], "-"]], hands=2)) == ""


def test_phh_is_for_poker_alone() -> None:
    with pytest.raises(ValueError, match="PHH is for poker; this tournament is of tictactoe"):
        phh.write(exported())
    assert "phhs" in kinds_for("poker", 6)
    assert "phhs" not in kinds_for("chess", 2)
