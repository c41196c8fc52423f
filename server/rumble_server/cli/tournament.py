"""`rumble tournament`: hosting from a shell, over the server's HTTP API."""

import json
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from rumble_server.cli.support import choices
from rumble_server.cli.support.errors import CliError, ExitCode
from rumble_server.cli.support.options import Game, Json, Key, Server, given, read_settings
from rumble_server.cli.support.organiser_client import HostClient

HERE = "http://127.0.0.1:8765"
"""Where `rumble serve` serves if it is told nothing."""

WIDE = 1000
"""Columns of text in a pipe: nothing is cut off there."""

app = typer.Typer(help="Create, start, watch and end tournaments on a server.", add_completion=False)

Id = Annotated[str, typer.Argument(metavar="ID", help="The tournament's id; see: rumble tournament list.")]
HostToken = Annotated[
    str | None,
    typer.Option(envvar="RUMBLE_HOST_TOKEN", metavar="TOKEN", help="Printed by rumble serve."),
]


class ExportFormat(StrEnum):
    """What a tournament is exported as."""

    JSON = "json"
    CSV = "csv"
    PGN = "pgn"
    TRF = "trf"


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="For people; the id is made from it.")],
    game: Game,
    server: Server = HERE,
    host_token: HostToken = None,
    format_: choices.Format = None,
    cycles: Annotated[int | None, typer.Option(min=1, help="How often everyone meets everyone.")] = None,
    legs: Annotated[int | None, typer.Option(min=1, help="Matches a pairing, seats swapped; 2 by default.")] = None,
    move_ms: Annotated[int | None, typer.Option(min=0, help="Time for each move; 10000 by default.")] = None,
    bank_ms: Annotated[int | None, typer.Option(min=0, help="Time for the match, where a move takes longer.")] = None,
    increment_ms: Annotated[int | None, typer.Option(min=0, help="What the bank grows by after each move.")] = None,
    rounds: choices.Rounds = None,
    challengers: choices.Challengers = None,
    replays: choices.Replays = None,
    tiebreaks: choices.Tiebreaks = None,
    points: choices.Points = None,
    openings: choices.Openings = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of everything random.")] = None,
    start_at_bots: Annotated[int | None, typer.Option(min=2, help="Start by itself when so many have joined.")] = None,
    start_at: choices.StartAt = None,
    late_join: choices.LateJoin = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", "--setting", metavar="NAME=VALUE", help="A setting of the game; may be repeated."),
    ] = None,
    illegal_retries: Annotated[
        int | None, typer.Option(min=0, help="Second chances for illegal moves, a match.")
    ] = None,
    away_ms: Annotated[int | None, typer.Option(min=0, help="So long a bot may be gone in a match.")] = None,
    absent_ms: Annotated[int | None, typer.Option(min=0, help="So long its matches wait for a bot.")] = None,
    bench_after: choices.BenchAfter = None,
    rated: Annotated[bool | None, typer.Option("--rated/--unrated", help="Whether ratings are worked out.")] = None,
    listed: Annotated[bool | None, typer.Option("--listed/--unlisted", help="Whether it is in the list.")] = None,
    invite: Annotated[str | None, typer.Option(metavar="CODE", help="Only bots that send this code may join.")] = None,
    json_: Json = False,
) -> None:
    """Create a tournament, in its lobby."""
    settings = read_settings(set_)
    config = given(
        name=name,
        game=game,
        settings=settings,
        format=format_,
        cycles=cycles,
        legs=legs,
        rounds=rounds,
        challengers=challengers,
        replays=replays,
        tiebreaks=choices.split_list(tiebreaks),
        points=choices.points_of(points),
        openings=choices.openings_of(openings, game, settings),
        time_control=given(move_ms=move_ms, bank_ms=bank_ms, increment_ms=increment_ms) or None,
        seed=seed,
        start_at_bots=start_at_bots,
        start_at_ms=choices.moment_ms(start_at),
        late_join=late_join,
        bench_after=bench_after,
        illegal_retries=illegal_retries,
        away_ms=away_ms,
        absent_ms=absent_ms,
        rated=rated,
        listed=listed,
        invite=invite,
    )
    client = HostClient(server, host_token)
    created = client.post("tournaments", config)
    if json_:
        _print_json(created)
        return
    typer.echo(f"{created['id']} is created: {client.base}/tournaments/{created['id']}")
    typer.echo(f"bots join with: rumble bot NAME --server {client.base} --join {created['id']}")


