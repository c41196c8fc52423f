"""Checks of the secrets in requests: keys, host tokens and invitations.

Every route that takes a secret checks the secret here, so that guessing is limited by address over all routes. The
bounds are in `limits.guesses`.
"""

from collections.abc import Callable

from fastapi import Request

from rumble_server.host.host_names import is_loopback
from rumble_server.limits.guesses import Guesses
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.errors import WebError


def source_of(request: Request) -> str:
    """Return the address by which limits count a request."""
    return "" if request.client is None else request.client.host


def is_local(request: Request) -> bool:
    """Return whether a request comes from this machine, and was not forwarded."""
    told = request.scope.get("state", {}).get("is_local")
    return is_loopback(source_of(request)) if told is None else bool(told)


class SecretChecker:
    """A checker of the secrets in requests, which counts wrong secrets; `now_ms` returns the server time."""

    def __init__(self, guesses: Guesses, now_ms: Callable[[], int]) -> None:
        self._guesses = guesses
        self._now_ms = now_ms

    def is_right(self, request: Request, whose: str, secret: str, compare: Callable[[], bool]) -> bool:
        """Return whether a secret is right, by a call of `compare`.

        `whose` is the name that a key protects, or `HOST`. After too many wrong secrets, raises WebError (429) and does
        not call `compare`.
        """
        address, now_ms = source_of(request), self._now_ms()
        if not self._guesses.may_try(address, whose, secret, now_ms):
            raise WebError.too_many("too many wrong tries from your address; try again in a minute")
        if compare():
            self._guesses.right(address, whose, now_ms)
            return True
        self._guesses.wrong(address, whose, secret, now_ms)
        return False

    def is_invited(self, request: Request, tournament: Tournament, code: str) -> bool:
        """Return whether `code` is a tournament's invitation code, and count a wrong code."""
        if tournament.admits(code):
            return True
        self._guesses.wrong_code(source_of(request), tournament.id, code, self._now_ms())
        return False
