"""What is asked and told of clubs."""

from typing import Annotated

from pydantic import Field, StringConstraints
from rumble_protocol.clubs import ClubName
from rumble_protocol.fields import Count, Milliseconds, ServerMessageModel

from rumble_server.web.api.models import RequestModel

MOST_QUOTA = 1 << 50
"""Largest quota that can be given."""

Title = Annotated[str, StringConstraints(max_length=80, pattern=r"^[^\x00-\x1f\x7f]*$")]
Quota = Annotated[int, Field(ge=0, le=MOST_QUOTA)] | None


class ClubQuotas(RequestModel):
    """What a club may use, or uses; null: as much as there is. What is left out of a change stays as it is."""

    bots: Quota = None
    tournaments: Quota = None
    bytes: Quota = None
    matches: Quota = None
    house_bots: Quota = None


class NewClub(RequestModel):
    """A club to be created. `house`: whether the server's residents are there to be challenged."""

    name: ClubName
    title: Title = ""
    listed: bool = False
    house: bool = False
    quotas: ClubQuotas = Field(default_factory=ClubQuotas)


class ChangedClub(RequestModel):
    """What is to be changed of a club; what is left out stays as it is."""

    title: Title | None = None
    listed: bool | None = None
    house: bool | None = None
    quotas: ClubQuotas | None = None


class ClubView(ServerMessageModel):
    """A club, with what goes on in it now. `quotas` and `used` are for the administrator; null: it cannot be told."""

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
