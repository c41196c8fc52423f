"""`rumble token`: who may host on a server, over its HTTP API."""

from datetime import datetime
from typing import Annotated

import typer

from rumble_server.cli.output.answers import bare_table
from rumble_server.cli.support.api_client import ApiClient, api_path
from rumble_server.cli.support.commands import App
from rumble_server.cli.support.host_commands import CommandOutput, of_host

app = App(help="Give and take back the tokens of hosts.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of a token: whose it is.")]


@app.command()
@of_host
def add(client: ApiClient, name: Name) -> CommandOutput:
    """Make a token for a host, and call the token NAME. The token is printed only this once."""
    answer = client.post("host/tokens", {"name": name})
    return answer, answer["token"]


@app.command("list")
@of_host
def list_(client: ApiClient) -> CommandOutput:
    """List the tokens' names, and when each token was made."""
    answer = client.get("host/tokens")
    rows = []
    for each in answer["tokens"]:
        made = datetime.fromtimestamp(each["since_ms"] / 1000).astimezone()
        rows.append((each["name"], f"{made:%Y-%m-%d %H:%M}", "the one you use" if each["own"] else ""))
    return answer, bare_table(("name", "made", ""), rows)


@app.command()
@of_host
def remove(client: ApiClient, name: Name) -> CommandOutput:
    """Take a token back. From now on the server refuses the token."""
    answer = client.post(api_path("host", "tokens", name, "remove"))
    return answer, answer["message"]
