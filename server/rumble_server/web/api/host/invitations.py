"""Invitations to a tournament: a link that contains the code, the link's QR code, and a command that starts a bot."""

import io
import shlex
from typing import Any
from urllib.parse import quote, urlencode

import segno

from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api.from_log import Basics
from rumble_server.web.api.host.models import DoorAnswer, InviteAnswer
from rumble_server.web.public_address import PublicAddress
from rumble_server.web.random_names import random_name

QR_SCALE = 8
NOT_INVITED: dict[str, Any] = {"invite": None, "invite_is_old": False, "carried": ""}
"""The result of `page_invitation` for a reader without a code."""


def page_link(tournament: Tournament | Basics, base: str) -> str:
    """Return the link to a tournament's page. If bots need an invitation code, the link contains a code."""
    code = tournament.shared_invite
    query = "" if code is None else "?" + urlencode({"invite": code})
    return f"{base}/tournaments/{quote(tournament.id)}{query}"


def join_link(tournament: Tournament, base: str) -> str:
    """Return the link to the page on which pupils join. While the door is open, the link contains the join code."""
    query = "" if tournament.join_code is None else "?" + urlencode({"code": tournament.join_code})
    return f"{base}/join{query}"


def door_answer(tournament: Tournament, address: PublicAddress) -> DoorAnswer:
    """Make the answer about the door for a host; `address` is the server's address as the host sees it."""
    return DoorAnswer(code=tournament.join_code, link=join_link(tournament, address.to_share.base))


def join_command(tournament: Tournament | Basics, base: str) -> str:
    """Write the shell command that enters the function `ai` of `mine.py` in a tournament, under a made-up name."""
    code = [] if tournament.shared_invite is None else ["--invite", tournament.shared_invite]
    words = ["rumble", "bot", "mine.py:ai", "--server", base, "--join", tournament.id, *code, "--name", random_name()]
    return shlex.join(words)


def invite_answer(tournament: Tournament | Basics, address: PublicAddress) -> InviteAnswer:
    """Make the invitation for a host to pass on; `address` is the server's address as the host sees it."""
    to_share = address.to_share
    link, command = page_link(tournament, to_share.base), join_command(tournament, to_share.base)
    return InviteAnswer(code=tournament.invite, link=link, command=command, only_here=to_share.is_only_here)


def page_invitation(tournament: Tournament, query_code: str | None) -> dict[str, Any]:
    """Make the values with which a page shows an invitation. `query_code` is the code in the page's address.

    If `query_code` is right, `invite` is the code that the page shows, and `carried` is the query of the page's links.
    If the host chose a code, `invite` is another code, made by the server. If `query_code` is wrong, `invite_is_old` is
    true.

    A wrong code is never shown. Otherwise anyone could put any text into a link as the code. The page would show the
    text in a command, and people would copy the command into a shell. The caller counts wrong codes.
    """
    code = tournament.shared_invite
    invited = query_code is not None and code is not None and tournament.admits(query_code)
    return {
        "invite": code if invited else None,
        "invite_is_old": query_code is not None and code is not None and not invited,
        "carried": "?" + urlencode({"join": tournament.id, "invite": code}) if invited else "",
    }


def qr_code(text: str) -> bytes:
    """Draw a text as a QR code: an SVG picture, dark on white in both colour schemes."""
    written = io.BytesIO()
    segno.make(text, micro=False, error="m").save(
        written, kind="svg", scale=QR_SCALE, border=4, dark="#000", light="#fff", xmldecl=False, title="QR code"
    )
    return written.getvalue()
