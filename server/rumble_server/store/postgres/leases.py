"""The leases of nodes, and who leads which club, in PostgreSQL. Each call is one autocommit statement.

Times are of the database's clock. No lock outlives its statement. Whoever takes a club over locks the row of the node
that led it, if the lease there is over, so that either a renewal comes first, and the takeover is refused, or the
takeover does, and the look after the renewal shows it.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psycopg

from rumble_server.store.errors import StoreError
from rumble_server.store.lease_statements import (
    Acquire,
    Acquired,
    Answer,
    HandedOver,
    HandOver,
    Look,
    NodeRow,
    Renew,
    Renewed,
    Seen,
    Statement,
)
from rumble_server.store.postgres.connection import shown, told
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
_RENEW = """
UPDATE nodes SET until = clock_timestamp() + %(lease_ms)s * interval '1 ms', draining = draining OR %(draining)s
WHERE id = %(node)s RETURNING true
"""
_LOOK = """
WITH there AS MATERIALIZED (
    SELECT id, address, draining, 1000 * extract(epoch FROM until - clock_timestamp()) AS left_ms
    FROM nodes WHERE until > clock_timestamp()
)
SELECT
    (SELECT coalesce(json_agg(json_build_array(id, address, draining) ORDER BY id), '[]') FROM there),
    (SELECT coalesce(json_object_agg(club, epoch), '{}') FROM clubs WHERE node = %(node)s),
    (SELECT coalesce(json_object_agg(club, wanted), '{}') FROM clubs WHERE node = %(node)s AND wanted IS NOT NULL),
    (SELECT coalesce(json_agg(club ORDER BY club), '[]')
     FROM clubs WHERE node IS NOT NULL AND node NOT IN (SELECT id FROM there)),
    (SELECT ceil(min(left_ms))::int FROM there WHERE id <> %(node)s)
"""
_LED = "rumble_led"
"""The channel on which all nodes hear of each club that another leads from now on."""
_ACQUIRE = f"""
WITH taken AS (
    INSERT INTO clubs (club, node, epoch)
    SELECT %(club)s, id, {FIRST_EPOCH} FROM nodes WHERE id = %(node)s AND until > clock_timestamp()
    ON CONFLICT (club) DO UPDATE SET node = excluded.node, epoch = {NEXT_EPOCH}, wanted = NULL
    WHERE clubs.node IS NULL
        OR EXISTS (SELECT FROM nodes WHERE id = clubs.node AND until <= clock_timestamp() FOR UPDATE)
    RETURNING club, epoch
)
SELECT epoch, pg_notify('{_LED}', club) FROM taken
"""
_HAND_OVER = f"""
WITH given AS (
    UPDATE clubs SET node = %(to)s, epoch = {NEXT_EPOCH}, wanted = NULL
    WHERE club = %(club)s AND node = %(node)s AND epoch = %(epoch)s
        AND (%(to)s::text IS NULL OR EXISTS (SELECT FROM nodes WHERE id = %(to)s AND until > clock_timestamp()))
    RETURNING club, node
)
SELECT pg_notify('rumble_' || coalesce(node, ''), ''), pg_notify('{_LED}', club) FROM given
"""
_LEAVE = "UPDATE nodes SET until = clock_timestamp() WHERE id = %(node)s"
_FIND = """
SELECT clubs.club, nodes.id, nodes.address, clubs.epoch FROM clubs JOIN nodes ON nodes.id = clubs.node
WHERE clubs.club = ANY(%(clubs)s) AND nodes.until > clock_timestamp()
"""
_LIST = """
SELECT id, address, draining, ceil(1000 * extract(epoch FROM until - clock_timestamp()))::int,
    (SELECT coalesce(json_agg(club ORDER BY club), '[]') FROM clubs WHERE node = nodes.id)
