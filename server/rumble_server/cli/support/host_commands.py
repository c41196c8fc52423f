"""Commands of hosts and administrators: the options to reach a server, and the printing of the server's answer."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any

from rumble_server.cli.output.answers import print_answer
from rumble_server.cli.support.options import LOCAL_SERVER, AdminToken, HostToken, Json, Server
from rumble_server.cli.support.organiser_client import AdministratorClient, OrganiserClient

Answer = tuple[Any, ...]
"""The server's answer as JSON data, followed by the texts and tables that a person sees instead of the JSON data."""


def of_host(ask: Callable[..., Answer]) -> Callable[..., None]:
    """Return a command for hosts. The command calls `ask` and prints the answer.

    `ask` gets the command's own options, and a client of the server in its parameter `client`.
    """
    return _command_of(ask, OrganiserClient, "host_token", HostToken)


def of_administrator(ask: Callable[..., Answer]) -> Callable[..., None]:
    """Return a command for administrators. As with `of_host`, the command calls `ask` and prints the answer."""
    return _command_of(ask, AdministratorClient, "admin_token", AdminToken)


def _command_of(
    ask: Callable[..., Answer], make_client: type[OrganiserClient], token_name: str, token: Any
) -> Callable[..., None]:
    @wraps(ask)
    def command(*, server: str, json_: bool, **kwargs: Any) -> None:
        client = make_client(server, kwargs.pop(token_name))
        print_answer(*ask(client=client, **kwargs), as_json=json_)

    own = signature(ask, eval_str=True)
    parameters = [each for name, each in own.parameters.items() if name != "client"]
    for name, annotation, default in (
        ("server", Server, LOCAL_SERVER),
        (token_name, token, None),
        ("json_", Json, False),
    ):
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation))
    command.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    return command
