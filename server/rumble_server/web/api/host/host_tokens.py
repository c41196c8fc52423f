"""The routes of host tokens: the list of tokens, a new token, and taking a token back."""

from http import HTTPStatus

from fastapi import Request
from rumble_protocol.secret import make_secret

from rumble_server.web.api.host import models
from rumble_server.web.api.host.commands import body_schema, host_router, read_model
from rumble_server.web.api.models import DoneAnswer
from rumble_server.web.site import site_of

router = host_router("/api/host/tokens")


@router.get("")
async def list_tokens(request: Request) -> models.HostTokensAnswer:
    """List the tokens by name, oldest first; `own` is true for the token of this request."""
    site, own, answer = site_of(request), request.state.token_holder, models.HostTokenAnswer
    listed = site.play.host_tokens.listed()
    tokens = [answer(name=each.name, since_ms=each.since_ms, own=each.name == own) for each in listed]
    await site.wait_for_disk()
    return models.HostTokensAnswer(tokens=tokens)


@router.post("", status_code=HTTPStatus.CREATED, openapi_extra=body_schema(models.NewHostToken))
async def add_token(request: Request) -> models.MadeHostToken:
    """Make a token with a new name. No other answer shows the token."""
    site, name, token = site_of(request), (await read_model(request, models.NewHostToken)).name, make_secret()
    await site.run_command(lambda: site.commands.organiser.add_token(name, token))
    return models.MadeHostToken(name=name, token=token)


@router.post("/{name}/remove")
async def remove_token(request: Request, name: str) -> DoneAnswer:
    """Take a token back. The last token cannot be taken back."""
    site = site_of(request)
    await site.run_command(lambda: site.commands.organiser.remove_token(name))
    return DoneAnswer(message=f"the token {name} is not valid any more")
