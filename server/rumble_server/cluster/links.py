"""The links of a node: those that it dials for the clubs that others lead, and those that others dial to it.

Nodes show each other the cluster secret. One with other games, limits or formats is refused: see `Links.accept`.
"""

import asyncio
import hmac
import logging
import ssl
from collections import Counter
from collections.abc import Callable, Container
from http import HTTPStatus
from typing import Protocol

from rumble_protocol.clubs import MAIN
from starlette.types import Receive, Scope, Send

from rumble_server.cluster.asking import OwnRequest, own_request
from rumble_server.cluster.edge import Edge
from rumble_server.cluster.forwarding import Forwarding
from rumble_server.cluster.lead import Lead
from rumble_server.cluster.link import LinkError, Opening, Packet, Web, read_packet, write_opening
from rumble_server.cluster.link_connection import (
    LinkConnection,
    client_protocol,
    dial,
    server_protocol,
)
from rumble_server.cluster.link_connection import LinkError as DialError
from rumble_server.cluster.serving import Serving

log = logging.getLogger(__name__)

NODE, SETUP, SECRET = "rumble-node", "rumble-setup", "authorization"
"""The headers of a request for a link."""
RETRY_S = (0.05, 1.0)
"""The least and the greatest time between two tries to dial a node."""
DIAL_S = 3.0
"""How long a node may take to answer."""


class Dialled(Protocol):
    """A link that a node needs: dialled again whenever it is lost."""

    connection: LinkConnection | None
    """The link while it is up."""

    def down(self) -> None:
        """The link is lost."""

    def end(self) -> None:
        """Need it no more."""


