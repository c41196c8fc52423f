import pytest
from rumble_engine import Setting, get_game

from tests.server.cli.run_here import Captured, printed, printed_json


def test_json_has_every_game_with_its_settings(capsys: Captured) -> None:
    listed = {game["name"]: game for game in printed_json(capsys, "games")}
    assert {"tictactoe", "connect4"} <= set(listed)
    assert listed["connect4"] == get_game("connect4").describe()
    assert set(listed["connect4"]) == {"name", "title", "seat_names", "settings"}


def test_text_names_settings_with_default_and_bounds(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = (
        Setting("columns", 7, "wide", minimum=4, maximum=9),
        Setting("rule", "fair", "how", choices=("fair", "wild")),
        Setting("swap", False, "sides"),
        Setting("pile", 5, "high", minimum=1),
    )
    monkeypatch.setattr(type(get_game("connect4")), "settings", settings)
    shown = printed(capsys, "games")
    assert "tictactoe  Tic-tac-toe" in shown
    assert "    columns = 7  wide (from 4 to 9)" in shown
    assert '    rule = "fair"  how (one of fair, wild)' in shown
    assert "    swap = false  sides\n" in shown
    assert "    pile = 5  high (from 1 to ...)" in shown
