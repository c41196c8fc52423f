"""`rumble serve`: host tournaments."""

import logging
import os
import sys
from contextlib import closing
from itertools import chain, repeat
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rumble_server.cli.support.commands import App
from rumble_server.cli.support.options import with_parameters
from rumble_server.cli.support.settings import FILE_VARIABLE, Setting, read_config, settings

if TYPE_CHECKING:
    from rumble_server.app import Server
    from rumble_server.config import ServerConfig

log = logging.getLogger(__name__)

LOGS_S = 60.0
"""Interval in s of `Logs.tick`, which logs the counts of the flood filter and begins an audit file after midnight."""
KINDS = {bool: (bool, None), int: (str, "N"), frozenset: (list[str], "TEXT,...")}
"""Type of an option, and placeholder for the option's value in the help, keyed by the type of the setting.

The option for a number has type str. `read_config` reads the number. Its error for a bad number names the option.
"""


def serve(
    config: Annotated[
        str | None, typer.Option("--config", metavar="FILE", help=f"TOML file of settings, or {FILE_VARIABLE}.")
    ] = None,
    **given: Any,
) -> None:
    """Host tournaments until Ctrl-C or SIGTERM; then give running matches 5 s to finish, and stop.

    Each option, like --idle-ms, can also be an environment variable (RUMBLE_IDLE_MS), or a key in a TOML file
    (idle_ms = 5000). An option overrides the environment, and the environment overrides the file.
    """
    from rumble_server.cli.support.loop import run

    run(_serve(read_config({"config": config, **given}, os.environ)))


def _option(setting: Setting) -> Any:
    """Return the annotation of the option for a setting."""
    kind, metavar = KINDS.get(setting.kind, (str, "TEXT"))
    names = () if kind is bool else (setting.option,)
    about = f"{setting.about} Default: {setting.shown_default}." if setting.shown_default else setting.about
    return Annotated[kind | None, typer.Option(*names, metavar=metavar, help=about)]


app = App()
app.command()(with_parameters(serve, {name: _option(setting) for name, setting in settings().items()}))


async def _serve(config: "ServerConfig") -> None:
    from rumble_server.cli.processes.house import HouseProcesses
    from rumble_server.cli.processes.running import server_unless_stopped
    from rumble_server.cli.support.loop import first_of, on_hangup, periodically, until_signal
    from rumble_server.host.service_manager import beat_s, tell_alive
    from rumble_server.logs.set_up import set_up_logs

    stopping = until_signal()
    with closing(set_up_logs(config)) as logs:
        async with (
            periodically(logs.tick, LOGS_S),
            periodically(tell_alive, beat_s()),
            server_unless_stopped(config, HouseProcesses, stopping) as server,
        ):
            if server is None:  # stopped during standby, while another server led
                return
            if config.tls_cert is not None:
                on_hangup(server.reload)
            _announce(server)
            await first_of(stopping.wait(), server.clubs.must_end.wait())
            log.info("draining")


def _announce(server: "Server") -> None:
    from rumble_server.store.open import is_postgres

    host, port = server.address
    others = [server.config.public_url] if server.config.public_url is not None else server.network_urls()
    pages = [f"{url}/" for url in others]
    if not others:
        pages = [f"{server.url}/  (only this machine can open it; --host 0.0.0.0 lets others in)"]
    elif server.url not in others:
        pages.append(f"{server.url}/  (only on this machine)")
    for label, page in zip(chain(("page",), repeat("")), pages, strict=False):
        typer.echo(f"{label:12}{page}")
    first = next(iter(others), server.url)
    typer.echo(f"bots        {first.replace('http', 'ws', 1)}/bot")
    typer.echo(f"console     {first}/console")
    config = server.config
    typer.echo(f"host token  {_about_token(server.made_token, config.host_token, '--host-token')}")
    typer.echo(f"admin token {_about_token(server.made_admin_token, config.admin_token, '--admin-token')}")
    typer.echo(f"database    {server.store.path if is_postgres(config.db) else config.db}")  # no password
    typer.echo(f"listening on {host} port {port}; Ctrl-C stops")
    sys.stdout.flush()


def _about_token(made_token: str | None, given_token: str | None, option: str) -> str:
    if made_token is not None:
        return f"{made_token}  (keep it: it is printed only this once)"
    if given_token is not None:
        return "the one that you gave"
    return f"as before; if it is lost, {option} gives a new one"
