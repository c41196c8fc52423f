"""`rumble tournament`: hosting from a shell, over the server's HTTP API."""

import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from rumble_server.cli.support import completion, tournament_options
from rumble_server.cli.support.answers import print_answer
from rumble_server.cli.support.commands import App
from rumble_server.cli.support.errors import CliError, ExitCode
from rumble_server.cli.support.options import (
    LOCAL_SERVER,
    Game,
    HostToken,
    Json,
    Key,
    Server,
    Setting,
    given,
    read_settings,
)
from rumble_server.cli.support.organiser_client import OrganiserClient, api_path
from rumble_server.cli.support.terminal import plain, plain_or_rich
from rumble_server.match.match_id import tournament_id_of

app = App(help="Create, start, watch and end tournaments on a server.")

Id = Annotated[str, typer.Argument(metavar="ID", help="A tournament's id; see: rumble tournament list.")]
MatchId = Annotated[str, typer.Argument(metavar="MATCH", help="A match's id, like friday.1.2.1.1.")]
BotName = Annotated[str, typer.Argument(metavar="BOT", help="A bot's name.")]
Out = Annotated[Path | None, typer.Option(metavar="FILE", help="File to write; by default standard output.")]


class ExportFormat(StrEnum):
    """The formats of an export."""

    JSON = "json"
    CSV = "csv"
    PGN = "pgn"
    SGF = "sgf"
    TRF = "trf"


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Its name for people; its id is made from it.")],
    game: Game,
    server: Server = LOCAL_SERVER,
    host_token: HostToken = None,
    format_: tournament_options.Format = None,
    cycles: Annotated[int | None, typer.Option(min=1, help="How often everyone meets everyone; 1 by default.")] = None,
    legs: Annotated[int | None, typer.Option(min=1, help="Matches of a pairing, seats swapped; 2 by default.")] = None,
    move_ms: Annotated[
        int | None,
        typer.Option(min=0, help="Time for each move, in ms; 10000 by default, or 0 with a bank."),
    ] = None,
    bank_ms: Annotated[
        int | None,
        typer.Option(min=0, help="Time for a whole match, used by moves longer than --move-ms, in ms; 0 by default."),
    ] = None,
    increment_ms: Annotated[
        int | None, typer.Option(min=0, help="How much the bank grows after each move, in ms; 0 by default.")
    ] = None,
    rounds: tournament_options.Rounds = None,
    challengers: tournament_options.Challengers = None,
    replays: tournament_options.Replays = None,
    pairing_rules: tournament_options.PairingRules = None,
    acceleration: tournament_options.Acceleration = None,
    seed_ratings: tournament_options.SeedRatings = None,
    tiebreaks: tournament_options.Tiebreaks = None,
    tiebreak_rules: tournament_options.TiebreakRules = None,
    points: tournament_options.Points = None,
    openings: tournament_options.Openings = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of everything random; 0 by default.")] = None,
    start_at_bots: Annotated[
        int | None,
        typer.Option(min=2, help="Number of bots with which it starts by itself; by default the host starts it."),
    ] = None,
    start_at: tournament_options.StartAt = None,
    late_join: tournament_options.LateJoin = None,
    setting: Setting = None,
    illegal_retries: Annotated[
        int | None, typer.Option(min=0, help="How many illegal moves a bot may correct in a match; 0 by default.")
    ] = None,
    away_ms: Annotated[
        int | None, typer.Option(min=0, help="How long a bot may be disconnected in a match, in ms; 30000 by default.")
    ] = None,
    away_clock: tournament_options.AwayClock = None,
    absent_ms: Annotated[
        int | None, typer.Option(min=0, help="How long matches wait for an absent bot, in ms; 120000 by default.")
    ] = None,
    bench_after: tournament_options.BenchAfter = None,
    rated: Annotated[
        bool | None, typer.Option("--rated/--unrated", help="Whether it has ratings; it has by default.")
    ] = None,
    listed: Annotated[
        bool | None, typer.Option("--listed/--unlisted", help="Whether the list shows it; it does by default.")
    ] = None,
    invite: Annotated[
        str | None, typer.Option(metavar="CODE", help="Code that a bot needs to join; by default anyone may join.")
    ] = None,
    forecast: tournament_options.Forecast = None,
    json_: Json = False,
) -> None:
    """Create a tournament, in its lobby."""
    settings = read_settings(setting)
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
        tiebreaks=tournament_options.split_list(tiebreaks),
        tiebreak_rules=tiebreak_rules,
        points=tournament_options.points_of(points),
        openings=tournament_options.openings_of(openings, game, settings),
        time_control=given(move_ms=move_ms, bank_ms=bank_ms, increment_ms=increment_ms) or None,
        seed=seed,
        start_at_bots=start_at_bots,
        start_at_ms=tournament_options.moment_ms(start_at),
        late_join=late_join,
        bench_after=bench_after,
        illegal_retries=illegal_retries,
        away_ms=away_ms,
        away_clock=away_clock,
        absent_ms=absent_ms,
        rated=rated,
        listed=listed,
        invite=invite,
        pairing_rules=pairing_rules,
        acceleration=acceleration,
        seed_ratings=tournament_options.seed_ratings_of(seed_ratings),
    )
    client = OrganiserClient(server, host_token)
    if forecast is not None:
        answer = client.post(f"host/forecast?bots={forecast}", config)
        print_answer(answer, json_, answer["text"])
        return
    created = client.post("tournaments", config)
    told = {} if json_ else client.get(api_path("tournaments", created["id"], "invite"))
    lines = () if json_ else (f"{created['id']} is created: {told['link']}", f"bots join with: {told['command']}")
    print_answer(created, json_, *lines, *_only_here(told))


