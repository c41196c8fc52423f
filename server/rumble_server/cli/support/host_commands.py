"""Commands of hosts and administrators: the options to reach a server, and the printing of the server's answer."""

from collections.abc import Callable
from inspect import signature
from typing import Any

from rumble_server.cli.output.answers import print_answer
from rumble_server.cli.support.api_client import AdministratorClient, ApiClient
from rumble_server.cli.support.options import LOCAL_SERVER, AdminToken, HostToken, Json, Server, with_parameters

CommandOutput = tuple[Any, ...]
"""The server's answer as JSON data, followed by the texts and tables that a person sees instead of the JSON data."""


def of_host(ask: Callable[..., CommandOutput]) -> Callable[..., None]:
    """Return a command for hosts. The command calls `ask` and prints the answer.

    `ask` gets the command's own options, and a client of the server in its parameter `client`.
    """
    return _command_of(ask, ApiClient, "host_token", HostToken)


def of_administrator(ask: Callable[..., CommandOutput]) -> Callable[..., None]:
    """Return a command for administrators. As with `of_host`, the command calls `ask` and prints the answer."""
    return _command_of(ask, AdministratorClient, "admin_token", AdminToken)


def _command_of(
    ask: Callable[..., CommandOutput], make_client: type[ApiClient], token_name: str, token_option: Any
) -> Callable[..., None]:
    own = [each for each in signature(ask, eval_str=True).parameters.values() if each.name != "client"]
    parameters = {each.name: each.annotation for each in own}
    defaults = {each.name: each.default for each in own}

    def command(**kwargs: Any) -> None:
        server, token, as_json = map(kwargs.pop, ("server", token_name, "json_"))
        print_answer(*ask(client=make_client(server, token), **kwargs), as_json=as_json)

    command.__name__, command.__doc__ = ask.__name__, ask.__doc__
    added = {"server": Server, token_name: token_option, "json_": Json}
    return with_parameters(command, parameters | added, defaults | {"server": LOCAL_SERVER, "json_": False})