@app.command()
def start(tournament: Id, server: Server = HERE, host_token: HostToken = None, json_: Json = False) -> None:
    """Number the bots and begin."""
    _command(server, host_token, tournament, "start", json_)


@app.command()
def pause(
    tournament: Id,
    server: Server = HERE,
    host_token: HostToken = None,
    reason: Annotated[str | None, typer.Option(help="What the bots are told.")] = None,
    json_: Json = False,
) -> None:
    """Let running matches finish, and start none."""
    _command(server, host_token, tournament, "pause", json_, given(reason=reason))


@app.command()
def resume(tournament: Id, server: Server = HERE, host_token: HostToken = None, json_: Json = False) -> None:
    """Start matches again."""
    _command(server, host_token, tournament, "resume", json_)


@app.command()
def cancel(tournament: Id, server: Server = HERE, host_token: HostToken = None, json_: Json = False) -> None:
    """End it; nothing counts."""
    _command(server, host_token, tournament, "cancel", json_)


@app.command()
def end(tournament: Id, server: Server = HERE, host_token: HostToken = None, json_: Json = False) -> None:
    """End it early; the standings count as they are."""
    _command(server, host_token, tournament, "end", json_)


@app.command()
def remove(
    tournament: Id,
    bot: Annotated[str, typer.Argument(metavar="BOT", help="Its name.")],
    server: Server = HERE,
    host_token: HostToken = None,
    json_: Json = False,
) -> None:
    """Remove a bot for good; what it still has to play is lost."""
    _command(server, host_token, tournament, "remove", json_, {"name": bot})


@app.command()
def unbench(
    tournament: Id,
    bot: Annotated[str, typer.Argument(metavar="BOT", help="Its name.")],
    server: Server = HERE,
    host_token: HostToken = None,
    json_: Json = False,
) -> None:
    """Let a bot play again that was benched for its faults."""
    _command(server, host_token, tournament, "unbench", json_, {"name": bot})


@app.command()
def house(
    tournament: Id,
    bot: Annotated[str | None, typer.Argument(metavar="[BOT]", help="A house bot; without it they are listed.")] = None,
    server: Server = HERE,
    host_token: HostToken = None,
    name: Annotated[str | None, typer.Option(help="Its name in the field; else one is made.")] = None,
    count: Annotated[int | None, typer.Option(min=1, help="So many of it.")] = None,
    json_: Json = False,
) -> None:
    """Add house bots to fill the field; the server runs them until the tournament is over."""
    if bot is not None:
        _command(server, host_token, tournament, "house", json_, given(bot=bot, name=name, count=count))
        return
    told = HostClient(server, host_token).get(f"tournaments/{quote(tournament, safe='')}/house")
    if json_:
        _print_json(told)
        return
    for each in told["bots"]:
        typer.echo(f"{each['bot']}: {each['about']}")
    typer.echo(f"there is room for {told['room']} on this server")


@app.command()
def invite(
    tournament: Id,
    server: Server = HERE,
    host_token: HostToken = None,
    new: Annotated[bool, typer.Option("--new", help="Make a new code; the old one is not valid any more.")] = False,
    code: Annotated[str | None, typer.Option(metavar="CODE", help="Change the code to this one.")] = None,
    open_: Annotated[bool, typer.Option("--open", help="Ask for no code any more.")] = False,
    qr: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the link as a QR code (SVG), too.")] = None,
    json_: Json = False,
) -> None:
    """Show or change the invitation: its code, a link to the page, and the command for a bot."""
    if new + open_ + (code is not None) > 1:
        raise CliError("one of --new, --code and --open", ExitCode.USAGE)
    client, path = HostClient(server, host_token), f"tournaments/{quote(tournament, safe='')}/invite"
    if new:
        told = client.post(path, {})
    elif open_ or code is not None:
        told = client.post(path, {"code": code})
    else:
        told = client.get(path)
    if qr is not None:
        qr.write_bytes(client.download(f"{path}.svg"))
    if json_:
        _print_json(told)
        return
    typer.echo(f"code     {told['code'] or 'none: anyone may join'}")
    typer.echo(f"link     {told['link']}")
    typer.echo(f"command  {told['command']}")


