"""A fake runner of house bots, which starts no process."""

from collections.abc import Mapping, Sequence
from typing import Any

from rumble_server.arena.ports import HouseBot


class FakeHouse:
    """Fake runner with `random` for every game, and `perfect` for tictactoe."""

    def __init__(self) -> None:
        self.kept: list[HouseBot] = []

    def reference_bots(self, game: str, settings: Mapping[str, Any]) -> Mapping[str, str]:
        return {"random": "Plays any legal move."} | ({"perfect": "Never loses."} if game == "tictactoe" else {})

    def ladder(self) -> Mapping[str, str]:
        return {"random": "Plays any legal move.", "perfect": "Never loses."}

    def set_bots(self, club: str, bots: Sequence[HouseBot]) -> None:
        self.kept = list(bots)

    async def close(self) -> None:
        self.kept = []
