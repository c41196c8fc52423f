"""`rumble serve`: host tournaments."""

import inspect
import logging
import os
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from rumble_server.cli.support.interpreter import Interpreter
from rumble_server.cli.support.loop import on_hangup, periodically, run, until_signal
from rumble_server.cli.support.settings import FILE_VARIABLE, Setting, read_config, settings

if TYPE_CHECKING:
    from rumble_server.app import Server
    from rumble_server.config import ServerConfig

log = logging.getLogger(__name__)

LOGS_S, GARBAGE_S = 60.0, 10.0
"""How often, in s, the logs tell what they have counted and look for a new day, and garbage is looked for."""
FIRST_OF_PANEL = {"host": "Server", "tls_cert": "TLS", "log_level": "Logs and metrics"}
"""The first setting of a panel of the help, and its title; the panel has those that follow."""
PANEL_OF_PART = {"limits": "Limits of a bot, which it is told", "bounds": "Bounds of a connection, an address, a match"}


class _GroupedHelp(TyperCommand):
    """A command whose plain help is grouped by panels."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        panels: dict[str, list[Any]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                panels.setdefault(getattr(param, "rich_help_panel", None) or "Options", []).append(record)
        for title, records in panels.items():
            with formatter.section(title):
                formatter.write_dl(records)


app = typer.Typer(add_completion=False, rich_markup_mode=None)
"""Its help is plain text on a terminal, too: drawn in a box, the long names would leave no room for the rest."""


def serve(**given: Any) -> None:
    """Host tournaments until Ctrl-C or SIGTERM; then give running matches 5 s to finish, and stop.

    Each option can also be an environment variable (RUMBLE_IDLE_MS for --idle-ms), or a key in a TOML file
    (idle_ms = 5000). An option goes before the environment, and that before the file.
    """
    run(_serve(read_config(given, os.environ)))


def _parameters() -> list[inspect.Parameter]:
    file = typer.Option("--config", metavar="FILE", help=f"TOML file of settings, or {FILE_VARIABLE}.")
    parameters = [_parameter("config", str, file)]
    panel = ""
    for setting in settings().values():
        panel = PANEL_OF_PART.get(setting.part) or FIRST_OF_PANEL.get(setting.name, panel)
        parameters.append(_parameter(setting.name, *_option(setting, panel)))
    return parameters


def _option(setting: Setting, panel: str) -> tuple[Any, Any]:
    """Return the type and the option of a setting. Values stay text: `read_config` knows which places they have."""
    default = f" Default: {setting.shown_default}." if setting.shown_default else ""
    about: dict[str, Any] = {"help": setting.about + default, "rich_help_panel": panel}
    match setting.kind:
        case "yes or no":
            return bool, typer.Option(f"{setting.option}/--no-{setting.option[2:]}", **about)
        case "a list" if setting.name != "house":
            return list[str], typer.Option(setting.option, metavar="TEXT,...", **about)
        case "a whole number":
            return str, typer.Option(setting.option, metavar="N", **about)
        case "a list":
            return str, typer.Option(setting.option, metavar="LIST|none", **about)
        case _:
            return str, typer.Option(setting.option, metavar="TEXT", **about)


def _parameter(name: str, kind: Any, option: Any) -> inspect.Parameter:
    annotation = Annotated[kind | None, option]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


serve.__signature__ = inspect.Signature(_parameters())  # type: ignore[attr-defined]  # `inspect` reads it
serve.__annotations__ = {each.name: each.annotation for each in _parameters()}
app.command("serve", cls=_GroupedHelp)(serve)


async def _serve(config: "ServerConfig") -> None:
    from rumble_server.cli.support.house import HouseProcesses
    from rumble_server.cli.support.running import running_server
    from rumble_server.logs.set_up import set_up_logs

    stopping = until_signal()
    with closing(set_up_logs(config)) as logs:
        async with periodically(logs.tick, LOGS_S), running_server(config, HouseProcesses) as server:
            interpreter = Interpreter(lambda: bool(server.arena.matches.live))
            interpreter.calm()
            if config.tls_cert is not None:
                on_hangup(server.reload)
            _announce(server)
            async with periodically(interpreter.look, GARBAGE_S):
                await stopping.wait()
            log.info("draining")


def _announce(server: "Server") -> None:
    host, port = server.address
    bots = server.url.replace("http", "ws", 1) + "/bot"
    typer.echo(f"page        {server.url}/")
    typer.echo(f"bots        {bots}")
    typer.echo(f"console     {server.url}/console")
    typer.echo(f"host token  {_about_token(server)}")
    typer.echo(f"database    {server.config.db}")
    typer.echo(f"listening on {host} port {port}; Ctrl-C stops")
    sys.stdout.flush()


def _about_token(server: "Server") -> str:
    if server.made_token is not None:
        return f"{server.made_token}  (keep it: it is printed only this once)"
    if server.config.host_token is not None:
        return "the one that you gave"
    return "as before; if it is lost, --host-token gives a new one"
