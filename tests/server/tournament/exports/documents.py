"""Export documents, made by hand."""

from typing import Any


def tournament(**more: Any) -> dict[str, Any]:
    return {
        "id": "friday",
        "name": 'The "Friday" rumble',
        "game": "tictactoe",
        "settings": {},
        "format": "round-robin",
        "status": "running",
        "legs": 2,
        "scheme": [1, 0.5, 0],
        "time_control": {"move_ms": 10_000, "bank_ms": 0, "increment_ms": 0},
        "names": ["A", "B", "C"],
        "started_at_ms": 1_763_683_200_000,
        "ended_at_ms": None,
        **more,
    }


def played(id: str, seats: list[str], scores: list[float], termination: str = "normal", **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "attempt": 1,
        "seats": seats,
        "scores": scores,
        "termination": termination,
        "reason": "three in a row",
        "moves": ["4", "0", "8"],
        **more,
    }


def exported(**more: Any) -> dict[str, Any]:
    matches = [
        played("friday.1.1.1.1", ["B", "C"], [1.0, 0.0]),
        played("friday.1.1.1.2", ["C", "B"], [0.5, 0.5], reason="board full"),
        played("friday.1.2.1.1", ["A", "B"], [0.0, 1.0], "no_show", moves=[], reason="A was not there"),
    ]
    standings = [{"rank": 1, "name": "B"}, {"rank": 2, "name": "C"}, {"rank": 3, "name": "A"}]
    return {"tournament": tournament(), "standings": standings, "matches": matches, "voided": [], **more}
