"""Checks of the secrets in requests: keys, host tokens and invitations.

Routes check secrets here, so that guessing is limited by address over all routes. The bounds are in `limits.guesses`.
The routes for pupils (`web/api/joining.py`) take only keys made by the page, which nobody can guess. The arena counts
wrong join codes and slips.
"""

from collections.abc import Callable

from fastapi import Request

from rumble_server.limits.guesses import Guesses
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.client import client_address
from rumble_server.web.errors import WebError
from rumble_server.web.site import Site

SECRETS = frozenset({"code", "invite", "key"})
"""Names of query parameters and of fields of bodies that hold secrets."""


def shows_secret(request: Request) -> bool:
    """Return true if a request shows a token, a key or an invitation. The answer may then contain the secret, too."""
    return "authorization" in request.headers or not SECRETS.isdisjoint(request.query_params)


class SecretChecker:
    """A checker of the secrets in requests, which counts wrong secrets; `now_ms` returns the server time."""

    def __init__(self, guesses: Guesses, now_ms: Callable[[], int]) -> None:
        self._guesses = guesses
        self._now_ms = now_ms

    def check_secret(self, request: Request, owner: str, secret: str, *, is_right: bool) -> bool:
        """Return `is_right`: whether the secret is right. A wrong secret is counted.

        `owner` is the name that a key protects, or `HOST_TOKEN`. After too many wrong secrets, only made secrets
        (`is_made`) are let through; any other raises WebError (429).
        """
        address, now_ms = client_address(request), self._now_ms()
        if not self._guesses.allows_try(address, owner, secret, now_ms):
            raise WebError.too_many("too many wrong tries from your address; try again in a minute")
        if is_right:
            self._guesses.note_right(address, owner, now_ms)
            return True
        self._guesses.count_wrong(address, owner, secret, now_ms)
        return False

    def check_invitation(self, request: Request, tournament: Tournament, code: str) -> bool:
        """Return true if `code` is a tournament's invitation code. A wrong code is counted."""
        if tournament.admits(code):
            return True
        self._guesses.count_wrong_code(client_address(request), tournament.id, code, self._now_ms())
        return False


def checker_of(site: Site) -> SecretChecker:
    """Return the checker of the secrets in requests to a club; wrong secrets count as guesses."""
    return SecretChecker(site.play.guesses, site.play.clock.now_ms)
