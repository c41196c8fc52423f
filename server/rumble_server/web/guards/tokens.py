"""The tokens of hosts and of the administrator in requests, and the keys of bots' owners."""

from fastapi import Request
from starlette.responses import Response

from rumble_server.arena.state.host_tokens import ADMINISTRATOR
from rumble_server.limits.guesses import HOST_TOKEN, SHORTEST_TOKEN
from rumble_server.web.client import is_local
from rumble_server.web.errors import WebError
from rumble_server.web.guards.secret_checks import checker_of
from rumble_server.web.site import Site, clubs_of, site_of

EXCHANGED = "Rumble-Token"
"""The answer header with a secret made by the server. The client uses the secret in place of a hand-chosen token."""


def bearer_token(request: Request) -> str:
    """Return the token that a request shows; empty without a token."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip().encode("latin-1").decode(errors="replace") if scheme.lower() == "bearer" else ""


def check_host(request: Request, site: Site) -> str | None:
    """Return the name of the host token that a request for a club shows; None without a valid host token.

    The administrator's token is valid, too. A wrong token is counted. After too many wrong tokens, raises WebError with
    `too_many_requests`.
    """
    token = bearer_token(request)
    if not token or (len(token) < SHORTEST_TOKEN and not is_local(request)):
        return None
    holder = site.play.host_tokens.holder(token)
    checker_of(site).check_secret(request, HOST_TOKEN, token, is_right=holder is not None)
    return holder


def check_reader(site: Site, request: Request, refusal: str) -> str | None:
    """Return the name of the bot whose owner asks; None if the host asks. A wrong key or token is counted.

    Raises WebError with `too_many_requests`, or with `bad_token` and a text that begins with `refusal`.
    """
    if check_host(request, site) is not None:
        return None
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    name, _, key = credentials.strip().partition(":")
    names = site.play.names
    is_key = scheme.lower() == "bot" and key != ""
    if is_key and checker_of(site).check_secret(request, name, key, is_right=names.owns(name, key)):
        claim = names.get(name)
        return name if claim is None else claim.name
    how = "send `Authorization: Bearer <host token>` or `Authorization: Bot NAME:KEY`"
    raise WebError.bad_token(f"{refusal}: {how}")


def _exchange(response: Response, token: str, made_token: str) -> None:
    """Send `made_token`, a secret made by the server, to a client that shows a hand-chosen token (`token`).

    The secret works even after too many wrong guesses from the client's address. A hand-chosen token is refused then.
    """
    if made_token != token:
        response.headers[EXCHANGED] = made_token


async def organiser_only(request: Request, response: Response) -> None:
    """Let only the hosts of the club through. Routes have this function as a dependency.

    Raises WebError with `bad_token`, or with `too_many_requests`.
    """
    site = site_of(request)
    request.state.token_holder = check_host(request, site)
    if request.state.token_holder is None:
        raise WebError.bad_token("only the host may do this: send `Authorization: Bearer <host token>`")
    token = bearer_token(request)
    _exchange(response, token, site.play.host_tokens.derive_secret(token))


async def administrator_only(request: Request, response: Response) -> None:
    """Let only the administrator of the server through. Routes of the club main have this function as a dependency.

    Raises WebError with `bad_token`, or with `too_many_requests`.
    """
    token, directory = bearer_token(request), clubs_of(request).directory
    if check_host(request, site_of(request)) is None or not directory.is_administrator(token):
        how = "send `Authorization: Bearer <administrator's token>`"
        raise WebError.bad_token(f"only the administrator may do this: {how}")
    request.state.token_holder = ADMINISTRATOR
    _exchange(response, token, directory.derive_secret(token))
