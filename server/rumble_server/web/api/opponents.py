"""The games of the server, and the bots that take challenges, for the page `/play` and for programs."""

from fastapi import APIRouter, Depends, Request
from rumble_engine import Game, game_names, get_game

from rumble_server.web.api.models import GameList, GameView, Opponent, OpponentList
from rumble_server.web.compression import mark_public
from rumble_server.web.site import Site, site_of


def playable_games() -> list[Game]:
    """Return the games of this server, sorted by title."""
    return sorted(map(get_game, game_names()), key=lambda game: game.title.casefold())


def opponents(site: Site, games: list[Game]) -> list[Opponent]:
    """List the bots that take challenges: house bots from the weakest to the strongest, then other bots by name."""
    reference_bots = {bot.name: bot.reference_bot for bot in site.house_bots.bots() if bot.is_resident}
    ladder = site.house_bots.ladder()
    found = []
    for player in site.play.players:
        if player.accepts_challenges:
            reference_bot = reference_bots.get(player.name)
            opponent = Opponent(
                name=player.name,
                house=reference_bot,
                about="" if reference_bot is None else ladder.get(reference_bot, ""),
                games=[game.name for game in games if player.accepts_game(game.name)],
                free=player.room > 0,
                display_name=site.play.display_names.get(player.name),
            )
            found.append(opponent)
    return sorted(found, key=lambda opponent: _sort_key(opponent, list(ladder)))


def _sort_key(opponent: Opponent, ladder: list[str]) -> tuple[int, str]:
    """Return the sort key of an opponent: house bots in the order of `ladder`, then further house bots, then others.

    `ladder` has the reference bots from the weakest to the strongest.
    """
    known = [*ladder, opponent.house]
    return len(known) if opponent.house is None else known.index(opponent.house), opponent.name.casefold()


router = APIRouter(prefix="/api", tags=["play"], dependencies=[Depends(mark_public)])


@router.get("/games")
async def get_games() -> GameList:
    """List the games that can be played here, and their settings."""
    games = [GameView.model_validate({**game.describe(), "marks": list(game.seat_marks)}) for game in playable_games()]
    return GameList(games=games)


@router.get("/opponents")
async def get_opponents(request: Request) -> OpponentList:
    """List the bots that can be challenged now, with `challenge` or on the page `/play`."""
    return OpponentList(opponents=opponents(site_of(request), playable_games()))
