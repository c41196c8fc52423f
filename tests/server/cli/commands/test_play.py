import getpass
import os
from collections.abc import Iterable

import pytest
from rumble_bots.sdk.bot import Turn
from rumble_bots.sdk.errors import Resign
from rumble_engine import get_game
from rumble_protocol import server_messages as server
from rumble_protocol.codec import read_server_message
from rumble_server.cli.main import run
from rumble_server.cli.practice.person import Person, user_name

from tests.bots.sdk import says
from tests.bots.sdk.fake_server import FakeServer
from tests.server.cli.run_here import Captured, printed, refused


def person(typed: Iterable[str]) -> tuple[Person, list[str]]:
    lines, written = iter(typed), list[str]()
    return Person(lambda: next(lines, None), written.append, lambda game, view, _: game.diagram(view)), written


def asked(frame: str) -> Turn:
    message = read_server_message(frame)
    assert isinstance(message, server.Turn)
    return Turn.of(message, None, lambda: 0.0)


TURN = asked(says.turn(board="X........", moves=("0",)))


def test_the_board_is_shown_and_a_move_is_read() -> None:
    human, written = person([" 4 \n"])
    assert human.choose(TURN) == "4"
    assert written == ["Last move: 0", TURN.position.diagram(), "Your move:"]


def test_a_text_that_is_no_move_is_explained_and_asked_again() -> None:
    human, written = person(["0", "nine", "?", "", "5"])
    assert human.choose(TURN) == "5"
    text = "\n".join(written)
    assert "square 0 is taken; type a move, ? for all that are allowed, or resign" in text
    assert "'nine' is not a move" in text
    assert text.count("Allowed: 1 2 3 4 5 6 7 8") == 2
    assert text.count("Your move:") == 5


@pytest.mark.parametrize(("typed", "reason"), [([], "the input has ended"), (["resign"], "as you wish")])
def test_resigning(typed: list[str], reason: str) -> None:
    with pytest.raises(Resign, match=reason):
        person(typed)[0].choose(TURN)


@pytest.mark.parametrize(("winner", "result"), [(0, "You won: three"), (1, "You lost: three"), (None, "A draw: three")])
def test_the_result_is_announced(winner: int | None, result: str) -> None:
    human, written = person([])
    start = read_server_message(says.match_start())
    over = read_server_message(says.match_over(winner=winner))
    assert isinstance(start, server.MatchStart)
    assert isinstance(over, server.MatchOver)
    human.match_over(over)
    assert written == [], "nothing is known of that match"
    human.match_start(start)
    assert written[-1].startswith("You play X against bob;")
    human.match_over(over)
    assert written[-1] == f"{result} in a row (normal)."
    human.match_over(over.model_copy(update={"scores": None}))
    assert "void" in written[-1]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Iterable[int]:
    """Make a pipe standard input, and yield the descriptor to write to."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield writing


@pytest.mark.e2e
def test_a_match_through_a_pipe(typed: int, capsys: Captured) -> None:
    os.write(typed, b"8\nno\n7\n6\n")
    os.close(typed)
    with FakeServer().in_a_thread() as server:
        args = ["play", "--server", server.address, "--against", "bob", "--seat", "0", "--name", "ann"]
        shown = printed(capsys, *args)
    assert "You play X against bob" in shown
    assert "'no' is not a move" in shown
    assert "You won: three in a row (normal)." in shown
    (challenge,) = server.challenges
    assert (challenge.against, challenge.game, challenge.seat) == ("bob", "tictactoe", 0)
    assert challenge.time_control is not None
    assert challenge.time_control.move_ms == 600_000


@pytest.mark.e2e
def test_the_end_of_the_input_resigns(typed: int, capsys: Captured) -> None:
    os.close(typed)
    with FakeServer().in_a_thread() as server:
        assert run(["play", "--server", server.address, "--against", "bob", "--name", "ann"]) == 0
    assert server.outcomes[0].termination == "resignation"
    assert "You lost: ann resigned (resignation)." in capsys.readouterr().out


@pytest.mark.e2e
def test_settings_of_the_game_are_part_of_the_challenge(typed: int) -> None:
    os.close(typed)
    with FakeServer().in_a_thread() as server:
        args = ["play", "--server", server.address, "--against", "bob", "--name", "ann"]
        assert run([*args, "--game", "connect4", "--set", "columns=5"]) == 0
    assert server.challenges[0].settings == {"columns": 5, "rows": 6, "connect": 4}


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("against", "hint"), [("nobody", ""), ("minimax", "; the server's own is called house-minimax")]
)
def test_an_unknown_opponent_fails(against: str, hint: str, typed: int, capsys: Captured) -> None:
    os.close(typed)
    with FakeServer().in_a_thread() as server:
        line = refused(capsys, 1, "play", "--server", server.address, "--against", against, "--name", "ann")
        assert line == f"rumble: the server refused: nobody has that name (unknown_bot){hint}\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--server", "localhost:1"], "Missing option '--against'"),
        (["--server", "localhost:1", "--against", "bob", "--game", "go"], "unknown game 'go'"),
        (["--server", "localhost:1", "--against", "bob", "--seat", "2"], "--seat"),
        (["--server", "localhost:1", "--against", "bob", "--move-ms", "86400001"], "--move-ms"),
        (["--server", "localhost:1", "--against", "bob", "--set", "swap"], "write NAME=VALUE"),
        (["--server", "localhost:1", "--against", "bob", "--game", "connect4", "--set", "columns=99"], "columns must"),
        (["--server", "localhost", "--against", "bob"], "it has no port"),
    ],
)
def test_wrong_usage(args: list[str], message: str, typed: int, capsys: Captured) -> None:
    os.close(typed)
    assert message in refused(capsys, 2, "play", *args)


def test_a_user_name_is_made_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "Änn B.")
    assert user_name() == "nnB."


def test_a_user_without_a_name_is_a_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("no such user")

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert user_name() == "guest"


def test_a_notice_of_the_server_is_shown() -> None:
    human, written = person([])
    notice = read_server_message(says.notice("quota"))
    assert isinstance(notice, server.Notice)
    human.notice(notice)
    assert written == ["be told"]


def test_where_something_is_hidden_a_person_sees_its_own_dice() -> None:
    state = get_game("liars-dice").initial().play("12345 23456")
    human, written = person(["12x1", "3x4"])
    assert human.choose(Turn.at(state, "liars-dice", 1000)) == "3x4"
    assert written[0] == "Player A 12345\nPlayer B ?????"
    assert "12x1 is not allowed: the table has 10 dice; type a move, ? for all that are allowed, or resign" in written