class Links:
    """The links of this node. `setup` is a digest of all that nodes must have in common."""

    def __init__(
        self,
        node: str,
        setup: str,
        secret: str,
        silent_s: float,
        context: ssl.SSLContext | None = None,
        dial: "Callable[[Links, str], Dialled] | None" = None,
    ) -> None:
        """A link on which nothing came for `silent_s` is ended; `context` is for links by TLS.

        `dial` begins to dial an address.
        """
        self.node = node
        self._setup, self._secret = setup, secret
        self._silent_s = silent_s
        self._context = context
        self._edges: dict[str, tuple[Edge, str]] = {}
        """The clubs that others lead, and at which address."""
        self._dial = dial or _Dialled
        self._dialled: dict[str, Dialled] = {}
        """By address."""
        self._asking: Counter[str] = Counter()
        """How much is asked at these addresses for this node itself."""
        self._is_made = asyncio.Event()
        """Set, and another one made, whenever a link is up."""
        self.forwarding, self.serving = Forwarding(), Serving()
        self._leads: dict[str, Lead] = {}
        """The clubs that this node leads."""
        self._early: dict[tuple[str, LinkConnection], bytes] = {}
        """By club and link, the newest opening of a stream of a club that this node does not lead, or not yet."""
        self._accepted: dict[str, LinkConnection] = {}
        """The newest link of each node that dialled."""

    # --- clubs ---

    def lead(self, lead: Lead) -> None:
        """This node leads a club; edges that asked for it before it was loaded are answered."""
        self._leads[lead.club] = lead
        for club, connection in [each for each in self._early if each[0] == lead.club]:
            self.heard_as_leader(connection, self._early.pop((club, connection)))

    def lead_no_more(self, club: str) -> None:
        """This node leads a club no longer; those who ask for it are told so."""
        lead = self._leads.pop(club, None)
        if lead is not None:
            lead.lead_no_more()

    def follow(self, edge: Edge, address: str | None, epoch: int) -> None:
        """Another node leads a club, at this address under this epoch; None: nobody does."""
        known = self._edges.get(edge.club)
        if known is not None and known[1] == address and edge.epoch == epoch:
            return
        self.forget(edge)
        if address is not None:
            edge.lead_by(epoch)
            self._edges[edge.club] = edge, address
            dialled = self._dialled.get(address)
            if dialled is None:
                dialled = self._dialled[address] = self._dial(self, address)
            elif dialled.connection is not None:
                edge.up(dialled.connection)
        else:
            edge.lead_by_nobody()

    def forget(self, edge: Edge) -> None:
        """Nobody leads a club, or this node itself; a link that no club needs is ended."""
        known = self._edges.pop(edge.club, None)
        if known is not None:
            edge.down()
            self._end_unneeded(known[1])

    def _end_unneeded(self, address: str) -> None:
        if not self._asking[address] and all(other != address for _, other in self._edges.values()):
            self._dialled.pop(address).end()

    async def forward(self, club: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the node that leads a club answer a request of the web. Raises as `Forwarding.ask` does."""
        known = self._edges.get(club)
        dialled = None if known is None else self._dialled.get(known[1])
        await self.forwarding.ask(None if dialled is None else dialled.connection, club, scope, receive, send)

    async def ask(self, address: str, path: str) -> OwnRequest:
        """Ask a node something for this one, over a link that is made for it if there is none. Raises WebError.

        It waits for as long as that takes.
        """
        dialled = self._dialled.get(address)
        if dialled is None:
            dialled = self._dialled[address] = self._dial(self, address)
        self._asking[address] += 1
        try:
            while dialled.connection is None:
                await self._is_made.wait()
            asked = OwnRequest()
            await self.forwarding.ask(dialled.connection, MAIN, own_request(path), asked.receive, asked.send)
            return asked
        finally:
            self._asking[address] -= 1
            self._end_unneeded(address)

    def forget_unreachable(self, there: Container[str]) -> None:
        """Only the leases of these nodes are valid: the bots of others that cannot be reached are away."""
        for lead in self._leads.values():
            lead.forget_unreachable(there)

    def count(self) -> dict[str, int]:
        """Return how many links are up: those that this node dialled, and those that it accepted."""
        dialled = sum(each.connection is not None for each in self._dialled.values())
        return {"dialled": dialled, "accepted": len(self._accepted)}

    def close(self) -> None:
        """End all links."""
        for edge, _ in list(self._edges.values()):
            self.forget(edge)
        for connection in list(self._accepted.values()):
            connection.end()

    # --- links that this node dials ---

    def made(self, address: str, connection: LinkConnection) -> None:
        """A link to an address is up."""
        self._is_made.set()
        self._is_made = asyncio.Event()
        for edge, other in list(self._edges.values()):
            if other == address:
                edge.up(connection)

    def headers(self) -> dict[str, str]:
        """Return what a request for a link shows."""
        return {NODE: self.node, SETUP: self._setup, SECRET: f"Bearer {self._secret}"}

    async def connect(self, address: str) -> LinkConnection:
        """Return a new link to an address. Raises DialError."""
        protocol, host, port, secure = client_protocol(address, self.headers())
        connection = LinkConnection(
            protocol, self._silent_s, self.heard_as_edge, self.down_as_edge, self.writable_as_edge
        )
        connection.node = address
        context = (self._context or ssl.create_default_context()) if secure else None
        await dial(connection, host, port, context, DIAL_S)
        return connection

    def heard_as_edge(self, connection: LinkConnection, data: bytes) -> None:
        try:
            packet = read_packet(data)
            known = self._edges.get(packet.club)
            if isinstance(packet, Web):
                self.forwarding.heard(packet)
            elif known is not None and known[1] == connection.node:
                known[0].packet(packet)
        except LinkError as error:
            log.error("link to %s: %s", connection.node, error)
            connection.end()

    def down_as_edge(self, connection: LinkConnection) -> None:
        self.forwarding.down(connection)
        dialled = self._dialled.get(connection.node)
        if dialled is None or dialled.connection is not connection:
            return  # nobody needs it any more; the end of one by TLS is told when the next one is being dialled
        for edge, address in list(self._edges.values()):
            if address == connection.node:
                edge.down()
        dialled.down()

    def writable_as_edge(self, connection: LinkConnection) -> None:
        for edge, address in self._edges.values():
            if address == connection.node:
                edge.writable()

    # --- links that others dial ---

    def refusal(self, headers: dict[str, str]) -> tuple[HTTPStatus, str] | None:
        """Return why a request for a link is refused, or None."""
        shown = headers.get(SECRET, "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(shown, f"Bearer {self._secret}".encode()):
            return HTTPStatus.FORBIDDEN, "this is not the cluster's secret\n"
        if headers.get(SETUP) != self._setup:
            return HTTPStatus.CONFLICT, "this node has other games, limits or formats of the log: upgrade all nodes\n"
        if not headers.get(NODE):
            return HTTPStatus.BAD_REQUEST, "a node tells its id\n"
        return None

    def accept(self, transport: asyncio.Transport, headers: dict[str, str], request: bytes, rest: bytes) -> None:
        """Take over the connection of a node, which was not refused."""
        connection = LinkConnection(
            server_protocol(), self._silent_s, self.heard_as_leader, self.down_as_leader, self.writable_as_leader,
        )  # fmt: skip
        self.take(connection, headers[NODE])
        transport.set_protocol(connection)
        connection.connection_made(transport)
        transport.resume_reading()
        connection.accept(request, rest)

    def take(self, connection: LinkConnection, node: str) -> None:
        """Take a connection for the link of a node that dialled, in the place of an older one."""
        connection.node = node
        older = self._accepted.get(node)
        self._accepted[node] = connection
        if older is not None:
            older.end()

    def heard_as_leader(self, connection: LinkConnection, data: bytes) -> None:
        try:
            packet = read_packet(data)
            lead = self._leads.get(packet.club)
            if isinstance(packet, Web):
                self.serving.heard(connection, packet)
            elif lead is None:
                if isinstance(packet, Opening):
                    connection.send(write_opening(Packet.GONE, packet.club, packet.epoch, packet.stream))
                    self._early[packet.club, connection] = data
            elif self._accepted.get(connection.node) is not connection:
                return  # what an older link still brings is said again by the newer one
            elif isinstance(packet, Opening):
                lead.opening(connection.node, packet, connection)
            else:
                lead.records(connection.node, packet, connection)
        except LinkError as error:
            log.error("link of node %s: %s", connection.node, error)
            connection.end()

    def down_as_leader(self, connection: LinkConnection) -> None:
        if self._accepted.get(connection.node) is connection:
            del self._accepted[connection.node]
        self.serving.down(connection)
        self._early = {key: data for key, data in self._early.items() if key[1] is not connection}
        for lead in self._leads.values():
            lead.down(connection.node, connection)

    def writable_as_leader(self, connection: LinkConnection) -> None:
        for lead in self._leads.values():
            lead.writable(connection.node)


class _Dialled:
    """A link that this node needs: dialled again whenever it is lost."""

    def __init__(self, links: Links, address: str) -> None:
        self._links, self._address = links, address
        self.connection: LinkConnection | None = None
        self._lost = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def down(self) -> None:
        """The link is lost."""
        self.connection = None
        self._lost.set()

    def end(self) -> None:
        """Need it no more."""
        self._task.cancel()
        if self.connection is not None:
            self.connection.end()

    async def _run(self) -> None:
        wait_s, told = RETRY_S[0], ""
        while True:
            self._lost.clear()
            try:
                self.connection = await self._links.connect(self._address)
            except DialError as error:
                if str(error) != told:
                    told = str(error)
                    log.warning("no link to the node at %s: %s", self._address, error)
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, RETRY_S[1])
                continue
            wait_s, told = RETRY_S[0], ""
            self._links.made(self._address, self.connection)
            await self._lost.wait()
