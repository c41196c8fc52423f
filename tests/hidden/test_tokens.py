"""The game of tokens passes the conformance kit, and the kit finds the faults of broken hidden games."""

from typing import Any

import pytest
from rumble_engine import ALL, ConformanceError
from rumble_engine.conformance import check_game

from tests.hidden.tokens import GAME, TokensGame, TokensState


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_game_of_tokens_passes_the_conformance_kit(seats: int) -> None:
    assert check_game(GAME, playouts=8, seats=seats).plies > 50


def with_all(self: TokensState, seat: int | None = None) -> dict[str, Any]:
    return TokensState.view(self, seat) | {"all": list(self.tokens)}


def words_of_another(self: TokensState, seat: int, text: str) -> int:
    if text == "?":
        return TokensState.code_for(self, (seat + 1) % self.seats, text)
    return TokensState.code_for(self, seat, text)


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"view": with_all}, "has another view of"),
        ({"seen": lambda self, text, seat: "?"}, r"seen\(text, ALL\)"),
        ({"seen": lambda self, text, seat: text if seat == ALL else ""}, "not one printable line"),
        ({"seen": lambda self, text, seat: text}, "spectators see more of a ply"),
        ({"code_for": words_of_another}, "in other words"),
        ({"codes_for": lambda self, seat: (0, 1) if int(self.tokens[0], 16) % 2 else (0,)}, "has other legal moves"),
    ],
)
def test_the_kit_finds_secrets_that_a_view_tells(members: dict[str, Any], problem: str) -> None:
    state_class = type("Broken", (TokensState,), {"__slots__": (), **members})

    broken = type("BrokenGame", (TokensGame,), {"state": state_class})()
    with pytest.raises(ConformanceError, match=problem):
        check_game(broken, playouts=20)


def test_a_game_that_hides_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TokensGame, "hides", False)
    with pytest.raises(ConformanceError, match="hides is false"):
        check_game(GAME, playouts=1)
