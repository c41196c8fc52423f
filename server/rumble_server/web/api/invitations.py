"""Invitations to a tournament: a link to its page with the code, the link as a QR code, and a bot's command."""

import hmac
import io
import secrets
import shlex
from typing import Any, Protocol
from urllib.parse import quote, urlencode

import segno
from fastapi import Request

from rumble_server.web.api.organiser_models import InviteAnswer

QR_SCALE = 8
CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz2345678"
"""The 30 letters and digits of codes that the server makes: none is taken for another."""
CODE_LENGTH = 10


def new_code() -> str:
    """Make the code of an invitation."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


class Invited(Protocol):
    """A tournament, as far as invitations go."""

    @property
    def id(self) -> str: ...

    @property
    def invite(self) -> str | None: ...


def base_of(request: Request) -> str:
    """Return this server's address as the reader knows it."""
    return str(request.base_url).rstrip("/")


def page_link(tournament: Invited, base: str) -> str:
    """Make the link for those who are invited."""
    query = "" if tournament.invite is None else "?" + urlencode({"invite": tournament.invite})
    return f"{base}/tournaments/{quote(tournament.id)}{query}"


def join_command(tournament: Invited, base: str, *, invite: str | None) -> str:
    """Write the shell command of a bot that joins."""
    words = ["rumble", "bot", "minimax", "--server", base, "--join", tournament.id]
    return shlex.join(words if invite is None else [*words, "--invite", invite])


def invite_answer(tournament: Invited, request: Request) -> InviteAnswer:
    """Make the invitation as its host sees it."""
    base = base_of(request)
    command = join_command(tournament, base, invite=tournament.invite)
    return InviteAnswer(code=tournament.invite, link=page_link(tournament, base), command=command)


def page_invitation(tournament: Invited, base: str, given: str | None) -> dict[str, Any]:
    """Make what the tournament's page shows of the code in its address: the code, or that the link is old.

    A wrong code is never shown: otherwise anyone could make a link whose text people would copy into a shell. Whoever
    calls counts the wrong ones.
    """
    code = tournament.invite
    invited = given is not None and code is not None and hmac.compare_digest(given.encode(), code.encode())
    return {
        "invite": code if invited else None,
        "invite_is_old": given is not None and code is not None and not invited,
        "join_command": join_command(tournament, base, invite=code if invited else None),
    }


def qr_code(text: str) -> bytes:
    """Draw a text as a QR code: an SVG picture, dark on white in both colour schemes."""
    written = io.BytesIO()
    segno.make(text, micro=False, error="m").save(
        written, kind="svg", scale=QR_SCALE, border=4, dark="#000", light="#fff", xmldecl=False, title="QR code"
    )
    return written.getvalue()
