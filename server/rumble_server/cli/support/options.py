"""Options that several commands share."""

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Annotated, Any, TypeVar

import typer
from typer.models import ArgumentInfo

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support import completion

T = TypeVar("T")

LOCAL_SERVER = "http://127.0.0.1:8765"
"""Address of `rumble serve` with its default host and port."""

Server = Annotated[
    str,
    typer.Option(
        envvar="RUMBLE_SERVER",
        metavar="URL",
        help="Where the server is: http://host:port, ws://host:port or host:port, and /c/NAME behind it for a club.",
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        envvar="RUMBLE_KEY", metavar="KEY", help="The name's key; by default the one kept for this name, or a new one."
    ),
]
Join = Annotated[str | None, typer.Option(envvar="RUMBLE_JOIN", metavar="ID", help="The tournament to play in.")]
Name = Annotated[
    str | None, typer.Option(envvar="RUMBLE_NAME", help="Its name on the server; the bot's own by default.")
]
Invite = Annotated[
    str | None,
    typer.Option(envvar="RUMBLE_INVITE", metavar="CODE", help="The invitation code, if the tournament asks for one."),
]
PLAYING: dict[str, Any] = {
    "server": Server,
    "join": Join,
    "name": Name,
    "key": Key,
    "same_server": Annotated[
        str | None,
        typer.Option(metavar="URL", help="Another address of the same club: use the key kept for that, and keep it."),
    ],
    "matches_at_once": Annotated[int, typer.Option(min=1, help="How many matches it plays at the same time.")],
    "worker": Annotated[
        str | None,
        typer.Option(envvar="RUMBLE_WORKER", metavar="NAME", help="Which of several programs of the bot this is."),
    ],
    "workers": Annotated[
        int | None,
        typer.Option(min=1, max=64, metavar="N", help="Play as N processes, each a worker; a name is made for each."),
    ],
    "follow": Annotated[
        bool,
        typer.Option("--follow", help="Stay after the tournament, for the host's next tournament with the class."),
    ],
    "invite": Invite,
    "challenges": Annotated[
        bool, typer.Option("--challenges", help="Accept challenges, and stay connected until Ctrl-C.")
    ],
}
"""The options of `rumble bot` and `rumble bridge` for playing on a server, by name."""
PLAYING_DEFAULTS: Mapping[str, Any] = {
    "server": LOCAL_SERVER,
    "matches_at_once": 1,
    "follow": False,
    "challenges": False,
}
"""The defaults of the options in `PLAYING`. The default of an option that is left out is None."""
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but the result.")]
Verbose = Annotated[bool, typer.Option("--verbose", help="Log everything, with tracebacks.")]
Game = Annotated[str, typer.Option(metavar="GAME", help="A game; see: rumble games.", autocompletion=completion.games)]
Setting = Annotated[
    list[str] | None,
    typer.Option("--set", "--setting", metavar="NAME=VALUE", help="A setting of the game; may be repeated."),
]
HostToken = Annotated[
    str | None, typer.Option(envvar="RUMBLE_HOST_TOKEN", metavar="TOKEN", help="A host's token of the club.")
]
AdminToken = Annotated[
    str | None,
    typer.Option(envvar="RUMBLE_ADMIN_TOKEN", metavar="TOKEN", help="The administrator's token of the server."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ResultsFileName = Annotated[
    str,
    typer.Argument(
        help="A CSV `first,second,score` (for tables: `seat_0,place_0,seat_1,place_1,...`), an export.json or a TRF; - "
        "for standard input."
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]
Timeout = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", min=0.001, help="A function: how long to wait for an answer; by default 60."),
]
Search = Annotated[
    str | None, typer.Option(metavar="NAME", help="minimax: plain, cached, alphabeta, cached-alphabeta or strong.")
]
Depth = Annotated[int | None, typer.Option(min=1, help="minimax, streetwise: how many plies to look ahead.")]
TimeMs = Annotated[int | None, typer.Option(min=1, help="minimax, streetwise, mcts: most time for a move, in ms.")]
Iterations = Annotated[
    int | None, typer.Option(min=1, help="mcts: how many random games for a move, in a minute at most.")
]


def without_none(**options: Any) -> dict[str, Any]:
    """Return the entries of `options` that are not None. None marks an option that the user has not given."""
    return {name: value for name, value in options.items() if value is not None}


def with_parameters(
    run: Callable[..., T], parameters: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> Callable[..., T]:
    """Return `run` with a signature for typer, in which `parameters` replace the `**` parameter of `run`.

    `parameters` has the annotation of each parameter, by name. A parameter that the user does not give has its value in
    `defaults`. Without a value in `defaults`, a typer argument is required, and a typer option is None.
    """
    own = inspect.signature(run, eval_str=True)
    added = []
    for name, annotation in parameters.items():
        missing = inspect.Parameter.empty if isinstance(annotation.__metadata__[0], ArgumentInfo) else None
        default = (defaults or {}).get(name, missing)
        added.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation))
    before = [each for each in own.parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
    after = [each for each in own.parameters.values() if each.kind is each.KEYWORD_ONLY]

    @wraps(run)
    def typed(**kwargs: Any) -> T:
        return run(**kwargs)

    typed.__signature__ = own.replace(parameters=[*before, *added, *after])  # type: ignore[attr-defined]
    return typed


def check_purpose(join: str | None, challenges: bool) -> None:
    """Raise CliError if the user has given neither a tournament for the bot nor `--challenges`."""
    if join is None and not challenges:
        raise CliError("say what to play in: --join ID (or RUMBLE_JOIN), or --challenges", ExitCode.USAGE)


def no_options_for_functions(options: Mapping[str, Any]) -> None:
    """Raise CliError if any `options` are given for a bot that is a function. Only reference bots have options."""
    if options:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in options)
        raise CliError(f"{names}: only for reference bots, not for functions", ExitCode.USAGE)


def read_settings(texts: Sequence[str] | None) -> dict[str, bool | int | str]:
    """Read settings written NAME=VALUE. Raises CliError for another form. The game checks names and values later."""
    return {name: json_or_text(value) for name, value in named_values(texts or (), "a setting")}


def named_values(texts: Sequence[str], what: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each text written NAME=VALUE. Raises CliError for another form of `what`."""
    for text in texts:
        name, equals, value = text.partition("=")
        if not name.strip() or not equals:
            raise CliError(f"{text!r} is not {what}: write NAME=VALUE", ExitCode.USAGE)
        yield name, value


def json_or_text(text: str) -> bool | int | str:
    """Return the value of a text that is a boolean, whole number or string in JSON; return any other text unchanged."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, bool | int | str) else text


def read_points(text: str) -> tuple[float, float, float]:
    """Read points written like `3,1,0`. Raises ValueError."""
    try:
        win, draw, loss = (float(value) for value in text.split(","))
    except ValueError:
        raise ValueError(f"points are three numbers, for a win, a draw and a loss, like 3,1,0, not {text!r}") from None
    return win, draw, loss
