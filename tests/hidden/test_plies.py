"""The plies told to each seat in a hidden game, and the options of a tournament of hidden games."""

import json
from typing import Any

import pytest
from rumble_server.tournament.config import TournamentConfig

from tests.hidden.begun import begun
from tests.hidden.tokens import installed


def test_a_seat_sees_its_own_words() -> None:
    with begun() as (_, (first, second)):
        token = first.last("turn")["state"]["token"]
        first.move(f"{token}+")
        turns = [bot.last("turn") for bot in (first, second)]
        deals = [bot.last("turn")["state"]["token"] for bot in (first, second)]
        news = [[None, f"{token} ?"], [0, f"{token}+"], [None, f"{deals[0]} ?"]]
        assert turns[0]["since"] == news[1:]
        assert turns[1]["since"] == [[None, turns[1]["since"][0][1]], [0, "?"], [None, f"? {deals[1]}"]]
        assert token not in json.dumps(turns[1])


@pytest.mark.parametrize("retries", [0, 1])
def test_the_others_do_not_read_why_a_move_does_not_count(retries: int) -> None:
    with begun(illegal_retries=retries) as (_, (first, second)):
        token = first.last("turn")["state"]["token"]
        first.move("nonsense")
        rejected = first.last("rejected")
        assert (rejected["code"], rejected["your_turn"]) == ("bad_move", retries > 0)
        assert token in rejected["message"]
        said = [frame["message"] for frame in second.inbox.all("notice") if frame["code"] == "seat_fell"]
        assert said == [f"{first.name} fell out: {first.name} sent a move that does not count"] * (1 - retries)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"game": "tokens", "openings": [["x"]]}, "hides something"),
        ({"game": "tokens", "openings": "suite"}, "no openings"),
        ({"game": "tictactoe", "spectator_delay_ms": 5}, "hides nothing"),
    ],
)
def test_options_that_do_not_fit(given: dict[str, Any], problem: str) -> None:
    with installed(), pytest.raises(ValueError, match=problem):
        TournamentConfig(name="x", **given)
