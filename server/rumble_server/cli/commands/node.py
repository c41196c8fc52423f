"""`rumble node`: the servers on a shared PostgreSQL database, reached through the database."""

import typer

from rumble_server.cli.output.errors import CliError
from rumble_server.cli.support.commands import App
from rumble_server.cli.support.nodes import NodeName, SharedDatabase, ask_leases, node_called
from rumble_server.cli.support.options import Json

app = App(help="See the servers (nodes) that share one PostgreSQL database, and have a node hand its clubs over.")


@app.command("list")
def list_(db: SharedDatabase, json_: Json = False) -> None:
    """List the nodes whose leases are valid, and the clubs that each leads."""
    nodes = ask_leases(db, lambda leases: leases.listed())
    if json_:
        import orjson

        typer.echo(orjson.dumps(nodes).decode())
        return
    if not nodes:
        typer.echo("no node has a lease")
    for node in nodes:
        leads = ", ".join(node.clubs) or ("nothing: it is drained" if node.draining else "nothing")
        typer.echo(f"{node.id}  {node.address}  leads {leads}")


@app.command()
def drain(node: NodeName, db: SharedDatabase) -> None:
    """Make a node hand all clubs over to other nodes, and lead no club until the node restarts.

    A server without --node-address stops as soon as another server leads.
    """
    found = node_called(db, node)
    if not ask_leases(db, lambda leases: leases.drain(found.id)):
        raise CliError(f"{node} is not there any more")
    typer.echo(f"{found.address} hands its clubs over as soon as another node can take them")
