"""`rumble tournament`: hosting from a shell, over the server's HTTP API."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from rumble_server.cli.output.answers import bare_table, invitation_hints, print_answer
from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.output.terminal import plain, plain_or_rich
from rumble_server.cli.support import completion
from rumble_server.cli.support.api_client import ApiClient, api_path
from rumble_server.cli.support.commands import App
from rumble_server.cli.support.host_commands import CommandOutput, of_host
from rumble_server.cli.support.options import LOCAL_SERVER, HostToken, Json, Key, Server, with_parameters, without_none
from rumble_server.match.match_id import tournament_id_of


class _Tournament(TyperGroup):
    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name == "create":
            from rumble_server.cli.support.creating import create_command

            command = create_command()
        return name, command, rest


app = App(cls=_Tournament, help="Create, start, watch and end tournaments on a server.")

Id = Annotated[str, typer.Argument(metavar="ID", help="A tournament's id; see: rumble tournament list.")]
MatchId = Annotated[str, typer.Argument(metavar="MATCH", help="A match's id, like friday.1.2.1.1.")]
BotName = Annotated[str, typer.Argument(metavar="BOT", help="A bot's name.")]
Out = Annotated[Path | None, typer.Option(metavar="FILE", help="File to write; by default standard output.")]
ExportFormat = Literal["json", "csv", "pgn", "phhs", "sgf", "trf"]

VERBS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "start": (
        "Number the bots and start the first matches.",
        {
            "without_absent": Annotated[
                bool | None, typer.Option("--without-absent", help="First take out the bots that are not connected.")
            ]
        },
    ),
    "pause": (
        "Let running matches finish, and start no more.",
        {"reason": Annotated[str | None, typer.Option(help="Text for the bots and the page.")]},
    ),
    "resume": ("Start matches again after a pause.", {}),
    "cancel": ("End a tournament without a result; nothing counts.", {}),
    "end": ("End a tournament early; the standings count as they are.", {}),
    "again": (
        "Create the next tournament for the pupils of an ended one.",
        {"top": Annotated[int | None, typer.Option(metavar="N", min=2, help="A final: move over the best N alone.")]},
    ),
    "remove": ("Remove a bot for good. It loses the matches that it has not finished.", {"name": BotName}),
    "unbench": ("Let a bot play again that was benched for its faults.", {"name": BotName}),
}
"""The commands that send a single request, keyed by name. Each value has the command's help text, and an option or
argument for each field of the request's body."""


@app.command()
def create() -> None:
    """Create a tournament, which waits in its lobby until the start."""
    # This function only lists the command; `_Tournament` replaces the function with the real command and its options.


def _add_verb(name: str, about: str, parameters: Mapping[str, Any]) -> None:
    def ask(client: ApiClient, tournament_id: Id, **body: Any) -> CommandOutput:
        return _command(client, tournament_id, name, without_none(**body) or None)

    app.command(name, help=about)(of_host(with_parameters(ask, parameters)))


for _name, (_about, _parameters) in VERBS.items():
    _add_verb(_name, _about, _parameters)


@app.command()
@of_host
def bye(
    client: ApiClient,
    tournament_id: Id,
    bot: BotName,
    number: Annotated[int, typer.Argument(metavar="ROUND", min=1, help="A round that is not paired yet.")],
    take_back: Annotated[bool, typer.Option("--take-back", help="Take back a bye that was given.")] = False,
) -> CommandOutput:
    """Give a bot a half-point bye in a round of a Swiss. The bot is not paired in the round."""
    also = f", {bot} has {'no' if take_back else 'a'} half-point bye in round {number}"
    asked = {"name": bot, "round": number, "take_back": take_back}
    return _command(client, tournament_id, "bye", asked, also)


