"""JSON objects of Battlesnake's API, made from a view of the game `snakes`.

The API and the view count squares from the bottom left.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rumble_engine.games.snakes import FOOD_CHANCE, STEPS

FIRST = "up"
"""Direction that the bridge plays for a snake that has not moved yet, if the Battlesnake gives no answer."""
RULES_VERSION = "v1.2.3"
"""Version of Battlesnake's rules that each request names."""
LOOK = {"color": "#888888", "head": "default", "tail": "default"}
"""Colour, head and tail that requests contain for every snake."""
UNUSED = {
    "royale": {"shrinkEveryNTurns": 0},
    "squad": dict.fromkeys(("allowBodyCollisions", "sharedElimination", "sharedHealth", "sharedLength"), False),
}
"""Settings of Battlesnake's rules that Rumble does not have, with the values sent in requests."""


def body_of(
    view: Mapping[str, Any], seat: int, names: Sequence[str], game_id: str, timeout_ms: int,
    *, latency_ms: int = 0, shout: str = "",
) -> dict[str, Any]:  # fmt: skip
    """Return the body of a request to the snake of `seat`.

    `latency_ms` and `shout` come from this snake's previous answer.
    """
    feeds, size = view["rules"] != "constrictor", view["size"]
    chance, least = (round(FOOD_CHANCE * 100), 1) if feeds else (0, 0)
    settings = {"foodSpawnChance": chance, "minimumFood": least, "hazardDamagePerTurn": 0, **UNUSED}
    ruleset = {"name": view["rules"], "version": RULES_VERSION, "settings": settings}
    place = "standard" if feeds else "empty"
    game = {"id": game_id, "ruleset": ruleset, "map": place, "timeout": timeout_ms, "source": "custom"}
    snakes = [_snake(number, name, view["snakes"][number]) for number, name in enumerate(names)]
    snakes[seat] |= {"latency": str(latency_ms), "shout": shout}
    playing = [snake for snake, seen in zip(snakes, view["snakes"], strict=True) if not seen["out"]]
    food = [_square(each) for each in view["food"]]
    board = {"height": size, "width": size, "food": food, "hazards": [], "snakes": playing}
    return {"game": game, "turn": view["turn"], "board": board, "you": snakes[seat]}


def last_direction(view: Mapping[str, Any], seat: int) -> str:
    """Return the direction of a snake's last move, even if the move crossed an edge of the board to the opposite edge.

    Before the first move, return `FIRST`.
    """
    size, (head, neck, *_) = view["size"], view["snakes"][seat]["body"]
    step = [(head[axis] - neck[axis]) % size for axis in (0, 1)]
    return next((name for name, (x, y) in STEPS.items() if step == [x % size, y % size]), FIRST)


def _square(square: Sequence[int]) -> dict[str, int]:
    return {"x": square[0], "y": square[1]}


def _snake(number: int, name: str, seen: Mapping[str, Any]) -> dict[str, Any]:
    body = [_square(each) for each in seen["body"]]
    health = max(0, seen["health"])
    return {"id": f"seat-{number}", "name": name, "health": health, "body": body, "latency": "0", "head": body[0]} | {
        "length": len(body), "shout": "", "squad": "", "customizations": LOOK
    }  # fmt: skip
