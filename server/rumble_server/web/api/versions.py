"""Versions of a bot's source: saved by the bot's owner, and shown to the owner and the host alone."""

import asyncio
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import AfterValidator
from rumble_protocol.codes import ErrorCode
from rumble_protocol.fields import Milliseconds, Name, ServerMessageModel

from rumble_server.arena.state.names_and_keys import Claim
from rumble_server.tournament.club_facts import SourceLanguage, VersionSaved
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.versions import MOST_SOURCE_BYTES, visible
from rumble_server.web.api.host.commands import REFUSED, body_schema, read_model
from rumble_server.web.api.models import RequestModel
from rumble_server.web.api.reading import ERRORS
from rumble_server.web.errors import WebError
from rumble_server.web.guards.tokens import check_reader
from rumble_server.web.site import Site, site_of

MOST_BODY_BYTES = 2 * MOST_SOURCE_BYTES
"""Maximum size in bytes of a body: twice that of a source, since JSON writes a line's end or a quotation mark as
two bytes."""
REFUSAL = "the versions of a bot are for its owner and the host"


def _short(source: str) -> str:
    if len(source.encode()) > MOST_SOURCE_BYTES:
        raise ValueError(f"a source is at most {MOST_SOURCE_BYTES} bytes")
    return source


class NewVersion(RequestModel):
    """A version to save."""

    language: SourceLanguage
    source: Annotated[str, AfterValidator(_short)]


class SavedVersion(ServerMessageModel):
    """The number of a version that was saved."""

    number: int


class VersionLine(SavedVersion):
    """A version in a list; `bytes` is the size of its source."""

    language: SourceLanguage
    at_ms: Milliseconds
    bytes: int


class VersionList(ServerMessageModel):
    """The kept versions of a bot, oldest first."""

    versions: list[VersionLine]


class VersionView(VersionLine):
    """A version with its source."""

    source: str


router = APIRouter(prefix="/api", tags=["owner"], responses={**ERRORS, **REFUSED})


@router.post("/versions", status_code=HTTPStatus.CREATED, openapi_extra=body_schema(NewVersion))
async def save_version(request: Request) -> SavedVersion:
    """Save a version of the bot whose key is shown; the 20 newest are kept.

    If the bot is benched for its faults, the new version lets the bot play again.
    """
    site = site_of(request)
    owner = check_reader(site, request, REFUSAL)
    if owner is None:
        raise WebError.bad_token("only its owner saves a version of a bot")
    body = await read_model(request, NewVersion, MOST_BODY_BYTES)
    return SavedVersion(number=await _save(site, _claim(site, owner), body))


@router.get("/versions")
async def list_versions(
    request: Request, bot: Annotated[Name | None, Query(description="for the host alone")] = None
) -> VersionList:
    """List the versions of the bot whose key is shown. A request of the host names the bot in `bot`."""
    return VersionList(versions=[VersionLine(**_line(each)) for each in await _versions(request, bot)])


@router.get("/versions/{number}")
async def get_version(
    request: Request, number: int, bot: Annotated[Name | None, Query(description="for the host alone")] = None
) -> VersionView:
    """Show a version with its source."""
    for each in await _versions(request, bot):
        if each.number == number:
            return VersionView(**_line(each), source=each.source)
    raise WebError.not_found(f"version {number} is not kept, or there was none")


async def _save(site: Site, claim: Claim, body: NewVersion) -> int:
    """Save a version for the owner of a name, and return its number once it is on disk."""
    async with site.saving.setdefault(claim.name, asyncio.Lock()):
        await site.wait_for_disk()  # a version whose request was given up may still be on its way
        stored = await site.reader.versions(claim.name)

        def save() -> int:
            if _claim(site, claim.name).since_ms != claim.since_ms:
                raise WebError.bad_token(f"the name {claim.name} has another owner now")
            return site.commands.versions.add(claim, stored, body.language, body.source)

        return await site.run_command(save)


async def _versions(request: Request, bot: str | None) -> list[VersionSaved]:
    """Return the versions of the owner's bot if an owner asks, or of the bot `bot` if the host asks.

    Raises WebError, CommandRefused, StoreError.
    """
    site = site_of(request)
    owner = check_reader(site, request, REFUSAL)
    if owner is not None and bot is not None and owner.casefold() != bot.casefold():
        raise WebError(HTTPStatus.FORBIDDEN, "not_yours", REFUSAL)
    claim = _claim(site, owner or bot or "")
    stored = await site.reader.versions(claim.name)
    return visible(stored, claim.since_ms)


def _claim(site: Site, name: str) -> Claim:
    claim = site.play.names.get(name)
    if claim is None:
        raise CommandRefused(ErrorCode.UNKNOWN_BOT, f"no bot was ever called {name!r}")
    return claim


def _line(saved: VersionSaved) -> dict[str, Any]:
    size = len(saved.source.encode())
    return {"number": saved.number, "language": saved.language, "at_ms": saved.at_ms, "bytes": size}
