"""Rendering of the templates. All texts are escaped, so that no text of a user becomes markup."""

from inspect import getmembers, isfunction
from pathlib import Path
from typing import Any

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from rumble_engine.registry import game_title
from rumble_protocol.clubs import MAIN, web_path
from starlette.responses import HTMLResponse

from rumble_server.web import texts
from rumble_server.web.api.admin.models import ClubView
from rumble_server.web.api.models import MatchView
from rumble_server.web.pages.board_svg import seat_piece, svg
from rumble_server.web.pages.picture import MAKES_PNG
from rumble_server.web.public_address import PublicAddress, public_address_of
from rumble_server.web.random_names import random_name
from rumble_server.web.static_files import static_files

FOLDER = Path(__file__).parent
NOT_STORED = {"Cache-Control": "no-store"}


def verdict_text(match: MatchView) -> str:
    """Return a line about the winner and the reason, such as `alice wins: three in a row`.

    `static/match.js` makes the same line.
    """
    draw = "First place is shared" if len(match.seats) > 2 else "Draw"
    names = [texts.shown_name(name, match.display_names.get(name)) for name in match.seats]
    who = draw if match.winner is None else f"{names[match.winner]} wins"
    why = texts.with_display_names(match.reason, match.display_names)
    how = "" if match.termination is None else f"{why} {texts.termination_text(match.termination)}".strip()
    return f"{how}; it is played again" if match.scores is None else f"{who}: {how}"


def club_title(club: ClubView) -> str:
    """Return the club's name as people see it."""
    return club.title or ("Rumble" if club.name == MAIN else club.name)


@pass_context
def shown(context: Context, name: str) -> str:
    """Return the name under which people see a bot, without HTML elements: for an attribute or a plain text."""
    return texts.shown_name(name, context["display_names"].get(name))


@pass_context
def who(context: Context, name: str) -> str:
    """Return the name under which people see a bot, for a page: a display name is in an HTML element `bdi`."""
    display = context["display_names"].get(name)
    return name if display is None else Markup("<bdi>{}</bdi>").format(display)


@pass_context
def shown_in(context: Context, text: str) -> str:
    """Replace the names of bots in a sentence by the names under which people see the bots."""
    return texts.with_display_names(text, context["display_names"])


_environment = Environment(
    loader=FileSystemLoader(FOLDER / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters |= {each.__name__: each for each in (svg, seat_piece, verdict_text, game_title, club_title)}
_environment.filters |= {each.__name__: each for each in (shown, shown_in, who)}
_environment.filters["club_path"] = web_path
_environment.filters |= dict(getmembers(texts, isfunction))
_environment.globals |= {"static": static_files().root, "imported": static_files().imported}
_environment.globals["picture_kind"] = "png" if MAKES_PNG else "svg"


def render(template: str, address: PublicAddress, **context: Any) -> str:
    """Return a page as HTML. `context` has further variables for the template.

    The variable `bot_name` is the bot's name in the page's commands, by default a new made-up name.
    """
    about = {"public_address": address, "base": address.base, "root": address.root, "bot_url": address.bot_url}
    about |= {"brand": address.title or "Rumble", "bot_name": random_name(), "carried": "", "display_names": {}}
    return _environment.get_template(template).render(**about | context)


def html(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Answer with a page that browsers do not keep."""
    return HTMLResponse(render(template, public_address_of(request), **context), status, headers=NOT_STORED)