@app.command()
def start(tournament_id: Id, server: Server = LOCAL_SERVER, host_token: HostToken = None, json_: Json = False) -> None:
    """Number the bots and start the first matches."""
    _command(server, host_token, tournament_id, "start", json_)


@app.command()
def pause(
    tournament_id: Id,
    server: Server = LOCAL_SERVER,
    host_token: HostToken = None,
    reason: Annotated[str | None, typer.Option(help="Text for the bots and the page.")] = None,
    json_: Json = False,
) -> None:
    """Let running matches finish, and start no more."""
    _command(server, host_token, tournament_id, "pause", json_, given(reason=reason))


@app.command()
def resume(tournament_id: Id, server: Server = LOCAL_SERVER, host_token: HostToken = None, json_: Json = False) -> None:
    """Start matches again after a pause."""
    _command(server, host_token, tournament_id, "resume", json_)


@app.command()
def cancel(tournament_id: Id, server: Server = LOCAL_SERVER, host_token: HostToken = None, json_: Json = False) -> None:
    """End a tournament without a result; nothing counts."""
    _command(server, host_token, tournament_id, "cancel", json_)


@app.command()
def end(tournament_id: Id, server: Server = LOCAL_SERVER, host_token: HostToken = None, json_: Json = False) -> None:
    """End a tournament early; the standings count as they are."""
    _command(server, host_token, tournament_id, "end", json_)


@app.command()
def remove(
    tournament_id: Id, bot: BotName, server: Server = LOCAL_SERVER, host_token: HostToken = None, json_: Json = False
) -> None:
    """Remove a bot for good. It loses the matches that it has not finished."""
    _command(server, host_token, tournament_id, "remove", json_, {"name": bot})


@app.command()
def unbench(
    tournament_id: Id, bot: BotName, server: Server = LOCAL_SERVER, host_token: HostToken = None, json_: Json = False
) -> None:
    """Let a bot play again that was benched for its faults."""
    _command(server, host_token, tournament_id, "unbench", json_, {"name": bot})