@app.command()
@of_host
def house(
    client: ApiClient,
    tournament_id: Id,
    bot: Annotated[
        str | None,
        typer.Argument(metavar="[BOT]", help="A reference bot; without it, list them.", autocompletion=completion.bots),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Its name in the tournament; by default one is made.")] = None,
    count: Annotated[int | None, typer.Option(min=1, help="How many of this bot to add; 1 by default.")] = None,
) -> CommandOutput:
    """Add house bots to a tournament. The server runs the bots until the tournament is over."""
    if bot is not None:
        wanted = without_none(bot=bot, name=name, count=count)
        return _command(client, tournament_id, "house", wanted, f", {count or 1} x {bot} on the way")
    answer = client.get(api_path("tournaments", tournament_id, "house"))
    bots = (f"{each['bot']}: {each['about']}" for each in answer["bots"])
    return answer, *bots, f"there is room for {answer['room']} on this server"


@app.command()
@of_host
def invite(
    client: ApiClient,
    tournament_id: Id,
    new: Annotated[bool, typer.Option("--new", help="Make a new code; the old one is no longer valid.")] = False,
    code: Annotated[str | None, typer.Option(metavar="CODE", help="Change the code to this one.")] = None,
    open_: Annotated[bool, typer.Option("--open", help="Let anyone join without a code.")] = False,
    qr: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the link as a QR code (SVG), too.")] = None,
) -> CommandOutput:
    """Show or change the invitation: its code, the link to the page, and the command that lets a bot join."""
    if new + open_ + (code is not None) > 1:
        raise CliError("give only one of --new, --code and --open", ExitCode.USAGE)
    path = api_path("tournaments", tournament_id, "invite")
    if new:
        invitation = client.post(path, {})
    elif open_ or code is not None:
        invitation = client.post(path, {"code": code})
    else:
        invitation = client.get(path)
    if qr is not None:
        qr.write_bytes(client.download(f"{path}.svg"))
    lines = (f"code     {invitation['code'] or 'none: anyone may join'}", f"link     {invitation['link']}")
    return invitation, *lines, f"command  {invitation['command']}", *invitation_hints(invitation)


@app.command("reset-key")
@of_host
def reset_key(
    client: ApiClient,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A bot's name.")],
    key: Annotated[str | None, typer.Option(metavar="KEY", help="Protect the name, open or not, by this key.")] = None,
) -> CommandOutput:
    """Forget the key of a bot's name. The next login claims the name, unless --key sets a new key."""
    answer = client.post(api_path("names", name, "reset"), without_none(key=key) or None)
    return answer, answer["message"]


@app.command()
@of_host
def replay(client: ApiClient, match_id: MatchId) -> CommandOutput:
    """Have a match played again; its old result no longer counts."""
    return _command(client, tournament_id_of(match_id), "replay", {"match": match_id})


@app.command("list")
def list_(server: Server = LOCAL_SERVER, json_: Json = False) -> None:
    """List the newest tournaments."""
    from rumble_engine.registry import game_title

    listed = ApiClient(server).get("tournaments")
    rows = []
    for each in listed["tournaments"]:
        bots = "?" if each["bots"] is None else str(each["bots"])
        rows.append((each["id"], each["status"], game_title(each["game"]), bots, each["name"]))
    print_answer(listed, bare_table(("id", "status", "game", "bots", "name"), rows), as_json=json_)


@app.command()
def standings(tournament_id: Id, server: Server = LOCAL_SERVER, json_: Json = False) -> None:
    """Show the standings by rank, with each bot's faults, and whether the bot is benched."""
    from rumble_server.cli.output.tables import standings_for, tiebreak_legend, tiebreaks_for

    client, path = ApiClient(server), ("tournaments", tournament_id)
    if json_:
        print_answer(client.get(api_path(*path, "standings")), as_json=True)
        return
    state = client.get(api_path(*path))
    seats = state.get("match_seats", 2)  # a server of an older version does not say
    table = standings_for(plain_or_rich(), state["standings"], None, state["entrants"], seats)
    played = f", {state['matches_over']} of {state['matches_total']} matches" if state["started_at_ms"] else ""
    legend = tiebreak_legend(table, tiebreaks_for(seats))
    print_answer(state, f"{tournament_id}: {state['status']}{played}", table, *legend, as_json=False)


@app.command()
@of_host
def audit(client: ApiClient, tournament_id: Id) -> CommandOutput:
    """Show whether a tournament is fair.

    For each bot, show the matches, the seats, the longest wait, the excused time, and the drops: how often the bot lost
    its connection on its own turn.
    """
    from rumble_server.cli.output.tables import audit_table, void_text

    report = client.get(api_path("tournaments", tournament_id, "audit"))
    verdict = "nothing to complain of" if report["fair"] else "not fair"
    lines = [f"{tournament_id}: {verdict}", *(each["message"] for each in report["flags"]), *void_text(report["void"])]
    return report, *lines, audit_table(plain(report))


@app.command()
def export(
    tournament_id: Id,
    server: Server = LOCAL_SERVER,
    format_: Annotated[ExportFormat, typer.Option("--format", help="Format to write.")] = "json",
    trf_2026: Annotated[bool, typer.Option("--trf-2026", help="With --format trf: write TRF-2026, not TRF16.")] = False,
    out: Out = None,
) -> None:
    """Write the whole tournament: standings, matches and moves."""
    query = "?edition=2026" if trf_2026 and format_ == "trf" else ""
    document = ApiClient(server).download(api_path("tournaments", tournament_id, f"export.{format_}") + query)
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
    """Write every frame of a match, in both directions, as ND-JSON, with server times and the result."""
    client = ApiClient(server, host_token) if bot is None else ApiClient.of_bot(server, bot, key)
    _write(client.download(api_path("matches", match_id, "transcript")), out)


def _command(
    client: ApiClient, tournament_id: str, command: str, body: Mapping[str, Any] | None = None, also: str = ""
) -> CommandOutput:
    answer = client.post(api_path("tournaments", tournament_id, command), body)
    return answer, f"{answer['id']}: {answer['status']}{also}"


def _write(document: bytes, out: Path | None, end: bytes = b"") -> None:
    if out is not None:
        out.write_bytes(document)
        return
    sys.stdout.buffer.write(document + end)
