"""`rumble node`: the servers that share a database in PostgreSQL, for whoever reaches that."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import typer

from rumble_server.cli.support.commands import App
from rumble_server.cli.support.errors import CliError
from rumble_server.cli.support.options import Json

app = App(help="See the servers that share a PostgreSQL database, and have one hand its clubs over.")

Database = Annotated[
    str, typer.Option(envvar="RUMBLE_DB", metavar="URL", help="The database: postgresql://USER@HOST/NAME.")
]
ANSWER_MS = 10_000
"""Time in ms for the database to answer, twice as long as a statement may take."""


@app.command("list")
def list_(db: Database, json_: Json = False) -> None:
    """List the nodes whose leases are valid, and the clubs that each leads."""
    nodes = _ask(db, lambda leases: leases.listed())
    if json_:
        import orjson

        typer.echo(orjson.dumps(nodes).decode())
        return
    if not nodes:
        typer.echo("no node has a lease")
    for node in nodes:
        leads = ", ".join(node.clubs) or ("nothing: it is handing over" if node.draining else "nothing: it stands by")
        typer.echo(f"{node.id}  {node.address}  leads {leads}")


@app.command()
def drain(
    node: Annotated[str, typer.Argument(metavar="NODE", help="Its id or the beginning of it, or its address.")],
    db: Database,
) -> None:
    """Have a node hand its clubs over to those that stand by, and then stop."""
    found = [each for each in _ask(db, lambda leases: leases.listed()) if _is_meant(node, each)]
    if len(found) != 1:
        raise CliError(f"{len(found)} nodes are called {node}; rumble node list shows them")
    if not _ask(db, lambda leases: leases.drain(found[0].id)):
        raise CliError(f"{node} is not there any more")
    typer.echo(f"{found[0].address} hands its clubs over as soon as another node can take them")


def _is_meant(text: str, node: Any) -> bool:
    return bool(text) and (node.id.startswith(text) or node.address == text.rstrip("/"))


def _ask(db: str, question: Callable[[Any], Awaitable[Any]]) -> Any:
    """Ask the table of leases. Raises CliError, StoreError."""
    from rumble_server.cli.support.loop import run
    from rumble_server.store.open import is_postgres, need_postgres

    if not is_postgres(db):
        raise CliError("nodes share a database in PostgreSQL: --db postgresql://USER@HOST/NAME, or RUMBLE_DB")

    async def ask() -> Any:
        from rumble_server.store.postgres.leases import Leases

        leases = Leases(db, ANSWER_MS)
        try:
            return await question(leases)
        finally:
            await leases.close()

    need_postgres()
    return run(ask())
