"""The reference bots one by one: their rules, options and errors."""

from itertools import count
from random import Random
from typing import Any

import pytest
from rumble_bots.reference import (
    REFERENCE_BOTS,
    BadOption,
    Choice,
    Heuristic,
    Mcts,
    Minimax,
    NoMove,
    NoTable,
    Perfect,
    ReferenceBotError,
    Streetwise,
    UnknownReferenceBot,
    Winner,
    make_reference_bot,
)
from rumble_bots.reference import minimax as minimax_module
from rumble_bots.reference.battle import battle
from rumble_bots.search import END, SEARCHES, Cached, Strong, Tally
from rumble_engine import State, get_game

TICTACTOE = get_game("tictactoe")
CONNECT4 = get_game("connect4")


def at(text: str) -> State:
    return TICTACTOE.parse(text)


def moves(state: State, codes: object) -> list[str]:
    assert isinstance(codes, tuple)
    return [state.text_of(code) for code in codes]


def test_the_names() -> None:
    assert list(REFERENCE_BOTS) == ["random", "winner", "heuristic", "minimax", "streetwise", "mcts", "perfect"]


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    with pytest.raises(UnknownReferenceBot) as caught:
        make_reference_bot("genius")
    assert str(caught.value) == (
        "unknown bot 'genius'; there are: random, winner, heuristic, minimax, streetwise, mcts, perfect"
    )


@pytest.mark.parametrize(
    ("name", "options", "problem"),
    [
        ("random", {"depth": 3}, "random has no option 'depth'; it takes: none"),
        ("minimax", {"deep": 3}, "minimax has no option 'deep'; it takes: search, depth, time_ms"),
        ("minimax", {"clock": None}, "minimax has no option 'clock'"),
        ("minimax", {"search": "magic"}, "unknown search 'magic'; there are: plain, cached, alphabeta"),
        ("minimax", {"depth": 0}, "depth must be a number from 1 up, not 0"),
        ("mcts", {"iterations": 0}, "iterations must be a whole number from 1 up, not 0"),
        ("mcts", {"time_ms": 0}, "time_ms must be a number from 1 up, not 0"),
        ("streetwise", {"time_ms": "5"}, "time_ms must be a number from 1 up, not '5'"),
    ],
)
def test_bad_options_are_told(name: str, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadOption, match=problem):
        make_reference_bot(name, **options)


@pytest.mark.parametrize("name", REFERENCE_BOTS)
def test_after_the_end_there_is_no_move_to_choose(name: str) -> None:
    with pytest.raises(NoMove, match="the game is over"):
        make_reference_bot(name).choose(at("XXXOO...."))


@pytest.mark.parametrize("name", REFERENCE_BOTS)
def test_the_same_seed_makes_the_same_moves(name: str) -> None:
    twins = make_reference_bot(name, seed=7), make_reference_bot(name, seed=7)
    one, other = ([player.choose(at("X...O....")).move for _ in range(20)] for player in twins)
    assert one == other


def test_random_plays_every_legal_move() -> None:
    player, state = make_reference_bot("random", seed=1), at("X...O....")
    seen = {player.choose(state) for _ in range(200)}
    assert seen == {Choice(move) for move in state.legal_moves}


def test_the_example_of_the_exercise() -> None:
    """Rows `X O .`, `. O .`, `X . .`: X wins at (1, 0). With one more X, it is O that wins, at (2, 1)."""
    for player in (Winner, Heuristic):
        assert moves(at("XO..O.X.."), player.candidates(at("XO..O.X.."))) == ["3"]
        assert moves(at("XO..O.X.X"), player.candidates(at("XO..O.X.X"))) == ["7"]


def test_winner_does_not_block() -> None:
    state = at("XX..O....")
    assert moves(state, Winner.candidates(state)) == ["2", "3", "5", "6", "7", "8"]


def test_heuristic_blocks() -> None:
    state = at("XX..O....")
    assert moves(state, Heuristic.candidates(state)) == ["2"]


def test_heuristic_blocks_one_of_two() -> None:
    """X threatens 3 and 4: either is better than neither."""
    state = at("XOX...X.O")
    assert moves(state, Heuristic.candidates(state)) == ["3", "4"]


def test_heuristic_plays_anything_where_nothing_presses() -> None:
    state = TICTACTOE.initial()
    assert list(Heuristic.candidates(state)) == list(range(9))


def test_heuristic_does_not_lift_the_opponent_to_a_win() -> None:
    """In connect four a stone in column e would let O complete the row above it."""
    state = CONNECT4.parse("......./......./......./......./XOOO.../XXOX...")
    assert moves(state, Heuristic.candidates(state)) == ["a", "b", "c", "d", "f", "g"]


@pytest.mark.parametrize("name", ["minimax", "streetwise", "perfect"])
@pytest.mark.parametrize(("position", "move"), [("XOXX.O..O", "6"), ("X....O.XO", "2"), ("X....OOX.", "1")])
def test_the_classic_positions(name: str, position: str, move: str) -> None:
    choice = make_reference_bot(name).choose(at(position))
    assert (choice.move, choice.score) == (move, 1)