@app.command("reset-key")
def reset_key(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A bot's name.")],
    server: Server = HERE,
    host_token: HostToken = None,
    json_: Json = False,
) -> None:
    """Forget the key of a name: its next login claims it anew."""
    told = HostClient(server, host_token).post(f"names/{quote(name, safe='')}/reset")
    if json_:
        _print_json(told)
    else:
        typer.echo(told["message"])


@app.command()
def replay(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The match's id, as the page shows it.")],
    server: Server = HERE,
    host_token: HostToken = None,
    json_: Json = False,
) -> None:
    """Have a match played again; the result it had no longer counts."""
    _command(server, host_token, match.partition(".")[0], "replay", json_, {"match": match})


@app.command("list")
def list_(server: Server = HERE, json_: Json = False) -> None:
    """The newest tournaments."""
    from rich.table import Table

    listed = HostClient(server).get("tournaments")
    if json_:
        _print_json(listed)
        return
    table = Table("id", "status", "game", "bots", "name", box=None, pad_edge=False)
    for each in listed["tournaments"]:
        bots = "?" if each["bots"] is None else str(each["bots"])
        table.add_row(*(_plain(text) for text in (each["id"], each["status"], each["game"], bots, each["name"])))
    _print(table)


@app.command()
def standings(tournament: Id, server: Server = HERE, json_: Json = False) -> None:
    """The standings by rank."""
    from rumble_server.cli.support.tables import told_table

    told = HostClient(server).get(f"tournaments/{quote(tournament, safe='')}/standings")
    if json_:
        _print_json(told)
        return
    typer.echo(f"{tournament}: {told['status']}")
    _print(told_table(told["standings"]))


@app.command()
def export(
    tournament: Id,
    server: Server = HERE,
    format_: Annotated[ExportFormat, typer.Option("--format", help="What to write.")] = ExportFormat.JSON,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to; standard output by default.")] = None,
) -> None:
    """Write the whole tournament: standings, every match and its moves."""
    document = HostClient(server).download(f"tournaments/{quote(tournament, safe='')}/export.{format_}")
    if out is not None:
        out.write_bytes(document)
        return
    sys.stdout.buffer.write(document if document.endswith(b"\n") else document + b"\n")


@app.command()
def transcript(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The match's id, like friday.1.2.1.1.")],
    server: Server = HERE,
    host_token: HostToken = None,
    bot: Annotated[str | None, typer.Option(metavar="NAME", help="As the owner of this bot, by its key.")] = None,
    key: Key = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to; standard output by default.")] = None,
) -> None:
    """Write every frame of a match both ways, with server times and the verdict, as ND-JSON."""
    client = HostClient(server, host_token) if bot is None else HostClient.of_bot(server, bot, key)
    document = client.download(f"matches/{quote(match, safe='')}/transcript")
    if out is not None:
        out.write_bytes(document)
        return
    sys.stdout.buffer.write(document)


def _command(
    server: str,
    host_token: str | None,
    tournament: str,
    command: str,
    as_json: bool,
    body: Mapping[str, Any] | None = None,
) -> None:
    told = HostClient(server, host_token).post(f"tournaments/{quote(tournament, safe='')}/{command}", body)
    if as_json:
        _print_json(told)
    else:
        typer.echo(f"{told['id']}: {told['status']}")


def _print_json(data: Any) -> None:
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False))


def _plain(text: str) -> Any:
    from rich.text import Text

    return Text(text)


def _print(table: Any) -> None:
    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else WIDE).print(table)
