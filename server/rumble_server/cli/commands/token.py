"""`rumble token`: who may host on a server, over its HTTP API."""

from datetime import datetime
from typing import Annotated

import typer

from rumble_server.cli.output.terminal import plain
from rumble_server.cli.support.commands import App
from rumble_server.cli.support.host_commands import CommandOutput, of_host
from rumble_server.cli.support.organiser_client import OrganiserClient, api_path

app = App(help="Give and take back the tokens of hosts.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of a token: whose it is.")]


@app.command()
@of_host
def add(client: OrganiserClient, name: Name) -> CommandOutput:
    """Make a token for a host, and call the token NAME. The token is printed only this once."""
    answer = client.post("host/tokens", {"name": name})
    return answer, answer["token"]


@app.command("list")
@of_host
def list_(client: OrganiserClient) -> CommandOutput:
    """List the tokens' names, and when each token was made."""
    from rich.table import Table

    answer = client.get("host/tokens")
    table = Table("name", "made", "", box=None, pad_edge=False)
    for each in plain(answer["tokens"]):
        made = datetime.fromtimestamp(each["since_ms"] / 1000).astimezone()
        table.add_row(each["name"], f"{made:%Y-%m-%d %H:%M}", "the one you use" if each["own"] else "")
    return answer, table


@app.command()
@of_host
def remove(client: OrganiserClient, name: Name) -> CommandOutput:
    """Take a token back. From now on the server refuses the token."""
    answer = client.post(api_path("host", "tokens", name, "remove"))
    return answer, answer["message"]