FROM nodes WHERE until > clock_timestamp() ORDER BY address, id
"""
_DRAIN = """
WITH asked AS (UPDATE nodes SET draining = true WHERE id = %(node)s AND until > clock_timestamp() RETURNING id)
SELECT pg_notify('rumble_' || id, '') FROM asked
"""
_MOVE = """
WITH asked AS (
    UPDATE clubs SET wanted = %(to)s
    WHERE club = %(club)s AND node IN (SELECT id FROM nodes WHERE until > clock_timestamp())
    RETURNING node
)
SELECT pg_notify('rumble_' || node, '') FROM asked
"""


class OtherSetup(StoreError):
    """A node that is there has other games, limits or formats of the log."""


@dataclass(frozen=True, slots=True)
class Leader:
    """The node that leads a club, and under which epoch."""

    node: str
    address: str
    epoch: int


@dataclass(frozen=True, slots=True)
class ListedNode:
    """A node whose lease is valid, for `left_ms` more, and what it leads."""

    id: str
    address: str
    draining: bool
    left_ms: int
    clubs: tuple[str, ...]


class Leases:
    """The table of leases, on one connection that is opened when it is needed. Statements are given one at a time.

    Each raises StoreError if it fails or is not answered within half a lease; it may have been done nevertheless.
    """

    def __init__(self, url: str, lease_ms: int) -> None:
        """Raise StoreError for a bad URL."""
        self._url = url
        self._name = shown(url)
        self._lease_ms = lease_ms
        self._patience_s = lease_ms / 2000
        self._connection: psycopg.AsyncConnection | None = None
        self._running: set[asyncio.Task[list[tuple[Any, ...]]]] = set()
        """Statements that have not ended, those that were given up too."""

    async def close(self) -> None:
        """End the connection, and whatever still runs."""
        for running in self._running:
            if not running.cancelling():  # cancelled twice, it does not wait until the database has given it up
                running.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=self._patience_s)
        if self._connection is not None:
            await self._connection.close()

    # --- of a node ---

    async def join(self, node: str, address: str, setup: str) -> None:
        """Take a lease. Raises OtherSetup where another node's setup differs."""
        values = {"node": node, "address": address, "setup": setup, "lease_ms": self._lease_ms}
        await self._rows(_TIDY)
        await self._rows(_JOIN, values)
        others = await self._rows(_OTHERS, values)  # after the own row is there: of two that join at once one sees it
        if others:
            await self.leave(node)
            raise OtherSetup(f"the node at {others[0][0]} has other games, limits or formats of the log; stop it first")

    async def run(self, node: str, statement: Statement) -> Answer:
        """Run a statement for a node."""
        match statement:
            case Renew():
                values = {"node": node, "lease_ms": self._lease_ms, "draining": statement.draining}
                return Renewed(bool(await self._rows(_RENEW, values)))
            case Look():
                return _seen(*(await self._rows(_LOOK, {"node": node}))[0])
            case Acquire():
                rows = await self._rows(_ACQUIRE, {"node": node, "club": statement.club})
                return Acquired(int(rows[0][0]) if rows else None)
            case HandOver():
                values = {"node": node, "club": statement.club, "epoch": statement.epoch, "to": statement.to}
                return HandedOver(bool(await self._rows(_HAND_OVER, values)))

    async def leave(self, node: str) -> None:
        """End a node's lease: what it leads is free."""
        await self._rows(_LEAVE, {"node": node})

    # --- of all nodes ---

    async def leaders(self, clubs: Collection[str]) -> dict[str, Leader]:
        """Return who leads each of these clubs that is led."""
        return {club: Leader(*leader) for club, *leader in await self._rows(_FIND, {"clubs": list(clubs)})}

    async def listed(self) -> list[ListedNode]:
        """Return the nodes that are there."""
        rows = await self._rows(_LIST)
        return [ListedNode(row[0], row[1], row[2], row[3], tuple(row[4])) for row in rows]

    async def drain(self, node: str) -> bool:
        """Ask a node to hand its clubs over. Return whether it is there."""
        return bool(await self._rows(_DRAIN, {"node": node}))

    async def move(self, club: str, to: str) -> bool:
        """Ask the leader of a club to hand it over to a node. Return whether somebody leads it."""
        return bool(await self._rows(_MOVE, {"club": club, "to": to}))

    async def listen(self, node: str, heard: Callable[[], None], changed: Callable[[str], None]) -> None:
        """Call `heard` whenever a node is to look, and `changed` with each club that has another leader, or none.

        It has a connection of its own, until that is lost. Raises StoreError.
        """
        try:
            async with await self._connect() as connection:
                channels = map(psycopg.sql.Identifier, (f"rumble_{node}", _LED))
                await connection.execute(psycopg.sql.SQL("LISTEN {}; LISTEN {}").format(*channels))
                async for told in connection.notifies():
                    if told.channel == _LED:
                        changed(told.payload)
                    else:
                        heard()
        except (psycopg.Error, OSError) as error:
            raise self._failed(error) from None

    # --- the connection ---

    async def _rows(self, statement: str, values: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """Run a statement. One that is given up ends in its own time; what comes next has a new connection."""
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
        connection, self._connection = self._connection, None
        try:
            if connection is None or connection.closed:
                connection = await self._connect()
            cursor = await connection.execute(statement.encode(), values)
            rows = await cursor.fetchall() if cursor.description else []
        except BaseException:
            if connection is not None:
                await connection.close()
            raise
        self._connection = connection
        return rows

    def _failed(self, error: psycopg.Error | OSError) -> StoreError:
        if isinstance(error, psycopg.errors.UndefinedTable):
            return StoreError(f"{self._name} is not a database of Rumble; start a server on it")
        return StoreError(f"the database {self._name}: {told(error) if isinstance(error, psycopg.Error) else error}")

    async def _connect(self) -> psycopg.AsyncConnection:
        return await psycopg.AsyncConnection.connect(
            self._url, autocommit=True, application_name="rumble leases", tcp_user_timeout=self._lease_ms
        )

    def _ended(self, running: "asyncio.Task[list[tuple[Any, ...]]]") -> None:
        self._running.discard(running)
        with suppress(asyncio.CancelledError):
            running.exception()  # who waited for it was told, or has given it up


def _seen(
    nodes: Sequence[Sequence[Any]],
    own: Mapping[str, int],
    wanted: Mapping[str, str],
    orphans: Sequence[str],
    lapse_in_ms: int | None,
) -> Seen:
    return Seen(tuple([NodeRow(*each) for each in nodes]), own, wanted, tuple(orphans), lapse_in_ms)
