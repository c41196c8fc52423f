"""Rendering of the templates. Texts that users chose are escaped, so that they are never markup."""

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


def html(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Answer with a page. `base` is this server's address as the reader knows it, `bot_url` is where bots connect."""
    base = base_of(request)
    bot_url = str(URL(base).replace(scheme="wss" if request.url.scheme == "https" else "ws", path="/bot"))
    page = _environment.get_template(template).render(base=base, bot_url=bot_url, **context)
    return HTMLResponse(page, status, headers={"Cache-Control": "no-store"})
