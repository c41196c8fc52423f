"""What a node asks of the table of leases, one statement at a time, and what it is answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Renew:
    """Let the node's lease run for its whole time from now. Answered with `Renewed`."""

    draining: bool


@dataclass(frozen=True, slots=True)
class Look:
    """Read who is there and who leads what. Answered with `Seen`."""


@dataclass(frozen=True, slots=True)
class Acquire:
    """Lead a club that nobody leads, or whose leader's lease is over. Answered with `Acquired`."""

    club: str


@dataclass(frozen=True, slots=True)
class HandOver:
    """Give a club that is led under this epoch to a node, or (None) to nobody. Answered with `HandedOver`."""

    club: str
    epoch: int
    to: str | None


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node whose lease is valid."""

    id: str
    address: str
    draining: bool = False


@dataclass(frozen=True, slots=True)
class Renewed:
    """Whether the node's row was there."""

    known: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """What there was at one moment."""

    nodes: tuple[NodeRow, ...] = ()
    """The nodes whose leases are valid, by id."""
    own: Mapping[str, int] = field(default_factory=dict)
    """The clubs whose rows name the node that looked, with their epochs."""
    wanted: Mapping[str, str] = field(default_factory=dict)
    """Which of these are to be handed over, and to which node."""
    orphans: tuple[str, ...] = ()
    """The clubs whose rows name a node whose lease is over: something may run in them."""
    lapse_in_ms: int | None = None
    """When the next valid lease would be over, if it is not renewed."""


@dataclass(frozen=True, slots=True)
class Acquired:
    """The new epoch; None if somebody else leads the club."""

    epoch: int | None


@dataclass(frozen=True, slots=True)
class HandedOver:
    """Whether it was done: the epoch was the newest, and the node to lead the club is there."""

    done: bool


Statement = Renew | Look | Acquire | HandOver
Answer = Renewed | Seen | Acquired | HandedOver
