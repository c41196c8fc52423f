"""`rumble serve`: host tournaments."""

import gc
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError

from rumble_server.cli.support.errors import CliError, ExitCode
from rumble_server.cli.support.house import DEFAULT, HouseProcesses, read_house
from rumble_server.cli.support.loop import run, until_signal
from rumble_server.cli.support.running import running_server
from rumble_server.config import ServerConfig

if TYPE_CHECKING:
    from rumble_server.app import Server


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8765,
    db: Annotated[str, typer.Option(help="Database: a path, sqlite:///relative or sqlite:////absolute.")] = "rumble.db",
    host_token: Annotated[
        str | None,
        typer.Option(
            envvar="RUMBLE_HOST_TOKEN",
            help="Token for hosting; it replaces the one named `default`, which the first start makes.",
        ),
    ] = None,
    house: Annotated[
        str, typer.Option(metavar="LIST|none", help="House bots that can always be challenged.")
    ] = DEFAULT,
    open_names: Annotated[
        bool, typer.Option("--open-names", help="Let bots from other machines log in without a key, too.")
    ] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A host name that a proxy on this machine passes on; may be repeated.")
    ] = None,
) -> None:
    """Host tournaments until Ctrl-C or SIGTERM; then give running matches 5 s to finish, and stop."""
    try:
        config = ServerConfig(
            host=host,
            port=port,
            db=db,
            host_token=host_token,
            open_names=open_names,
            house=read_house(house),
            allowed_hosts=frozenset(name.lower() for name in allow_host or ()),
        )
    except ValidationError as error:
        problem = error.errors()[0]
        raise CliError(f"--{str(problem['loc'][0]).replace('_', '-')}: {problem['msg']}", ExitCode.USAGE) from None
    run(_serve(config))


async def _serve(config: ServerConfig) -> None:
    stopping = until_signal()
    async with running_server(config, HouseProcesses) as server:
        # What is there now stays, and most of what comes is freed without the collector: it need not look as often as
        # it does by itself. A pass over the young objects stays below some ms.
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000, 10, 20)
        _announce(server)
        await stopping.wait()
        typer.echo("draining", err=True)


def _announce(server: "Server") -> None:
    host, port = server.address
    bots = server.url.replace("http", "ws", 1) + "/bot"
    typer.echo(f"page        {server.url}/")
    typer.echo(f"bots        {bots}")
    typer.echo(f"console     {server.url}/console")
    typer.echo(f"host token  {_about_token(server)}")
    typer.echo(f"database    {server.config.db}")
    typer.echo(f"listening on {host} port {port}; Ctrl-C stops")
    sys.stdout.flush()


def _about_token(server: "Server") -> str:
    if server.made_token is not None:
        return f"{server.made_token}  (keep it: it is printed only this once)"
    if server.config.host_token is not None:
        return "the one that you gave"
    return "as before; if it is lost, --host-token gives a new one"
