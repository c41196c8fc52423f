"""The configuration of a server."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from rumble_protocol.server_messages import Limits

from rumble_server.bounds import Bounds


class ServerConfig(BaseModel):
    """The options of `rumble serve`. A bad value raises ValidationError."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 8765
    """0 takes a free one."""
    db: str = "rumble.db"
    host_token: Annotated[str, Field(min_length=8, max_length=256)] | None = None
    """Secret of the organisers; None: the one in the database, made at the first start."""
    open_names: bool = False
    """Whether bots from other machines may log in without a key."""
    allowed_hosts: frozenset[str] = frozenset()
    """Host names to answer on a loopback address, beside `hosts.LOCAL_HOSTS`: those that a proxy passes on."""
    behind_proxy: tuple[str, ...] = ()
    """Addresses and networks of proxies whose forwarded address and scheme are believed."""
    house: tuple[str, ...] = ()
    """The house bots that can always be challenged: names of reference bots, or FILE.py:FUNCTION."""
    limits: Limits = Field(default_factory=Limits)
    """What one connection may do, as bots are told."""
    bounds: Bounds = Field(default_factory=Bounds)
    grace_ms: Annotated[int, Field(ge=0)] = 30_000
    """Time in ms after a start with matches in progress; bots' away and absent times run only after it."""
    drain_ms: Annotated[int, Field(ge=0)] = 5_000
    """Time in ms that running matches have to finish at a stop; the rest go on after the next start."""
