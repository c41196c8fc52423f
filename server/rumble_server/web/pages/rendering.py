"""Rendering of the templates. Texts that users chose are escaped, so that they are never markup."""

from dataclasses import dataclass
from inspect import getmembers, isfunction
from pathlib import Path
from typing import Any

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.datastructures import URL
from starlette.responses import HTMLResponse

from rumble_server.web import texts
from rumble_server.web.api.invitations import base_of
from rumble_server.web.api.models import MatchView
from rumble_server.web.pages.drawn import svg, token

FOLDER = Path(__file__).parent
STATIC = FOLDER.parent / "static"
NOT_STORED = {"Cache-Control": "no-store"}


def verdict_text(match: MatchView) -> str:
    """Write who won a match and how: `alice wins: three in a row`. `static/match.js` writes it the same."""
    who = "Draw" if match.winner is None else f"{match.seats[match.winner]} wins"
    how = "" if match.termination is None else f"{match.reason} {texts.termination_text(match.termination)}".strip()
    return f"{how}; it is played again" if match.scores is None else f"{who}: {how}"


_environment = Environment(
    loader=FileSystemLoader(FOLDER / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters |= {each.__name__: each for each in (svg, token, verdict_text)}
_environment.filters |= dict(getmembers(texts, isfunction))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page is seen: this server's address as the reader knows it, and where bots connect."""

    base: str
    bot_url: str


def place_of(request: Request) -> Place:
    """Return where the reader of a request is."""
    base = base_of(request)
    scheme = "wss" if request.url.scheme == "https" else "ws"
    return Place(base, str(URL(base).replace(scheme=scheme, path="/bot")))


def render(template: str, place: Place, **context: Any) -> str:
    """Write a page."""
    return _environment.get_template(template).render(base=place.base, bot_url=place.bot_url, **context)


def page_of(content: str | bytes, status: int = 200) -> HTMLResponse:
    """Answer with a page that is written."""
    return HTMLResponse(content, status, headers=NOT_STORED)


def html(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Answer with a page."""
    return page_of(render(template, place_of(request), **context), status)
