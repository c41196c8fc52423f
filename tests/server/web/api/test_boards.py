"""Boards of any position, and of every ply of a match."""

import json
from dataclasses import asdict
from typing import Any

import httpx
import pytest
from rumble_engine import ALL, get_game
from rumble_server.host.fair_queue import Crowded
from rumble_server.web.api import boards
from rumble_server.web.api.models import BoardAnswer, MatchBoards

from tests.hidden.tokens import installed
from tests.server.failing import fail_if
from tests.server.web.memory_server import HOST, MemoryServer

EMPTY = {"board": "." * 9}
DICE = get_game("liars-dice").initial().view()


async def ask(browser: httpx.AsyncClient, game: str, **body: Any) -> Any:
    answer = await browser.post(f"/api/games/{game}/board", json=body)
    assert answer.status_code == 200, answer.text
    BoardAnswer.model_validate_json(answer.content)
    return answer.json()


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "hex", "checkers", "minichess", "chess"])
async def test_the_state_of_a_turn_is_all_it_takes(browser: httpx.AsyncClient, name: str) -> None:
    game = get_game(name)
    state = game.initial()
    board = await ask(browser, name, state=state.view())
    assert list(board["moves"]) == list(state.legal_moves)
    assert board["diagram"] == state.diagram()
    expected = game.drawing(state.view())
    assert expected is not None
    assert board["drawing"]["board"] == expected.board
    assert set(board["drawing"]) == set(asdict(expected))


async def test_settings_legal_and_the_last_move_are_taken(browser: httpx.AsyncClient) -> None:
    board = await ask(browser, "hex", state={"board": "X...", "to_move": 1}, settings={"size": 2}, last_move="a1")
    assert board["moves"] == {"b1": [[1]], "a2": [[2]], "b2": [[3]], "swap": []}
    assert board["drawing"]["last"] == [0]
    board = await ask(browser, "tictactoe", state=EMPTY, legal=["8", "0"])
    assert board["moves"] == {"8": [[8]], "0": [[0]]}


async def test_moves_that_people_write_in_another_way_have_their_spellings(browser: httpx.AsyncClient) -> None:
    board = await ask(browser, "chess", state=get_game("chess").initial().view(), legal=["g1f3", "e2e4"])
    assert board["spellings"] == {"g1f3": ["Nf3", "Ngf3", "N1f3", "Ng1f3"], "e2e4": ["e4"]}
    board = await ask(browser, "tictactoe", state=EMPTY)
    assert board["spellings"] == {}


async def test_the_view_of_a_seat_is_drawn_where_the_rest_is_hidden(browser: httpx.AsyncClient) -> None:
    with installed():
        state = get_game("tokens").initial().play(f"{'a' * 32} {'b' * 32}")
        board = await ask(browser, "tokens", state=state.view(0))
        assert board["moves"] == {"a" * 32 + "+": [], "a" * 32 + "-": []}
        assert board["drawing"]["board"] == "a" * 32 + "." * 32
        assert "b" not in board["diagram"].replace("dealt", "")
        after = await ask(browser, "tokens", state=state.view(ALL))
        assert (after["moves"], after["drawing"]["board"]) == ({}, "a" * 32 + "b" * 32)
        wrong = await browser.post("/api/games/tokens/board", json={"state": {"seat": 0, "seats": "x"}})
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (422, "bad_position")
        tried = [
            (await ask(browser, "tokens", state=state.view(0), try_move=move))["refusal"]
            for move in ("b+", "a" * 32 + "+")
        ]
        assert tried == [f"this is not allowed; your token is {'a' * 32}", None]
        illegal = await browser.post("/api/games/tokens/board", json={"state": state.view(0), "legal": ["b+"]})
        assert (illegal.status_code, illegal.json()["error"]["code"]) == (422, "illegal_move")


