"""`rumble ban`: keeping addresses and names out of a server, over its HTTP API."""

from datetime import datetime
from typing import Annotated

import typer

from rumble_server.cli.output.answers import print_answer
from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.output.terminal import plain
from rumble_server.cli.support.commands import App
from rumble_server.cli.support.options import LOCAL_SERVER, HostToken, Json, Server, given
from rumble_server.cli.support.organiser_client import OrganiserClient

app = App(help="Keep an address or a name out of a server, and let it in again.")

Address = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="An address, or a network like 203.0.113.0/24 or 2001:db8::/48.")
]
Name = Annotated[str | None, typer.Option(metavar="BOT", help="A bot's name.")]


@app.command()
def add(
    address: Address = None,
    name: Name = None,
    minutes: Annotated[int | None, typer.Option(min=1, help="For how long; by default until it is removed.")] = None,
    reason: Annotated[str | None, typer.Option(help="Text for those who are banned.")] = None,
    server: Server = LOCAL_SERVER,
    host_token: HostToken = None,
    json_: Json = False,
) -> None:
    """Ban an address or a name, and close its connections. An IPv6 address is banned with its /64 network."""
    body = {**_whom(address, name), **given(minutes=minutes, reason=reason)}
    told = OrganiserClient(server, host_token).post("bans", body)
    print_answer(told, json_, told["message"])


@app.command()
def remove(
    address: Address = None,
    name: Name = None,
    server: Server = LOCAL_SERVER,
    host_token: HostToken = None,
    json_: Json = False,
) -> None:
    """Let an address or a name in again."""
    told = OrganiserClient(server, host_token).post("bans/lift", _whom(address, name))
    print_answer(told, json_, told["message"])


@app.command("list")
def list_(server: Server = LOCAL_SERVER, host_token: HostToken = None, json_: Json = False) -> None:
    """List the bans that are in force, the newest first."""
    from rich.table import Table
    from rich.text import Text

    told = OrganiserClient(server, host_token).get("bans")
    table = Table("banned", "until", "reason", box=None, pad_edge=False)
    for ban in plain(told["bans"]):
        whom = f"address {ban['address']}" if ban["name"] is None else f"name {ban['name']}"
        table.add_row(*map(Text, (whom, _moment(ban["until_ms"]), ban["reason"])))
    print_answer(told, json_, table if told["bans"] else "nobody is banned")


def _whom(address: str | None, name: str | None) -> dict[str, str]:
    """Return the field of a request's body: `address` or `name`. Raises CliError unless exactly one is given."""
    if (address is None) == (name is None):
        raise CliError("say who: either --address or --name", ExitCode.USAGE)
    return given(address=address, name=name)


def _moment(at_ms: int | None) -> str:
    return "it is removed" if at_ms is None else datetime.fromtimestamp(at_ms / 1000).astimezone().strftime("%F %R %Z")