@pytest.mark.parametrize("search", SEARCHES)
def test_minimax_answers_the_same_by_every_search(search: str) -> None:
    player = make_reference_bot("minimax", search=search)
    for position in ("X...O....", "XO.......", "X....OOX.", "XO..X...."):
        assert player.choose(at(position)).move == make_reference_bot("minimax").choose(at(position)).move


def test_plain_minimax_tells_its_nodes() -> None:
    """Two squares are empty: the root, two moves, and the one move after each of them."""
    assert make_reference_bot("minimax", search="plain").choose(at("XOXXO.OX.")) == Choice("5", 0.0, 5)


def test_minimax_remembers_what_it_knows_for_sure() -> None:
    player, state = make_reference_bot("minimax"), TICTACTOE.initial()
    assert player.choose(state) == Choice("0", 0.0, 765)
    assert player.choose(state) == Choice("0", 0.0, 0)


def test_minimax_does_not_remember_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minimax_module, "REMEMBERED", 2)
    player = minimax_module.Minimax(make_reference_bot("random").random)
    for position in ("X........", ".X.......", "..X......"):
        player.choose(at(position))
    assert len(player.answers) == 1


def test_minimax_with_a_depth_guesses_and_says_so() -> None:
    choice = make_reference_bot("minimax", depth=2).choose(TICTACTOE.initial())
    assert choice.note == "the value is an estimate"
    assert choice.score is not None
    assert -1 < choice.score < 1


def test_one_player_plays_several_games() -> None:
    player = make_reference_bot("minimax", depth=2)
    assert player.choose(CONNECT4.initial()).move in "abcdefg"
    assert player.choose(TICTACTOE.initial()).move in "012345678"
    assert player.choose(CONNECT4.initial({"columns": 5, "rows": 5})).move in "abcde"


def test_streetwise_takes_two_in_a_row_before_a_corner() -> None:
    """All moves draw. Next to the corner, only one of the six replies is right; at the far corner, four are."""
    choice = make_reference_bot("streetwise").choose(at("X...O...."))
    assert (choice.move, choice.score, choice.note) == ("1", 0, "83% of the replies are wrong")
    assert trap_at("XX..O....") == pytest.approx(5 / 6)
    assert trap_at("X...O...X") == pytest.approx(2 / 6)


def trap_at(text: str) -> float:
    player = make_reference_bot("streetwise")
    assert isinstance(player, Streetwise)
    return player.trap(at(text), END, Tally())


def test_streetwise_ends_the_game_when_it_can() -> None:
    choice = make_reference_bot("streetwise").choose(at("XX.OO...."))
    assert (choice.move, choice.score, choice.note) == ("2", 1, "it ends the game")


def test_streetwise_plays_big_games_too() -> None:
    for depth in (1, 3):
        choice = make_reference_bot("streetwise", depth=depth).choose(CONNECT4.initial())
        assert choice.move in "abcdefg"


def test_perfect_looks_up_and_nothing_else() -> None:
    assert make_reference_bot("perfect").choose(TICTACTOE.initial()).nodes == 0
    with pytest.raises(NoTable) as caught:
        make_reference_bot("perfect").choose(CONNECT4.initial())
    assert str(caught.value) == (
        "perfect plays only tictactoe, connect4 on at most 16 cells, minichess where an arrived pawn wins"
    )
    assert isinstance(caught.value, ReferenceBotError)


@pytest.mark.parametrize(
    ("game", "settings"), [("connect4", {"columns": 4, "rows": 4}), ("minichess", {"promotion": "win"})]
)
def test_perfect_solves_what_is_small(game: str, settings: dict[str, Any]) -> None:
    start = get_game(game).initial(settings)
    assert Perfect.can_play(start)
    assert not Perfect.can_play(get_game(game).initial())
    choice = make_reference_bot("perfect").choose(start)
    assert choice.score == (0 if game == "connect4" else 1)
    assert battle("perfect", "heuristic", get_game(game), 2, settings=settings).losses == 0


def test_minimax_takes_the_strong_search_where_a_game_is_big() -> None:
    player = Minimax(Random(0), depth=2)
    for state, kind in ((TICTACTOE.initial(), Cached), (CONNECT4.initial(), Strong)):
        assert type(player.search_of(state)) is kind


def test_mcts_does_its_rounds_or_takes_its_time() -> None:
    state = CONNECT4.initial()
    assert make_reference_bot("mcts", iterations=20).choose(state).nodes == 20
    for time_ms, budget_ms, rounds in ((2, None, 199), (5, 4, 199), (None, 4, 199)):
        clock = count(step=1e-5).__next__
        choice = Mcts(Random(0), time_ms=time_ms, clock=clock).choose(state, budget_ms)
        assert choice.nodes == pytest.approx(rounds, abs=2)
