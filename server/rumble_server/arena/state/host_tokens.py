"""Host tokens. Each has a name, and the server keeps only the hash of a token."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, assert_never

from rumble_server.arena.state.names_and_keys import derive_secret, digest_of
from rumble_server.tournament.club_facts import HostFact, HostTokenRemoved, HostTokenSet, HostTokensRemoved
from rumble_server.tournament.errors import RequestRefused

DEFAULT = "default"
"""Name of the token that is given by `--host-token`, or made at the first start."""
MOST_TOKENS = 100
"""Maximum number of tokens of a club. The token of a request is compared with every token of the club."""
ADMINISTRATOR = "administrator"
"""Name of the administrator's token in the audit log. No club's list of tokens has this name."""


@dataclass(frozen=True, slots=True)
class HostToken:
    """A token's name, and the time in ms at which the token was set."""

    name: str
    since_ms: int


class TokenRefused(RequestRefused):
    """The refusal to add or remove a host token."""

    def __init__(self, code: Literal["unavailable", "name_taken", "not_found", "last_token"], message: str) -> None:
        super().__init__(code, message)


class HostTokens:
    """Valid tokens by name; rebuilt from the log."""

    def __init__(self, is_administrator: Callable[[str], bool] = lambda _: False) -> None:
        self._is_administrator = is_administrator
        self._tokens: dict[str, HostTokenSet] = {}

    def apply(self, fact: HostFact) -> None:
        match fact:
            case HostTokenSet():
                self._tokens[fact.name] = fact
            case HostTokenRemoved():
                self._tokens.pop(fact.name, None)
            case HostTokensRemoved():
                self._tokens.clear()
            case _:
                assert_never(fact)

    def __len__(self) -> int:
        return len(self._tokens)

    def check_new(self, name: str) -> None:
        """Raise TokenRefused if no token of this name can be added."""
        if len(self._tokens) >= MOST_TOKENS:
            raise TokenRefused("unavailable", f"there are {MOST_TOKENS} tokens already: take one back first")
        if name in self._tokens:
            raise TokenRefused("name_taken", f"there is a token {name} already")
        if name == ADMINISTRATOR:
            raise TokenRefused("unavailable", f"{name} is what the audit log calls the holder of another token")

    def check_removal(self, name: str) -> None:
        """Raise TokenRefused if there is no token of this name, or no other token."""
        if name not in self._tokens:
            raise TokenRefused("not_found", f"there is no token {name!r}")
        if len(self._tokens) == 1:
            raise TokenRefused("last_token", f"{name} is the last token: make another one first")

    def listed(self) -> list[HostToken]:
        """Return the names and times of the tokens, oldest first."""
        return [HostToken(each.name, each.at_ms) for each in self._tokens.values()]

    def holder(self, token: str) -> str | None:
        """Return the name of a valid host token, or `ADMINISTRATOR` for the administrator's token. Return None for an
        invalid token.
        """
        name = ADMINISTRATOR if self._is_administrator(token) else None
        for each in self._tokens.values():
            if hmac.compare_digest(each.digest, digest_of(token, each.salt)):
                name = each.name
        return name

    def derive_secret(self, token: str) -> str:
        """Return a secret made by the server (see `make_secret`) that can replace the valid host token `token`.

        If `token` is no valid host token, return `token` unchanged.
        """
        salts = (each.salt for each in self._tokens.values() if each.digest == digest_of(token, each.salt))
        return next((derive_secret(token, salt) for salt in salts), token)
