"""The limits of a connection, as told to a bot in `welcome`. The server's bounds take their defaults from here."""

from typing import Annotated

from pydantic import Field

from rumble_protocol.fields import Count, Milliseconds, ServerMessageModel


class Limits(ServerMessageModel):
    """Limits of one connection."""

    frame_bytes: Count = 65_536
    """Bytes of one message of a bot; a larger message closes the connection."""
    login_ms: Milliseconds = 10_000
    """Time for the login of a new connection, in ms."""
    unsolicited_per_minute: Count = 120
    """Messages in a minute that answer no turn; one more closes the connection, and the bot loses its matches."""
    ping_ms: Annotated[Milliseconds, Field(le=5_000)] = 5_000
    """Time between two pings to a bot, in ms; bots give up a connection that is silent for 12 s."""
    pong_ms: Milliseconds = 120_000
    """Time without a pong, in ms, after which a bot is away, unless the bot is on turn."""
    max_matches: Count = 64
    """Matches of a bot at the same time; a bot that asks for more gets this number."""
