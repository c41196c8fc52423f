"""`rumble token`: who may host on a server, over its HTTP API."""

from datetime import datetime
from typing import Annotated

import typer

from rumble_server.cli.output.answers import print_answer
from rumble_server.cli.support.commands import App
from rumble_server.cli.support.options import LOCAL_SERVER, HostToken, Json, Server
from rumble_server.cli.support.organiser_client import OrganiserClient, api_path

app = App(help="Give and take back the tokens of hosts.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of a token: whose it is.")]


@app.command()
def add(name: Name, server: Server = LOCAL_SERVER, host_token: HostToken = None, json_: Json = False) -> None:
    """Make a host's token called NAME. The token is printed only this once."""
    told = OrganiserClient(server, host_token).post("host/tokens", {"name": name})
    print_answer(told, json_, told["token"])


@app.command("list")
def list_(server: Server = LOCAL_SERVER, host_token: HostToken = None, json_: Json = False) -> None:
    """List the tokens by name."""
    from rich.table import Table

    told = OrganiserClient(server, host_token).get("host/tokens")
    table = Table("name", "made", "", box=None, pad_edge=False)
    for each in told["tokens"]:
        made = datetime.fromtimestamp(each["since_ms"] / 1000).astimezone()
        table.add_row(each["name"], f"{made:%Y-%m-%d %H:%M}", "the one you use" if each["own"] else "")
    print_answer(told, json_, table)


@app.command()
def remove(name: Name, server: Server = LOCAL_SERVER, host_token: HostToken = None, json_: Json = False) -> None:
    """Take a token back. From now on the server refuses the token."""
    told = OrganiserClient(server, host_token).post(api_path("host", "tokens", name, "remove"))
    print_answer(told, json_, told["message"])
