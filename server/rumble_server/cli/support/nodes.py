"""Access to the leases in a PostgreSQL database, for commands about the nodes that share the database."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from rumble_server.cli.output.errors import CliError

if TYPE_CHECKING:
    from rumble_server.store.postgres.leases import Leases, ListedNode

T = TypeVar("T")

SharedDatabase = Annotated[
    str, typer.Option("--db", envvar="RUMBLE_DB", metavar="URL", help="The database: postgresql://USER@HOST/NAME.")
]
NodeName = Annotated[
    str, typer.Argument(metavar="NODE", help="Its id or the beginning of it, or its address: rumble node list.")
]
ANSWER_MS = 10_000
"""Maximum time in ms for an answer of the database. A statement may take at most half as long."""


def ask_leases(db: str, question: "Callable[[Leases], Awaitable[T]]") -> T:
    """Return the result of `question`, a function that reads or changes the leases. Raises CliError, StoreError."""
    from rumble_server.cli.support.loop import run
    from rumble_server.store.open import is_postgres, need_postgres

    if not is_postgres(db):
        raise CliError("nodes share a database in PostgreSQL: --db postgresql://USER@HOST/NAME, or RUMBLE_DB")

    async def ask() -> T:
        from rumble_server.store.postgres.leases import Leases

        leases = Leases(db, ANSWER_MS)
        try:
            return await question(leases)
        finally:
            await leases.close()

    need_postgres()
    return run(ask())


def node_called(db: str, name: str) -> "ListedNode":
    """Return the node whose address is `name`, or whose id begins with `name`.

    Raises CliError if no node matches, or if several nodes match. Also raises the errors of `ask_leases`.
    """
    nodes = ask_leases(db, lambda leases: leases.listed())
    found = [each for each in nodes if name and (each.id.startswith(name) or each.address == name.rstrip("/"))]
    if len(found) != 1:
        raise CliError(f"{len(found)} nodes are called {name}; rumble node list shows them")
    return found[0]
