"""The conformance kit: Rumble's games pass, and each kind of broken game fails with the reason."""

import itertools
from typing import Any

import pytest
from rumble_engine import (
    ConformanceError,
    Game,
    IllegalMove,
    Outcome,
    Setting,
    Termination,
    UnreadableMove,
    conformance,
    get_game,
)
from rumble_engine.conformance import Report, check_game, main

from .take import Take, TakeState


def test_tictactoe_passes() -> None:
    report = check_game(get_game("tictactoe"), seed=1)
    assert report.playouts == 100
    assert report.longest == 9
    assert report.wins[0] > report.wins[1] > 0


def test_a_report_is_the_same_for_the_same_seed() -> None:
    assert check_game(Take(), seed=3) == check_game(Take(), seed=3)
    assert check_game(Take(), settings={"pile": 1}) == Report("take", {"pile": 1}, 100, 100, 1, [100, 0])


def broken_state(**members: Any) -> Game:
    """Return the game of `take` with some members of its states replaced."""
    return broken_game(state=type("Broken", (TakeState,), members))


def broken_game(**members: Any) -> Game:
    """Return the game of `take` with some of its members replaced."""
    game: Game = type("BrokenGame", (Take,), members)()
    return game


def refusing(error: Exception) -> Any:
    def code_of(self: TakeState, text: str) -> int:
        if text in ("a", "b"):
            return TakeState.code_of(self, text)
        raise error

    return code_of


def mutating(self: TakeState, code: int) -> TakeState:
    later = TakeState.after(self, code)
    object.__setattr__(self, "pile", self.pile + 1)
    return later


def lenient(self: TakeState, text: str) -> int:
    return TakeState.code_of(self, text.strip())


def late(self: TakeState, text: str) -> int:
    if not self.pile:
        raise UnreadableMove("over")
    return TakeState.code_of(self, text)


def after_growing(self: TakeState, code: int) -> TakeState:
    return type(self)(self.pile + code, 1 - self.mover)


moods = itertools.count()


def ends_as(outcome: Outcome) -> Game:
    return broken_state(outcome=property(lambda self: None if self.pile else outcome))


