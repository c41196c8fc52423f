"""The routes of host tokens: the list of tokens, a new token, and taking a token back."""

from http import HTTPStatus

from fastapi import APIRouter, Depends, Request
from rumble_protocol.codes import ErrorCode
from rumble_protocol.secret import make_secret
from starlette.responses import Response

from rumble_server.arena.host_tokens import MOST_TOKENS
from rumble_server.arena.organiser import Organiser
from rumble_server.web.api.host import models
from rumble_server.web.api.host.auditing import audit_command
from rumble_server.web.api.host.commands import REFUSED, body_schema, read_model
from rumble_server.web.api.models import DoneAnswer
from rumble_server.web.api.reading import ERRORS
from rumble_server.web.errors import WebError
from rumble_server.web.security import organiser_only
from rumble_server.web.site import Site, site_of


def host_token_routes() -> APIRouter:
    """Make the routes of host tokens; the routes need a host token."""
    router = APIRouter(
        prefix="/api/host/tokens",
        tags=["host"],
        dependencies=[Depends(organiser_only), Depends(audit_command)],
        responses={**ERRORS, **REFUSED},
    )

    @router.get("")
    async def list_tokens(request: Request) -> models.HostTokensAnswer:
        """List the tokens by name, oldest first; `own` is true for the token of this request."""
        site = site_of(request)
        await site.on_disk()
        listed, own = site.arena.host_tokens.listed(), request.state.host
        return models.HostTokensAnswer(
            tokens=[
                models.HostTokenAnswer(name=each.name, since_ms=each.since_ms, own=each.name == own) for each in listed
            ]
        )

    @router.post("", status_code=HTTPStatus.CREATED, openapi_extra=body_schema(models.NewHostToken))
    async def add_token(request: Request, response: Response) -> models.MadeHostToken:
        """Make a token with a new name. No other answer shows the token."""
        given = await read_model(request, models.NewHostToken)
        return await make_token(site_of(request), given.name, response)

    @router.post("/{name}/remove")
    async def remove_token(request: Request, name: str) -> DoneAnswer:
        """Take a token back. The last token cannot be taken back."""
        site = site_of(request)
        tokens = site.arena.host_tokens
        site.need_disk()
        if name not in tokens:
            raise WebError.not_found(f"there is no token {name!r}")
        if len(tokens) == 1:
            raise WebError(HTTPStatus.CONFLICT, "last_token", f"{name} is the last token: make another one first")
        with site.arena.transaction() as transaction:
            Organiser(site.arena).remove_token(name)
        await site.on_disk(transaction.number)
        return DoneAnswer(message=f"the token {name} is not valid any more")

    return router


async def make_token(site: Site, name: str, response: Response) -> models.MadeHostToken:
    """Make a host token of a club, and return it once it is on disk. Raises WebError."""
    site.need_disk()
    if len(site.arena.host_tokens) >= MOST_TOKENS:
        raise WebError(
            HTTPStatus.CONFLICT, ErrorCode.UNAVAILABLE, f"there are {MOST_TOKENS} tokens already: take one back first"
        )
    if name in site.arena.host_tokens:
        raise WebError(HTTPStatus.CONFLICT, "name_taken", f"there is a token {name} already")
    token = make_secret()
    with site.arena.transaction() as transaction:
        Organiser(site.arena).set_token(name, token)
    await site.on_disk(transaction.number)
    response.headers["Cache-Control"] = "no-store"
    return models.MadeHostToken(name=name, token=token)