@app.command()
def bye(
    tournament_id: Id,
    bot: BotName,
    number: Annotated[int, typer.Argument(metavar="ROUND", min=1, help="A round that is not paired yet.")],
    server: Server = LOCAL_SERVER,
    host_token: HostToken = None,
    take_back: Annotated[bool, typer.Option("--take-back", help="Take back a bye that was given.")] = False,
    json_: Json = False,
) -> None:
    """Give a bot a half-point bye: it is not paired in that round of a Swiss."""
    also = f", {bot} has {'no' if take_back else 'a'} half-point bye in round {number}"
    asked = {"name": bot, "round": number, "take_back": take_back}
    _command(server, host_token, tournament_id, "bye", json_, asked, also)


@app.command()
def house(
    tournament_id: Id,
    bot: Annotated[
        str | None,
        typer.Argument(metavar="[BOT]", help="A reference bot; without it, list them.", autocompletion=completion.bots),
    ] = None,
    server: Server = LOCAL_SERVER,
    host_token: HostToken = None,
    name: Annotated[str | None, typer.Option(help="Its name in the tournament; by default one is made.")] = None,
    count: Annotated[int | None, typer.Option(min=1, help="How many of this bot to add; 1 by default.")] = None,
    json_: Json = False,
) -> None:
    """Add house bots to a tournament. The server runs them until it is over."""
    if bot is not None:
        wanted = given(bot=bot, name=name, count=count)
        _command(server, host_token, tournament_id, "house", json_, wanted, f", {count or 1} x {bot} on the way")
        return
    told = OrganiserClient(server, host_token).get(api_path("tournaments", tournament_id, "house"))
    bots = (f"{each['bot']}: {each['about']}" for each in told["bots"])
    print_answer(told, json_, *bots, f"there is room for {told['room']} on this server")


@app.command()
def invite(
    tournament_id: Id,
    server: Server = LOCAL_SERVER,
    host_token: HostToken = None,
    new: Annotated[bool, typer.Option("--new", help="Make a new code; the old one is no longer valid.")] = False,
    code: Annotated[str | None, typer.Option(metavar="CODE", help="Change the code to this one.")] = None,
    open_: Annotated[bool, typer.Option("--open", help="Let anyone join without a code.")] = False,
    qr: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the link as a QR code (SVG), too.")] = None,
    json_: Json = False,
) -> None:
    """Show or change the invitation. It has a code, a link to the page, and the command for a bot."""
    if new + open_ + (code is not None) > 1:
        raise CliError("give only one of --new, --code and --open", ExitCode.USAGE)
    client, path = OrganiserClient(server, host_token), api_path("tournaments", tournament_id, "invite")
    if new:
        told = client.post(path, {})
    elif open_ or code is not None:
        told = client.post(path, {"code": code})
    else:
        told = client.get(path)
    if qr is not None:
        qr.write_bytes(client.download(f"{path}.svg"))
    lines = (f"code     {told['code'] or 'none: anyone may join'}", f"link     {told['link']}")
    print_answer(told, json_, *lines, f"command  {told['command']}", *_only_here(told))


@app.command("reset-key")
def reset_key(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A bot's name.")],
    key: Annotated[str | None, typer.Option(metavar="KEY", help="Protect the name, open or not, by this key.")] = None,
    server: Server = LOCAL_SERVER,
    host_token: HostToken = None,
    json_: Json = False,
) -> None:
    """Forget the key of a bot's name. The next login claims the name, or --key protects it from now on."""
    told = OrganiserClient(server, host_token).post(api_path("names", name, "reset"), given(key=key) or None)
    print_answer(told, json_, told["message"])


@app.command()
def replay(match_id: MatchId, server: Server = LOCAL_SERVER, host_token: HostToken = None, json_: Json = False) -> None:
    """Have a match played again; its old result no longer counts."""
    _command(server, host_token, tournament_id_of(match_id), "replay", json_, {"match": match_id})


