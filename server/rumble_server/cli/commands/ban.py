"""`rumble ban`: keeping addresses and names out of a server, over its HTTP API."""

from datetime import datetime
from typing import Annotated

import typer

from rumble_server.cli.output.answers import bare_table
from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support.api_client import ApiClient
from rumble_server.cli.support.commands import App
from rumble_server.cli.support.host_commands import CommandOutput, of_host
from rumble_server.cli.support.options import without_none

app = App(help="Keep an address or a name out of a server, and let it in again.")

Address = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="An address, or a network like 203.0.113.0/24 or 2001:db8::/48.")
]
Name = Annotated[str | None, typer.Option(metavar="BOT", help="A bot's name.")]


@app.command()
@of_host
def add(
    client: ApiClient,
    address: Address = None,
    name: Name = None,
    minutes: Annotated[int | None, typer.Option(min=1, help="For how long; by default until it is removed.")] = None,
    reason: Annotated[str | None, typer.Option(help="Text for those who are banned.")] = None,
) -> CommandOutput:
    """Ban an address or a name, and close its connections. An IPv6 address is banned with its /64 network."""
    answer = client.post("bans", {**_subject_field(address, name), **without_none(minutes=minutes, reason=reason)})
    return answer, answer["message"]


@app.command()
@of_host
def remove(client: ApiClient, address: Address = None, name: Name = None) -> CommandOutput:
    """Let an address or a name in again."""
    answer = client.post("bans/lift", _subject_field(address, name))
    return answer, answer["message"]


@app.command("list")
@of_host
def list_(client: ApiClient) -> CommandOutput:
    """List the bans that are in force, the newest first."""
    answer = client.get("bans")
    rows = []
    for ban in answer["bans"]:
        whom = f"address {ban['address']}" if ban["name"] is None else f"name {ban['name']}"
        rows.append((whom, _moment(ban["until_ms"]), ban["reason"]))
    return answer, bare_table(("banned", "until", "reason"), rows) if rows else "nobody is banned"


def _subject_field(address: str | None, name: str | None) -> dict[str, str]:
    """Return the field of a request's body: `address` or `name`. Raises CliError if both are given, or neither."""
    if (address is None) == (name is None):
        raise CliError("say who: either --address or --name", ExitCode.USAGE)
    return without_none(address=address, name=name)


def _moment(at_ms: int | None) -> str:
    return "it is removed" if at_ms is None else datetime.fromtimestamp(at_ms / 1000).astimezone().strftime("%F %R %Z")
