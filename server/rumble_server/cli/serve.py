"""`rumble serve`: host tournaments."""

import sys
from typing import Annotated

import typer
from pydantic import ValidationError

from rumble_server.app import Server
from rumble_server.cli.support.errors import CliError, ExitCode
from rumble_server.cli.support.house import DEFAULT, HouseProcesses, house_players
from rumble_server.cli.support.loop import run
from rumble_server.cli.support.running import running_server, until_signal
from rumble_server.config import ServerConfig


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8765,
    db: Annotated[str, typer.Option(help="A path, sqlite:///relative or sqlite:////absolute.")] = "rumble.db",
    host_token: Annotated[
        str | None, typer.Option(envvar="RUMBLE_HOST_TOKEN", help="Else one is made at the first start and kept.")
    ] = None,
    house: Annotated[
        str, typer.Option(metavar="LIST|none", help="House bots that are always there to be challenged.")
    ] = DEFAULT,
    open_names: Annotated[
        bool, typer.Option("--open-names", help="Take names without a key from other machines, too.")
    ] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A name under which a proxy on this machine reaches the server.")
    ] = None,
) -> None:
    """Host tournaments until Ctrl-C or SIGTERM; then drain and stop."""
    players = house_players(house)
    try:
        config = ServerConfig(
            host=host,
            port=port,
            db=db,
            host_token=host_token,
            open_names=open_names,
            house=players,
            allowed_hosts=frozenset(name.lower() for name in allow_host or ()),
        )
    except ValidationError as error:
        problem = error.errors()[0]
        raise CliError(f"--{str(problem['loc'][0]).replace('_', '-')}: {problem['msg']}", ExitCode.USAGE) from None
    run(_serve(config))


async def _serve(config: ServerConfig) -> None:
    stopping = until_signal()
    async with running_server(config, HouseProcesses) as server:
        _announce(server)
        await stopping.wait()
        typer.echo("draining", err=True)


def _announce(server: Server) -> None:
    host, port = server.address
    bots = server.url.replace("http", "ws", 1) + "/bot"
    typer.echo(f"page        {server.url}/")
    typer.echo(f"bots        {bots}")
    typer.echo(f"console     {server.url}/console")
    typer.echo(f"host token  {server.host_token}")
    typer.echo(f"database    {server.config.db}")
    typer.echo(f"listening on {host} port {port}; Ctrl-C stops")
    sys.stdout.flush()