async def test_moves_made_together_are_those_of_each_seat(browser: httpx.AsyncClient) -> None:
    view = get_game("snakes").initial_for(8).view()
    board = await ask(browser, "snakes", state=view)
    assert board["moves"] == {"up": [], "down": [], "left": [], "right": []}
    assert board["keys"] == {"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight"}
    assert len(board["drawing"]["pieces"]) == 17
    board = await ask(browser, "dilemma", state=get_game("dilemma").initial().view(), legal=["D"])
    assert (board["moves"], board["keys"]) == ({"D": []}, {"D": "d"})
    rolling = await ask(browser, "backgammon", state=get_game("backgammon").initial().view())
    assert (rolling["moves"], rolling["keys"]) == ({}, {})


async def test_a_game_without_pictures_has_its_diagram(browser: httpx.AsyncClient) -> None:
    pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    state = get_game("openspiel:tic_tac_toe").initial()
    board = await ask(browser, "openspiel:tic_tac_toe", state=state.view())
    assert board["drawing"] is None
    assert board["moves"]["x(0,0)"] == []


@pytest.mark.parametrize(
    ("game", "body", "status", "code"),
    [
        ("go", {"state": EMPTY}, 404, "unknown_game"),
        ("tictactoe", {"state": {"board": "XXX......"}}, 422, "bad_position"),
        ("tictactoe", {"state": EMPTY, "settings": {"size": 3}}, 422, "bad_settings"),
        ("tictactoe", {"state": {"board": "X........"}, "legal": ["0"]}, 422, "illegal_move"),
        ("snakes", {"state": get_game("snakes").initial().view(), "legal": ["up up"]}, 422, "illegal_move"),
        ("tictactoe", {"state": EMPTY, "last_move": "x" * 65}, 422, "bad_message"),
        ("tictactoe", {}, 422, "bad_message"),
        ("tictactoe", {"state": EMPTY, "moves": []}, 422, "bad_message"),
        ("tictactoe", {"state": {"board": "." * 70_000}}, 413, "too_large"),
        ("liars-dice", {"state": {**DICE, "dice_each": 10**9}}, 422, "bad_settings"),
        ("liars-dice", {"state": {**DICE, "last_call": ["x", 0]}, "last_move": "liar"}, 422, "bad_position"),
    ],
)
async def test_an_impossible_board_is_refused_with_status_and_code(
    browser: httpx.AsyncClient, game: str, body: dict[str, Any], status: int, code: str
) -> None:
    answer = await browser.post(f"/api/games/{game}/board", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert answer.json()["error"]["message"]


async def test_text_that_is_no_move_marks_nothing(browser: httpx.AsyncClient) -> None:
    board = await ask(browser, "tictactoe", state=EMPTY, last_move="<b>")
    assert board["drawing"]["last"] == []


async def test_every_ply_of_a_match(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played("alice", "bob", legs=1, game="connect4")
    over = next(iter(tournament.results.values()))
    answer = await browser.get(f"/api/matches/{over.match}/boards")
    shown = MatchBoards.model_validate_json(answer.content)
    assert (shown.plies, shown.first, len(shown.boards)) == (len(over.moves), 0, len(over.moves) + 1)
    game = get_game("connect4")
    state = game.initial()
    for ply, board in enumerate(shown.boards):
        drawing = game.drawing(state.view(), over.moves[ply - 1] if ply else None)
        assert drawing is not None
        assert (board.board, tuple(board.last), board.position) == (drawing.board, drawing.last, state.text())
        assert board.diagram is None
        state = state if ply == shown.plies else state.play(over.moves[ply])
    some = (await browser.get(f"/api/matches/{over.match}/boards?first=3&limit=2")).json()
    assert some["boards"] == answer.json()["boards"][3:5]
    assert (await browser.get(f"/api/matches/{over.match}/boards?first=999")).json()["boards"] == []
    assert (await browser.get(f"/api/matches/{over.match}/boards?first={2**53}")).status_code == 422
    assert (await browser.get(f"/matches/{over.match}/board.svg?ply={2**53}")).status_code == 422
    too_many = await browser.get(f"/api/matches/{over.match}/boards?limit={boards.MOST_BOARDS + 1}")
    assert too_many.status_code == 422
    assert (await browser.get("/api/matches/nothing.1.1.1.1/boards")).status_code == 404


async def test_a_running_match_has_its_boards_so_far(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament, _ = server.begun("alice", "bob", think_ms=1_000, legs=1)
    server.pass_ms(2_500)
    match = next(iter(tournament.running))
    boards = (await browser.get(f"/api/matches/{match}/boards")).json()
    assert [board["position"].count(".") for board in boards["boards"]] == [9, 8, 7]
    assert boards["written"] == server.world.arena.matches.live[match].progress.moves
    assert [thought_ms // 100 for thought_ms in boards["thought_ms"]] == [10, 10]


async def test_boards_asked_for_just_before_the_end_of_the_tournament(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    tournament, _ = server.begun("alice", "bob", think_ms=1_000, legs=1)
    server.pass_ms(2_500)
    match = next(iter(tournament.running))
    server.world.create(name="Unwritten")
    server.log.after_wait = server.world.run
    answer = await browser.get(f"/api/matches/{match}/boards")
    assert (tournament.status, answer.status_code, answer.json()["plies"]) == ("finished", 200, 2)
    assert (await browser.get(f"/api/matches/{match}/boards")).json()["plies"] > 2


async def test_moves_are_told_as_people_write_them(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played("alice", "bob", legs=1, game="chess", openings=[["g1f3", "e7e5", "f3e5"]])
    over = next(iter(tournament.results.values()))
    boards = (await browser.get(f"/api/matches/{over.match}/boards?limit=1")).json()
    assert boards["written"][:3] == ["Nf3", "e5", "Nxe5"]
    assert len(boards["written"]) == len(boards["thought_ms"]) == len(over.moves)
    assert [each is None for each in boards["thought_ms"][2:4]] == [True, False]
    view = (await browser.get(f"/api/matches/{over.match}")).json()
    assert (view["written"], view["thought_ms"]) == (boards["written"], boards["thought_ms"])


@pytest.mark.parametrize("where", ["top", "settings"])
async def test_fields_of_a_question_are_counted_before_they_are_validated(
    browser: httpx.AsyncClient, where: str
) -> None:
    many: dict[str, Any] = {f"{number}": [] for number in range(5_000)}
    body = {"state": EMPTY, **many} if where == "top" else {"state": EMPTY, "settings": many}
    answer = await browser.post("/api/games/tictactoe/board", json=body)
    assert (answer.status_code, len(answer.json()["error"]["detail"])) == (422, 1)
    assert "at most 64 fields" in answer.json()["error"]["message"]


async def test_the_first_wrong_move_of_a_question_is_told_alone(browser: httpx.AsyncClient) -> None:
    answer = await browser.post("/api/games/tictactoe/board", json={"state": EMPTY, "legal": [1] * 4_000})
    assert (answer.status_code, len(answer.json()["error"]["detail"])) == (422, 1)


async def test_costly_drawings_checks_and_zips_are_made_in_the_other_process(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drawing never takes the interpreter from the event loop, not even on a thread of the process."""
    asked = fail_if(monkeypatch, server.reader, "run", lambda *_: True, error=Crowded())
    openings = json.dumps({"name": "many", "game": "gomoku", "openings": [["a1"]] * 7_000})
    statuses = [
        (await browser.post(path, content=openings, headers=HOST)).status_code
        for path in ("/api/games/gomoku/board", "/api/tournaments", "/api/host/forecast?bots=2")
    ]
    statuses.append((await browser.post("/join/zip", data={"language": "python"})).status_code)
    made = [make.__name__ for make, *_ in asked]
    assert (statuses, made) == ([429] * 4, ["draw", "read_tournament_config", "forecast_of", "packed_bot"])
