"""Access to two tables in PostgreSQL: the nodes with their leases, and the clubs with their leaders.

A node (`nodes.Node`) uses the tables to keep its lease and to lead clubs. The command line uses them to list nodes,
drain nodes and move clubs. Each statement is a transaction by itself. All times are by the database's clock.

A takeover of a club locks the row of the old leader, whose lease is over. The old leader may renew its lease at the
same moment. If the renewal comes first, the takeover is refused. If the takeover comes first, both succeed. The old
leader reads the tables after each renewal, and so notices that it has lost the club.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import psycopg
from psycopg.types.json import Json

from rumble_server.store.errors import StoreError
from rumble_server.store.postgres import lease_statements as statements
from rumble_server.store.postgres.connection import LIVENESS, one_line, without_password
from rumble_server.store.postgres.schema import FIRST_EPOCH, NEXT_EPOCH

_JOIN = """
INSERT INTO nodes (id, address, until, setup)
VALUES (%(node)s, %(address)s, clock_timestamp() + %(lease_ms)s * interval '1 ms', %(setup)s)
"""
_OTHERS = "SELECT address FROM nodes WHERE until > clock_timestamp() AND setup <> %(setup)s AND id <> %(node)s LIMIT 1"
_TIDY = """
DELETE FROM nodes WHERE until < clock_timestamp() - interval '1 day' AND id NOT IN
    (SELECT node FROM clubs WHERE node IS NOT NULL)
"""
_CHANGED = "rumble_nodes"
"""Name of PostgreSQL's notification channel for changes. After a notification, every node reads the tables again."""
_TELL = f"pg_notify('{_CHANGED}', '')"
_SQL: Mapping[type[statements.Statement], str] = {
    statements.Renew: """
UPDATE nodes SET until = clock_timestamp() + %(lease_ms)s * interval '1 ms', draining = draining OR %(draining)s
WHERE id = %(node)s RETURNING 1
""",
    statements.Look: """
WITH there AS MATERIALIZED (
    SELECT id, address, draining, 1000 * extract(epoch FROM until - clock_timestamp()) AS left_ms
    FROM nodes WHERE until > clock_timestamp()
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(id, address, draining) ORDER BY id), '[]') FROM there),
    (SELECT coalesce(json_object_agg(club, json_build_array(node, epoch, wanted, offered, offer, ready, listens)), '{}')
     FROM clubs WHERE node IS NOT NULL),
    (SELECT ceil(min(left_ms))::int FROM there WHERE id <> %(node)s)
""",
    statements.Acquire: f"""
WITH taken AS (
    INSERT INTO clubs (club, node, epoch)
    SELECT %(club)s, id, {FIRST_EPOCH} FROM nodes WHERE id = %(node)s AND until > clock_timestamp()
    ON CONFLICT (club) DO UPDATE SET node = excluded.node, epoch = {NEXT_EPOCH}, wanted = NULL, offered = NULL
    WHERE clubs.node IS NULL
        OR EXISTS (SELECT FROM nodes WHERE id = clubs.node AND until <= clock_timestamp() FOR UPDATE)
    RETURNING epoch
)
SELECT epoch, {_TELL} FROM taken
""",
    statements.Offer: f"""
WITH offered AS (
    UPDATE clubs SET offered = %(to)s, offer = offer + 1
    WHERE club = %(club)s AND node = %(node)s AND epoch = %(epoch)s RETURNING offer
)
SELECT offer, {_TELL} FROM offered
""",
    statements.Ready: f"""
WITH reported AS (
    UPDATE clubs SET ready = offer WHERE club = %(club)s AND offered = %(node)s AND offer = %(offer)s RETURNING offer
)
SELECT offer, {_TELL} FROM reported
""",
    statements.HandOver: f"""
WITH given AS (
    UPDATE clubs SET node = %(to)s, epoch = {NEXT_EPOCH}, wanted = NULL, offered = NULL
    WHERE club = %(club)s AND node = %(node)s AND epoch = %(epoch)s
        AND (%(to)s::text IS NULL OR EXISTS (SELECT FROM nodes WHERE id = %(to)s AND until > clock_timestamp()))
    RETURNING epoch
)
SELECT epoch, {_TELL} FROM given
""",
    statements.Listen: f"""
WITH reported AS (
    UPDATE clubs SET listens = epoch WHERE club = %(club)s AND node = %(node)s AND epoch = %(epoch)s RETURNING epoch
)
SELECT epoch, {_TELL} FROM reported
""",
}
_USES = "UPDATE nodes SET uses = %(uses)s WHERE id = %(node)s"
_OTHER_USES = "SELECT uses FROM nodes WHERE until > clock_timestamp() AND id <> %(node)s"
_LEAVE = f"""
WITH gone AS (UPDATE nodes SET until = clock_timestamp() WHERE id = %(node)s RETURNING true)
SELECT {_TELL} FROM gone
"""
_LIST = """
SELECT id, address, draining, ceil(1000 * extract(epoch FROM until - clock_timestamp()))::int,
    (SELECT coalesce(json_agg(club ORDER BY club), '[]') FROM clubs WHERE node = nodes.id)
FROM nodes WHERE until > clock_timestamp() ORDER BY address, id
"""
_DRAIN = f"""
WITH asked AS (UPDATE nodes SET draining = true WHERE id = %(node)s AND until > clock_timestamp() RETURNING true)
SELECT {_TELL} FROM asked
"""
_MOVE = f"""
WITH asked AS (
    UPDATE clubs SET wanted = %(to)s
    WHERE club = %(club)s AND node IN (SELECT id FROM nodes WHERE until > clock_timestamp())
    RETURNING true
)
SELECT {_TELL} FROM asked
"""


