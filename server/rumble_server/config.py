"""How a server is run: one frozen model; bad values fail when it is made."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from rumble_protocol.server_messages import Limits


class ServerConfig(BaseModel):
    """The choices of `rumble serve`. Port 0 takes a free one. Durations in ms."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 8765
    db: str = "rumble.db"
    host_token: Annotated[str, Field(min_length=8, max_length=256)] | None = None
    """None: the one in the database, made at the first start."""
    open_names: bool = False
    allowed_hosts: frozenset[str] = frozenset()
    """Names, beside those of loopback, under which the server is reached through a loopback address (by a proxy)."""
    house: tuple[str, ...] = ()
    """The reference bots that are always there to be challenged."""
    limits: Limits = Field(default_factory=Limits)
    grace_ms: Annotated[int, Field(ge=0)] = 30_000
    drain_ms: Annotated[int, Field(ge=0)] = 5_000
