"""Bots as zips: the answer to a form is a zip with a small bot to build on, and with the bot's name and key."""

from http import HTTPStatus
from random import getrandbits
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from pydantic import BaseModel, StringConstraints, ValidationError
from rumble_engine import get_game
from rumble_engine.chance import BITS
from rumble_protocol.fields import Name
from rumble_protocol.secret import make_secret
from starlette.responses import Response

from rumble_server.starters.bot_zip import Kept, bot_zip
from rumble_server.starters.starter import Language
from rumble_server.tournament.config import TournamentConfig
from rumble_server.web.api.answers import answers_of
from rumble_server.web.api.problems import bad_request
from rumble_server.web.errors import WebError
from rumble_server.web.guards.bodies import read_body
from rumble_server.web.guards.secret_checks import checker_of
from rumble_server.web.public_address import public_address_of
from rumble_server.web.random_names import random_name
from rumble_server.web.site import Site, site_of


class Wanted(BaseModel):
    """The fields of the form for a zip. Fields left empty in the form are absent."""

    language: Language
    name: Name | None = None
    key: Annotated[str, StringConstraints(min_length=16, max_length=128)] | None = None
    tournament: str | None = None
    invite: str | None = None


router = APIRouter()


@router.post("/join/zip", response_class=Response, include_in_schema=False)
async def get_zip(request: Request) -> Response:
    """Return a bot as a zip. If the form has no name, make up a name. If the form has no key, make a key."""
    site, wanted = site_of(request), _read(await read_body(request))
    name, key = _named(site, request, wanted)
    found = await answers_of(request).basics(wanted.tournament) if wanted.tournament else None
    config = None if found is None else found.config
    game = None if config is None else config.game
    kept = Kept(public_address_of(request).bot_server, wanted.tournament, name, key, game, wanted.invite)
    packed = await site.reader.run(packed_bot, wanted.language, kept, config)
    shown = f'attachment; filename="{name}-{wanted.language}.zip"'
    headers = {"Content-Disposition": shown, "Cache-Control": "no-store"}
    return Response(packed, media_type="application/zip", headers=headers)


def packed_bot(language: Language, kept: Kept, config: TournamentConfig | None) -> bytes:
    """Make the zip of a bot, with an example of a turn if the bot is for a tournament."""
    return bot_zip(language, kept, None if config is None else first_turn(config))


def first_turn(config: TournamentConfig) -> dict[str, Any]:
    """Return the game, the seat, the state and the legal moves of a first turn, as fields of the message `turn`.

    The state is not made from the tournament's seed, because the seed stays secret until the tournament is over.
    """
    state = get_game(config.game).initial_for(config.match_seats, config.settings)
    while state.is_chance:
        state = state.after(state.draw(getrandbits(BITS)))
    seat = state.movers[0]
    legal = [state.text_for(seat, code) for code in state.codes_for(seat)]
    return {"type": "turn", "game": config.game, "seat": seat, "state": state.view(seat), "legal": legal}


def _read(body: bytes) -> Wanted:
    try:
        return Wanted.model_validate(dict(parse_qsl(body.decode(errors="replace"))))
    except ValidationError as error:
        raise bad_request(error.errors(include_url=False)) from None


def _named(site: Site, request: Request, wanted: Wanted) -> tuple[str, str]:
    """Return the name and the key of the bot.

    Raises WebError with `bad_token` for a wrong key, with `name_taken` if a form without a key has a taken name, or
    with `too_many_requests`.
    """
    name, key, names = wanted.name or random_name(), wanted.key, site.play.names
    if key is not None:
        if not checker_of(site).check_secret(request, name, key, is_right=names.owns(name, key)):
            raise WebError.bad_token(f"this is not the key of the name {name}")
        return name, key
    claim = names.get(name)
    if claim is not None and not claim.is_open:
        raise WebError(HTTPStatus.CONFLICT, "name_taken", f"the name {claim.name} is taken: choose another name")
    return name, make_secret()