class OtherSetup(StoreError):
    """The error of a node whose games, limits or format of the log are not those of another running node."""


@dataclass(frozen=True, slots=True)
class ListedNode:
    """A node with a valid lease, for lists. The lease ends in `left_ms` ms unless the node renews it.

    `clubs` are the clubs that the node leads.
    """

    id: str
    address: str
    draining: bool
    left_ms: int
    clubs: tuple[str, ...]


class Leases:
    """Access to the tables of nodes and clubs. Calls one after another share a connection, which the first call opens.

    Each call raises StoreError if the statement fails, or is not answered within half of the time of a lease. The
    statement may have had its effect all the same.
    """

    def __init__(self, url: str, lease_ms: int) -> None:
        """Prepare to use the database at `url`, without connecting. Raises StoreError for a bad URL."""
        self._url = url
        self._name = without_password(url)
        self._lease_ms = lease_ms
        self._patience_s = lease_ms / 2000
        self._connection: psycopg.AsyncConnection | None = None
        self._running: set[asyncio.Task[list[tuple[Any, ...]]]] = set()
        """Tasks of unfinished statements. A task may go on after its caller has stopped waiting."""

    async def close(self) -> None:
        """Cancel the running statements, and close the connection."""
        for running in self._running:
            # A second cancellation would interrupt psycopg while it waits for the database to cancel the statement.
            if not running.cancelling():
                running.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=self._patience_s)
        if self._connection is not None:
            await self._connection.close()

    # --- of a node ---

    async def join(self, node: str, address: str, setup: str) -> None:
        """Add a node to the table, with a new lease. Raises OtherSetup if another running node has another setup."""
        values = {"node": node, "address": address, "setup": setup, "lease_ms": self._lease_ms}
        await self._rows(_TIDY)
        await self._rows(_JOIN, values)
        # This node's row is written first: if two nodes join at once, at least the later node finds the other row.
        others = await self._rows(_OTHERS, values)
        if others:
            await self.end_lease(node)
            raise OtherSetup(f"the node at {others[0][0]} has other games, limits or formats of the log; stop it first")

    async def run(self, node: str, statement: statements.Statement) -> statements.StatementResult:
        """Run a statement for a node, and return the answer to the statement."""
        values = {"node": node, "lease_ms": self._lease_ms, **asdict(statement)}
        rows = await self._rows(_SQL[type(statement)], values)
        if isinstance(statement, statements.Look):
            ((nodes, clubs, lapse_in_ms),) = rows
            led = {club: statements.ClubRow(*row) for club, row in clubs.items()}
            return statements.LookedUp(tuple(statements.NodeRow(*each) for each in nodes), led, lapse_in_ms)
        return statements.Executed(int(rows[0][0]) if rows else None)

    async def write_uses(self, node: str, uses: Mapping[str, Any]) -> None:
        """Store `uses` in a node's row, for other nodes to read.

        `uses` has the use of resources (`ClubUse`) of each club that the node leads.
        """
        await self._rows(_USES, {"node": node, "uses": Json(uses)})

    async def read_remote_uses(self, node: str) -> dict[str, Any]:
        """Return the last written use of resources (`ClubUse`) of each club that another node leads. Keys are clubs.

        Nodes without a valid lease are left out.
        """
        return {club: use for (uses,) in await self._rows(_OTHER_USES, {"node": node}) for club, use in uses.items()}

    async def end_lease(self, node: str) -> None:
        """End a node's lease, to free its clubs for others."""
        await self._rows(_LEAVE, {"node": node})

    # --- of all nodes ---

    async def listed(self) -> list[ListedNode]:
        """Return the nodes that have a valid lease, in order of address."""
        rows = await self._rows(_LIST)
        return [ListedNode(row[0], row[1], row[2], row[3], tuple(row[4])) for row in rows]

    async def drain(self, node: str) -> bool:
        """Ask a node to hand its clubs over. Return whether the node has a valid lease."""
        return bool(await self._rows(_DRAIN, {"node": node}))

    async def move(self, club: str, to: str) -> bool:
        """Ask a club's leader to hand the club over to the node `to`. Return whether the leader has a valid lease.

        `to` is the id or the address of a node. A move to an address waits until a node is at the address.
        """
        return bool(await self._rows(_MOVE, {"club": club, "to": to}))

    async def report_changes(self, changed: Callable[[], None]) -> None:
        """Open a second connection, and call `changed` each time the tables change.

        The method does not return. It raises StoreError if the connection cannot be opened, or is lost.
        """
        try:
            async with await self._connect() as connection:
                await connection.execute(f"LISTEN {_CHANGED}".encode())
                async for _ in connection.notifies():
                    changed()
        except (psycopg.Error, OSError) as error:
            raise self._failed(error) from None

    # --- the connection ---

    async def _rows(self, statement: str, values: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows.

        Raises StoreError if the statement fails, or is not answered within half of the time of a lease. In the second
        case the statement is cancelled in the background, and the next statement opens a new connection.
        """
        running = asyncio.create_task(self._execute(statement, values))
        self._running.add(running)
        running.add_done_callback(self._ended)
        try:
            done, _ = await asyncio.wait([running], timeout=self._patience_s)
        finally:
            running.cancel()
        if not done:
            raise StoreError(f"the database {self._name} did not answer within {self._patience_s} s")
        try:
            return running.result()
        except (psycopg.Error, OSError) as error:
            raise self._failed(error) from None

    async def _execute(self, statement: str, values: Mapping[str, Any] | None) -> list[tuple[Any, ...]]:
        connection, self._connection = self._connection, None  # kept only after a success
        try:
            if connection is None or connection.closed:
                connection = await self._connect()
            cursor = await connection.execute(statement.encode(), values)
            rows = await cursor.fetchall() if cursor.description else []
        except BaseException:
            if connection is not None:
                await connection.close()
            raise
        await self._keep(connection)
        return rows

    async def _keep(self, connection: psycopg.AsyncConnection) -> None:
        """Keep a connection for the next call. Close the connection that another call has kept meanwhile, if any."""
        other, self._connection = self._connection, connection
        if other is not None:
            await other.close()

    def _failed(self, error: psycopg.Error | OSError) -> StoreError:
        if isinstance(error, psycopg.errors.UndefinedTable):
            return StoreError(f"{self._name} is not a database of Rumble; start a server on it")
        problem = one_line(error) if isinstance(error, psycopg.Error) else error
        return StoreError(f"the database {self._name}: {problem}")

    async def _connect(self) -> psycopg.AsyncConnection:
        return await psycopg.AsyncConnection.connect(
            self._url,
            autocommit=True,
            application_name="rumble leases",
            tcp_user_timeout=self._lease_ms,
            **LIVENESS,
        )

    def _ended(self, running: "asyncio.Task[list[tuple[Any, ...]]]") -> None:
        self._running.discard(running)
        with suppress(asyncio.CancelledError):
            running.exception()  # marks the error as seen, since the caller has raised it or given the statement up
