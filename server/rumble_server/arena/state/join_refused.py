"""The refusal of a pupil who joins by a code, or comes with a slip."""

from typing import Literal, NoReturn

from rumble_server.limits.guesses import Guesses
from rumble_server.tournament.errors import RequestRefused

Problem = Literal["unknown_code", "too_many_requests", "bad_display_name", "name_taken"]


class JoinRefused(RequestRefused):
    """The refusal of a pupil."""

    def __init__(self, code: Problem, message: str) -> None:
        super().__init__(code, message)


def refuse_code(guesses: Guesses, address: str, about: str, code: str, now_ms: int, unknown: str) -> NoReturn:
    """Count the wrong code `code`, which came from `address`. `about` names the kind of code.

    Raises JoinRefused: `unknown_code` with the text `unknown`, or `too_many_requests` after too many wrong codes.
    """
    if guesses.count_wrong_code(address, about, code, now_ms):
        raise JoinRefused("unknown_code", unknown)
    raise JoinRefused("too_many_requests", f"too many wrong codes from your address; look at the {about} again")