VIEW = TakeState.view
BROKEN = {
    "no name": (broken_game(name="Take Away"), "the name 'Take Away' is not of"),
    "no title": (broken_game(title=""), "the title"),
    "one seat": (broken_game(seats=1), "fewer than two seats"),
    "marks": (broken_game(seat_marks=("X", "X")), "seat_marks"),
    "one name": (broken_game(seat_names=("Black", "Black")), "seat_names is not one for each seat"),
    "no name for a seat": (broken_game(seat_names=("Black",)), "seat_names is not one for each seat"),
    "an empty name": (broken_game(seat_names=("Black", "")), "an entry of seat_names is not"),
    "description": (broken_game(describe=lambda self: {"name": (1, 2)}), "describe() is not JSON data"),
    "twin settings": (broken_game(settings=Take.settings * 2), "two settings have the same name"),
    "settings unread": (
        broken_game(initial=lambda self, settings=None, seed=0: TakeState(5)),
        "initial({'pile': None}) does not raise BadSettings",
    ),
    "default unfit": (broken_game(settings=(Setting("pile", 0, "none", minimum=1),)), "BadSettings: pile must be from"),
    "load crashes": (broken_game(load=lambda self, view: TakeState(view["pile"])), "load({}) raises KeyError"),
    "load differs": (
        broken_game(
            load=lambda self, view: Take.load(self, {k: 1 - v if k == "mover" else v for k, v in view.items()})
        ),
        "load(view(None)): not equal",
    ),
    "parse crashes": (broken_game(parse=lambda self, text, settings=None: TakeState(int(text))), "raises ValueError"),
    "parse lenient": (
        broken_game(parse=lambda self, text, settings=None: TakeState(5)),
        "parse('\\x00') does not raise EngineError",
    ),
    "random start": (
        broken_game(
            initial=lambda self, settings=None, seed=0: TakeState(self.complete(settings)["pile"] + next(moods))
        ),
        "two initial states of one seed: not equal",
    ),
    "nobody to move": (broken_state(to_move=property(lambda self: 2)), "to_move is 2"),
    "stuck": (broken_state(codes=lambda self: ()), "no legal move and no outcome"),
    "plays on": (broken_state(codes=lambda self: (1,)), "legal moves and an outcome"),
    "code twice": (broken_state(codes=lambda self: [1, 1] if self.pile else []), "codes() names a move twice"),
    "texts differ": (broken_state(legal_moves=["b", "a"]), "legal_moves is not the text"),
    "codes differ": (broken_state(code_of=lambda self, text: 7), "code_of() does not read"),
    "lenient": (broken_state(code_of=lenient), "code_of(' a') does not raise MoveError"),
    "wrong refusal": (broken_state(code_of=late), "raises UnreadableMove, not IllegalMove"),
    "crash": (broken_state(code_of=refusing(KeyError("x"))), "code_of(' a') raises KeyError, not MoveError"),
    "two lines": (broken_state(code_of=refusing(IllegalMove("a\nb"))), "not one printable line"),
    "long": (broken_state(code_of=refusing(IllegalMove("a" * 501))), "longer than 500 characters"),
    "mutation": (broken_state(after=mutating), "seed 0, after no move: a move changed the state it was made in"),
    "endless": (broken_state(after=after_growing), "the game is not over after 50 plies"),
    "estimate": (broken_state(estimate=lambda self: 1.0), "estimate() is 1.0"),
    "canonical of all": (broken_state(canonical=lambda self: 0), "two states with one canonical()"),
    "canonical of none": (broken_state(canonical=lambda self: next(moods)), "equal, but not the same canonical()"),
    "equal but different": (
        broken_state(view=lambda self, seat=None: {**VIEW(self), "mood": next(moods)}),
        "equal, but not the same moves, outcome or view",
    ),
    "view is no JSON": (broken_state(view=lambda self, seat=None: {**VIEW(self), "x": {1: 2}}), "is not JSON data"),
    "no diagram": (broken_state(diagram=lambda self: ""), "diagram() is empty"),
    "three scores": (ends_as(Outcome((1.0, 0.0, 0.0), reason="x")), "3 scores for 2 seats"),
    "half a point": (ends_as(Outcome((0.5, 0.0), reason="x")), "do not sum to 1"),
    "a point and a half": (ends_as(Outcome((1.5, -0.5), reason="x")), "are not from 0 to 1"),
    "not normal": (ends_as(Outcome.draw("x", termination=Termination.TIMEOUT)), "a termination other than normal"),
    "no reason": (ends_as(Outcome.draw("")), "reason is not one printable line"),
}


@pytest.mark.parametrize("flaw", BROKEN)
def test_a_broken_game_fails(flaw: str) -> None:
    game, problem = BROKEN[flaw]
    with pytest.raises(ConformanceError) as caught:
        check_game(game, longest=50)
    assert problem in str(caught.value)
    assert str(caught.value).startswith(f"{game.name}, ")


def test_the_cause_is_kept() -> None:
    with pytest.raises(ConformanceError, match="ZeroDivisionError") as caught:
        check_game(broken_state(estimate=lambda self: 1 / 0))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_the_command_checks_an_installed_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["connect4", "--playouts", "3", "--settings", '{"columns": 5, "rows": 4}', "--seed", "2"]) == 0
    assert capsys.readouterr().out.startswith("connect4 passes: 3 playouts, ")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nothing"], "unknown game 'nothing'; installed: "),
        (["connect4", "--settings", "{"], "--settings is not JSON"),
        (["connect4", "--settings", "[]"], "--settings takes a JSON object"),
        (["connect4", "--settings", '{"rows": 1}'], "rows must be from 4 to 12, not 1"),
        (["connect4", "--playouts", "many"], "invalid int value"),
    ],
)
def test_the_command_tells_wrong_usage(arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert problem in capsys.readouterr().err


def test_the_command_fails_with_the_rule_that_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(conformance, "get_game", lambda name: broken_state(estimate=lambda self: 1.0))
    assert main(["take"]) == 1
    assert "estimate() is 1.0" in capsys.readouterr().err
