"""`rumble club`: the administrator's commands for clubs, over the HTTP API. Only `move` uses the database instead."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import typer

from rumble_server.cli.output.answers import bare_table
from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support.api_client import AdministratorClient, api_path
from rumble_server.cli.support.commands import App
from rumble_server.cli.support.host_commands import CommandOutput, of_administrator
from rumble_server.cli.support.nodes import NodeName, SharedDatabase, ask_leases, node_called
from rumble_server.cli.support.options import with_parameters, without_none

app = App(help="Create clubs, each with its own hosts, bots, tournaments and pages, and bound what they use.")

NONE = "none"
"""Text that removes a quota, when given as the value of the quota's option."""


def _checked(name: str) -> str:
    from rumble_protocol.clubs import is_club_name  # imported here, because help must not load pydantic

    if not is_club_name(name):
        raise CliError(f"{name!r} is not a club's name: 1 to 32 of a-z, 0-9 and -", ExitCode.USAGE)
    return name


Name = Annotated[
    str, typer.Argument(metavar="CLUB", callback=_checked, help="The name of a club: 1 to 32 of a-z, 0-9 and -.")
]
Title = Annotated[str | None, typer.Option(metavar="TEXT", help="What people read; by default the name.")]
Listed = Annotated[bool | None, typer.Option("--listed/--unlisted", help="Whether everyone finds it in the list.")]
House = Annotated[
    bool | None, typer.Option("--house/--no-house", help="Whether the server's house bots wait for challenges there.")
]


def _quota(about: str) -> Any:
    return Annotated[str | None, typer.Option(metavar="N|none", help=about)]


QUOTAS = {
    "bots": _quota("Most names of bots, without those of the house."),
    "tournaments": _quota("Most tournaments that are not over, without challenges."),
    "bytes": _quota("Most bytes in the database; beyond them nothing new is created."),
    "matches": _quota("Most matches at once; more of them wait."),
    "house_bots": _quota("Most added house bots at the same time."),
}
"""The command-line option of each quota."""


@app.command()
@of_administrator
@partial(with_parameters, parameters=QUOTAS)
def create(
    client: AdministratorClient,
    name: Name,
    title: Title = None,
    listed: Listed = None,
    house: House = None,
    **quotas: str | None,
) -> CommandOutput:
    """Create a club. Its name can never be changed. Next, make a token for its host: rumble club token CLUB."""
    about = without_none(title=title, listed=listed, house=house)
    club = client.post("clubs", {"name": name, "quotas": _quotas(quotas), **about})
    return club, f"the club {club['name']} is at {client.base}/c/{club['name']}/"


@app.command()
def move(name: Name, node: NodeName, db: SharedDatabase) -> None:
    """Make another node lead a club. The club's bots reconnect by themselves."""
    to = node_called(db, node)
    wanted = to.id if to.id.startswith(node) else to.address  # an address also names the node's next process
    if not ask_leases(db, lambda leases: leases.move(name, wanted)):
        raise CliError(f"no node leads a club {name}")
    typer.echo(f"{name} goes to the node at {to.address}")


@app.command("list")
@of_administrator
def list_(client: AdministratorClient) -> CommandOutput:
    """Print the clubs on the public list. With the administrator's token, print every club with its quotas and use."""
    answer = client.get("clubs")
    has_quotas = any(each["quotas"] is not None for each in answer["clubs"])
    headings = ("listed", "house", *(name.replace("_", " ") for name in QUOTAS)) if has_quotas else ()
    rows = []
    for club in answer["clubs"]:
        about = [club["name"], club["title"]]
        if has_quotas:
            about += ["yes" if club[each] else "no" for each in ("listed", "house")]
            about += [_use_text(club["used"] and club["used"][name], club["quotas"][name]) for name in QUOTAS]
        rows.append(about)
    return answer, bare_table(("club", "title", *headings), rows)


@app.command()
@of_administrator
def remove(
    client: AdministratorClient,
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="It is meant.")] = False,
) -> CommandOutput:
    """Remove a club for good, with all its tournaments. The name is never given again."""
    if not yes:
        raise CliError("a club is removed for good: add --yes", ExitCode.USAGE)
    answer = client.delete(api_path("clubs", name))
    return answer, answer["message"]


@app.command()
@of_administrator
def title(
    client: AdministratorClient,
    name: Name,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="What people read; empty: its name.")],
) -> CommandOutput:
    """Give a club a title."""
    club = _change(client, name, {"title": title})
    return club, f"{club['name']} is called {club['title'] or club['name']}"


@app.command("set")
@of_administrator
def set_(client: AdministratorClient, name: Name, listed: Listed = None, house: House = None) -> CommandOutput:
    """Change whether a club is listed, and whether it has the server's house bots."""
    club = _change(client, name, without_none(listed=listed, house=house))
    are = "listed" if club["listed"] else "not listed", "the server's house bots" if club["house"] else "no house bots"
    return club, f"{club['name']} is {are[0]}, and has {are[1]} to challenge"


@app.command()
@of_administrator
@partial(with_parameters, parameters=QUOTAS)
def quota(client: AdministratorClient, name: Name, **quotas: str | None) -> CommandOutput:
    """Set quotas of a club. A quota without its option stays as it is."""
    club = _change(client, name, {"quotas": _quotas(quotas)})
    bounds = (f"{each.replace('_', ' ')} {NONE if most is None else most}" for each, most in club["quotas"].items())
    return club, f"{club['name']}: {', '.join(bounds)}"


@app.command()
@of_administrator
def token(
    client: AdministratorClient,
    name: Name,
    host: Annotated[str, typer.Argument(metavar="HOST", help="Whose token it is.")] = "default",
) -> CommandOutput:
    """Make a token for a host of a club. The token is printed only this once."""
    # The request goes to the club's own path, so that a proxy finds the node with the club.
    answer = client.of_club(name).post("host/tokens", {"name": host})
    return answer, answer["token"]


def _change(client: AdministratorClient, name: str, change: dict[str, Any]) -> Any:
    """Change a club, and return its new JSON. Raises CliError if `change` is empty, or the server refuses `change`."""
    if not any(each != {} for each in change.values()):  # `quotas` is empty if no option was given
        raise CliError("say what to change (see --help)", ExitCode.USAGE)
    return client.patch(api_path("clubs", name), change)


def _quotas(texts: Mapping[str, str | None]) -> dict[str, int | None]:
    """Return the given quotas by name: a number, or None for the text `none`. Raises CliError for any other text."""
    quotas: dict[str, int | None] = {}
    for name, text in without_none(**texts).items():
        if text != NONE and not text.isdecimal():
            raise CliError(f"--{name.replace('_', '-')}: a whole number or {NONE}, not {text!r}", ExitCode.USAGE)
        quotas[name] = None if text == NONE else int(text)
    return quotas


def _use_text(used: int | None, most: int | None) -> str:
    """Return the use of a quota as text, such as `3 of 10`; `?` for an unknown use."""
    bound = "" if most is None else f" of {most}"
    return f"{'?' if used is None else used}{bound}"