@app.command("list")
def list_(server: Server = LOCAL_SERVER, json_: Json = False) -> None:
    """List the newest tournaments."""
    from rich.table import Table
    from rich.text import Text
    from rumble_engine.registry import game_title

    listed = OrganiserClient(server).get("tournaments")
    table = Table("id", "status", "game", "bots", "name", box=None, pad_edge=False)
    for each in plain(listed["tournaments"]):
        bots = "?" if each["bots"] is None else str(each["bots"])
        table.add_row(*map(Text, (each["id"], each["status"], game_title(each["game"]), bots, each["name"])))
    print_answer(listed, json_, table)


@app.command()
def standings(tournament_id: Id, server: Server = LOCAL_SERVER, json_: Json = False) -> None:
    """Show the standings by rank, with the faults of bots and who is benched."""
    from rumble_server.cli.support.tables import standings_for, tiebreak_legend

    client, path = OrganiserClient(server), ("tournaments", tournament_id)
    if json_:
        print_answer(client.get(api_path(*path, "standings")), True)
        return
    told = client.get(api_path(*path))
    table = standings_for(plain_or_rich(), told["standings"], None, told["entrants"])
    played = f", {told['matches_over']} of {told['matches_total']} matches" if told["started_at_ms"] else ""
    print_answer(told, False, f"{tournament_id}: {told['status']}{played}", table, *tiebreak_legend(table))


@app.command()
def audit(tournament_id: Id, server: Server = LOCAL_SERVER, host_token: HostToken = None, json_: Json = False) -> None:
    """Show whether it was fair: each bot's matches, seats, longest wait, excused time and drops on its own turn."""
    from rumble_server.cli.support.tables import audit_table

    told = OrganiserClient(server, host_token).get(api_path("tournaments", tournament_id, "audit"))
    verdict = "nothing to complain of" if told["fair"] else "not fair"
    print_answer(
        told, json_, f"{tournament_id}: {verdict}", *(each["message"] for each in told["flags"]), audit_table(told)
    )


@app.command()
def export(
    tournament_id: Id,
    server: Server = LOCAL_SERVER,
    format_: Annotated[ExportFormat, typer.Option("--format", help="Format to write.")] = ExportFormat.JSON,
    trf_2026: Annotated[bool, typer.Option("--trf-2026", help="With --format trf: write TRF-2026, not TRF16.")] = False,
    out: Out = None,
) -> None:
    """Write the whole tournament: standings, matches and moves."""
    query = "?edition=2026" if trf_2026 and format_ is ExportFormat.TRF else ""
    document = OrganiserClient(server).download(api_path("tournaments", tournament_id, f"export.{format_}") + query)
    _write(document, out, end=b"" if document.endswith(b"\n") else b"\n")


@app.command()
def transcript(
    match_id: MatchId,
    server: Server = LOCAL_SERVER,
    host_token: HostToken = None,
    bot: Annotated[str | None, typer.Option(metavar="NAME", help="Ask as the owner of this bot, by its key.")] = None,
    key: Key = None,
    out: Out = None,
) -> None:
    """Write every frame of a match as ND-JSON. It has both directions, server times and the verdict."""
    client = OrganiserClient(server, host_token) if bot is None else OrganiserClient.of_bot(server, bot, key)
    _write(client.download(api_path("matches", match_id, "transcript")), out)


def _only_here(told: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a hint if an invitation's link works only on the server's own machine."""
    hint = "only this machine can use these: rumble serve --host 0.0.0.0 lets others in, --public-url says by what name"
    return (hint,) if told.get("only_here") else ()


def _command(
    server: str,
    host_token: str | None,
    tournament_id: str,
    command: str,
    as_json: bool,
    body: Mapping[str, Any] | None = None,
    also: str = "",
) -> None:
    told = OrganiserClient(server, host_token).post(api_path("tournaments", tournament_id, command), body)
    print_answer(told, as_json, f"{told['id']}: {told['status']}{also}")


def _write(document: bytes, out: Path | None, end: bytes = b"") -> None:
    if out is not None:
        out.write_bytes(document)
        return
    sys.stdout.buffer.write(document + end)
