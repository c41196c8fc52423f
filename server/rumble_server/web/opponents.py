"""Who can be played here, and at what: for the page of `/play` and for programs that challenge."""

from fastapi import APIRouter
from rumble_engine import EngineError, Game, game_names, get_game

from rumble_server.tournament.players import Player
from rumble_server.web.models import GameList, GameView, Opponent, OpponentList
from rumble_server.web.site import Site

ABOUT = {
    "random": "plays any move that is allowed",
    "winner": "takes a win when it sees one",
    "heuristic": "wins, blocks, and else plays by rules of thumb",
    "minimax": "looks ahead as far as it can",
    "streetwise": "looks ahead, and sets traps",
    "mcts": "plays thousands of games in its head",
    "perfect": "knows the value of every position: it never loses where a draw can be had",
}
"""What the reference bots do, weakest first: a bot of the house goes by the name of one."""


def playable_games() -> list[Game]:
    """The games that can be played here, by title, but those whose package is broken: `rumble games` tells why."""
    games = []
    for name in game_names():
        try:
            games.append(get_game(name))
        except EngineError:
            continue
    return sorted(games, key=lambda game: game.title.casefold())


def opponents(site: Site, games: list[Game]) -> list[Opponent]:
    """The bots that take challenges now: those of the house first, the weakest first; then by name."""
    residents = {bot.name: bot.player for bot in site.housekeeper.bots() if bot.challenges}
    found = [
        _opponent(player, residents.get(player.name), games)
        for player in site.arena.players.values()
        if player.contact is not None and player.contact.challenges
    ]
    return sorted(found, key=_place)


def _place(opponent: Opponent) -> tuple[int, str]:
    """Its place in the list: the ladder of the house, others of the house, everybody else."""
    ladder = [*ABOUT, opponent.house]
    return len(ladder) if opponent.house is None else ladder.index(opponent.house), opponent.name.casefold()


def _opponent(player: Player, house: str | None, games: list[Game]) -> Opponent:
    return Opponent(
        name=player.name,
        house=house,
        about="" if house is None else ABOUT.get(house, ""),
        games=[game.name for game in games if player.plays(game.name)],
        free=player.is_free,
    )


def opponent_routes(site: Site) -> APIRouter:
    """What may be challenged, and to what."""
    router = APIRouter(prefix="/api", tags=["play"])

    @router.get("/games")
    async def get_games() -> GameList:
        """The games that can be played here, and their settings."""
        games = [
            GameView.model_validate({**game.describe(), "marks": list(game.seat_marks)}) for game in playable_games()
        ]
        return GameList(games=games)

    @router.get("/opponents")
    async def get_opponents() -> OpponentList:
        """The bots that take challenges now, by `challenge` or on the page `/play`."""
        return OpponentList(opponents=opponents(site, playable_games()))

    return router
