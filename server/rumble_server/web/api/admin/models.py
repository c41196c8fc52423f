"""The models of the HTTP API for clubs: bodies of the administrator's commands, and the list of clubs."""

from typing import Annotated

from pydantic import Field, StringConstraints
from rumble_protocol.clubs import ClubName
from rumble_protocol.fields import Count, Milliseconds, ServerMessageModel

from rumble_server.web.api.models import RequestModel

MOST_QUOTA = 1 << 50
"""Largest value of a quota."""

Title = Annotated[str, StringConstraints(max_length=80, pattern=r"^[^\x00-\x1f\x7f]*$")]
Quota = Annotated[int, Field(ge=0, le=MOST_QUOTA)] | None


class ClubQuotas(RequestModel):
    """The quotas of a club, or the club's use of its quotas. A quota that is null sets no bound.

    In a change, quotas that are left out stay as before.
    """

    bots: Quota = None
    tournaments: Quota = None
    bytes: Quota = None
    matches: Quota = None
    house_bots: Quota = None


class NewClub(RequestModel):
    """A club to be created. With `house`, the club has the server's residents, house bots that take challenges."""

    name: ClubName
    title: Title = ""
    listed: bool = False
    house: bool = False
    quotas: ClubQuotas = Field(default_factory=ClubQuotas)


class ChangedClub(RequestModel):
    """A change of a club; fields that are left out stay as before."""

    title: Title | None = None
    listed: bool | None = None
    house: bool | None = None
    quotas: ClubQuotas | None = None


class ClubView(ServerMessageModel):
    """A club and its activity now. `quotas` and `used` are null for readers other than the administrator.

    `used` is also null if the use is unknown.
    """

    name: str
    title: str
    listed: bool
    house: bool
    since_ms: Milliseconds
    tournaments: Count
    bots: Count
    quotas: ClubQuotas | None
    used: ClubQuotas | None


class ClubList(ServerMessageModel):
    """Clubs, main first."""

    clubs: list[ClubView]
