"""The results of a bot for its owner, as the page `/me` shows them."""

from fastapi import APIRouter, Request
from rumble_protocol.fields import Count

from rumble_server.store.errors import DamagedLog
from rumble_server.web.api.answers import answers_of
from rumble_server.web.api.host.commands import REFUSED
from rumble_server.web.api.own_results import OwnResults, merged
from rumble_server.web.api.reading import ERRORS
from rumble_server.web.errors import WebError
from rumble_server.web.guards.tokens import check_reader
from rumble_server.web.site import site_of

MOST_TOURNAMENTS = 20
"""Maximum number of tournaments in an answer. The newest tournaments of the bot are taken."""
MOST_SEARCHED = 500
"""Number of newest ended tournaments of the club that are searched for the bot."""
REFUSAL = "a bot's own results are for its owner"


class MeAnswer(OwnResults):
    """The results of a bot in its newest tournaments; in the lists, the newest fault and the newest version come first.

    `damaged` is the number of tournaments that cannot be read. `takes_challenges` is true if people can
    play against the bot now.
    """

    name: str
    takes_challenges: bool
    tournaments: Count
    damaged: Count
    display_names: dict[str, str]
    """Display names of the bot and its opponents, keyed by name; bots without a display name are left out."""


router = APIRouter(prefix="/api", tags=["owner"], responses={**ERRORS, **REFUSED})


@router.get("/me")
async def get_own_results(request: Request) -> MeAnswer:
    """Show the results of the bot whose key is shown (`Authorization: Bot NAME:KEY`), in its newest tournaments."""
    site, answers = site_of(request), answers_of(request)
    name = check_reader(site, request, REFUSAL)
    if name is None:
        raise WebError.bad_token(f"{REFUSAL}: send `Authorization: Bot NAME:KEY`")
    live = [each for each in site.play.tournaments.values() if name in each.field]
    created = {each.id: each.created_at_ms for each in live}
    created |= {each.id: each.created_at_ms for each in await site.reader.ended_with(name, MOST_SEARCHED)}
    ids = sorted(created, key=lambda each: -created[each])[:MOST_TOURNAMENTS]
    shares, damaged = [], 0
    for each in ids:
        try:
            shares.append(OwnResults.model_validate_json(await answers.own_results(each, name)))
        except DamagedLog:  # the reader has logged the damage
            damaged += 1
    player, results = site.play.players.get(name), merged(shares)
    return MeAnswer(
        name=name,
        takes_challenges=player is not None and player.accepts_challenges,
        tournaments=len(ids),
        damaged=damaged,
        display_names=site.play.display_names.of([name, *(each.against for each in results.scores)]),
        **dict(results),
    )
