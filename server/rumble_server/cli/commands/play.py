"""`rumble play`: play a match yourself, in the terminal."""

from typing import Annotated

import typer

from rumble_server.cli.output.terminal import plain_or_rich, stdin_lines, writer
from rumble_server.cli.support.options import LOCAL_SERVER, Game, Key, Server, Setting, read_settings

MOVE_MS = 600_000
"""Default time for each move: ten minutes."""
DAY_MS = 86_400_000


def play(
    against: Annotated[str, typer.Option(metavar="BOT", help="Name of the bot to play, such as house-minimax.")],
    server: Server = LOCAL_SERVER,
    game: Game = "tictactoe",
    setting: Setting = None,
    seat: Annotated[
        int | None, typer.Option(min=0, max=1, help="Your seat: 0 moves first; by default it is drawn.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(envvar="RUMBLE_NAME", help="Your name on the server; your user name by default.")
    ] = None,
    key: Key = None,
    move_ms: Annotated[int, typer.Option(min=1, max=DAY_MS, help="Time for each move, in ms.")] = MOVE_MS,
) -> None:
    """Play a match against a bot, in this terminal."""
    from functools import partial

    from rumble_bots.reference import REFERENCE_BOTS
    from rumble_bots.sdk.errors import Refused
    from rumble_bots.sdk.serve import serve
    from rumble_engine import get_game
    from rumble_protocol.bot_messages import Challenge
    from rumble_protocol.codes import ErrorCode
    from rumble_protocol.fields import TimeControl

    from rumble_server.cli.output.boards import board_of
    from rumble_server.cli.practice.person import Person, user_name
    from rumble_server.cli.support.loop import run

    settings = get_game(game).complete(read_settings(setting))
    clock = TimeControl(move_ms=move_ms)
    challenge = Challenge(against=against, game=game, settings=settings, seat=seat, time_control=clock)
    console = plain_or_rich()
    person = Person(stdin_lines(), writer(console), partial(board_of, console))
    try:
        run(serve(person, server, name=name or user_name(), key=key, challenge=challenge))
    except Refused as refused:
        if refused.code != ErrorCode.UNKNOWN_BOT or against not in REFERENCE_BOTS:
            raise
        hint = f"the server's own is called house-{against}"
        raise Refused(refused.code, refused.message, hint) from None
