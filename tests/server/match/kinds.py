"""Matches of many seats, of joint moves and of chance, for tests."""

from typing import Any

import pytest

from tests.server.match.driven import DrivenReferee

SEED = "5e" * 32
KINDS: dict[str, dict[str, Any]] = {
    "four snakes": {"game": "snakes", "seats": ("ann", "ben", "cid", "dot"), "settings": {"turns": 30}},
    "two snakes": {"game": "snakes", "seats": ("ann", "ben"), "settings": {"turns": 12}},
    "constrictors": {"game": "snakes", "seats": ("ann", "ben", "cid"), "settings": {"rules": "constrictor"}},
    "dilemma": {"game": "dilemma", "seats": ("ann", "ben"), "settings": {"rounds": 6}},
    "noise": {"game": "dilemma", "seats": ("ann", "ben"), "settings": {"rounds": 6, "noise": 30}},
    "backgammon": {"game": "backgammon", "seats": ("ann", "ben"), "settings": {}},
}
each = pytest.mark.parametrize("kind", KINDS)


def seated(kind: str, **given: Any) -> DrivenReferee:
    return DrivenReferee.seated(chance_seed=SEED, **{**KINDS[kind], **given})


def open_seats(driven: DrivenReferee) -> list[int]:
    return [seat for seat, own in enumerate(driven.progress.seats) if own.turn is not None]


def play_out(driven: DrivenReferee, choose: int = 0) -> None:
    """Have every asked bot make its legal move number `choose`, or its last, until the match is over."""
    while driven.progress.over is None:
        seat = open_seats(driven)[-1]
        legal = driven.seats[seat].last("turn")["legal"]
        driven.move(seat, legal[min(choose, len(legal) - 1)])
