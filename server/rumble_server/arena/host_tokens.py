"""Host tokens: each has a name, and only its hash is kept."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass

from rumble_server.arena.names import digest_of, exchanged
from rumble_server.tournament.facts import HostFact, HostTokenSet, HostTokensRemoved

DEFAULT = "default"
"""Name of the token given by `--host-token`, or made at the first start."""
MOST_TOKENS = 100
"""Maximum number of tokens of a club: each request's token is compared with each. A further one is refused."""
ADMINISTRATOR = "administrator"
"""Name of the administrator's token for the audit log; no list of a club has it."""


@dataclass(frozen=True, slots=True)
class HostToken:
    """A token's name, and the time of its making in ms."""

    name: str
    since_ms: int


class HostTokens:
    """Valid tokens by name; rebuilt from the log."""

    def __init__(self, is_administrator: Callable[[str], bool] = lambda _: False) -> None:
        self._is_administrator = is_administrator
        self._tokens: dict[str, HostTokenSet] = {}

    def apply(self, fact: HostFact) -> None:
        if isinstance(fact, HostTokenSet):
            self._tokens[fact.name] = fact
        elif isinstance(fact, HostTokensRemoved):
            self._tokens.clear()
        else:
            self._tokens.pop(fact.name, None)

    def __contains__(self, name: str) -> bool:
        return name in self._tokens

    def __len__(self) -> int:
        return len(self._tokens)

    def listed(self) -> list[HostToken]:
        """Return the names and times of the tokens, oldest first."""
        return [HostToken(each.name, each.at_ms) for each in self._tokens.values()]

    def holder(self, token: str) -> str | None:
        """Return the name of this token, `ADMINISTRATOR` for the administrator's, or None for an invalid token."""
        found = ADMINISTRATOR if self._is_administrator(token) else None
        for each in self._tokens.values():
            if hmac.compare_digest(each.digest, digest_of(token, each.salt)):
                found = each.name
        return found

    def exchanged(self, token: str) -> str:
        """Return the made secret that is valid beside a valid token; return any other token unchanged."""
        salts = (each.salt for each in self._tokens.values() if each.digest == digest_of(token, each.salt))
        return next((exchanged(token, salt) for salt in salts), token)
