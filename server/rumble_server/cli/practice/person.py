"""A bot that plays the moves which a person types in a terminal."""

import getpass
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from rumble_bots.sdk.bot import Bot, Turn
from rumble_bots.sdk.errors import Resign
from rumble_engine import Game, IllegalMove, MoveError, NotSampled, State, get_game
from rumble_protocol import server_messages

from rumble_server.cli.support.bot_names import as_bot_name

HELP = "type a move, ? for all that are allowed, or resign"


class Person(Bot):
    """A bot whose moves a person types.

    `read` returns a line, or None at the end of the input. `write` shows a text, or a board made by `draw`.
    """

    def __init__(
        self,
        read: Callable[[], str | None],
        write: Callable[[Any], None],
        draw: Callable[[Game, Mapping[str, Any], str | None], Any],
    ) -> None:
        self._read = read
        self._write = write
        self._draw = draw
        self._start: server_messages.MatchStart | None = None

    def notice(self, message: server_messages.Notice) -> None:
        self._write(message.message)

    def match_start(self, message: server_messages.MatchStart) -> None:
        self._start = message
        marks = get_game(message.game).seat_marks
        others = ", ".join(name for seat, name in enumerate(message.seats) if seat != message.seat)
        again = "on " if message.resumed else ""
        self._write(f"You play {again}{marks[message.seat]} against {others}; {HELP}.")

    def choose(self, turn: Turn) -> str:
        """Show the board, and ask until the person types a legal move.

        Raises Resign if the person types `resign`, or if the input has ended.
        """
        game, last = get_game(turn.game), turn.moves[-1] if turn.moves else None
        if last is not None:
            self._write(f"Last move: {last}")
        self._write(self._draw(game, turn.state, last))
        state = _agreeing(game, turn)
        while True:
            self._write("Your move:")
            line = self._read()
            if line is None:
                raise Resign("the input has ended")
            text = line.strip()
            if text == "resign":
                raise Resign("as you wish")
            if text in ("", "?"):
                self._write(f"Allowed: {' '.join(turn.legal)}")
                continue
            try:
                if state is not None:
                    state.code_for(turn.seat, text)
                elif text not in turn.legal:
                    raise IllegalMove(f"{text} is not allowed here")
            except MoveError as error:
                self._write(f"{error}; {HELP}")
            else:
                return text

    def match_over(self, message: server_messages.MatchOver) -> None:
        if self._start is None:
            return
        game = get_game(self._start.game)
        self._write(self._draw(game, message.state, message.moves[-1] if message.moves else None))
        if message.scores is None:
            result = "The match is void and will be played again"
        elif message.winner is None:
            result = "A draw"
        else:
            result = "You won" if message.winner == self._start.seat else "You lost"
        self._write(f"{result}: {message.reason} ({message.termination}).")


def _agreeing(game: Game, turn: Turn) -> State | None:
    """Return a state that agrees with the turn, to check typed moves; None if the game draws no samples."""
    try:
        return game.sample(turn.state, Random(0))
    except NotSampled:
        return None


def user_name() -> str:
    """Return this user's name without characters that a bot's name cannot have; `guest` if the name is unknown."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):  # no variable with a user name, or no such user
        name = ""
    return as_bot_name(name, "guest")
