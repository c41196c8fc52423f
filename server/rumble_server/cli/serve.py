"""`rumble serve`: host tournaments."""

import asyncio
import sys
from typing import Annotated

import typer
from pydantic import ValidationError

from rumble_server.app import Server
from rumble_server.cli.errors import CliError, ExitCode
from rumble_server.cli.running import (
    bot_command,
    bot_processes,
    checked_players,
    run,
    running_server,
    split_names,
    until_signal,
)
from rumble_server.config import ServerConfig
from rumble_server.house import house_key

HOUSE_MATCHES = "64"


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8765,
    db: Annotated[str, typer.Option(help="A path, sqlite:///relative or sqlite:////absolute.")] = "rumble.db",
    host_token: Annotated[
        str | None, typer.Option(envvar="RUMBLE_HOST_TOKEN", help="Else one is made at the first start and kept.")
    ] = None,
    house: Annotated[str, typer.Option(help="House bots, like random,minimax; they take challenges.")] = "",
    open_names: Annotated[
        bool, typer.Option("--open-names", help="Take names without a key from other machines, too.")
    ] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A name under which a proxy on this machine reaches the server.")
    ] = None,
) -> None:
    """Host tournaments until Ctrl-C or SIGTERM; then drain and stop."""
    names = checked_players(split_names(house)) if house else []
    try:
        config = ServerConfig(
            host=host,
            port=port,
            db=db,
            host_token=host_token,
            open_names=open_names,
            allowed_hosts=frozenset(name.lower() for name in allow_host or ()),
        )
    except ValidationError as error:
        problem = error.errors()[0]
        raise CliError(f"--{str(problem['loc'][0]).replace('_', '-')}: {problem['msg']}", ExitCode.USAGE) from None
    run(_serve(config, names))


async def _serve(config: ServerConfig, house: list[str]) -> None:
    stopping = until_signal()
    async with running_server(config) as server:
        _announce(server)
        house_bots = [asyncio.create_task(_keep(server, name)) for name in house]
        await stopping.wait()
        for task in house_bots:
            task.cancel()
        await asyncio.gather(*house_bots, return_exceptions=True)
        typer.echo("draining", err=True)


def _announce(server: Server) -> None:
    host, port = server.address
    bots = server.url.replace("http", "ws", 1) + "/bot"
    typer.echo(f"page        {server.url}/")
    typer.echo(f"bots        {bots}")
    typer.echo(f"host token  {server.host_token}")
    typer.echo(f"database    {server.config.db}")
    typer.echo(f"listening on {host} port {port}; Ctrl-C stops")
    sys.stdout.flush()


async def _keep(server: Server, name: str) -> None:
    """A house bot, started again should it ever end."""
    key = house_key(server.host_token, name)
    command = bot_command(name, "--server", server.url, "--challenges", "--matches-at-once", HOUSE_MATCHES)
    pause_s = 0.5
    while True:
        async with bot_processes([command], RUMBLE_KEY=key) as (process,):
            code = await process.wait()
        typer.echo(f"house bot {name} ended with {code}; starting it again in {pause_s:g} s", err=True)
        await asyncio.sleep(pause_s)
        pause_s = min(60.0, pause_s * 2)
